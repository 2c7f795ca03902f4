import { Paper } from '@mantine/core'
import { IconBuildingHospital } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { EmergencyButton } from '~/features/care/sharing/EmergencyButton'
import { RegisterPatient } from '~/features/people/patients/RegisterPatient'
import { useCheckIn } from '~/features/day/queue/CheckInButton'
import { can, mayIn } from '~/shared/actor'
import { forbidden } from '~/shared/errors'
import { EmptyState } from '~/ui/EmptyState'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'

export const Route = createFileRoute('/app/patients/register')({
  beforeLoad: ({ context: { actor } }) => {
    if (!can(actor, 'create_patient')) throw forbidden()
  },
  loader: async ({ context: { actor } }) => {
    const clinics = (await api.clinics.names()).filter(({ id }) =>
      mayIn(actor, 'can_register_patients', id),
    )
    return { clinics, form: clinics.length > 0 ? await api.registrationForm.get() : null }
  },
  pendingComponent: PageSkeleton,
  component: RegisterPage,
})

function RegisterPage() {
  const { form, clinics } = Route.useLoaderData()
  const { actor, viewer } = Route.useRouteContext()
  const checkIn = useCheckIn(actor)
  useLive('clinics.names', 'registrationForm.get')
  return (
    <Page
      title="registration.title"
      crumbs={[{ label: 'patients.title', to: '/app/patients' }]}
      lead={clinics.length === 1 && <bdi>{clinics[0]?.name}</bdi>}
    >
      {form ? (
        <RegisterPatient
          form={form}
          clinics={clinics}
          actor={actor}
          language={viewer.language}
          onCheckIn={(patient) => void checkIn.start(patient)}
          forUnknown={
            actor.role === 'provider'
              ? ({ id, name }) => <EmergencyButton patientId={id} name={name} />
              : undefined
          }
        />
      ) : (
        <Paper withBorder>
          <EmptyState
            icon={IconBuildingHospital}
            title="registration.noClinic"
            text="registration.noClinicText"
          />
        </Paper>
      )}
    </Page>
  )
}
