import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { Dhis2ServerForm } from '~/features/reports/exchange/Dhis2ServerForm'
import { isSuperAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { Page } from '~/ui/Page'
import { onlyFor } from '~/ui/onlyFor'

export const Route = createFileRoute('/app/settings/dhis2')({
  beforeLoad: onlyFor(isSuperAdmin),
  gcTime: 0,
  loader: () => api.dhis2.get({}),
  component: Dhis2Page,
})

function Dhis2Page() {
  const server = Route.useLoaderData()
  const say = useSay()
  return (
    <Page
      title="dhis2.title"
      lead={say('dhis2.lead')}
      crumbs={[{ label: 'reportDefinitions.title', to: '/app/reports/definitions' }]}
      narrow
    >
      <Dhis2ServerForm key={server?.last_modified.toISOString()} server={server} />
    </Page>
  )
}
