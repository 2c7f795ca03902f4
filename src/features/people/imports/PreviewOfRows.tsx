import { Title } from '@mantine/core'
import { drugName } from '~/features/medicines/drugs/drug'
import { Quantity } from '~/features/medicines/inventory/Quantity'
import { strength } from '~/records/strength'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Day } from '~/ui/Day'
import type { PreviewRow } from './lists'
import { reasonText } from './tally'

type PreviewColumn = Column<PreviewRow & { id: string }>

/** The batch that a row of a list of stock enters. */
const BATCH_PREVIEW: PreviewColumn[] = [
  {
    key: 'batch',
    label: 'batches.number',
    cell: ({ values }) => (values ? <bdi>{values['batch_number']}</bdi> : <Nothing />),
  },
  {
    key: 'expiry',
    label: 'batches.expiry',
    cell: ({ values }) => (values ? <Day value={String(values['expiry_date'])} /> : <Nothing />),
  },
  {
    key: 'quantity',
    label: 'inventory.quantity',
    align: 'end',
    cell: ({ values }) => (values ? <Quantity value={Number(values['quantity'])} /> : <Nothing />),
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
            cell: ({ values }) =>
              values ? <bdi>{drugName(values as unknown as Medicine)}</bdi> : <Nothing />,
          },
          {
            key: 'strength',
            label: 'drugs.strengthShort',
            cell: ({ values }) =>
              values ? <bdi>{strength(values as unknown as Medicine, say)}</bdi> : <Nothing />,
          },
          {
            key: 'form',
            label: 'drugs.form',
            cell: ({ values }) => option('form', values?.['form']) || <Nothing />,
          },
          {
            key: 'route',
            label: 'drugs.route',
            cell: ({ values }) => option('route', values?.['route']) || <Nothing />,
          },
          ...(isOfStock ? BATCH_PREVIEW : []),
          {
            key: 'problem',
            label: 'imports.previewProblem',
            cell: ({ problem }) => (problem ? reasonText(problem, say) : <Nothing />),
          },
        ]}
      />
    </div>
  )
}
type Medicine = Parameters<typeof drugName>[0] & Parameters<typeof strength>[0]
