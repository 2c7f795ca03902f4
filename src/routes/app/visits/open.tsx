import { Button } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { OpenVisits } from '~/features/record/visits/OpenVisits'
import { PickList } from '~/fields/PickList'
import { mayAnywhere, mayIn } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { id, page, defineSearch } from '~/shared/search-params'
import { useAction } from '~/ui/action'
import { useToday } from '~/ui/clock'
import { confirm } from '~/ui/confirm'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { onlyFor } from '~/ui/onlyFor'

const readSearch = defineSearch({ clinicId: id, page })

export const Route = createFileRoute('/app/visits/open')({
  validateSearch: readSearch,
  beforeLoad: onlyFor((actor) => mayAnywhere(actor, 'can_view_history')),
  loaderDeps: ({ search }) => search,
  loader: async ({ deps, context: { actor } }) => {
    const clinics = (await api.clinics.names({})).filter(({ id: clinic }) =>
      mayIn(actor, 'can_view_history', clinic),
    )
    return { list: await api.visits.listOpen(deps), clinics }
  },
  pendingComponent: PageSkeleton,
  component: OpenVisitsPage,
})

function OpenVisitsPage() {
  const { list, clinics } = Route.useLoaderData()
  const { actor } = Route.useRouteContext()
  const { clinicId } = Route.useSearch()
  const navigate = Route.useNavigate()
  const say = useSay()
  const today = useToday()
  const { run, pending } = useAction()
  useLive('visits.listOpen', 'clinics.names')
  const chosen =
    clinics.find(({ id: clinic }) => clinic === clinicId) ??
    (clinics.length === 1 ? clinics[0] : undefined)

  async function closeEarlier({ id: clinic, name }: { id: string; name: string }) {
    const isMeant = await confirm({
      text: { key: 'visits.closeEarlierAsks', values: { clinic: name } },
      action: 'visits.closeEarlier',
    })
    if (!isMeant) return
    await run(() => api.visits.closeBefore({ clinicId: clinic, before: today }), {
      success: ({ closed }) => ({ key: 'visits.closedEarlier', values: { count: closed } }),
    })
  }

  return (
    <Page
      title="visits.openList"
      lead={say('visits.openListLead')}
      crumbs={[{ label: 'queue.title', to: '/app/queue' }]}
      actions={
        chosen &&
        mayIn(actor, 'can_edit_records', chosen.id) && (
          <Button variant="default" loading={pending} onClick={() => void closeEarlier(chosen)}>
            {say('visits.closeEarlier')}
          </Button>
        )
      }
    >
      {clinics.length > 1 && (
        <PickList
          aria-label={say('clinics.one')}
          placeholder={say('users.allClinics')}
          value={clinicId ?? null}
          onChange={(value) =>
            void navigate({ search: { clinicId: value ?? undefined }, replace: true })
          }
          data={clinics.map(({ id: clinic, name }) => ({ value: clinic, label: name }))}
          clearable
          clearButtonProps={{ 'aria-label': say('common.clear') }}
          searchable
          w={{ base: '100%', xs: '16rem' }}
        />
      )}
      <OpenVisits {...list} actor={actor} />
    </Page>
  )
}
