import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { ImmunizationCard } from '~/features/care/immunizations/ImmunizationCard'
import { nameOf } from '~/features/people/patients/patient'
import { asNotFound } from '~/ui/asNotFound'
import { ErrorView } from '~/ui/ErrorView'
import { loadMessages } from '~/ui/messages'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { paperSearch } from '~/ui/paperSearch'
import { PrintPage } from '~/ui/PrintPage'

export const Route = createFileRoute('/app/patients/immunization-card/$patientId')({
  validateSearch: paperSearch,
  loaderDeps: ({ search: { language } }) => ({ language }),
  loader: async ({ params: { patientId }, deps: { language } }) => {
    if (language) await loadMessages(language)
    const [{ patient }, immunizations, plan] = await Promise.all([
      api.patients.get({ id: patientId }),
      api.immunizations.ofPatient({ patientId }),
      api.immunizations.plan({ patientId }),
    ])
    return { patient, immunizations, plan }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  errorComponent: ErrorView,
  component: ImmunizationCardPage,
})

function ImmunizationCardPage() {
  const { patient, immunizations, plan } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  return (
    <PrintPage
      title="immunizations.card"
      crumbs={[
        { label: 'patients.title', to: '/app/patients' },
        { label: { text: nameOf(patient) || '—' }, to: `/app/patients/${patient.id}` },
      ]}
      viewer={viewer}
      search={Route.useSearch()}
      usual="A5"
      patientIds={[patient.id]}
    >
      <ImmunizationCard
        patient={patient}
        immunizations={immunizations}
        plan={plan}
        organization={viewer.organization}
      />
    </PrintPage>
  )
}
