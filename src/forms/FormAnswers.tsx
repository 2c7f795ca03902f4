import { Alert, Box, Checkbox, Divider, Input, Text, Title } from '@mantine/core'
import {
  createContext,
  memo,
  type ReactNode,
  use,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useFrame } from '~/fields/frame'
import type { InputProps } from '~/fields/kind'
import { fieldKinds } from '~/fields/kinds'
import type { Message } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { FormContext } from '~/ui/FormField'
import { StatusBadge } from '~/ui/StatusBadge'
import { answerKind, type FormAnswer } from './answers'
import { eventQuestionField } from './answers-fields'
import { settledChoices } from './answer-flaws'
import { answerTexts } from './answers-text'
import { DiagnosesInput, type FoundDiagnosis } from './DiagnosesInput'
import type { EventFieldOfType, EventFormField } from './definition'
import type { NoteUrgency } from './definition-rules'
import { FilesInput, type SentFile } from './FilesInput'
import classes from './FormAnswers.module.css'
import { MedicinesInput } from './MedicinesInput'
import { isNote, listVisibleNotes } from './notes'
import { NotesSummary, URGENCY_LOOK } from './NotesSummary'
import { ageDoubt, evaluate, checkAnswerRange, type RuleSubject, waitsForBirth } from './rules'

/** What a form needs from the screen around it. Without it, the form is a preview that sends no requests. */
export type AnswerTools = {
  searchDiagnoses?: (text: string) => Promise<FoundDiagnosis[]>
  sendFile?: (fieldId: string, file: File) => Promise<SentFile>
  fileUrl?: (id: string) => string
  /** The known files, by their ids. */
  files?: Readonly<Record<string, SentFile>>
  /** The safety warnings about the medicines, below the last question for medicines. */
  belowMedicines?: ReactNode
}
const NO_TOOLS: AnswerTools = {}
const ToolsContext = createContext<AnswerTools>(NO_TOOLS)

type Props = { questions: readonly EventFormField[]; subject: RuleSubject; tools?: AnswerTools }

/**
 * The questions of a localized form, to be filled in inside a `FieldForm` (or another `FormContext`)
 * whose draft is by question id. Hidden questions are not drawn; computed answers are shown.
 */
export function FormAnswers({ questions, subject, tools = NO_TOOLS }: Props) {
  const form = use(FormContext)
  if (!form) throw new Error('Questions are drawn inside a form')
  const { draft, errors, disabled } = form
  const functions = useFormFunctions()
  const say = useSay()
  const { visible, required, refused, answers } = useMemo(
    () => evaluate(questions, draft, subject),
    [questions, draft, subject],
  )
  const doubt = ageDoubt(questions, subject)
  const notes = listVisibleNotes(questions, visible)
  const shown = questions.filter(({ id }) => visible.has(id))
  const lastMedicines = shown.findLast(({ fieldType }) => fieldType === 'medicine')
  return (
    <ToolsContext value={tools}>
      {doubt && (
        <Alert color="yellow" mb="md">
          {say(doubt === 'unknown' ? 'answers.ageUnknown' : 'answers.ageApproximate')}
        </Alert>
      )}
      <div className={classes.grid}>
        {shown.map((question) => (
          <div key={question.id} className={isWide(question) ? classes.wide : undefined}>
            {question.rules?.compute ? (
              <Computed
                question={question}
                answer={(answers[question.id] ?? null) as FormAnswer}
                waits={waitsForBirth(question.rules.compute, subject)}
              />
            ) : (
              <Question
                question={question}
                isRequired={required.has(question.id)}
                value={draft[question.id]}
                fieldError={
                  errors[question.id] ?? (refused.has(question.id) ? DOES_NOT_FIT : undefined)
                }
                disabled={disabled}
                functions={functions}
              />
            )}
            {question === lastMedicines && tools.belowMedicines}
          </div>
        ))}
      </div>
      <NotesSummary notes={notes} />
    </ToolsContext>
  )
}

const DOES_NOT_FIT: Message = { key: 'answers.doesNotFit' }

/** A word and an icon say how urgent a note is; the colour only repeats it. */
function UrgentWords({ content, urgency }: { content: string; urgency: NoteUrgency }) {
  const say = useSay()
  const { color, Icon } = URGENCY_LOOK[urgency]
  return (
    <Alert
      color={color}
      icon={<Icon aria-hidden />}
      title={say(`answers.urgency_${urgency}`)}
      // a coloured title has too little contrast on this background
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
      role={urgency === 'emergency' ? 'alert' : 'note'}
    >
      <Text size="sm" dir="auto" style={{ whiteSpace: 'pre-wrap' }}>
        {content}
      </Text>
    </Alert>
  )
}

const wideKinds = new Set(['text', 'separator', 'medicine', 'diagnosis', 'file'])
const isWide = (question: EventFormField) =>
  wideKinds.has(question.fieldType) ||
  (question.fieldType === 'free-text' && question.length === 'long') ||
  ('options' in question && question.options.length > 3 && !isLookedUp(question))
/** Whether the options are chosen from a list, which needs no wide field. */
const isLookedUp = (question: EventFormField & { options: readonly unknown[] }) =>
  question.options.length > (answerKind(question) === 'choices' ? 8 : 4)

/** Functions of the form that a question calls: stable, so that memoized questions are not drawn again. */
type FormFunctions = { change: (id: string, value: unknown) => void; check: (id: string) => void }

function useFormFunctions(): FormFunctions {
  const form = use(FormContext)
  const latest = useRef(form)
  useEffect(() => {
    latest.current = form
  }, [form])
  const [functions] = useState<FormFunctions>(() => ({
    change: (id, value) => latest.current?.change(id, value),
    check: (id) => latest.current?.check(id),
  }))
  return functions
}

type QuestionProps = {
  question: EventFormField
  isRequired: boolean
  value: unknown
  fieldError: Message | undefined
  disabled: boolean
  functions: FormFunctions
}

/** Drawn again only if it or its answer changes: a form may have hundreds, and each key press changes an answer. */
const Question = memo(function Question({
  question,
  isRequired,
  value,
  fieldError,
  disabled,
  functions,
}: QuestionProps) {
  const say = useSay()
  if (question.fieldType === 'separator') return <Divider my="xs" />
  if (isNote(question))
    return <UrgentWords content={question.content} urgency={question.rules.urgency} />
  if (question.fieldType === 'text') return <Words question={question} />
  const { id } = question
  const props: InputProps = {
    field: eventQuestionField(question, say, isRequired),
    name: id,
    value,
    onChange: (next) => functions.change(id, settledChoices(question, value, next)),
    onBlur: () => functions.check(id),
    error: fieldError && say(fieldError),
    disabled,
  }
  return (
    <>
      <Answer question={question} {...props} />
      <Range question={question} value={value} />
    </>
  )
})

function Answer({ question, ...props }: InputProps & { question: EventFormField }): ReactNode {
  const tools = use(ToolsContext)
  switch (answerKind(question)) {
    case 'tick':
      return <Tick {...props} />
    case 'medicines':
      return <MedicinesInput question={question as EventFieldOfType<'medicine'>} {...props} />
    case 'diagnoses':
      return (
        <DiagnosesInput
          question={question as EventFieldOfType<'diagnosis'>}
          search={tools.searchDiagnoses}
          {...props}
        />
      )
    case 'files':
      return (
        <FilesInput
          question={question as EventFieldOfType<'file'>}
          send={tools.sendFile}
          urlOf={tools.fileUrl}
          known={tools.files}
          {...props}
        />
      )
    default: {
      const { Input: Drawn } = fieldKinds[props.field.kind]
      return <Drawn {...props} />
    }
  }
}

/** One box: if ticked, the answer is its first option. */
function Tick(props: InputProps) {
  const { withAsterisk: _mark, 'aria-required': _required, label, ...frame } = useFrame(props)
  const [ticked] = props.field.options ?? []
  return (
    <Checkbox
      {...frame}
      label={
        <>
          <bdi>{label}</bdi>
          {props.field.required && ' *'}
        </>
      }
      mt="xs"
      checked={props.value === ticked?.value && props.value !== undefined}
      onChange={(event) =>
        props.onChange(event.currentTarget.checked ? (ticked?.value ?? 'true') : null)
      }
    />
  )
}

const SIZES = { xxl: 'h1', xl: 'h2', lg: 'h3' } as const

function Words({ question }: { question: EventFieldOfType<'text'> }) {
  const size = question.size === 'md' || question.size === 'sm' ? null : SIZES[question.size]
  return size ? (
    <Title order={2} size={size} dir="auto" mt="xs">
      {question.content}
    </Title>
  ) : (
    <Text size={question.size} c="dimmed" dir="auto" style={{ whiteSpace: 'pre-wrap' }}>
      {question.content}
    </Text>
  )
}

type ComputedProps = {
  question: EventFormField
  answer: FormAnswer
  /** For a more exact date of birth, which no answer gives. */
  waits: boolean
}

function Computed({ question, answer, waits }: ComputedProps) {
  const say = useSay()
  const [text] = answerTexts(question, answer, say)
  const missing = waits ? 'answers.notComputedAge' : 'answers.notComputed'
  return (
    <Input.Wrapper
      label={question.name}
      description={
        (!(waits && text === undefined) && question.description) ||
        say(text === undefined ? missing : 'answers.computed')
      }
      labelElement="div"
    >
      <Text fw={600} component="output" display="block" aria-label={question.name} mt={4}>
        <bdi>{text ?? '—'}</bdi>
      </Text>
      <Range question={question} value={answer} />
    </Input.Wrapper>
  )
}

/** A number outside the normal range is accepted and marked. */
function Range({ question, value }: { question: EventFormField; value: unknown }) {
  const say = useSay()
  const side = checkAnswerRange(question, value)
  if (side !== 'low' && side !== 'high') return null
  const { min = null, max = null } = question.rules?.normal ?? {}
  const fromMin = max === null ? `≥ ${min}` : `${min}–${max}`
  const text = min === null ? `≤ ${max}` : fromMin
  // isolated, so that the lower limit is first in Arabic, too
  const range = `\u2066${text}\u2069`
  return (
    <Box component="output" display="block" mt={4}>
      <StatusBadge tone="warning">{say({ key: `answers.${side}`, values: { range } })}</StatusBadge>
    </Box>
  )
}
