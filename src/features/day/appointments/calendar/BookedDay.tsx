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
import type { Appointment } from '../appointments.server'
import classes from './BookedDay.module.css'

type BesideProps = {
  /** Up to the time. */
  above: ReactNode
  day: ReactNode
  /** After it. */
  children: ReactNode
}

/** The day stands beside the fields, on a phone below the time. */
export const BesideDay = ({ above, day, children }: BesideProps) => (
  <div className={classes.columns}>
    <Stack gap="md">{above}</Stack>
    <div className={classes.day}>{day}</div>
    <Stack gap="md">{children}</Stack>
  </div>
)

type Props = {
  /** The appointment that is being changed: it is not in its own way. */
  id: string
  /** Null while no time can be read. */
  timestamp: Date | null
}

/** What is booked on the chosen day at the clinic of the form, with its provider if one is chosen. */
export function BookedDay({ id, timestamp }: Props) {
  const say = useSay()
  const inWords = useInWords()
  const titleId = useId()
  const { day, providerId, duration, data, error } = useBooked(timestamp)
  if (!day || !timestamp) return null
  const others = data?.appointments.filter((one) => one.id !== id) ?? []
  return (
    <Paper withBorder p="sm" component="section" aria-labelledby={titleId}>
      <Title order={2} size="h5" id={titleId} mb={4}>
        {say({ key: 'appointments.bookedOn', values: { day: inWords(day) } })}
      </Title>
      {providerId && (
        <Text size="xs" c="dimmed">
          {say('appointments.bookedWithProvider')}
        </Text>
      )}
      {error !== null && (
        <Text size="sm" fw={600}>
          {say('patientPage.partFailed')}
        </Text>
      )}
      {data && others.length === 0 && (
        <Text size="sm" c="dimmed">
          {say('appointments.noneBookedOn')}
        </Text>
      )}
      {others.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long day is scrolled by keyboard, too
        <ul className={classes.list} tabIndex={0} aria-labelledby={titleId}>
          {others.map((one) => (
            <Booked
              key={one.id}
              appointment={one}
              day={day}
              start={timestamp}
              end={endAfter(timestamp, duration)}
              hasProvider={providerId === undefined}
            />
          ))}
        </ul>
      )}
      {data?.isCut && <Text size="sm">{say('appointments.isCut')}</Text>}
    </Paper>
  )
}

/** Of the clinic and the provider of the form around it; no day while no clinic is chosen. */
function useBooked(timestamp: Date | null) {
  const timeZone = useTimeZone() ?? 'UTC'
  const draft = use(FormContext)?.draft ?? {}
  const clinicId = textIn(draft['clinic_id'])
  const providerId = textIn(draft['provider_id'])
  const day = timestamp && clinicId ? dayIn(timestamp, timeZone) : null
  const asked = day && clinicId ? { clinicId, providerId, from: day, to: day } : null
  return {
    day,
    providerId,
    duration: draft['duration'],
    ...useQuery('appointments.calendar', asked),
  }
}

type BookedProps = {
  appointment: Appointment
  day: string
  /** Of the time that is being chosen: what meets it is marked. */
  start: Date
  end: Date
  hasProvider: boolean
}

function Booked({ appointment, day, start, end, hasProvider }: BookedProps) {
  const say = useSay()
  const format = useFormatter()
  const timeZone = useTimeZone() ?? 'UTC'
  const { timestamp, patient, provider } = appointment
  const until = endAfter(timestamp, appointment.duration)
  const time = (at: Date) =>
    format.dateTime(at, {
      ...(dayIn(at, timeZone) !== day && { day: 'numeric', month: 'short' }),
      ...TIME_OF_DAY,
    })
  return (
    <li data-meets={(timestamp < end && until > start) || undefined}>
      <span className={classes.time}>
        {time(timestamp)}–{time(until)}
      </span>
      <span>
        <bdi>{patient || say('patientPage.noName')}</bdi>
        {hasProvider && provider && (
          <Text span size="xs" c="dimmed">
            {' · '}
            <bdi>{provider}</bdi>
          </Text>
        )}
      </span>
    </li>
  )
}

const textIn = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

const endAfter = (start: Date, minutes: unknown) =>
  new Date(start.getTime() + (typeof minutes === 'number' ? minutes : DEFAULT_MINUTES) * 60_000)
