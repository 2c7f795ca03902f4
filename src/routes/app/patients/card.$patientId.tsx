import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { AboutPatient } from '~/features/care/banner/PatientBanner'
import { patientName } from '~/features/people/patients/patient'
import { PatientCard } from '~/features/people/patients/card/PatientCard'
import { loadPaperLanguage } from '~/features/people/patients/language/load-paper-language'
import { PaperLanguageNote } from '~/features/people/patients/language/PaperLanguageNote'
import { asNotFound } from '~/ui/asNotFound'
import { loadMessages } from '~/ui/messages'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { paperSearch } from '~/ui/paperSearch'
import { PrintPage } from '~/ui/PrintPage'

export const Route = createFileRoute('/app/patients/card/$patientId')({
  validateSearch: paperSearch,
  loaderDeps: ({ search: { language } }) => ({ language }),
  loader: async ({ params: { patientId }, deps: { language } }) => {
    if (language) await loadMessages(language)
    const [{ patient }, card] = await Promise.all([
      api.patients.get({ id: patientId }),
      api.patients.card({ patientId }),
    ])
    return { patient, card, paper: await loadPaperLanguage(patientId) }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: PatientCardPage,
})

function PatientCardPage() {
  const { patient, card, paper } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  return (
    <AboutPatient patientId={patient.id}>
      <PrintPage
        title="paper.card"
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
        <PatientCard patient={patient} card={card} organization={viewer.organization} />
      </PrintPage>
    </AboutPatient>
  )
}
