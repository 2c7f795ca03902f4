import { Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, use, useId } from 'react'
import { useFormatter, useTimeZone } from 'use-intl'
import { useQuery } from '~/client/query'
import { useInWords } from '~/fields/WhichDay'
import { useSay } from '~/shared/say'
import { dayIn } from '~/shared/zone'
import { TIME_OF_DAY } from '~/ui/clock'
import { FormContext } from '~/ui/FormField'
import { DEFAULT_MINUTES } from '../appointment'
import classes from './BookedDay.module.css'

type Props = {
  /** The appointment that is being changed: it is not in its own way. */
  id: string
  /** Null while no time can be read. */
  timestamp: Date | null
}

/** Fields up to the time, the day, and the fields after it: the day is beside them, or below the time on a phone. */
export function BesideDay({
  above,
  day,
  children,
}: {
  above: ReactNode
  day: ReactNode
  children: ReactNode
}) {
  return (
    <div className={classes.columns}>
      <Stack gap="md">{above}</Stack>
      <div className={classes.day}>{day}</div>
      <Stack gap="md">{children}</Stack>
    </div>
  )
}

/** What is booked on the chosen day at the clinic of the form, with its provider if one is chosen. */
export function BookedDay({ id, timestamp }: Props) {
  const say = useSay()
  const format = useFormatter()
  const inWords = useInWords()
  const timeZone = useTimeZone() ?? 'UTC'
  const titleId = useId()
  const draft = use(FormContext)?.draft
  const [clinicId, providerId] = [draft?.['clinic_id'], draft?.['provider_id']]
  const day = timestamp && dayIn(timestamp, timeZone)
  const asked =
    day && typeof clinicId === 'string' && clinicId !== ''
      ? {
          clinicId,
          providerId: typeof providerId === 'string' && providerId ? providerId : undefined,
          from: day,
          to: day,
        }
      : null
  const { data, error } = useQuery('appointments.calendar', asked)
  if (!asked || !day) return null
  const others = data?.appointments.filter((one) => one.id !== id)
  const endOf = (start: Date, minutes: unknown) =>
    new Date(start.getTime() + (typeof minutes === 'number' ? minutes : DEFAULT_MINUTES) * 60_000)
  const end = endOf(timestamp, draft?.['duration'])
  const time = (at: Date) =>
    format.dateTime(at, {
      ...(dayIn(at, timeZone) !== day && { day: 'numeric', month: 'short' }),
      ...TIME_OF_DAY,
    })
  return (
    <Paper withBorder p="sm" component="section" aria-labelledby={titleId}>
      <Title order={2} size="h5" id={titleId} mb={4}>
        {say({ key: 'appointments.bookedOn', values: { day: inWords(day) } })}
      </Title>
      {error !== null && (
        <Text size="sm" fw={600}>
          {say('patientPage.partFailed')}
        </Text>
      )}
      {error === null && others?.length === 0 && (
        <Text size="sm" c="dimmed">
          {say('appointments.noneBookedOn')}
        </Text>
      )}
      {error === null && others && others.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long day is scrolled by keyboard, too
        <ul className={classes.list} tabIndex={0} aria-labelledby={titleId}>
          {others.map((one) => {
            const until = endOf(one.timestamp, one.duration)
            return (
              <li key={one.id} data-meets={(one.timestamp < end && until > timestamp) || undefined}>
                <span className={classes.time}>
                  {time(one.timestamp)}–{time(until)}
                </span>
                <span>
                  <bdi>{one.patient || say('patientPage.noName')}</bdi>
                  {one.provider && !asked.providerId && (
                    <Text span size="xs" c="dimmed">
                      {' · '}
                      <bdi>{one.provider}</bdi>
                    </Text>
                  )}
                </span>
              </li>
            )
          })}
        </ul>
      )}
      {data?.isCut && <Text size="sm">{say('appointments.isCut')}</Text>}
    </Paper>
  )
}
