import { Box } from '@mantine/core'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { withSearch } from '~/ui/search'
import { api, type OperationResult, type Input } from '~/client/api'
import { tableLabel } from '~/features/office/devices/labels'
import { OpenOrSettled } from '~/features/office/devices/OpenOrSettled'
import { PhoneTabs } from '~/features/office/devices/PhoneTabs'
import { RefusedRow } from '~/features/office/devices/RefusedRow'
import { mayAnywhere } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { flag, id, page, defineSearch } from '~/shared/search-params'
import { asNotFound } from '~/ui/asNotFound'
import { useAction } from '~/ui/action'
import { type Column, Nothing } from '~/ui/columns'
import { confirm } from '~/ui/confirm'
import { DataTable } from '~/ui/DataTable'
import { useLive } from '~/ui/live'
import { Moment } from '~/ui/Moment'
import { Page } from '~/ui/Page'

const readSearch = defineSearch({
  page,
  settled: flag,
  // the one that is looked at
  id,
})

export const Route = createFileRoute('/app/settings/quarantine')({
  validateSearch: readSearch,
  loaderDeps: ({ search: { page: pageNumber, settled, id: openId } }) => ({
    page: pageNumber,
    settled,
    id: openId,
  }),
  loader: async ({ deps: { id: openId, ...list }, context }) => {
    const [refused, row] = await Promise.all([
      api.quarantine.list(list),
      openId ? api.quarantine.get({ id: openId }) : null,
    ])
    return { ...refused, row, isAdministrator: mayAnywhere(context.actor, 'is_clinic_admin') }
  },
  onError: asNotFound,
  component: QuarantinePage,
})

type Row = OperationResult<'quarantine.list'>['rows'][number]

function QuarantinePage() {
  const { rows, pagination, row, isAdministrator } = Route.useLoaderData()
  const { settled = false } = Route.useSearch()
  const say = useSay()
  useLive('quarantine.list', 'quarantine.get')
  const columns: Column<Row>[] = [
    { key: 'table_name', label: 'devices.record', cell: (each) => <What row={each} /> },
    {
      key: 'patient',
      label: 'devices.patient',
      cell: ({ patient }) => (patient ? <bdi>{patient}</bdi> : <Nothing />),
    },
    {
      key: 'reason',
      label: 'devices.why',
      cell: ({ reason }) => <Box miw="12rem">{say(reason)}</Box>,
    },
    { key: 'sent_by', label: 'devices.sentBy', cell: ({ sent_by }) => <bdi>{sent_by}</bdi> },
    {
      key: 'clinic',
      label: 'devices.clinic',
      cell: ({ clinic }) => (clinic ? <bdi>{clinic}</bdi> : <Nothing />),
    },
    {
      key: 'received_at',
      card: 'badge',
      label: 'devices.received',
      cell: ({ received_at }) => <Moment at={received_at} />,
    },
    ...(settled
      ? [
          {
            key: 'outcome',
            label: 'devices.outcome',
            cell: (each: Row) => <Outcome row={each} />,
          } satisfies Column<Row>,
        ]
      : []),
  ]
  return (
    <Page title="devices.refused" lead={say('devices.refusedLead')}>
      <PhoneTabs current="/app/settings/quarantine" isAdministrator={isAdministrator} />
      <OpenOrSettled isSettled={settled} />
      <DataTable
        label="devices.refused"
        columns={columns}
        rows={rows}
        pagination={pagination}
        rowLink={({ id: rowId }) =>
          `/app/settings/quarantine?id=${rowId}${settled ? '&settled=true' : ''}`
        }
        empty="devices.refusedEmpty"
      />
      {row && <OneRow key={row.id} row={row} />}
    </Page>
  )
}

function OneRow({ row }: { row: OperationResult<'quarantine.get'> }) {
  const { run, pending } = useAction()
  const navigate = useNavigate()
  const close = () => void navigate({ to: '.', search: withSearch({ id: undefined }) })
  const reject = async () => {
    const isSure = await confirm({
      text: 'devices.rejectAsks',
      action: 'devices.reject',
    })
    if (
      isSure &&
      (await run(() => api.quarantine.reject({ id: row.id }), { success: 'devices.rejected' }))
    )
      close()
  }
  const apply = async (values: Input<'quarantine.apply'>['values']) => {
    if (
      await run(() => api.quarantine.apply({ id: row.id, values }), {
        success: 'devices.applied',
      })
    )
      close()
  }
  return (
    <RefusedRow
      row={row}
      pending={pending}
      onClose={close}
      onReject={() => void reject()}
      onApply={(values) => void apply(values)}
    />
  )
}

function What({ row: { table_name, operation } }: { row: Row }) {
  const say = useSay()
  const name = say(tableLabel(table_name))
  return operation === 'delete' ? `${name} (${say('devices.deleteWanted')})` : name
}

function Outcome({ row: { outcome, settled_by } }: { row: Row }) {
  const say = useSay()
  if (outcome === 'superseded') return say('devices.outcome_superseded')
  const key = outcome === 'applied' ? 'devices.outcome_applied' : 'devices.outcome_rejected'
  return say({ key, values: { name: settled_by ?? '—' } })
}
