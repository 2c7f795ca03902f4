import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { type FormEvent, useState } from 'react'
import { type Sayable, useSay } from '~/shared/say'

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

/** Asks before something that is hard to take back. True only when the person pressed the button. */
export function confirm(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    const id = modals.open({
      title: <Spoken what={question.title} />,
      onClose: () => resolve(false),
      children: (
        <Answer
          {...question}
          onAnswer={(isConfirmed) => {
            // first answer wins: closing resolves as "no", which then changes nothing
            resolve(isConfirmed)
            modals.close(id)
          }}
        />
      ),
    })
  })
}

const Spoken = ({ what }: { what: Sayable }) => <Text fw={600}>{useSay()(what)}</Text>

function Answer({
  text,
  action,
  cancel = 'common.cancel',
  destructive,
  typed,
  onAnswer,
}: Question & { onAnswer: (isConfirmed: boolean) => void }) {
  const say = useSay()
  const [answer, setAnswer] = useState('')
  const isAllowed = typed === undefined || answer.trim() === typed.trim()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    if (isAllowed) onAnswer(true)
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">{say(text)}</Text>
        {typed !== undefined && (
          <TextInput
            label={say({ key: 'common.typeToConfirm', values: { text: typed } })}
            value={answer}
            onChange={(event) => setAnswer(event.currentTarget.value)}
            dir="auto"
            autoComplete="off"
            data-autofocus
          />
        )}
        <Group justify="flex-end" gap="xs">
          {/* the harmless answer has the focus */}
          <Button variant="default" onClick={() => onAnswer(false)} data-autofocus={typed === undefined || undefined}>
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
