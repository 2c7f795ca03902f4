import { IconClipboardText } from '@tabler/icons-react'
import { useFormatter } from 'use-intl'
import { useDelete } from '~/ui/delete'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { EnteredLater } from '~/ui/EnteredLater'
import { Moment } from '~/ui/Moment'
import type { Pagination } from '~/ui/Paging'
import { ImportedFrom } from '~/ui/ImportedFrom'
import { RecordedBy } from '~/ui/RecordedBy'
import { deleteAction, editAction, rowMenu } from '~/ui/rowMenu'
import { EarlyWarning } from './early-warning/EarlyWarning'
import { type Measure, VITAL_MEASURES } from './vital'
import { UNIT_OF, VitalValue } from './VitalValue'
import type { Vital } from './vitals.server'

type Props = {
  rows: Vital[]
  pagination?: Pagination
  mayEdit: boolean
  mayDelete: boolean
  onEdit: (vital: Vital) => void
  add?: React.ReactNode
}

/** Values that a form recorded are corrected and deleted in the form. */
const isOfForm = ({ form_event_id }: Vital) => form_event_id !== null
const isOwn = (vital: Vital) => !isOfForm(vital)

/** Every measurement, one row each; a column only for what was ever measured. */
export function VitalsTable({ rows, pagination, mayEdit, mayDelete, onEdit, add }: Props) {
  const { remove } = useDelete()
  const format = useFormatter()
  const formatMeasuredAt = ({ timestamp }: Vital) =>
    format.dateTime(timestamp, { dateStyle: 'medium', timeStyle: 'short' })

  const measured = VITAL_MEASURES.filter((measure) => rows.some((row) => row[measure] !== null))
  const isPressure = (measure: Measure) => measure === 'systolic_bp' || measure === 'diastolic_bp'
  const pressure: Column<Vital> = {
    key: 'blood_pressure',
    label: 'vitals.blood_pressure',
    cell: ({ systolic_bp, diastolic_bp, marks }) =>
      systolic_bp === null && diastolic_bp === null ? (
        <Nothing />
      ) : (
        <VitalValue
          values={[systolic_bp, diastolic_bp]}
          marks={[marks.systolic_bp, marks.diastolic_bp]}
        />
      ),
  }
  const columns: Column<Vital>[] = [
    {
      key: 'timestamp',
      label: 'vitals.when',
      cell: ({ timestamp, entered_on, recorded_by }) => (
        <>
          <Moment at={timestamp} />
          <EnteredLater on={entered_on} by={recorded_by} />
        </>
      ),
    },
    ...(measured.some(isPressure) ? [pressure] : []),
    ...measured
      .filter((measure) => !isPressure(measure))
      .map((measure): Column<Vital> => ({
        key: measure,
        label: `vitals.${measure}`,
        cell: (row) =>
          row[measure] === null ? (
            <Nothing />
          ) : (
            <VitalValue
              values={[row[measure]]}
              marks={[row.marks[measure]]}
              unit={UNIT_OF[measure]}
            />
          ),
      })),
    ...(rows.some(({ news2 }) => news2 !== null)
      ? [
          {
            key: 'news2',
            label: 'vitals.news2Column',
            cell: ({ news2 }) => (news2 ? <EarlyWarning news2={news2} /> : <Nothing />),
          } satisfies Column<Vital>,
        ]
      : []),
    {
      key: 'recorded_by',
      label: 'vitals.by',
      cell: ({ recorded_by, sent_by, imported_from, from_document }) => (
        <>
          <RecordedBy name={recorded_by} sentBy={sent_by} from={from_document} />
          <ImportedFrom file={imported_from} />
        </>
      ),
    },
  ]
  return (
    <DataTable
      label="vitals.title"
      columns={columns}
      rows={rows}
      pagination={pagination}
      nameOf={formatMeasuredAt}
      empty="vitals.empty"
      emptyAction={add}
      actions={rowMenu<Vital>([
        (mayEdit || mayDelete) && {
          label: 'vitals.openForm',
          icon: IconClipboardText,
          link: ({ form_event_id }) => `/app/events/${form_event_id}`,
          isFor: isOfForm,
        },
        mayEdit && { ...editAction(onEdit), label: 'vitals.edit', isFor: isOwn },
        mayDelete && {
          ...deleteAction('vitals.delete', (vital: Vital) =>
            remove('vitals', vital.id, { day: formatMeasuredAt(vital) }),
          ),
          isFor: isOwn,
        },
      ])}
    />
  )
}
