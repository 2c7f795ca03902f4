import { Paper, Stack } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { api, type OperationResult } from '~/client/api'
import { type Choice, ConflictCard } from '~/features/office/devices/ConflictCard'
import { OpenOrSettled } from '~/features/office/devices/OpenOrSettled'
import { PhoneTabs } from '~/features/office/devices/PhoneTabs'
import { mayAnywhere } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { flag, page, defineSearch } from '~/shared/search-params'
import { useAction } from '~/ui/action'
import { EmptyState } from '~/ui/EmptyState'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { Paging } from '~/ui/Paging'

const readSearch = defineSearch({ page, settled: flag })

export const Route = createFileRoute('/app/settings/conflicts')({
  validateSearch: readSearch,
  loaderDeps: ({ search: { page: pageNumber, settled } }) => ({ page: pageNumber, settled }),
  loader: async ({ deps, context }) => ({
    ...(await api.conflicts.list(deps)),
    isAdministrator: mayAnywhere(context.actor, 'is_clinic_admin'),
  }),
  component: ConflictsPage,
})

type Row = OperationResult<'conflicts.list'>['rows'][number]

function ConflictsPage() {
  const { rows, pagination, names, isAdministrator } = Route.useLoaderData()
  const { settled = false } = Route.useSearch()
  const say = useSay()
  useLive('conflicts.list')
  return (
    <Page title="devices.conflicts" lead={say('devices.conflictsLead')}>
      <PhoneTabs current="/app/settings/conflicts" isAdministrator={isAdministrator} />
      <OpenOrSettled isSettled={settled} />
      {rows.length === 0 ? (
        <Paper withBorder>
          <EmptyState title="devices.conflictsEmpty" />
        </Paper>
      ) : (
        <Stack>
          {rows.map((row) => (
            <OneConflict key={row.id} row={row} names={names} />
          ))}
          <Paging {...pagination} />
        </Stack>
      )}
    </Page>
  )
}

function OneConflict({ row, names }: { row: Row; names: Record<string, string> }) {
  const { run, pending } = useAction()
  const settle = (choice: Choice) =>
    void run(() => api.conflicts.settle({ id: row.id, ...choice }), {
      success: 'devices.settledToast',
    })
  return <ConflictCard conflict={row} names={names} onSettle={settle} pending={pending} />
}
