import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { type ChangeEvent, type FormEvent, useEffect, useState } from 'react'
import { type Sayable, useSay } from '~/shared/say'
import { returnFocusSoon } from './focusTrail'

type Question = {
  title: Sayable
  /** What will happen, to what, and whether it can be undone. */
  text: Sayable
  /** What the button does, as a verb: "Delete clinic", never "OK". */
  action: Sayable
  cancel?: Sayable
  destructive?: boolean
  /** Must be typed before the button works, as written here: a patient's name. */
  typed?: string
}

type Reason = { label: Sayable; /** Said when there is none. */ missing: Sayable }
const REASON_AT_LEAST = 3

/** Asks before something that is hard to take back. True only when the person pressed the button. */
export const confirm = async (question: Question): Promise<boolean> =>
  (await ask(question)) !== null

/**
 * The same for what needs a reason, which must be given before the button works. Null when the
 * person did not press it.
 */
export const askReason = (question: Question & { reason: Reason }): Promise<string | null> =>
  ask(question)

function ask(question: Question & { reason?: Reason }): Promise<string | null> {
  return new Promise((resolve) => {
    const id = modals.open({
      title: <Spoken what={question.title} />,
      onClose: () => resolve(null),
      children: (
        <Answer
          {...question}
          onAnswer={(answer) => {
            // first answer wins: closing resolves as "no", which then changes nothing
            resolve(answer)
            modals.close(id)
          }}
        />
      ),
    })
  })
}

const Spoken = ({ what }: { what: Sayable }) => <Text fw={600}>{useSay()(what)}</Text>

type AnswerProps = Question & { reason?: Reason; onAnswer: (answer: string | null) => void }

function Answer({
  text,
  action,
  cancel = 'common.cancel',
  destructive,
  typed,
  reason,
  onAnswer,
}: AnswerProps) {
  const say = useSay()
  const [answer, setAnswer] = useState('')
  const [isAsked, setAsked] = useState(false)
  useEffect(() => returnFocusSoon, [])
  const isAllowed = typed === undefined || answer.trim() === typed.trim()
  const isMissing = reason !== undefined && answer.trim().length < REASON_AT_LEAST
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    event.stopPropagation()
    setAsked(true)
    if (isMissing) return event.currentTarget.querySelector('input')?.focus()
    if (isAllowed) onAnswer(answer.trim())
  }
  const look = {
    value: answer,
    onChange: (event: ChangeEvent<HTMLInputElement>) => setAnswer(event.currentTarget.value),
    dir: 'auto',
    autoComplete: 'off',
    'data-autofocus': true,
  } as const
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm">{say(text)}</Text>
        {typed !== undefined && (
          <TextInput
            {...look}
            label={say({ key: 'common.typeToConfirm', values: { text: typed } })}
          />
        )}
        {reason && (
          <TextInput
            {...look}
            label={say(reason.label)}
            error={isAsked && isMissing && say(reason.missing)}
            aria-invalid={(isAsked && isMissing) || undefined}
            withAsterisk
            aria-required
            maxLength={500}
          />
        )}
        <Group justify="flex-end" gap="xs">
          {/* the harmless answer has the focus */}
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
