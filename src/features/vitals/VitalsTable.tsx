import { Menu } from '@mantine/core'
import { IconClipboardText, IconPencil, IconTrash } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useFormatter } from 'use-intl'
import { restoreDeletion } from '~/features/trash/trash.functions'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { type Column, Nothing } from '~/ui/columns'
import { confirm } from '~/ui/confirm'
import { DataTable } from '~/ui/DataTable'
import { Moment } from '~/ui/Moment'
import type { Pagination } from '~/ui/Paging'
import { type Measure, MEASURES } from './vital'
import { UNIT_OF, VitalValue } from './VitalValue'
import { deleteVital } from './vitals.functions'
import type { Vital } from './vitals.server'

type Props = {
  rows: Vital[]
  pagination?: Pagination
  mayEdit: boolean
  mayDelete: boolean
  onEdit: (vital: Vital) => void
  add?: React.ReactNode
}

/** Every measurement, one row each; a column only for what was ever measured. */
export function VitalsTable({ rows, pagination, mayEdit, mayDelete, onEdit, add }: Props) {
  const say = useSay()
  const { run } = useAction()
  const format = useFormatter()
  const nameOf = ({ timestamp }: Vital) =>
    format.dateTime(timestamp, { dateStyle: 'medium', timeStyle: 'short' })

  async function remove(vital: Vital) {
    const isMeant = await confirm({
      title: 'vitals.delete',
      text: { key: 'vitals.deleteAsks', values: { day: nameOf(vital) } },
      action: 'vitals.delete',
      destructive: true,
    })
    if (!isMeant) return
    await run(() => deleteVital({ data: { id: vital.id } }), {
      success: 'vitals.deletedDone',
      undo: ({ deletionId }) => restoreDeletion({ data: { id: deletionId } }),
    })
  }

  const measured = MEASURES.filter((measure) => rows.some((row) => row[measure] !== null))
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
    { key: 'timestamp', label: 'vitals.when', cell: ({ timestamp }) => <Moment at={timestamp} /> },
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
    {
      key: 'recorded_by',
      label: 'vitals.by',
      cell: ({ recorded_by }) => (recorded_by ? <bdi>{recorded_by}</bdi> : <Nothing />),
    },
  ]
  return (
    <DataTable
      label="vitals.title"
      columns={columns}
      rows={rows}
      pagination={pagination}
      nameOf={nameOf}
      empty="vitals.empty"
      emptyAction={add}
      actions={
        mayEdit || mayDelete
          ? (vital) => (
              <>
                {vital.form_event_id && (
                  <Menu.Item
                    leftSection={<IconClipboardText size={16} aria-hidden />}
                    renderRoot={(props) => (
                      <Link
                        to="/app/events/$"
                        params={{ _splat: vital.form_event_id ?? '' }}
                        {...props}
                      />
                    )}
                  >
                    {say('vitals.openForm')}
                  </Menu.Item>
                )}
                {mayEdit && !vital.form_event_id && (
                  <Menu.Item
                    leftSection={<IconPencil size={16} aria-hidden />}
                    onClick={() => onEdit(vital)}
                  >
                    {say('vitals.edit')}
                  </Menu.Item>
                )}
                {mayDelete && !vital.form_event_id && (
                  <Menu.Item
                    color="red"
                    leftSection={<IconTrash size={16} aria-hidden />}
                    onClick={() => remove(vital)}
                  >
                    {say('vitals.delete')}
                  </Menu.Item>
                )}
              </>
            )
          : undefined
      }
    />
  )
}
