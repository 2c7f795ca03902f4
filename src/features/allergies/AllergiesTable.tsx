import { Menu } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { restoreDeletion } from '~/features/trash/trash.functions'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { type Column, columnsOf, Nothing } from '~/ui/columns'
import { confirm } from '~/ui/confirm'
import { DataTable } from '~/ui/DataTable'
import { Moment } from '~/ui/Moment'
import { StatusBadge } from '~/ui/StatusBadge'
import { deleteAllergy } from './allergies.functions'
import type { Allergy } from './allergies.server'
import { type AllergyStatus, allergyFields } from './allergy'

type Props = {
  rows: readonly Allergy[]
  mayEdit: boolean
  mayDelete: boolean
  mayRestore: boolean
  onEdit: (allergy: Allergy) => void
  add?: ReactNode
}

const tones = { active: 'bad', inactive: 'quiet', refuted: 'quiet' } as const satisfies Record<
  AllergyStatus,
  string
>

/** Every allergy of a patient: what holds stands first. */
export function AllergiesTable({ rows, mayEdit, mayDelete, mayRestore, onEdit, add }: Props) {
  const say = useSay()
  const { run } = useAction()
  const nameOf = ({ substance, substance_kind }: Allergy) =>
    substance_kind === 'none_known' ? say('allergies.noneKnown') : substance

  async function remove(allergy: Allergy) {
    const name = nameOf(allergy)
    const isMeant = await confirm({
      title: 'allergies.delete',
      text: { key: 'allergies.deleteAsks', values: { name } },
      action: 'allergies.delete',
      destructive: true,
    })
    if (!isMeant) return
    await run(() => deleteAllergy({ data: { id: allergy.id } }), {
      success: { key: 'allergies.deletedDone', values: { name } },
      undo: mayRestore
        ? ({ deletionId }) => restoreDeletion({ data: { id: deletionId } })
        : undefined,
    })
  }
  const columns: Column<Allergy>[] = [
    {
      key: 'substance',
      label: 'allergies.substance',
      cell: (allergy) => <bdi>{nameOf(allergy)}</bdi>,
    },
    {
      key: 'status',
      card: 'badge',
      label: 'allergies.status',
      cell: ({ status, substance_kind }) => (
        <StatusBadge tone={substance_kind === 'none_known' ? 'quiet' : tones[status]}>
          {say(`allergies.${status}`)}
        </StatusBadge>
      ),
    },
    ...columnsOf<typeof allergyFields, Allergy>(allergyFields, ['severity', 'reaction', 'notes']),
    {
      key: 'recorded_by',
      label: 'allergies.recordedBy',
      cell: ({ recorded_by, created_at }) => (
        <>
          {recorded_by ? <bdi>{recorded_by}</bdi> : <Nothing />} ·{' '}
          <Moment at={created_at} dayOnly />
        </>
      ),
    },
  ]
  return (
    <DataTable
      label="allergies.title"
      columns={columns}
      rows={rows}
      nameOf={nameOf}
      empty="allergies.empty"
      emptyAction={add}
      actions={
        mayEdit || mayDelete
          ? (allergy) => (
              <>
                {mayEdit && allergy.substance_kind !== 'none_known' && (
                  <Menu.Item
                    leftSection={<IconPencil size={16} aria-hidden />}
                    onClick={() => onEdit(allergy)}
                  >
                    {say('common.edit')}
                  </Menu.Item>
                )}
                {mayDelete && (
                  <Menu.Item
                    color="red"
                    leftSection={<IconTrash size={16} aria-hidden />}
                    onClick={() => void remove(allergy)}
                  >
                    {say('allergies.delete')}
                  </Menu.Item>
                )}
              </>
            )
          : undefined
      }
    />
  )
}
