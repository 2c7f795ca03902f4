import { Group, Menu, SegmentedControl } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '~/client/api'
import { drugName, drugTitle } from '~/features/medicines/drugs/drug'
import { Quantity } from '~/features/medicines/inventory/Quantity'
import { SettleDialog } from '~/features/medicines/inventory/changes/SettleDialog'
import type { Shortfall } from '~/features/medicines/inventory/changes/shortfalls.server'
import { clinicParams } from '~/features/medicines/inventory/stock-search'
import { permitsIn, permitsSomewhere } from '~/policy/facts'
import { countStockAt, manageStock } from '~/policy/rules'
import { useSay } from '~/shared/say'
import { flag, defineSearch } from '~/shared/search-params'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { useFilter } from '~/ui/filters'
import { useLive } from '~/ui/live'
import { refreshedRow } from '~/ui/newest'
import { EnteredLater } from '~/ui/EnteredLater'
import { Moment } from '~/ui/Moment'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { onlyFor } from '~/ui/onlyFor'

const readSearch = defineSearch({ ...clinicParams, settled: flag })

export const Route = createFileRoute('/app/inventory/clinic-inventory/shortfalls')({
  validateSearch: readSearch,
  beforeLoad: onlyFor((actor) => permitsSomewhere(countStockAt, actor)),
  loaderDeps: ({ search: { clinic, page, settled } }) => ({ clinic, page, settled }),
  loader: ({ deps: { clinic, page = 1, settled = false } }) =>
    api.shortfalls.list({ clinicId: clinic, page, settled }),
  pendingComponent: PageSkeleton,
  component: ShortfallsPage,
})

function ShortfallsPage() {
  const { rows, pagination } = Route.useLoaderData()
  const { settled = false } = Route.useSearch()
  const { actor } = Route.useRouteContext()
  const say = useSay()
  const choose = useFilter<{ settled: boolean }>()
  const [open, setOpen] = useState<Shortfall | null>(null)
  useLive('shortfalls.list')
  const columns: Column<Shortfall>[] = [
    {
      key: 'drug',
      label: 'drugs.name',
      cell: (row) => drugTitle(row, say),
    },
    {
      key: 'type',
      label: 'inventory.movement',
      cell: ({ transaction_type: type }) => say(`inventory.type_${type}`),
    },
    {
      key: 'quantity',
      label: 'inventory.missing',
      align: 'end',
      cell: ({ quantity }) => <Quantity value={quantity} />,
    },
    { key: 'batch', label: 'batches.number', cell: ({ batch_number }) => text(batch_number) },
    { key: 'clinic', label: 'inventory.clinic', cell: ({ clinic_name }) => text(clinic_name) },
    {
      key: 'at',
      card: 'badge',
      label: 'inventory.when',
      cell: ({ occurred_at, entered_on, performed_by_name }) => (
        <>
          <Moment at={occurred_at} dayOnly={entered_on !== null} />
          <EnteredLater on={entered_on} by={performed_by_name} />
        </>
      ),
    },
    {
      key: 'who',
      label: 'inventory.who',
      cell: ({ performed_by_name }) => text(performed_by_name),
    },
    ...(settled
      ? ([
          {
            key: 'how',
            label: 'inventory.settlement',
            cell: ({ settlement }) =>
              settlement && say(`inventory.settled_${settlement}` as 'inventory.settled_posted'),
          },
          {
            key: 'why',
            label: 'inventory.reason',
            cell: ({ settled_reason }) => text(settled_reason),
          },
          {
            key: 'by',
            label: 'inventory.settledBy',
            cell: ({ settled_by_name }) => text(settled_by_name),
          },
        ] satisfies Column<Shortfall>[])
      : []),
  ]
  return (
    <Page
      title="inventory.shortfalls"
      lead={say('inventory.shortfallsText')}
      crumbs={[{ label: 'inventory.title', to: '/app/inventory/clinic-inventory' }]}
    >
      <Group>
        <SegmentedControl
          aria-label={say('inventory.shortfalls')}
          value={String(settled)}
          onChange={(value) => choose({ settled: value === 'true' || undefined })}
          data={[
            { value: 'false', label: say('inventory.open') },
            { value: 'true', label: say('inventory.settled') },
          ]}
        />
      </Group>
      <DataTable
        label="inventory.shortfalls"
        columns={columns}
        rows={rows}
        pagination={pagination}
        nameOf={drugName}
        actions={
          settled
            ? undefined
            : (row) =>
                permitsIn(manageStock, actor, row.clinic_id) && (
                  <Menu.Item
                    leftSection={<IconCheck size={16} aria-hidden />}
                    onClick={() => setOpen(row)}
                  >
                    {say('inventory.settle')}
                  </Menu.Item>
                )
        }
        empty={settled ? 'inventory.noSettled' : 'inventory.noShortfalls'}
      />
      {open && <SettleDialog shortfall={refreshedRow(rows, open)} onClose={() => setOpen(null)} />}
    </Page>
  )
}

const text = (value: string | null) => (value ? <bdi>{value}</bdi> : <Nothing />)
