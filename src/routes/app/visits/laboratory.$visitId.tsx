import { createFileRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '~/client/api'
import { AboutPatient } from '~/features/care/banner/PatientBanner'
import { LabChoices, LabRequest, type WantedTests } from '~/features/record/summary/LabRequest'
import { patientName } from '~/features/people/patients/patient'
import { loadPaperLanguage } from '~/features/people/patients/language/load-paper-language'
import { asNotFound } from '~/ui/asNotFound'
import { loadMessages } from '~/ui/messages'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { paperSearch } from '~/ui/paperSearch'
import { PrintPage } from '~/ui/PrintPage'

export const Route = createFileRoute('/app/visits/laboratory/$visitId')({
  validateSearch: paperSearch,
  loaderDeps: ({ search: { language } }) => ({ language }),
  loader: async ({ params: { visitId }, deps: { language } }) => {
    if (language) await loadMessages(language)
    const visit = await api.visits.get({ id: visitId })
    const [{ patient }, paper] = await Promise.all([
      api.patients.get({ id: visit.patient_id }),
      loadPaperLanguage(visit.patient_id),
    ])
    return { visit, patient, paper }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: LabRequestPage,
})

const NONE: WantedTests = { tests: [], other: '' }

function LabRequestPage() {
  const { visit, patient, paper } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  const [wanted, setWanted] = useState(NONE)
  return (
    <AboutPatient patientId={visit.patient_id}>
      <PrintPage
        title="paper.labRequest"
        crumbs={[
          {
            label: { text: patientName(patient) || '—' },
            to: `/app/patients/${visit.patient_id}?tab=visits`,
          },
        ]}
        viewer={viewer}
        search={Route.useSearch()}
        // the staff of the laboratory read it, not the patient
        spoken={{ language: null, clinicLanguage: paper.clinicLanguage }}
        usual="A5"
        patientIds={[visit.patient_id]}
        choices={<LabChoices wanted={wanted} onChange={setWanted} />}
      >
        <LabRequest
          patient={patient}
          visit={visit}
          wanted={wanted}
          organization={viewer.organization}
        />
      </PrintPage>
    </AboutPatient>
  )
}
