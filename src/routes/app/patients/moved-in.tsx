import { SegmentedControl } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { MovedInTable } from '~/features/exchange/imports/moved-in/MovedInTable'
import { mayAnywhere } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { oneOfOptions, page, defineSearch } from '~/shared/search-params'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { onlyFor } from '~/ui/onlyFor'

const STATES = ['open', 'done', 'all'] as const

const readSearch = defineSearch({ state: oneOfOptions(STATES), page })

/** The work list after a move from another system; the dashboard leads to it while entries are open. */
export const Route = createFileRoute('/app/patients/moved-in')({
  validateSearch: readSearch,
  beforeLoad: onlyFor((actor) => mayAnywhere(actor, 'can_edit_records')),
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => api.movedIn.list(deps),
  pendingComponent: PageSkeleton,
  component: MovedInPage,
})

function MovedInPage() {
  const list = Route.useLoaderData()
  const { state = 'open' } = Route.useSearch()
  const navigate = Route.useNavigate()
  const say = useSay()
  useLive('movedIn.list')
  return (
    <Page
      title="movedIn.title"
      lead={say('movedIn.lead')}
      crumbs={[{ label: 'patients.title', to: '/app/patients' }]}
    >
      <SegmentedControl
        aria-label={say('movedIn.which')}
        value={state}
        onChange={(value) =>
          void navigate({ search: { state: value as typeof state }, replace: true })
        }
        data={STATES.map((value) => ({ value, label: say(`movedIn.${value}`) }))}
        style={{ alignSelf: 'flex-start' }}
      />
      <MovedInTable {...list} />
    </Page>
  )
}
