import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { ConfigurationsForm } from '~/features/office/settings/ConfigurationsForm'
import { isSuperAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { onlyFor } from '~/ui/onlyFor'

export const Route = createFileRoute('/app/settings/configurations')({
  beforeLoad: onlyFor(isSuperAdmin),
  gcTime: 0,
  loader: () => api.configurations.list(),
  component: ConfigurationsPage,
})

function ConfigurationsPage() {
  const say = useSay()
  const configurations = Route.useLoaderData()
  useLive('configurations.list')
  return (
    <Page title="settings.title" lead={say('settings.lead')}>
      <ConfigurationsForm configurations={configurations} />
    </Page>
  )
}
