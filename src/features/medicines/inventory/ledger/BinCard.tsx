import { Box, Text, Title } from '@mantine/core'
import type { Strong } from '~/records/strength'
import { drugTitle } from '~/features/medicines/drugs/drug'
import { useSay } from '~/shared/say'
import { useToday } from '~/ui/clock'
import type { Column } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Day } from '~/ui/Day'
import { EnteredLater } from '~/ui/EnteredLater'
import { OnEveryPage } from '~/ui/OnEveryPage'
import classes from './BinCard.module.css'
import { binCardLines } from './bin-card-lines'
import type { LedgerRow } from './ledger.server'
import { OpenShortfall } from '../OpenShortfall'
import { Quantity } from '../Quantity'
import { describeMovement } from './story'

type Props = {
  drug: Strong & {
    generic_name: string
    brand_name: string | null
    form: string
    min_stock_level: number
  }
  clinic: { name: string }
  /** Oldest first. */
  rows: readonly LedgerRow[]
  /** Taken beyond the stock, and not resolved. */
  shortfall: number
}

/** The bin card at the shelf: received, dispensed, balance. */
export function BinCard({ drug, clinic, rows, shortfall }: Props) {
  const say = useSay()
  const today = useToday()
  const columns: Column<LedgerRow>[] = [
    {
      key: 'when',
      card: 'badge',
      label: 'inventory.day',
      cell: ({ day }) => <Day value={day} />,
    },
    { key: 'what', card: 'title', label: 'inventory.what', cell: (row) => <What row={row} /> },
    {
      key: 'batch',
      label: 'batches.number',
      cell: ({ batch_number }) => <bdi>{batch_number}</bdi>,
    },
    {
      key: 'in',
      label: 'inventory.in',
      align: 'end',
      cell: ({ quantity }) => quantity > 0 && <Quantity value={quantity} />,
    },
    {
      key: 'out',
      label: 'inventory.outwards',
      align: 'end',
      cell: ({ quantity }) => quantity < 0 && <Quantity value={-quantity} />,
    },
    {
      key: 'balance',
      label: 'inventory.balance',
      align: 'end',
      cell: ({ drug_balance }) => (
        <b>
          <Quantity value={drug_balance} />
        </b>
      ),
    },
    {
      key: 'who',
      label: 'inventory.who',
      cell: ({ performed_by_name }) => <bdi>{performed_by_name}</bdi>,
    },
  ]
  return (
    <article className={classes.card} data-sheet>
      <OnEveryPage
        head={
          <>
            {say('inventory.binCard')} · <b>{drugTitle(drug, say)}</b> · <bdi>{clinic.name}</bdi> ·{' '}
            <Day value={today} />
          </>
        }
      >
        <Title order={2} size="h3">
          {drugTitle(drug, say)}
        </Title>
        <Text size="sm">
          {say('inventory.binCard')} · <Day value={today} />
        </Text>
        <Text size="sm">
          <bdi>{clinic.name}</bdi> · {say(`drugs.form_${drug.form}` as 'drugs.form_tablet')} ·{' '}
          {say('drugs.min_stock_level')}: <Quantity value={drug.min_stock_level} />
        </Text>
        <OpenShortfall quantity={shortfall} />
        <Box mt="sm">
          <DataTable
            label="inventory.binCard"
            columns={columns}
            rows={binCardLines(rows)}
            empty="inventory.ledgerEmpty"
          />
        </Box>
      </OnEveryPage>
    </article>
  )
}

function What({ row }: { row: LedgerRow }) {
  const say = useSay()
  return (
    <>
      {say(describeMovement(row))}
      {row.reason && (
        <Text span size="xs" c="dimmed">
          {' '}
          · <bdi>{row.reason}</bdi>
        </Text>
      )}
      <EnteredLater on={row.entered_on} by={row.performed_by_name} />
    </>
  )
}
