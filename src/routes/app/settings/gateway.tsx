import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { GatewayForm } from '~/features/day/followups/messages/GatewayForm'
import { isSuperAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { Page } from '~/ui/Page'
import { onlyFor } from '~/ui/onlyFor'

export const Route = createFileRoute('/app/settings/gateway')({
  beforeLoad: onlyFor(isSuperAdmin),
  gcTime: 0,
  loader: () => api.messageGateway.get({}),
  component: GatewayPage,
})

function GatewayPage() {
  const gateway = Route.useLoaderData()
  const say = useSay()
  return (
    <Page
      title="messageGateway.title"
      lead={say('messageGateway.lead')}
      crumbs={[
        { label: 'followups.title', to: '/app/follow-up' },
        { label: 'messageTexts.title', to: '/app/follow-up/texts' },
      ]}
      narrow
    >
      <GatewayForm key={gateway?.last_modified.toISOString()} gateway={gateway} />
    </Page>
  )
}
