import { createFileRoute } from '@tanstack/react-router'
import { LinkAnchor } from '~/client/links'
import { api } from '~/client/api'
import { AboutPatient } from '~/features/care/banner/PatientBanner'
import { Label } from '~/features/medicines/dispensing/Label'
import { drugName } from '~/features/medicines/drugs/drug'
import { loadPaperLanguage } from '~/features/people/patients/language/load-paper-language'
import { PaperLanguageNote } from '~/features/people/patients/language/PaperLanguageNote'
import { isLabelRefused } from '~/records/strength'
import { isAdmin } from '~/shared/actor'
import { LANGUAGES } from '~/shared/language'
import { useSay } from '~/shared/say'
import { id, oneOfOptions, defineSearch } from '~/shared/search-params'
import { asNotFound } from '~/ui/asNotFound'
import { EmptyState } from '~/ui/EmptyState'
import { loadMessages } from '~/ui/messages'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { paperLanguage } from '~/ui/paperLanguage'
import { Printed } from '~/ui/Printed'

const readSearch = defineSearch({ record: id, language: oneOfOptions(LANGUAGES) })

export const Route = createFileRoute('/app/dispensing/label/$prescriptionId')({
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ params: { prescriptionId }, deps: { language } }) => {
    if (language) await loadMessages(language)
    const prescription = await api.dispensing.get({ id: prescriptionId })
    return { prescription, paper: await loadPaperLanguage(prescription.patient_id) }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: LabelPage,
})

function LabelPage() {
  const { prescription, paper } = Route.useLoaderData()
  const { viewer, actor } = Route.useRouteContext()
  const { language: chosen, record: recordId } = Route.useSearch()
  const language = paperLanguage(chosen, paper, viewer.language)
  const navigate = Route.useNavigate()
  const say = useSay()
  const record = prescription.records.find(({ id: ownId }) => ownId === recordId)
  return (
    <AboutPatient patientId={prescription.patient_id}>
      <Page
        title="dispensing.labelTitle"
        crumbs={[
          { label: 'dispensing.title', to: '/app/dispensing' },
          {
            label: { text: prescription.patient || '—' },
            to: `/app/dispensing/${prescription.id}`,
          },
        ]}
      >
        {record && isLabelRefused(record) && (
          <EmptyState
            title="dispensing.labelRefused"
            text="dispensing.labelRefusedText"
            action={
              isAdmin(actor) && (
                <LinkAnchor
                  to="/app/inventory/drug-catalogue/edit/{-$drugId}"
                  params={{ drugId: record.drug_id }}
                >
                  {say({ key: 'dispensing.completeStrength', values: { name: drugName(record) } })}
                </LinkAnchor>
              )
            }
          />
        )}
        {record && !isLabelRefused(record) && (
          <Printed
            patientIds={[prescription.patient_id]}
            language={language}
            timeZone={viewer.timeZone}
            note={<PaperLanguageNote paper={paper} language={language} />}
            onLanguage={(next) =>
              void navigate({ search: { record: recordId, language: next }, replace: true })
            }
          >
            <Label
              record={record}
              patient={{ ...prescription, name: prescription.patient }}
              number={prescription.number}
              prescriber={prescription.provider}
              organization={viewer.organization}
            />
          </Printed>
        )}
        {!record && <EmptyState title="dispensing.recordGone" />}
      </Page>
    </AboutPatient>
  )
}
