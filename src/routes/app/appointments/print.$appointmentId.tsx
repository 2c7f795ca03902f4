import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { AboutPatient } from '~/features/care/banner/PatientBanner'
import { AppointmentSlip } from '~/features/day/appointments/AppointmentSlip'
import { loadPaperLanguage } from '~/features/people/patients/language/load-paper-language'
import { PaperLanguageNote } from '~/features/people/patients/language/PaperLanguageNote'
import { asNotFound } from '~/ui/asNotFound'
import { loadMessages } from '~/ui/messages'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { paperSearch } from '~/ui/paperSearch'
import { PrintPage } from '~/ui/PrintPage'

export const Route = createFileRoute('/app/appointments/print/$appointmentId')({
  validateSearch: paperSearch,
  loaderDeps: ({ search: { language } }) => ({ language }),
  loader: async ({ params: { appointmentId }, deps: { language } }) => {
    if (language) await loadMessages(language)
    const appointment = await api.appointments.get({ id: appointmentId })
    return { appointment, paper: await loadPaperLanguage(appointment.patient_id) }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: AppointmentSlipPage,
})

function AppointmentSlipPage() {
  const { appointment, paper } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  return (
    <AboutPatient patientId={appointment.patient_id}>
      <PrintPage
        title="paper.appointment"
        crumbs={[
          { label: 'appointments.title', to: '/app/appointments' },
          {
            label: { text: appointment.patient || '—' },
            to: `/app/patients/${appointment.patient_id}?tab=appointments`,
          },
        ]}
        viewer={viewer}
        search={Route.useSearch()}
        spoken={paper}
        note={(language) => <PaperLanguageNote paper={paper} language={language} />}
        usual="A5"
        patientIds={[appointment.patient_id]}
      >
        <AppointmentSlip appointment={appointment} organization={viewer.organization} />
      </PrintPage>
    </AboutPatient>
  )
}
