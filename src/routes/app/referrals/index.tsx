import { Alert, Group, SegmentedControl } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { REFERRAL_STATES, referralSearch } from '~/features/care/referrals/referral-search'
import { readReferralNumber } from '~/features/care/referrals/referral-number'
import { ReferralsTable } from '~/features/care/referrals/ReferralsTable'
import { mayAnywhere } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { SearchBox } from '~/ui/SearchBox'
import { onlyFor } from '~/ui/onlyFor'

export const Route = createFileRoute('/app/referrals/')({
  validateSearch: referralSearch,
  beforeLoad: onlyFor((actor) => mayAnywhere(actor, 'can_view_history')),
  loaderDeps: ({ search }) => search,
  loader: ({ deps: { search, ...deps } }) => api.referrals.list({ ...deps, number: search }),
  gcTime: 0,
  pendingComponent: PageSkeleton,
  component: ReferralsPage,
})

function ReferralsPage() {
  const list = Route.useLoaderData()
  const { actor } = Route.useRouteContext()
  const { state = 'open', search } = Route.useSearch()
  const navigate = Route.useNavigate()
  const say = useSay()
  useLive('referrals.list')
  return (
    <Page title="referrals.title" lead={say('referrals.lead')}>
      <Group>
        <SearchBox label="referrals.searchNumber" />
        <SegmentedControl
          aria-label={say('referrals.states')}
          value={state}
          onChange={(value) =>
            void navigate({ search: { state: value as typeof state }, replace: true })
          }
          data={REFERRAL_STATES.map((value) => ({
            value,
            label: say(`referrals.state_${value}`),
          }))}
        />
      </Group>
      {search && !readReferralNumber(search) && (
        <Alert color="yellow">{say('referrals.numberWrong')}</Alert>
      )}
      <ReferralsTable
        {...list}
        actor={actor}
        isFiltered={search !== undefined || state !== 'all'}
      />
    </Page>
  )
}
