import { Paper } from '@mantine/core'
import { IconBuildingHospital } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { LinkAnchor } from '~/client/links'
import { EmergencyButton } from '~/features/record/sharing/EmergencyButton'
import { patientName } from '~/features/people/patients/patient'
import { RegisterPatient } from '~/features/people/patients/RegisterPatient'
import { useCheckIn } from '~/features/day/queue/CheckInButton'
import { can, mayIn } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { id, defineSearch } from '~/shared/search-params'
import { EmptyState } from '~/ui/EmptyState'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { onlyFor } from '~/ui/onlyFor'

const readSearch = defineSearch({ mother: id })

export const Route = createFileRoute('/app/patients/register')({
  validateSearch: readSearch,
  beforeLoad: onlyFor((actor) => can(actor, 'create_patient')),
  loaderDeps: ({ search: { mother } }) => ({ mother }),
  loader: async ({ context: { actor }, deps }) => {
    const clinics = (await api.clinics.names()).filter(({ id: clinicId }) =>
      mayIn(actor, 'can_register_patients', clinicId),
    )
    const mother = deps.mother ? (await api.patients.get({ id: deps.mother })).patient : undefined
    return { clinics, mother, form: clinics.length > 0 ? await api.registrationForm.get() : null }
  },
  pendingComponent: PageSkeleton,
  component: RegisterPage,
})

function RegisterPage() {
  const say = useSay()
  const { form, clinics, mother } = Route.useLoaderData()
  const { actor, viewer } = Route.useRouteContext()
  const checkIn = useCheckIn(actor)
  useLive('clinics.names', 'patients.get', 'registrationForm.get')
  return (
    <Page
      title={mother ? 'registration.newborn' : 'registration.title'}
      crumbs={[{ label: 'patients.title', to: '/app/patients' }]}
      lead={
        mother ? (
          <>
            {say('relatedPersons.is_mother')}:{' '}
            <LinkAnchor to="/app/patients/$patientId" params={{ patientId: mother.id }}>
              <bdi>{patientName(mother) || say('patientPage.noName')}</bdi>
            </LinkAnchor>
          </>
        ) : (
          clinics.length === 1 && <bdi>{clinics[0]?.name}</bdi>
        )
      }
    >
      {form ? (
        <RegisterPatient
          key={mother?.id}
          form={form}
          mother={mother}
          clinics={clinics}
          actor={actor}
          language={viewer.language}
          onCheckIn={(patient) => void checkIn.start(patient)}
          forUnknown={
            actor.role === 'provider'
              ? ({ id: patientId, name }) => <EmergencyButton patientId={patientId} name={name} />
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
