import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { AboutPatient } from '~/features/care/banner/PatientBanner'
import { ImmunizationCard } from '~/features/care/immunizations/ImmunizationCard'
import { patientName } from '~/features/people/patients/patient'
import { loadPaperLanguage } from '~/features/people/patients/language/load-paper-language'
import { PaperLanguageNote } from '~/features/people/patients/language/PaperLanguageNote'
import { asNotFound } from '~/ui/asNotFound'
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
    return { patient, immunizations, plan, paper: await loadPaperLanguage(patientId) }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: ImmunizationCardPage,
})

function ImmunizationCardPage() {
  const { patient, immunizations, plan, paper } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  return (
    <AboutPatient patientId={patient.id}>
      <PrintPage
        title="immunizations.card"
        crumbs={[
          { label: 'patients.title', to: '/app/patients' },
          { label: { text: patientName(patient) || '—' }, to: `/app/patients/${patient.id}` },
        ]}
        viewer={viewer}
        search={Route.useSearch()}
        spoken={paper}
        note={(language) => <PaperLanguageNote paper={paper} language={language} />}
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
    </AboutPatient>
  )
}
