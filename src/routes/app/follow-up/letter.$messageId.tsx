import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { AboutPatient } from '~/features/care/banner/PatientBanner'
import { MessageLetter } from '~/features/day/followups/messages/MessageLetter'
import { asNotFound } from '~/ui/asNotFound'
import { loadMessages } from '~/ui/messages'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { paperSearch } from '~/ui/paperSearch'
import { PrintPage } from '~/ui/PrintPage'

export const Route = createFileRoute('/app/follow-up/letter/$messageId')({
  validateSearch: paperSearch,
  loaderDeps: ({ search: { language } }) => ({ language }),
  loader: async ({ params: { messageId }, deps: { language } }) => {
    const message = await api.messages.get({ id: messageId })
    await loadMessages(language ?? message.language)
    return message
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: LetterPage,
})

function LetterPage() {
  const message = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  const search = Route.useSearch()
  return (
    <AboutPatient patientId={message.patient_id}>
      <PrintPage
        title="messages.letter"
        crumbs={[
          { label: 'followups.title', to: '/app/follow-up' },
          { label: { text: message.patient || '—' }, to: `/app/patients/${message.patient_id}` },
        ]}
        viewer={viewer}
        search={{ ...search, language: search.language ?? message.language }}
        usual="A5"
        patientIds={[message.patient_id]}
      >
        <MessageLetter message={message} organization={viewer.organization} />
      </PrintPage>
    </AboutPatient>
  )
}
