import { Button, Group, SegmentedControl } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod'
import { api } from '~/client/api'
import { PrescriptionSheet } from '~/features/medicines/prescriptions/PrescriptionSheet'
import classes from '~/features/medicines/prescriptions/PrescriptionSheet.module.css'
import { LANGUAGES, type Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { asNotFound } from '~/ui/asNotFound'
import { ErrorView } from '~/ui/ErrorView'
import { loadMessages } from '~/ui/messages'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { Spoken } from '~/ui/Spoken'

export const Route = createFileRoute('/app/prescriptions/print/$prescriptionId')({
  /** `language`: the patient's, which need not be the user's. */
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
  const say = useSay()
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
        <Group data-print="no" gap="sm">
          <SegmentedControl
            aria-label={say('prescriptions.printLanguage')}
            value={language}
            onChange={(chosen) =>
              void navigate({ search: { language: chosen as Language }, replace: true })
            }
            data={LANGUAGES.map((value) => ({ value, label: say(`account.language_${value}`) }))}
          />
          <Button
            leftSection={<IconPrinter size={16} aria-hidden />}
            onClick={() => window.print()}
          >
            {say('prescriptions.print')}
          </Button>
        </Group>
        <Spoken language={language} timeZone={viewer.timeZone}>
          <PrescriptionSheet prescription={prescription} organization={viewer.organization} />
        </Spoken>
      </Page>
    </div>
  )
}
