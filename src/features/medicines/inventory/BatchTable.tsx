import { Menu } from '@mantine/core'
import {
  IconAdjustments,
  IconBiohazard,
  IconListDetails,
  IconPackageImport,
  IconPencil,
  IconTransfer,
  IconTrashX,
} from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useSay } from '~/shared/say'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Moment } from '~/ui/Moment'
import { refreshedRow } from '~/ui/newest'
import type { Batch } from './batches.server'
import { BatchAction, type BatchActionKind } from './BatchAction'
import { BatchState } from './BatchState'
import { Day } from '~/ui/Day'
import { ExpiryDay } from './ExpiryDay'
import { Quantity } from './Quantity'

type Named = { id: string; name: string }
type Props = {
  batches: readonly Batch[]
  clinic: Named
  /** Where stock can be moved to. */
  clinics: readonly Named[]
  mayChange: boolean
  onReceive: (batch: Batch) => void
  emptyAction: ReactNode
}

/**
 * The batches of one medicine in one clinic, the unavailable ones too, with all that can be done to
 * each.
 */
export function BatchTable({ batches, clinic, clinics, mayChange, onReceive, emptyAction }: Props) {
  const say = useSay()
  const navigate = useNavigate()
  const [open, setOpen] = useState<{ batch: Batch; kind: BatchActionKind } | null>(null)
  const here = (batch: Batch) => batch.stock.find(({ clinic_id }) => clinic_id === clinic.id)
  const columns: Column<Batch>[] = [
    {
      key: 'batch_number',
      label: 'batches.number',
      cell: ({ batch_number }) => <bdi>{batch_number}</bdi>,
    },
    {
      key: 'expiry',
      label: 'batches.expiry',
      cell: ({ expiry_date }) => <ExpiryDay value={expiry_date} />,
    },
    {
      key: 'state',
      card: 'badge',
      label: 'batches.state',
      cell: (batch) => <BatchState batch={batch} />,
    },
    {
      key: 'here',
      label: 'inventory.onHand',
      align: 'end',
      cell: (batch) => <Quantity value={here(batch)?.quantity_available ?? 0} />,
    },
    {
      key: 'held',
      label: 'inventory.held',
      align: 'end',
      cell: (batch) => <Quantity value={here(batch)?.reserved_quantity ?? 0} />,
    },
    {
      key: 'received',
      label: 'batches.received',
      cell: ({ received_date }) => <Day value={received_date} />,
    },
    {
      key: 'counted',
      label: 'inventory.lastCounted',
      cell: (batch) => {
        const at = here(batch)?.last_counted_at
        return at ? <Moment at={at} dayOnly /> : <Nothing />
      },
    },
    {
      key: 'supplier',
      label: 'batches.supplier',
      cell: ({ supplier_name }) => (supplier_name ? <bdi>{supplier_name}</bdi> : <Nothing />),
    },
  ]
  const opened = open && refreshedRow(batches, open.batch)
  const entry = (batch: Batch, kind: BatchActionKind, Icon: typeof IconPencil) => (
    <Menu.Item
      leftSection={<Icon size={16} aria-hidden />}
      onClick={() => setOpen({ batch, kind })}
    >
      {say(`batches.do_${kind}`)}
    </Menu.Item>
  )
  const story = (batch: Batch) => (
    <Menu.Item
      leftSection={<IconListDetails size={16} aria-hidden />}
      onClick={() =>
        void navigate({
          to: '/app/inventory/clinic-inventory/ledger',
          search: { clinic: clinic.id, batch: batch.id },
        })
      }
    >
      {say('batches.story')}
    </Menu.Item>
  )
  return (
    <>
      <DataTable
        label="batches.title"
        columns={columns}
        rows={batches}
        nameOf={({ batch_number }) => batch_number}
        actions={(batch) => (
          <>
            {mayChange && (
              <>
                <Menu.Item
                  leftSection={<IconPackageImport size={16} aria-hidden />}
                  onClick={() => onReceive(batch)}
                >
                  {say('batches.receiveMore')}
                </Menu.Item>
                {clinics.length > 1 && entry(batch, 'transfer', IconTransfer)}
                {entry(batch, 'adjust', IconAdjustments)}
                {entry(batch, 'writeOff', IconTrashX)}
                {entry(batch, batch.is_quarantined ? 'release' : 'quarantine', IconBiohazard)}
                {entry(batch, 'correct', IconPencil)}
              </>
            )}
            {story(batch)}
          </>
        )}
        empty="batches.empty"
        emptyAction={emptyAction}
      />
      {open && opened && (
        <BatchAction
          {...open}
          batch={opened}
          clinic={clinic}
          clinics={clinics}
          available={here(opened)?.quantity_available ?? 0}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  )
}
