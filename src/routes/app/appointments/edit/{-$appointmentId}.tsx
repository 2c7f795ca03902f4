import { Alert } from '@mantine/core'
import { useState } from 'react'
import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { AboutPatient } from '~/features/care/banner/PatientBanner'
import { maySeeIn } from '~/features/day/appointments/appointment'
import { appointmentEditSearch } from '~/features/day/appointments/appointment-search'
import { AppointmentForm } from '~/features/day/appointments/AppointmentForm'
import { AppointmentStatusMenu } from '~/features/day/appointments/AppointmentStatusMenu'
import { patientName } from '~/features/people/patients/patient'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { clinicTimeZone, wallTime } from '~/shared/zone'
import { asNotFound } from '~/ui/asNotFound'
import { useOwnId } from '~/ui/ownId'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { asOption } from '~/fields/field'

export const Route = createFileRoute('/app/appointments/edit/{-$appointmentId}')({
  validateSearch: appointmentEditSearch,
  loaderDeps: ({ search }) => search,
  gcTime: 0,
  loader: async ({ params: { appointmentId = 'new' }, deps, context: { actor } }) => {
    const isNew = appointmentId === 'new'
    const [appointment, clinics, patient] = await Promise.all([
      isNew ? undefined : api.appointments.get({ id: appointmentId }),
      api.clinics.names({}),
      isNew && deps.patientId ? api.patients.get({ id: deps.patientId }) : null,
    ])
    const seen = clinics.filter(({ id }) => maySeeIn(actor, id))
    const home =
      deps.clinicId ??
      seen.find(({ id }) => id === actor.clinicId)?.id ??
      (seen.length === 1 ? seen[0]?.id : undefined)
    return {
      id: appointment?.id ?? newId(),
      appointment,
      clinics: seen,
      patient: appointment
        ? { id: appointment.patient_id, name: appointment.patient }
        : patient && { id: patient.patient.id, name: patientName(patient.patient) },
      suggested: {
        clinic_id: home,
        provider_id: deps.providerId ?? (actor.role === 'provider' ? actor.userId : undefined),
        wall: deps.at ?? nextHour(),
      },
    }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: EditAppointmentPage,
})

const nextHour = () =>
  `${wallTime(new Date(Date.now() + 3_600_000), clinicTimeZone()).slice(0, 13)}:00`

function EditAppointmentPage() {
  const { id: loaded, appointment, clinics, patient, suggested } = Route.useLoaderData()
  const search = Route.useSearch()
  const [chosenId, setChosenId] = useState(patient?.id ?? null)
  const { patientId, clinicId, walkIn = false } = search
  const id = useOwnId(loaded, appointment ? null : search)
  const say = useSay()
  const isWalkIn = walkIn && !appointment
  const titleOfNew = isWalkIn ? 'appointments.addWalkIn' : 'appointments.book'
  const back = isWalkIn ? { to: '/app/queue', search: { clinicId } } : { to: '/app/appointments' }
  const toPatient = patientId && {
    to: `/app/patients/${patientId}`,
    search: { tab: 'appointments' },
  }
  return (
    <AboutPatient patientId={chosenId}>
      <Page
        narrow
        title={appointment ? 'appointments.edit' : titleOfNew}
        crumbs={[{ label: 'appointments.title', to: '/app/appointments' }]}
        actions={appointment && <AppointmentStatusMenu appointment={appointment} />}
      >
        {appointment?.is_archived ? (
          <Alert color="gray">{say('clinics.archivedReadOnly')}</Alert>
        ) : (
          <AppointmentForm
            key={id}
            id={id}
            appointment={appointment}
            patient={patient}
            onPatient={setChosenId}
            clinics={clinics.map(asOption)}
            suggested={suggested}
            isWalkIn={isWalkIn}
            back={toPatient || back}
          />
        )}
      </Page>
    </AboutPatient>
  )
}
