import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { type ChangeEvent, type FormEvent, useEffect, useState } from 'react'
import { isReason } from '~/shared/reason'
import { type Sayable, useSay } from '~/shared/say'
import { returnFocusSoon } from './focusTrail'

type Dialog = {
  /** What the button does, if nothing else is said. */
  title?: Sayable
  /** What will happen, to what, and whether it can be undone. */
  text: Sayable
  /** Further sentences of the same kind. */
  more?: readonly Sayable[]
  /** What the button does, as a verb: "Delete clinic", never "OK". */
  action: Sayable
  cancel?: Sayable
  destructive?: boolean
}
/** The user types `typed`, such as a patient's name, before the button works. */
type Question = Dialog & { typed?: string; reason?: undefined }

type ReasonField = {
  label: Sayable
  /** The error while the text says nothing. */
  missing: Sayable
}
type ReasonQuestion = Dialog & { reason: ReasonField; typed?: undefined }

/** Asks before something that is hard to undo. True only if the user presses the button. */
export const confirm = async (question: Question): Promise<boolean> =>
  (await ask(question)) !== null

/** Asks for a reason, which is required. Null if the user cancels. */
export const askReason = (question: ReasonQuestion): Promise<string | null> => ask(question)

function ask(question: Question | ReasonQuestion): Promise<string | null> {
  return new Promise((resolve) => {
    const id = modals.open({
      title: <DialogTitle title={question.title ?? question.action} />,
      onClose: () => resolve(null),
      children: (
        <Answer
          {...question}
          onAnswer={(answer) => {
            // `onClose` resolves too: the first call wins
            resolve(answer)
            modals.close(id)
          }}
        />
      ),
    })
  })
}

const DialogTitle = ({ title }: { title: Sayable }) => <Text fw={600}>{useSay()(title)}</Text>

type AnswerProps = (Question | ReasonQuestion) & { onAnswer: (answer: string | null) => void }

function Answer({
  text,
  more = [],
  action,
  cancel = 'common.cancel',
  destructive,
  typed,
  reason,
  onAnswer,
}: AnswerProps) {
  const say = useSay()
  const [answer, setAnswer] = useState('')
  const [isSubmitted, setSubmitted] = useState(false)
  useEffect(() => returnFocusSoon, [])
  const isAllowed = typed === undefined || answer.trim() === typed.trim()
  const isMissing = reason !== undefined && !isReason(answer)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    event.stopPropagation()
    setSubmitted(true)
    if (isMissing) return event.currentTarget.querySelector('input')?.focus()
    if (isAllowed) onAnswer(answer.trim())
  }
  const inputProps = {
    value: answer,
    onChange: (event: ChangeEvent<HTMLInputElement>) => setAnswer(event.currentTarget.value),
    dir: 'auto',
    autoComplete: 'off',
    'data-autofocus': true,
  } as const
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {[text, ...more].map((sentence) => (
          <Text key={say(sentence)} size="sm">
            {say(sentence)}
          </Text>
        ))}
        {typed !== undefined && (
          <TextInput
            {...inputProps}
            label={say({ key: 'common.typeToConfirm', values: { text: typed } })}
          />
        )}
        {reason && (
          <TextInput
            {...inputProps}
            label={say(reason.label)}
            error={isSubmitted && isMissing && say(reason.missing)}
            aria-invalid={(isSubmitted && isMissing) || undefined}
            withAsterisk
            aria-required
            maxLength={500}
          />
        )}
        <Group justify="flex-end" gap="xs">
          {/* cancelling, the harmless answer, has the focus */}
          <Button
            variant="default"
            onClick={() => onAnswer(null)}
            data-autofocus={(typed === undefined && !reason) || undefined}
          >
            {say(cancel)}
          </Button>
          <Button type="submit" color={destructive ? 'red.9' : undefined} disabled={!isAllowed}>
            {say(action)}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
