import { Alert, Button, Group, List, Text } from '@mantine/core'
import type { Fields } from '~/fields/field'
import type { AppError } from '~/shared/errors'
import { useSay } from '~/shared/say'

type Props = { error: AppError; fields: Fields; onTakeNewest: () => void; onKeepMine: () => void }

/**
 * Another user saved the same record first: who, what they changed, and the two possible actions.
 * Nothing is overwritten unseen.
 */
export function StaleNotice({ error, fields, onTakeNewest, onKeepMine }: Props) {
  const say = useSay()
  const changed = Object.entries(error.fields).filter(([name]) => name in fields)
  return (
    <Alert
      role="alert"
      color="yellow"
      variant="light"
      title={
        <Text inherit c="var(--mantine-color-text)">
          {say(error.text)}
        </Text>
      }
    >
      {changed.length > 0 && (
        <>
          <Text size="sm">{say('form.staleText')}</Text>
          <List size="sm" my="xs">
            {changed.map(([name, text]) => (
              <List.Item key={name}>
                <b>{say(fields[name]?.label ?? { text: name })}</b> — {say(text)}
              </List.Item>
            ))}
          </List>
        </>
      )}
      <Group gap="xs" mt="sm">
        <Button size="xs" onClick={onKeepMine}>
          {say('form.keepMine')}
        </Button>
        <Button size="xs" variant="default" onClick={onTakeNewest}>
          {say('form.takeNewest')}
        </Button>
      </Group>
    </Alert>
  )
}
