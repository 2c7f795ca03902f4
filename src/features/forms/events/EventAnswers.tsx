import { Stack, Text } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import type { FormAnswer, Json } from '~/forms/answers'
import { answerFlaw } from '~/forms/answer-flaws'
import { answerParts } from '~/forms/answers-text'
import type { EventFormField } from '~/forms/definition'
import { FileLine, type SentFile } from '~/forms/FilesInput'
import type { NoteField } from '~/forms/notes'
import { NotesSummary } from '~/forms/NotesSummary'
import { checkAnswerRange } from '~/forms/rules'
import { useSay } from '~/shared/say'
import { RecordText } from '~/ui/RecordText'
import { StatusBadge } from '~/ui/StatusBadge'
import classes from './EventAnswers.module.css'
import { fileUrl } from './file-url'

type Props = {
  /** Of the localized form, those that were answered. */
  fields: readonly EventFormField[]
  answers: Readonly<Record<string, FormAnswer>>
  /** Answers to what this version does not ask. */
  others?: readonly { name: string; value: Json }[]
  /** What the answers brought up when they were given. */
  notes?: readonly NoteField[]
  files?: readonly SentFile[]
  /** What can be done about an answer, beside it. */
  beside?: (field: EventFormField, answer: FormAnswer) => ReactNode
}

/** What was answered: each question with its answer, in the order of the form. */
export function EventAnswers({ fields, answers, others = [], notes = [], files, beside }: Props) {
  const say = useSay()
  if (fields.length + others.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {say('answers.none')}
      </Text>
    )
  }
  return (
    <>
      <dl className={classes.list}>
        {fields.map((field) => (
          <div key={field.id} className={classes.pair}>
            <dt dir="auto">{field.name}</dt>
            <dd>
              <AnswerValue field={field} answer={answers[field.id] ?? null} files={files} />
              {beside && <div>{beside(field, answers[field.id] ?? null)}</div>}
            </dd>
          </div>
        ))}
        {others.map(({ name, value }) => (
          <div key={`${name} ${JSON.stringify(value)}`} className={classes.pair}>
            <dt dir="auto" title={say('answers.otherVersion')}>
              {name}
            </dt>
            <dd>
              <RecordText>{typeof value === 'string' ? value : JSON.stringify(value)}</RecordText>
            </dd>
          </div>
        ))}
      </dl>
      <NotesSummary notes={notes} isSaved />
    </>
  )
}

type ValueProps = { field: EventFormField; answer: FormAnswer; files?: readonly SentFile[] }

/** One answer; several of them below one another, a number out of the ordinary marked in words. */
function AnswerValue({ field, answer, files }: ValueProps) {
  const say = useSay()
  if (answer === null) return '—'
  if (field.fieldType === 'file' && files && Array.isArray(answer)) {
    return (
      <Stack gap={4}>
        {(answer as string[]).map((id) => (
          <FileLine key={id} file={files.find((file) => file.id === id)} url={fileUrl(id)} />
        ))}
      </Stack>
    )
  }
  if (field.fieldType === 'file')
    return say({ key: 'events.files', values: { count: [answer].flat().length } })
  const answered = answerParts(field, answer, say)
  const range = checkAnswerRange(field, answer)
  const flaw = answerFlaw(field, answer)
  return (
    <>
      <span>
        {answered.map((parts, at) => (
          <span
            // two equal texts are two answers
            // oxlint-disable-next-line react/no-array-index-key
            key={at}
            className={answered.length > 1 ? classes.line : undefined}
          >
            {parts.map((part, index) => (
              // each in its own direction: a medicine is written in several languages
              <Fragment key={part}>
                {index > 0 && ' · '}
                <RecordText>{part}</RecordText>
              </Fragment>
            ))}
          </span>
        ))}
      </span>
      {(range === 'low' || range === 'high') && (
        <>
          {' '}
          <StatusBadge tone="warning">
            {say(range === 'low' ? 'events.low' : 'events.high')}
          </StatusBadge>
        </>
      )}
      {flaw && (
        <>
          {' '}
          <StatusBadge tone="warning">{say(`events.${flaw}`)}</StatusBadge>
        </>
      )}
    </>
  )
}
