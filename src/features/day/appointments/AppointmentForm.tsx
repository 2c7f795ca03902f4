import { Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { type ComponentProps, useCallback, useRef, useState } from 'react'
import { onlySearch } from '~/ui/search'
import { toast } from '~/ui/toast'
import { useTimeZone } from 'use-intl'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { saveAsking } from '~/features/rules/earlier/save-asking'
import { PatientPicker } from '~/features/people/patients/search/PatientPicker'
import type { Urgency } from '~/features/rules/transitions/urgency'
import { UrgencyChoice } from '~/features/rules/transitions/UrgencyChoice'
import type { Option } from '~/fields/field'
import { APPOINTMENT_REASONS } from '~/records/appointment'
import { invalid } from '~/shared/errors'
import { type Sayable, useSay } from '~/shared/say'
import { unusualDay } from '~/shared/planned-days'
import { dayIn, momentAt, wallTime } from '~/shared/zone'
import { useNow, useToday } from '~/ui/clock'
import { FieldForm } from '~/ui/FieldForm'
import { useOwnField } from '~/ui/FormField'
import { MomentInput, useStoredMoment } from '~/ui/MomentInput'
import { appointmentFields, DEFAULT_MINUTES, newAppointment } from './appointment'
import type { Appointment } from './appointments.server'
import { OfClinic } from './OfClinic'
import { OverlapNotice } from './OverlapNotice'
import type { Repeat } from './recurrence'
import { RepeatInput } from './RepeatInput'

type Picked = { id: string; name: string }
type Props = {
  id: string
  appointment?: Appointment
  /** The patient, if the URL names one. */
  patient: Picked | null
  /** Another patient was chosen. */
  onPatient: (patientId: string | null) => void
  clinics: readonly Option[]
  /** Suggested values: the user's own clinic, a free hour. */
  suggested: { clinic_id?: string; provider_id?: string; wall: string }
  isWalkIn: boolean
  /** Where to go when it is saved, and back to. */
  back: { to: string; search?: Record<string, unknown> }
}

/** Books an appointment or changes one; shows what the provider already has at that time. */
export function AppointmentForm({
  id,
  appointment,
  patient,
  onPatient,
  clinics,
  suggested,
  isWalkIn,
  back,
}: Props) {
  const say = useSay()
  const router = useRouter()
  const timeZone = useTimeZone() ?? 'UTC'
  const [today, now] = [useToday(), useNow()]
  const [person, setPerson] = useState(patient)
  const booked = appointment && wallTime(appointment.timestamp, timeZone)
  const [wall, setWall, meanwhile, takeStored] = useStoredMoment(
    appointment?.timestamp,
    () => suggested.wall,
  )
  const [repeat, setRepeat] = useState<Repeat | null>(null)
  const [urgency, setUrgency] = useState<Urgency>('routine')
  const [tries, setTries] = useState(0)
  const shownRef = useRef(0)
  const noteShown = useCallback((count: number) => void (shownRef.current = count), [])
  const ownFields = [
    ...(appointment ? [] : ['patient_id']),
    ...(isWalkIn ? [] : ['timestamp']),
    ...(appointment || isWalkIn ? [] : ['repeat']),
  ]
  const isPast =
    appointment !== undefined &&
    appointment.status !== 'pending' &&
    appointment.status !== 'confirmed'
  const timestamp = readMoment(wall, appointment?.timestamp, timeZone)

  const submitNew = isWalkIn ? 'appointments.checkIn' : 'appointments.book'

  /**
   * Books the chosen time: an hour that the clocks skip is refused, the second of a repeated hour
   * is kept.
   */
  function chosenMoment(): Date {
    if (isWalkIn && !appointment) return new Date()
    if (!timestamp) throw invalid({ timestamp: { key: 'appointments.notATime' } })
    if (wallTime(timestamp, timeZone) === wall.slice(0, 16)) return timestamp
    throw invalid({
      timestamp: { key: 'appointments.skippedHour', values: { time: wall.slice(11, 16) } },
    })
  }

  return (
    <FieldForm
      fields={appointmentFields}
      values={appointment && toFormValues(appointment)}
      suggested={{ ...newAppointment, ...suggested }}
      options={{ clinic_id: clinics }}
      ownFields={ownFields}
      onTakeNewest={takeStored}
      submit={appointment ? 'common.save' : submitNew}
      cancel={
        <LinkButton variant="default" to={back.to} search={onlySearch(back.search)}>
          {say('common.cancel')}
        </LinkButton>
      }
      onSubmit={async (values) => {
        if (!person) throw invalid({ patient_id: { key: 'appointments.patientRequired' } })
        const data = {
          id,
          patient_id: person.id,
          last_modified: appointment?.last_modified,
          is_walk_in: appointment?.is_walk_in ?? isWalkIn,
          urgency: isWalkIn && !appointment ? urgency : undefined,
          timestamp: chosenMoment(),
          repeat: appointment || isWalkIn ? null : repeat,
          ...values,
        }
        setTries((count) => count + 1)
        const overlaps_shown = isWalkIn || isPast ? undefined : shownRef.current
        const saved = await saveAsking((confirmed) =>
          api.appointments.save({ ...data, overlaps_shown, confirmed }),
        )
        toast.success(say(doneText(appointment, isWalkIn, person.name, saved.booked)))
        await router.invalidate()
        await router.navigate({ to: back.to, search: onlySearch(back.search) })
      }}
    >
      {(Field) => (
        <>
          {appointment ? (
            <Text size="sm">
              {say('appointments.patient')}:{' '}
              <b>{<bdi>{appointment.patient || say('patientPage.noName')}</bdi>}</b>
            </Text>
          ) : (
            <PatientField
              value={person}
              onChange={(chosen) => {
                setPerson(chosen)
                onPatient(chosen?.id ?? null)
              }}
            />
          )}
          {isWalkIn && !appointment && <UrgencyChoice value={urgency} onChange={setUrgency} />}
          <Field name="clinic_id" />
          <OfClinic appointment={appointment} />
          {!isWalkIn && (
            <MomentInput
              name="timestamp"
              label="appointments.date"
              value={wall}
              onChange={setWall}
              notice={
                meanwhile ??
                (timestamp && wall !== booked
                  ? (unusualDay('appointment', dayIn(timestamp, timeZone), today) ??
                    (timestamp < now ? 'dates.appointmentPast' : null))
                  : null)
              }
            />
          )}
          <Field name="duration" />
          {!isPast && timestamp && (
            <OverlapNotice
              id={id}
              patientId={person?.id}
              timestamp={isWalkIn ? null : timestamp}
              version={tries}
              onShown={noteShown}
            />
          )}
          <Field name="reason" />
          {!appointment && !isWalkIn && (
            <RepeatInput first={timestamp} repeat={repeat} onChange={setRepeat} />
          )}
          <Field name="notes" />
        </>
      )}
    </FieldForm>
  )
}

type Picker = ComponentProps<typeof PatientPicker>
function PatientField({ value, onChange }: Pick<Picker, 'value' | 'onChange'>) {
  const say = useSay()
  const { error, corrected } = useOwnField('patient_id')
  const change: Picker['onChange'] = (patient) => {
    corrected()
    onChange(patient)
  }
  const shown = { value, onChange: change, error: error && say(error) }
  return <PatientPicker label="appointments.patient" required {...shown} />
}

/** An untouched time keeps its exact value, also within an hour that the clock repeats. */
const readMoment = (wall: string, before: Date | undefined, timeZone: string) =>
  before && wallTime(before, timeZone) === wall.slice(0, 16) ? before : momentAt(wall, timeZone)

function doneText(
  appointment: Appointment | undefined,
  isWalkIn: boolean,
  name: string,
  booked: number,
): Sayable {
  if (appointment) return 'common.saved'
  if (isWalkIn) return { key: 'appointments.walkedIn', values: { name } }
  return { key: 'appointments.booked', values: { count: booked } }
}

function toFormValues(appointment: Appointment) {
  const { reason, departments, duration, ...others } = appointment
  return {
    ...others,
    duration: duration ?? DEFAULT_MINUTES,
    reason: APPOINTMENT_REASONS.find((known) => known === reason) ?? ('other' as const),
    department_ids: [...new Set(departments.map(({ id }) => id))],
  }
}
