import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { AboutPatient } from '~/features/care/banner/PatientBanner'
import { PrescriptionSheet } from '~/features/medicines/prescriptions/PrescriptionSheet'
import { loadPaperLanguage } from '~/features/people/patients/language/load-paper-language'
import { PaperLanguageNote } from '~/features/people/patients/language/PaperLanguageNote'
import { asNotFound } from '~/ui/asNotFound'
import { loadMessages } from '~/ui/messages'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { paperSearch } from '~/ui/paperSearch'
import { PrintPage } from '~/ui/PrintPage'

export const Route = createFileRoute('/app/prescriptions/print/$prescriptionId')({
  validateSearch: paperSearch,
  loaderDeps: ({ search: { language } }) => ({ language }),
  loader: async ({ params: { prescriptionId }, deps: { language } }) => {
    if (language) await loadMessages(language)
    const prescription = await api.prescriptions.get({ id: prescriptionId })
    return { prescription, paper: await loadPaperLanguage(prescription.patient_id) }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: PrintPrescriptionPage,
})

function PrintPrescriptionPage() {
  const { prescription, paper } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  return (
    <AboutPatient patientId={prescription.patient_id}>
      <PrintPage
        title="prescriptions.one"
        crumbs={[
          { label: 'prescriptions.title', to: '/app/prescriptions' },
          {
            label: { text: prescription.patient || '—' },
            to: `/app/prescriptions/edit/${prescription.id}`,
          },
        ]}
        viewer={viewer}
        search={Route.useSearch()}
        spoken={paper}
        note={(language) => <PaperLanguageNote paper={paper} language={language} />}
        patientIds={[prescription.patient_id]}
      >
        <PrescriptionSheet prescription={prescription} organization={viewer.organization} />
      </PrintPage>
    </AboutPatient>
  )
}
