import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { LinkButton } from '~/client/links'
import { MessageTextsTable } from '~/features/day/followups/messages/MessageTextsTable'
import { isAdmin, isSuperAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { onlyFor } from '~/ui/onlyFor'

export const Route = createFileRoute('/app/follow-up/texts')({
  beforeLoad: onlyFor(isAdmin),
  gcTime: 0,
  loader: () => api.messageTexts.list(),
  pendingComponent: PageSkeleton,
  component: MessageTextsPage,
})

function MessageTextsPage() {
  const texts = Route.useLoaderData()
  const { actor } = Route.useRouteContext()
  const say = useSay()
  useLive('messageTexts.list')
  return (
    <Page
      title="messageTexts.title"
      lead={say('messageTexts.lead')}
      actions={
        isSuperAdmin(actor) && (
          <LinkButton variant="default" to="/app/settings/gateway">
            {say('messageGateway.title')}
          </LinkButton>
        )
      }
      crumbs={[{ label: 'followups.title', to: '/app/follow-up' }]}
    >
      <MessageTextsTable texts={texts} />
    </Page>
  )
}
