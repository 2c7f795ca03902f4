import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { AboutPatient } from '~/features/care/banner/PatientBanner'
import { ReferralLetter } from '~/features/record/summary/ReferralLetter'
import { loadSummary } from '~/features/record/summary/summary'
import { patientName } from '~/features/people/patients/patient'
import { loadPaperLanguage } from '~/features/people/patients/language/load-paper-language'
import { PaperLanguageNote } from '~/features/people/patients/language/PaperLanguageNote'
import { asNotFound } from '~/ui/asNotFound'
import { loadMessages } from '~/ui/messages'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { paperSearch } from '~/ui/paperSearch'
import { PrintPage } from '~/ui/PrintPage'

export const Route = createFileRoute('/app/referrals/print/$referralId')({
  validateSearch: paperSearch,
  loaderDeps: ({ search: { language } }) => ({ language }),
  loader: async ({ params: { referralId }, deps: { language } }) => {
    if (language) await loadMessages(language)
    const referral = await api.referrals.get({ id: referralId })
    const [summary, paper] = await Promise.all([
      loadSummary(referral.patient_id),
      loadPaperLanguage(referral.patient_id),
    ])
    return { referral, summary, paper }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: ReferralLetterPage,
})

function ReferralLetterPage() {
  const { referral, summary, paper } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  return (
    <AboutPatient patientId={referral.patient_id}>
      <PrintPage
        title="paper.letter"
        crumbs={[
          { label: 'referrals.title', to: '/app/referrals' },
          {
            label: { text: patientName(summary.patient) || '—' },
            to: `/app/patients/${referral.patient_id}?tab=referrals`,
          },
        ]}
        viewer={viewer}
        search={Route.useSearch()}
        spoken={paper}
        note={(language) => <PaperLanguageNote paper={paper} language={language} />}
        patientIds={[referral.patient_id]}
      >
        <ReferralLetter referral={referral} summary={summary} organization={viewer.organization} />
      </PrintPage>
    </AboutPatient>
  )
}
