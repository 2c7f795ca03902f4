import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { WarningList } from '~/features/medicines/safety/WarningList'
import { useDelete } from '~/features/office/trash/delete'
import { medicineRecord } from '~/records/medicine'
import { useSay } from '~/shared/say'
import { type Column, columnsOf } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { RecordedBy } from '~/ui/RecordedBy'
import { deleteAction, editAction, rowMenu } from '~/ui/rowMenu'
import { StatusBadge } from '~/ui/StatusBadge'
import { MedicineDialog } from './MedicineDialog'
import type { ListedMedicine, ListedMedicines } from './medicines.server'

type Props = {
  patientId: string
  medicines: ListedMedicines
  mayEdit: boolean
  mayDelete: boolean
}

/** A column that is empty in each row is left out. */
const DETAILS = ['ingredients', 'dose', 'source', 'since', 'until', 'notes'] as const

/** What the patient takes that was not prescribed here, and what the safety check says about it. */
export function PatientMedicines({ patientId, medicines, mayEdit, mayDelete }: Props) {
  const say = useSay()
  const titleId = useId()
  const { remove } = useDelete()
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

  const shown = (...names: (keyof typeof medicineRecord.fields)[]) =>
    columnsOf<typeof medicineRecord.fields, ListedMedicine>(medicineRecord.fields, names)
  const columns: Column<ListedMedicine>[] = [
    ...shown('name'),
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
    ...shown(
      ...DETAILS.filter((name) => rows.some((row) => row[name] !== null && row[name].length > 0)),
    ),
    {
      key: 'recorded_by',
      label: 'medicines.recordedBy',
      cell: ({ recorded_by, created_at }) => <RecordedBy name={recorded_by} at={created_at} />,
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
        actions={rowMenu<ListedMedicine>([
          mayEdit && editAction((medicine) => setEditing({ medicine })),
          mayDelete &&
            deleteAction('medicines.delete', ({ id, name }) => remove('medicines', id, { name })),
        ])}
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
