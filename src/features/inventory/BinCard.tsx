import { Box, Table, Text, Title } from '@mantine/core'
import { drugTitle } from '~/features/drugs/drug'
import { useSay } from '~/shared/say'
import { Moment } from '~/ui/Moment'
import classes from './BinCard.module.css'
import type { LedgerRow } from './ledger.server'
import { Quantity } from './Quantity'
import { storyOf } from './story'

type Props = {
  drug: {
    generic_name: string
    brand_name: string | null
    dosage_quantity: number | null
    dosage_units: string
    form: string
    min_stock_level: number
  }
  clinic: { name: string }
  /** Oldest first. */
  rows: readonly LedgerRow[]
}

/** The card that hangs at the shelf: what came in, what went out, what was left. */
export function BinCard({ drug, clinic, rows }: Props) {
  const say = useSay()
  return (
    <article className={classes.card}>
      <Title order={2} size="h3">
        {drugTitle(drug, say)}
      </Title>
      <Text size="sm">
        <bdi>{clinic.name}</bdi> · {say(`drugs.form_${drug.form}` as 'drugs.form_tablet')} ·{' '}
        {say('drugs.min_stock_level')}: <Quantity value={drug.min_stock_level} />
      </Text>
      {/* its own scrolling, by keyboard too, so that a wide table does not move the page */}
      <Box component="section" aria-label={say('inventory.binCard')} tabIndex={0} style={{ overflowX: 'auto' }}>
        <Table withTableBorder withColumnBorders mt="sm" fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{say('inventory.when')}</Table.Th>
              <Table.Th>{say('inventory.what')}</Table.Th>
              <Table.Th>{say('batches.number')}</Table.Th>
              <Table.Th ta="end">{say('inventory.in')}</Table.Th>
              <Table.Th ta="end">{say('inventory.outwards')}</Table.Th>
              <Table.Th ta="end">{say('inventory.balance')}</Table.Th>
              <Table.Th>{say('inventory.who')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={row.id}>
                <Table.Td>
                  <Moment at={row.occurred_at} dayOnly />
                </Table.Td>
                <Table.Td>
                  {say(storyOf(row))}
                  {row.reason && (
                    <Text span size="xs" c="dimmed">
                      {' '}
                      · <bdi>{row.reason}</bdi>
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>
                  <bdi>{row.batch_number}</bdi>
                </Table.Td>
                <Table.Td ta="end">{row.quantity > 0 && <Quantity value={row.quantity} />}</Table.Td>
                <Table.Td ta="end">{row.quantity < 0 && <Quantity value={-row.quantity} />}</Table.Td>
                <Table.Td ta="end" fw={600}>
                  <Quantity value={row.drug_balance} />
                </Table.Td>
                <Table.Td>
                  <bdi>{row.performed_by_name}</bdi>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Box>
    </article>
  )
}
