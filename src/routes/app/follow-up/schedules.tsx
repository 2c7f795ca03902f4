import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { SchedulesTable } from '~/features/day/followups/SchedulesTable'
import { isAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { onlyFor } from '~/ui/onlyFor'

export const Route = createFileRoute('/app/follow-up/schedules')({
  beforeLoad: onlyFor(isAdmin),
  gcTime: 0,
  loader: () => api.followUpSchedules.list(),
  pendingComponent: PageSkeleton,
  component: SchedulesPage,
})

function SchedulesPage() {
  const schedules = Route.useLoaderData()
  const say = useSay()
  useLive('followUpSchedules.list')
  return (
    <Page
      title="followups.schedules"
      lead={say('followups.schedulesLead')}
      crumbs={[{ label: 'followups.title', to: '/app/follow-up' }]}
    >
      <SchedulesTable schedules={schedules} />
    </Page>
  )
}
