import { Stack, Text } from '@mantine/core'
import { drugTitle } from '~/features/medicines/drugs/drug'
import { useSay } from '~/shared/say'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { EnteredLater } from '~/ui/EnteredLater'
import { Moment } from '~/ui/Moment'
import type { Pagination } from '~/ui/Paging'
import type { LedgerRow } from './ledger.server'
import { Quantity } from '../Quantity'
import { describeMovement } from './story'

type Props = {
  rows: readonly LedgerRow[]
  pagination?: Pagination
  withDrug?: boolean
  isNarrowed?: boolean
}

/** Stock movements, each as a sentence: why, how much, the balance, who. Newest first. */
export function LedgerTable({ rows, pagination, withDrug, isNarrowed }: Props) {
  const say = useSay()
  const columns: Column<LedgerRow>[] = [
    {
      key: 'at',
      card: 'badge',
      label: 'inventory.when',
      cell: ({ occurred_at, entered_on }) => (
        <Moment at={occurred_at} dayOnly={entered_on !== null} />
      ),
    },
    ...(withDrug
      ? [
          {
            key: 'drug',
            card: 'title',
            label: 'drugs.name',
            cell: (row: LedgerRow) => drugTitle(row, say),
          } as const,
        ]
      : []),
    {
      key: 'what',
      card: withDrug ? 'value' : 'title',
      label: 'inventory.what',
      cell: (row) => <Story row={row} />,
    },
    {
      key: 'batch',
      label: 'batches.number',
      cell: ({ batch_number }) => <bdi>{batch_number}</bdi>,
    },
    {
      key: 'quantity',
      label: 'inventory.quantity',
      align: 'end',
      cell: ({ quantity }) => <Quantity signed value={quantity} />,
    },
    {
      key: 'left',
      label: 'inventory.left',
      align: 'end',
      cell: ({ batch_balance }) => <Quantity value={batch_balance} />,
    },
    {
      key: 'who',
      label: 'inventory.who',
      cell: ({ performed_by_name }) =>
        performed_by_name ? <bdi>{performed_by_name}</bdi> : <Nothing />,
    },
  ]
  return (
    <DataTable
      label="inventory.ledger"
      columns={columns}
      rows={rows}
      pagination={pagination}
      empty={isNarrowed ? 'table.noMatch' : 'inventory.ledgerEmpty'}
    />
  )
}

function Story({ row }: { row: LedgerRow }) {
  const say = useSay()
  const isOfPhone = row.is_reported && row.entered_on === null
  return (
    <Stack gap={0}>
      <span>{say(describeMovement(row))}</span>
      {(row.reason || isOfPhone) && (
        <Text size="xs" c="dimmed">
          {isOfPhone && say('inventory.fromPhone')}
          {isOfPhone && row.reason && ' · '}
          {row.reason && <bdi>{row.reason}</bdi>}
        </Text>
      )}
      {row.purchase_price !== null && (
        <Text size="xs" c="dimmed">
          {say('batches.price')}: <bdi dir="ltr">{row.purchase_price}</bdi>{' '}
          <bdi dir="ltr">{row.purchase_currency}</bdi>
        </Text>
      )}
      <EnteredLater on={row.entered_on} by={row.performed_by_name} />
    </Stack>
  )
}
