import { Badge, Text } from '@mantine/core'
import { useSay } from '~/shared/say'
import { accessWords, phoneWords } from './access-words'
import type { ListedAccess } from './accesses.server'

type Props = Pick<ListedAccess, 'outcome' | 'count'> & { operations: readonly string[] }

/** The message of each action of a user, without repeats; marked if it was refused. */
export function AccessWords({ operations, outcome, count }: Props) {
  const say = useSay()
  const done = new Set(operations.map((name) => say(accessWords(name) ?? { text: name })))
  return (
    <>
      {[...done].map((words) => (
        <Text key={words} size="sm">
          {words}
        </Text>
      ))}
      {outcome !== 'shown' && (
        <Badge color={outcome === 'refused' ? 'red' : 'gray'} variant="light" tt="none">
          {say(`accesses.outcome_${outcome}`)}
          {(count > 1 || outcome === 'lost') && ` × ${count}`}
        </Badge>
      )}
    </>
  )
}

/** The way in, and the phone. */
export function AccessVia({
  via,
  ...phone
}: Pick<ListedAccess, 'via' | 'phone' | 'hubKey' | 'phoneNumber'>) {
  const say = useSay()
  const name = phoneWords(phone, say)
  return (
    <>
      {say(`audit.via_${via}`)}
      {name && (
        <Text size="xs" c="dimmed">
          <bdi>{name}</bdi>
        </Text>
      )}
    </>
  )
}
