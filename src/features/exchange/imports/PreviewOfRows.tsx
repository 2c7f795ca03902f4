import { Text, Title } from '@mantine/core'
import { drugName } from '~/features/medicines/drugs/drug'
import { Quantity } from '~/features/medicines/inventory/Quantity'
import { strength } from '~/records/strength'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Day } from '~/ui/Day'
import type { PreviewRow } from './lists'
import { formatReason } from './tally'

/** The preview has read these values as a medicine of the catalogue. */
const asMedicine = (values: object) => values as Medicine

type PreviewColumn = Column<PreviewRow & { id: string }>

/** The batch that a row of a list of stock enters. */
const BATCH_PREVIEW: PreviewColumn[] = [
  {
    key: 'batch',
    label: 'batches.number',
    cell: ({ values, written }) =>
      values ? (
        <bdi>{values['batch_number']}</bdi>
      ) : (
        <Written cells={written} of={['batch_number']} />
      ),
  },
  {
    key: 'expiry',
    label: 'batches.expiry',
    cell: ({ values, written }) =>
      values ? (
        <Day value={String(values['expiry_date'])} />
      ) : (
        <Written cells={written} of={['expiry_date']} />
      ),
  },
  {
    key: 'quantity',
    label: 'inventory.quantity',
    align: 'end',
    cell: ({ values, written }) =>
      values ? (
        <Quantity value={Number(values['quantity'])} />
      ) : (
        <Written cells={written} of={['quantity']} />
      ),
  },
]

/** The first rows of a list of medicines or stock, to be compared with the file. */
export function PreviewOfRows({
  rows,
  isOfStock,
}: {
  rows: readonly PreviewRow[]
  isOfStock: boolean
}) {
  const say = useSay()
  if (rows.length === 0) return null
  const option = (of: 'form' | 'route', value: unknown) =>
    typeof value === 'string' ? say(`drugs.${of}_${value}` as MessageKey) : ''
  return (
    <div>
      <Title order={3} size="h4">
        {say('imports.preview')}
      </Title>
      <DataTable
        label="imports.preview"
        empty="imports.preview"
        rows={rows.map((row) => ({ ...row, id: String(row.line) }))}
        columns={[
          { key: 'line', label: 'imports.line', align: 'end', cell: ({ line }) => line },
          {
            key: 'name',
            card: 'title',
            label: 'drugs.name',
            cell: ({ values, written }) =>
              values ? (
                <bdi>{drugName(asMedicine(values))}</bdi>
              ) : (
                <Written cells={written} of={['generic_name', 'brand_name', 'barcode']} />
              ),
          },
          {
            key: 'strength',
            label: 'drugs.strengthShort',
            cell: ({ values, written }) =>
              values ? (
                <bdi>{strength(asMedicine(values), say)}</bdi>
              ) : (
                <Written cells={written} of={['strength', 'dosage_quantity', 'dosage_units']} />
              ),
          },
          {
            key: 'form',
            label: 'drugs.form',
            cell: ({ values, written }) =>
              option('form', values?.['form']) || <Written cells={written} of={['form']} />,
          },
          {
            key: 'route',
            label: 'drugs.route',
            cell: ({ values, written }) =>
              option('route', values?.['route']) || <Written cells={written} of={['route']} />,
          },
          ...(isOfStock ? BATCH_PREVIEW : []),
          {
            key: 'problem',
            label: 'imports.previewProblem',
            cell: ({ problem }) => (problem ? formatReason(problem, say) : <Nothing />),
          },
        ]}
      />
    </div>
  )
}

/** What the file has in these columns of a rejected row. */
function Written({ cells = {}, of }: { cells?: PreviewRow['written']; of: readonly string[] }) {
  const text = of.flatMap((name) => cells[name]?.trim() || []).join(' ')
  return text ? (
    <Text span inherit c="dimmed">
      <bdi>{text}</bdi>
    </Text>
  ) : (
    <Nothing />
  )
}

type Medicine = Parameters<typeof drugName>[0] & Parameters<typeof strength>[0]
