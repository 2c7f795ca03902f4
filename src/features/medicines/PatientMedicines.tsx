import { Button, Group, Menu, Stack, Text, Title } from '@mantine/core'
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { WarningList } from '~/features/safety/WarningList'
import { restoreDeletion } from '~/features/trash/trash.functions'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { type Column, columnsOf, Nothing } from '~/ui/columns'
import { confirm } from '~/ui/confirm'
import { DataTable } from '~/ui/DataTable'
import { Moment } from '~/ui/Moment'
import { StatusBadge } from '~/ui/StatusBadge'
import { medicineFields } from './medicine'
import { MedicineDialog } from './MedicineDialog'
import { deleteMedicine } from './medicines.functions'
import type { ListedMedicine, ListedMedicines } from './medicines.server'

type Props = {
  patientId: string
  medicines: ListedMedicines
  mayEdit: boolean
  mayDelete: boolean
  mayRestore: boolean
}

/** What the patient takes that was not prescribed here, and what the safety check says about it. */
export function PatientMedicines({ patientId, medicines, mayEdit, mayDelete, mayRestore }: Props) {
  const say = useSay()
  const titleId = useId()
  const { run } = useAction()
  const [editing, setEditing] = useState<{ medicine?: ListedMedicine } | null>(null)
  const { rows, warnings } = medicines
  const add = mayEdit && (
    <Button
      variant="default"
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={() => setEditing({})}
    >
      {say('medicines.add')}
    </Button>
  )

  async function remove({ id, name }: ListedMedicine) {
    const isMeant = await confirm({
      title: 'medicines.delete',
      text: { key: 'medicines.deleteAsks', values: { name } },
      action: 'medicines.delete',
      destructive: true,
    })
    if (!isMeant) return
    await run(() => deleteMedicine({ data: { id } }), {
      success: { key: 'medicines.deletedDone', values: { name } },
      undo: mayRestore
        ? ({ deletionId }) => restoreDeletion({ data: { id: deletionId } })
        : undefined,
    })
  }

  const columns: Column<ListedMedicine>[] = [
    ...columnsOf<typeof medicineFields, ListedMedicine>(medicineFields, ['name']),
    {
      key: 'isTaken',
      card: 'badge',
      label: 'medicines.status',
      cell: ({ isTaken }) => (
        <StatusBadge tone={isTaken ? 'good' : 'quiet'}>
          {say(isTaken ? 'medicines.taken' : 'medicines.ended')}
        </StatusBadge>
      ),
    },
    ...columnsOf<typeof medicineFields, ListedMedicine>(medicineFields, [
      'ingredients',
      'dose',
      'source',
      'since',
      'until',
      'notes',
    ]),
    {
      key: 'recorded_by',
      label: 'medicines.recordedBy',
      cell: ({ recorded_by, created_at }) => (
        <>
          {recorded_by ? <bdi>{recorded_by}</bdi> : <Nothing />} ·{' '}
          <Moment at={created_at} dayOnly />
        </>
      ),
    },
  ]
  return (
    <Stack gap="sm" component="section" aria-labelledby={titleId}>
      <Group justify="space-between">
        <div>
          <Title order={2} size="h3" id={titleId}>
            {say('medicines.title')}
          </Title>
          <Text size="sm" c="dimmed">
            {say('medicines.lead')}
          </Text>
        </div>
        {rows.length > 0 && add}
      </Group>
      <WarningList warnings={warnings} />
      <DataTable
        label="medicines.title"
        columns={columns}
        rows={rows}
        nameOf={({ name }) => name}
        empty="medicines.empty"
        emptyAction={add}
        actions={
          mayEdit || mayDelete
            ? (medicine) => (
                <>
                  {mayEdit && (
                    <Menu.Item
                      leftSection={<IconPencil size={16} aria-hidden />}
                      onClick={() => setEditing({ medicine })}
                    >
                      {say('common.edit')}
                    </Menu.Item>
                  )}
                  {mayDelete && (
                    <Menu.Item
                      color="red"
                      leftSection={<IconTrash size={16} aria-hidden />}
                      onClick={() => void remove(medicine)}
                    >
                      {say('medicines.delete')}
                    </Menu.Item>
                  )}
                </>
              )
            : undefined
        }
      />
      {editing && (
        <MedicineDialog
          patientId={patientId}
          medicine={editing.medicine}
          onClose={() => setEditing(null)}
        />
      )}
    </Stack>
  )
}
