import { Stack, Title } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { ClinicCodesForm } from '~/features/reports/exchange/ClinicCodesForm'
import { CodesForm } from '~/features/reports/exchange/CodesForm'
import { isAdmin } from '~/shared/actor'
import { translated } from '~/shared/language'
import { useSay } from '~/shared/say'
import { asNotFound } from '~/ui/asNotFound'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { onlyFor } from '~/ui/onlyFor'

export const Route = createFileRoute('/app/reports/definitions/codes/$definitionId')({
  beforeLoad: onlyFor(isAdmin),
  // an editor opens with the newest values, never cached ones
  gcTime: 0,
  loader: async ({ params: { definitionId } }) => {
    const [listed, clinics] = await Promise.all([
      api.externalCodes.list({ definitionId }),
      api.externalCodes.clinics({}),
    ])
    return { ...listed, clinics }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: CodesPage,
})

function CodesPage() {
  const { definition, codes, clinics } = Route.useLoaderData()
  const { definitionId } = Route.useParams()
  const { viewer } = Route.useRouteContext()
  const say = useSay()
  return (
    <Page
      title={{
        key: 'externalCodes.titleOf',
        values: { name: translated(definition.names, viewer.language) },
      }}
      lead={say('externalCodes.lead')}
      crumbs={[
        { label: 'reports.title', to: '/app/reports' },
        { label: 'reportDefinitions.title', to: '/app/reports/definitions' },
      ]}
    >
      <CodesForm {...{ definitionId, definition, codes }} language={viewer.language} />
      <Stack gap="sm" component="section" aria-labelledby="clinics" maw="30rem">
        <Title order={2} size="h4" id="clinics">
          {say('externalCodes.clinics')}
        </Title>
        <ClinicCodesForm clinics={clinics} />
      </Stack>
    </Page>
  )
}
