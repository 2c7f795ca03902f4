import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { AboutPatient } from '~/features/care/banner/PatientBanner'
import { DocumentFromElsewhere } from '~/features/exchange/documents/DocumentFromElsewhere'
import { patientName } from '~/features/people/patients/patient'
import { mayAnywhere } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { asNotFound } from '~/ui/asNotFound'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { onlyFor } from '~/ui/onlyFor'

/** What another clinic or program wrote about the patient, beside the record. */
export const Route = createFileRoute('/app/patients/$patientId_/document')({
  beforeLoad: onlyFor((actor) => mayAnywhere(actor, 'can_edit_records')),
  loader: ({ params: { patientId } }) => api.patients.get({ id: patientId }),
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: DocumentPage,
})

function DocumentPage() {
  const say = useSay()
  const { patient } = Route.useLoaderData()
  return (
    <AboutPatient patientId={patient.id}>
      <Page
        title="documents.title"
        lead={say('documents.lead')}
        crumbs={[
          { label: 'nav.patients', to: '/app/patients' },
          { label: { text: patientName(patient) || '—' }, to: `/app/patients/${patient.id}` },
        ]}
      >
        <DocumentFromElsewhere key={patient.id} patientId={patient.id} />
      </Page>
    </AboutPatient>
  )
}
