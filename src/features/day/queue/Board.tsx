import { Group, Text, Title } from '@mantine/core'
import { useFormatter } from 'use-intl'
import { useSay } from '~/shared/say'
import { DocumentTitle } from '~/ui/DocumentTitle'
import { TIME_OF_DAY } from '~/ui/clock'
import classes from './Queue.module.css'
import type { BoardData as Shown } from './board.server'

/**
 * Queue numbers and their departments, readable from across the room, without names. An urgency is only a colour: its
 * word would say aloud how ill the patient with the number is.
 */
export function Board({ board, isLate, now }: { board: Shown; isLate: boolean; now: Date }) {
  const say = useSay()
  const format = useFormatter()
  const { clinic, called, waiting } = board
  const isCalled = called.some(({ status }) => status === 'checked_in')
  const nobodyCalled = called.length > 0 ? 'queue.beingSeen' : 'queue.boardEmpty'
  return (
    <main className={classes.board}>
      <DocumentTitle page="queue.board" />
      <Group justify="space-between" align="baseline">
        <Title order={1} fz="clamp(1.5rem, 5vmin, 3rem)">
          <bdi>{clinic}</bdi>
        </Title>
        <Text fz="clamp(1.25rem, 4vmin, 2.5rem)" fw={600}>
          {format.dateTime(now, TIME_OF_DAY)}
        </Text>
      </Group>
      <Title order={2} fz="clamp(1.25rem, 4vmin, 2.5rem)">
        {say(isCalled ? 'queue.boardNow' : nobodyCalled)}
      </Title>
      <ul className={classes.numbers} aria-live="polite">
        {called.map(({ token, department, status, calledAt, urgency }) => (
          <li
            // called again, it draws the eye again
            key={`${token}-${department}-${calledAt?.getTime()}`}
            className={classes.number}
            data-called={status === 'checked_in' || undefined}
            data-urgency={urgency}
          >
            <span className={classes.big}>{token}</span>
            {department && (
              <span className={classes.place}>
                <bdi>{department}</bdi>
              </span>
            )}
          </li>
        ))}
      </ul>
      <Group justify="space-between">
        <Text fz="clamp(1rem, 3vmin, 2rem)" c="dimmed">
          {say({ key: 'queue.boardWaiting', values: { count: waiting } })}
        </Text>
        <Text component="output" fz="clamp(1rem, 3vmin, 2rem)" fw={600}>
          {isLate && say('queue.boardLate')}
        </Text>
      </Group>
    </main>
  )
}
