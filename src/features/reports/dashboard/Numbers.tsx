import { Paper, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Suspense, use, useDeferredValue } from 'react'
import { useFormatter } from 'use-intl'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import classes from './Dashboard.module.css'
import { type Coming, Failed } from './Part'
import type { Stats } from './summary.server'

/**
 * Where each number comes from. Visits have no list of their own: the number leads to the patients
 * with visits.
 */
const LISTS = {
  totalPatients: '/app/patients',
  totalVisits: '/app/patients?visitedFrom=1900-01-01',
  totalForms: '/app/event-forms',
  clinicUsers: '/app/users',
} as const satisfies Record<keyof Stats, string>
const NAMES = Object.keys(LISTS) as (keyof Stats)[]

/** The totals of everything that the user may see. */
export function Numbers({
  coming,
  mayOpenForms,
}: {
  coming: Coming<Stats>
  mayOpenForms: boolean
}) {
  const say = useSay()
  return (
    <section aria-label={say('dashboard.numbers')}>
      <Suspense fallback={<Skeleton height={74} aria-busy />}>
        <Tiles coming={coming} mayOpenForms={mayOpenForms} />
      </Suspense>
    </section>
  )
}

function Tiles({ coming, mayOpenForms }: { coming: Coming<Stats>; mayOpenForms: boolean }) {
  const { data } = use(useDeferredValue(coming))
  if (!data) {
    return (
      <Paper withBorder p="md">
        <Failed />
      </Paper>
    )
  }
  const shown = NAMES.filter((name) => data[name] !== null)
  return (
    <SimpleGrid cols={{ base: Math.min(shown.length, 2) || 1, sm: shown.length || 1 }} spacing="sm">
      {shown.map((name) => (
        <Tile
          key={name}
          label={`dashboard.${name}`}
          number={data[name]!}
          to={name === 'totalForms' && !mayOpenForms ? undefined : LISTS[name]}
        />
      ))}
    </SimpleGrid>
  )
}

/** A number with its label, leading to its list. */
function Tile({ label, number, to }: { label: MessageKey; number: number; to?: string }) {
  const say = useSay()
  const format = useFormatter()
  const content = (
    <>
      <span className={classes.number}>{format.number(number)}</span>
      <Text span size="sm" c="dimmed">
        {say(label)}
      </Text>
    </>
  )
  return to ? (
    <Link to={to} className={classes.tile}>
      {content}
    </Link>
  ) : (
    <div className={classes.tile}>{content}</div>
  )
}
