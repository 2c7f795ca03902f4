import { Text, Title } from '@mantine/core'
import { useId } from 'react'
import { WarningList } from '~/features/medicines/safety/WarningList'
import { medicineRecord } from '~/records/medicine'
import { useSay } from '~/shared/say'
import { type Column, fieldColumns } from '~/ui/columns'
import { recordedBy } from '~/ui/RecordedBy'
import { RecordList } from '~/ui/RecordList'
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
export function PatientMedicines({ patientId, medicines, ...rights }: Props) {
  const say = useSay()
  const titleId = useId()
  const { rows, warnings } = medicines
  const { fields } = medicineRecord
  const columns: Column<ListedMedicine>[] = [
    ...fieldColumns(fields, ['name']),
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
    ...fieldColumns(
      fields,
      DETAILS.filter((name) => rows.some((row) => row[name] !== null && row[name].length > 0)),
    ),
    recordedBy,
  ]
  return (
    <section aria-labelledby={titleId}>
      <RecordList
        noun="medicines"
        rows={rows}
        columns={columns}
        nameOf={({ name }) => name}
        {...rights}
        heading={
          <div>
            <Title order={2} size="h3" id={titleId}>
              {say('medicines.title')}
            </Title>
            <Text size="sm" c="dimmed">
              {say('medicines.lead')}
            </Text>
          </div>
        }
        dialog={(medicine, onClose) => <MedicineDialog {...{ patientId, medicine, onClose }} />}
      >
        <WarningList warnings={warnings} />
      </RecordList>
    </section>
  )
}
