import { Badge, Text } from '@mantine/core'
import { useSay } from '~/shared/say'
import { accessWords } from './access-words'
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
          {count > 1 && ` × ${count}`}
        </Badge>
      )}
    </>
  )
}
