import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod'
import { api } from '~/client/api'
import { PrescriptionSheet } from '~/features/medicines/prescriptions/PrescriptionSheet'
import classes from '~/features/medicines/prescriptions/PrescriptionSheet.module.css'
import { LANGUAGES } from '~/shared/language'
import { asNotFound } from '~/ui/asNotFound'
import { ErrorView } from '~/ui/ErrorView'
import { loadMessages } from '~/ui/messages'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { Printed } from '~/ui/Printed'

export const Route = createFileRoute('/app/prescriptions/print/$prescriptionId')({
  validateSearch: z.object({ language: z.enum(LANGUAGES).optional().catch(undefined) }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params: { prescriptionId }, deps: { language } }) => {
    if (language) await loadMessages(language)
    return { prescription: await api.prescriptions.get({ id: prescriptionId }) }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  errorComponent: ErrorView,
  component: PrintPrescriptionPage,
})

function PrintPrescriptionPage() {
  const { prescription } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  const { language = viewer.language } = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <div className={classes.page}>
      <Page
        title="prescriptions.one"
        crumbs={[
          { label: 'prescriptions.title', to: '/app/prescriptions' },
          {
            label: { text: prescription.patient || '—' },
            to: `/app/prescriptions/edit/${prescription.id}`,
          },
        ]}
      >
        <Printed
          patientId={prescription.patient_id}
          language={language}
          timeZone={viewer.timeZone}
          onLanguage={(chosen) => void navigate({ search: { language: chosen }, replace: true })}
        >
          <PrescriptionSheet prescription={prescription} organization={viewer.organization} />
        </Printed>
      </Page>
    </div>
  )
}
