import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { AboutPatient } from '~/features/care/banner/PatientBanner'
import { loadSummary } from '~/features/record/summary/summary'
import { VisitSheet } from '~/features/record/summary/VisitSheet'
import { patientName } from '~/features/people/patients/patient'
import { loadPaperLanguage } from '~/features/people/patients/language/load-paper-language'
import { PaperLanguageNote } from '~/features/people/patients/language/PaperLanguageNote'
import { asNotFound } from '~/ui/asNotFound'
import { loadMessages } from '~/ui/messages'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { paperSearch } from '~/ui/paperSearch'
import { PrintPage } from '~/ui/PrintPage'

export const Route = createFileRoute('/app/visits/print/$visitId')({
  validateSearch: paperSearch,
  loaderDeps: ({ search: { language } }) => ({ language }),
  loader: async ({ params: { visitId }, deps: { language } }) => {
    if (language) await loadMessages(language)
    const visit = await api.visits.get({ id: visitId })
    const [summary, { appointment }] = await Promise.all([
      loadSummary(visit.patient_id, visitId),
      api.appointments.next({ patientId: visit.patient_id }),
    ])
    const paper = await loadPaperLanguage(visit.patient_id)
    return { visit, summary, next: appointment, paper }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: VisitSummaryPage,
})

function VisitSummaryPage() {
  const { visit, summary, next, paper } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  return (
    <AboutPatient patientId={visit.patient_id}>
      <PrintPage
        title="paper.visit"
        crumbs={[
          {
            label: { text: patientName(summary.patient) || '—' },
            to: `/app/patients/${visit.patient_id}?tab=visits`,
          },
        ]}
        viewer={viewer}
        search={Route.useSearch()}
        spoken={paper}
        note={(language) => <PaperLanguageNote paper={paper} language={language} />}
        usual="A5"
        patientIds={[visit.patient_id]}
      >
        <VisitSheet
          visit={visit}
          summary={summary}
          next={next}
          organization={viewer.organization}
        />
      </PrintPage>
    </AboutPatient>
  )
}
