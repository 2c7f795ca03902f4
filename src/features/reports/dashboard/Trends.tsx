import { Button, ScrollArea, Skeleton, Table, VisuallyHidden } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import { lazy, Suspense, useState } from 'react'
import { useFormatter } from 'use-intl'
import { useSay } from '~/shared/say'
import { Day } from '~/ui/Day'
import type { TrendDay } from './administration.server'
import { ListLink } from './Part'

const TrendChart = lazy(() => import('./TrendChart'))

/**
 * Registrations and visits per day: as a chart, or as the table behind it, each day of which is a
 * list.
 */
export function Trends({ days }: { days: readonly TrendDay[] }) {
  const say = useSay()
  const format = useFormatter()
  const [isTable, setTable] = useState(false)
  const isAlive = useMounted()
  const sum = (name: 'registered' | 'visits') =>
    format.number(days.reduce((total, day) => total + day[name], 0))
  const room = <Skeleton height={240} />
  const chart = isAlive ? (
    <Suspense fallback={room}>
      <TrendChart days={days} />
    </Suspense>
  ) : (
    room
  )
  return (
    <>
      <VisuallyHidden>
        {say({
          key: 'dashboard.trendsAre',
          values: { registered: sum('registered'), visits: sum('visits') },
        })}
      </VisuallyHidden>
      {isTable ? <DayTable days={days} /> : chart}
      <Button size="xs" variant="subtle" mt="xs" onClick={() => setTable(!isTable)}>
        {say(isTable ? 'dashboard.showChart' : 'dashboard.showTable')}
      </Button>
    </>
  )
}

function DayTable({ days }: { days: readonly TrendDay[] }) {
  const say = useSay()
  const format = useFormatter()
  return (
    <ScrollArea.Autosize mah={320} viewportProps={{ tabIndex: 0 }}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{say('dashboard.day')}</Table.Th>
            <Table.Th scope="col" ta="end">
              {say('dashboard.registered')}
            </Table.Th>
            <Table.Th scope="col" ta="end">
              {say('dashboard.visits')}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {days.toReversed().map(({ day, registered, visits }) => (
            <Table.Tr key={day}>
              <Table.Td>
                <Day value={day} />
              </Table.Td>
              <Table.Td ta="end">
                <ListLink to={`/app/patients?registeredFrom=${day}&registeredTo=${day}`}>
                  {format.number(registered)}
                </ListLink>
              </Table.Td>
              <Table.Td ta="end">
                <ListLink to={`/app/patients?visitedFrom=${day}&visitedTo=${day}`}>
                  {format.number(visits)}
                </ListLink>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea.Autosize>
  )
}
