import { Button, Group, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconCalendarPlus, IconDoorEnter } from '@tabler/icons-react'
import { useState } from 'react'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { useQuery } from '~/client/query'
import { maySeeIn } from '~/features/day/appointments/appointment'
import type { Urgency } from '~/features/rules/transitions/urgency'
import { UrgencyChoice } from '~/features/rules/transitions/UrgencyChoice'
import { UrgentCheckIn } from '~/features/rules/transitions/UrgentCheckIn'
import { PickList } from '~/fields/PickList'
import type { Actor } from '~/shared/actor'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import type { PatientQueueEntry } from './queue.server'

type Named = { id: string; name: string }
type Patient = { id: string; name: string; clinicId: string | null }

/**
 * Adds a patient to the queue: at once if there is nothing to choose, else it asks for the
 * department, and for the clinic if the user works in several.
 */
export function useCheckIn(actor: Actor) {
  const say = useSay()
  const { run, pending } = useAction()

  const arrive = (patient: Patient, id: string, where: Arrival) =>
    run(() => api.queue.checkIn({ id, patientId: patient.id, ...where }), {
      success: ({ token }) => ({ key: 'queue.checkedIn', values: { name: patient.name, token } }),
    })

  async function start(patient: Patient, urgency: Urgency = 'routine') {
    // one id for one arrival: pressing twice makes one walk-in
    const id = newId()
    const choices = await run(async () => {
      const clinics = (await api.clinics.names()).filter((clinic) => maySeeIn(actor, clinic.id))
      const known = (wanted: string | null) => clinics.find((clinic) => clinic.id === wanted)
      const home = known(actor.clinicId) ?? known(patient.clinicId) ?? clinics[0]
      return (
        home && {
          clinics,
          home,
          departments: await api.departments.names({ clinicId: home.id }),
        }
      )
    })
    if (!choices) return
    const { clinics, home, departments } = choices
    if (clinics.length === 1 && departments.length <= 1) {
      const departmentId = departments[0]?.id ?? null
      await arrive(patient, id, { clinicId: home.id, departmentId, urgency })
      return
    }
    const modal = modals.open({
      title: say({ key: 'appointments.checkInOf', values: { name: patient.name } }),
      children: (
        <ArrivalChoice
          clinics={clinics}
          home={home.id}
          departments={departments}
          urgency={urgency}
          onChoose={(arrival) => {
            modals.close(modal)
            void arrive(patient, id, arrival)
          }}
        />
      ),
    })
  }
  return { start, pending }
}

type Arrival = { clinicId: string; departmentId: string | null; urgency: Urgency }
type ArrivalChoiceProps = {
  clinics: readonly Named[]
  home: string
  departments: readonly Named[]
  /** The one that is chosen at first. */
  urgency: Urgency
  onChoose: (arrival: Arrival) => void
}

/** The departments as buttons: one press and the patient waits there. */
function ArrivalChoice({
  clinics,
  home,
  departments: ofHome,
  urgency: first,
  onChoose,
}: ArrivalChoiceProps) {
  const say = useSay()
  const [urgency, setUrgency] = useState(first)
  const [clinicId, setClinicId] = useState(home)
  const { data: elsewhere } = useQuery('departments.names', clinicId === home ? null : { clinicId })
  const departments = clinicId === home ? ofHome : (elsewhere ?? [])
  return (
    <Stack gap="xs">
      <UrgencyChoice value={urgency} onChange={setUrgency} />
      {clinics.length > 1 && (
        <PickList
          label={say('clinics.one')}
          value={clinicId}
          onChange={(value) => value && setClinicId(value)}
          data={clinics.map(({ id, name }) => ({ value: id, label: name }))}
          allowDeselect={false}
          searchable
        />
      )}
      {departments.length > 0 && <Text size="sm">{say('queue.chooseDepartment')}</Text>}
      {departments.map(({ id, name }, at) => (
        <Button
          key={id}
          variant="default"
          data-autofocus={at === 0 || undefined}
          onClick={() => onChoose({ clinicId, departmentId: id, urgency })}
        >
          <bdi>{name}</bdi>
        </Button>
      ))}
      <Button
        variant={departments.length > 0 ? 'subtle' : 'filled'}
        onClick={() => onChoose({ clinicId, departmentId: null, urgency })}
      >
        {say(departments.length > 0 ? 'queue.noDepartment' : 'appointments.checkIn')}
      </Button>
    </Stack>
  )
}

type Props = {
  patient: Patient
  actor: Actor
  /** A visit of today is open. */
  hasOpenVisit: boolean
  /** The numbers of the patient in the queue: waiting, or with somebody. */
  waits: readonly PatientQueueEntry[]
  mayWrite: boolean
}

/**
 * What the desk does with a patient: the next step comes first for users who do not write records.
 */
export function CheckInButton({ patient, actor, hasOpenVisit, waits, mayWrite }: Props) {
  const say = useSay()
  const { start, pending } = useCheckIn(actor)
  return (
    <>
      {waits.map(({ id, number: token, clinic, clinic_id }) => (
        <LinkButton key={id} variant="light" to="/app/queue" search={{ clinicId: clinic_id }}>
          {say(
            clinic_id === (actor.clinicId ?? clinic_id)
              ? { key: 'queue.waitsHere', values: { token } }
              : { key: 'queue.waitsAt', values: { token, clinic } },
          )}
        </LinkButton>
      ))}
      {!hasOpenVisit && waits.length === 0 && (
        <Group gap={2} wrap="nowrap">
          <Button
            variant={mayWrite ? 'default' : 'filled'}
            loading={pending}
            leftSection={<IconDoorEnter size={16} aria-hidden />}
            onClick={() => void start(patient)}
          >
            {say('appointments.checkIn')}
          </Button>
          <UrgentCheckIn
            name={patient.name}
            disabled={pending}
            onChoose={(urgency) => void start(patient, urgency)}
          />
        </Group>
      )}
      {!mayWrite && (
        <LinkButton
          variant="default"
          leftSection={<IconCalendarPlus size={16} aria-hidden />}
          to="/app/appointments/edit/{-$appointmentId}"
          params={{ appointmentId: 'new' }}
          search={{ patientId: patient.id }}
        >
          {say('appointments.book')}
        </LinkButton>
      )}
    </>
  )
}
