import { Tabs } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { keysIn } from '~/shared/object'
import { api } from '~/client/api'
import { EmergenciesTable } from '~/features/record/sharing/EmergenciesTable'
import { OpeningsTable } from '~/features/record/sharing/OpeningsTable'
import { mayAnywhere } from '~/shared/actor'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { oneOfOptions, page, defineSearch } from '~/shared/search-params'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { onlyFor } from '~/ui/onlyFor'

const labels = {
  waiting: 'sharing.tabEmergencies',
  open: 'sharing.tabOpen',
  reviewed: 'sharing.tabReviewed',
  closed: 'sharing.tabClosed',
} satisfies Record<string, MessageKey>
const LISTS = keysIn(labels)

const readSearch = defineSearch({ list: oneOfOptions(LISTS), page })

export const Route = createFileRoute('/app/patients/access')({
  validateSearch: readSearch,
  beforeLoad: onlyFor((actor) => mayAnywhere(actor, 'is_clinic_admin')),
  loaderDeps: ({ search }) => search,
  loader: async ({ deps: { list = 'waiting', page: pageNumber } }) =>
    list === 'open' || list === 'closed'
      ? { list, openings: await api.openings.list({ state: list, page: pageNumber }) }
      : { list, emergencies: await api.emergencies.list({ state: list, page: pageNumber }) },
  pendingComponent: PageSkeleton,
  component: AccessPage,
})

function AccessPage() {
  const loaded = Route.useLoaderData()
  const navigate = Route.useNavigate()
  const say = useSay()
  useLive('openings.list', 'emergencies.list')
  return (
    <Page
      title="sharing.title"
      lead={say('sharing.lead')}
      crumbs={[{ label: 'nav.patients', to: '/app/patients' }]}
    >
      <Tabs
        value={loaded.list}
        onChange={(list) => void navigate({ search: { list: list as typeof loaded.list } })}
        keepMounted={false}
      >
        <Tabs.List aria-label={say('sharing.title')} mb="md">
          {LISTS.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {say(labels[name])}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={loaded.list}>
          {loaded.openings && <OpeningsTable {...loaded.openings} state={loaded.list} />}
          {loaded.emergencies && <EmergenciesTable {...loaded.emergencies} state={loaded.list} />}
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
