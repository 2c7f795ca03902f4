import { Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import { api } from '~/client/api'
import { useDelete } from '~/features/office/trash/delete'
import { allergyRecord } from '~/records/allergy'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { type Column, columnsOf } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { RecordedBy } from '~/ui/RecordedBy'
import { deleteAction, editAction, rowMenu } from '~/ui/rowMenu'
import { StatusBadge } from '~/ui/StatusBadge'
import { AllergyDialog } from './AllergyDialog'
import type { Allergy } from './allergies.server'

type Props = {
  patientId: string
  allergies: readonly Allergy[]
  mayEdit: boolean
  mayDelete: boolean
}

const isStatement = ({ substance_kind }: Allergy) => substance_kind === 'none_known'

/** The allergies of one patient, active ones first, and the statement that there are none. */
export function PatientAllergies({ patientId, allergies, mayEdit, mayDelete }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const { remove } = useDelete()
  const [editing, setEditing] = useState<{ allergy?: Allergy } | null>(null)
  const nameOf = (allergy: Allergy) =>
    isStatement(allergy) ? say('allergies.noneKnown') : allergy.substance

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
      cell: (allergy) => (
        <StatusBadge tone={allergy.status === 'active' && !isStatement(allergy) ? 'bad' : 'quiet'}>
          {say(`allergies.${allergy.status}`)}
        </StatusBadge>
      ),
    },
    ...columnsOf<typeof allergyRecord.fields, Allergy>(allergyRecord.fields, [
      'severity',
      'reaction',
      'notes',
    ]),
    {
      key: 'recorded_by',
      label: 'allergies.recordedBy',
      cell: ({ recorded_by, created_at }) => <RecordedBy name={recorded_by} at={created_at} />,
    },
  ]
  const recordNone = () =>
    run(() => api.allergies.recordNone({ id: newId(), patientId }), {
      success: 'allergies.recordedNone',
    })
  const buttons = mayEdit && (
    <Group gap="xs" justify={allergies.length > 0 ? 'flex-end' : 'center'}>
      {allergies.every(({ status }) => status !== 'active') && (
        <Button variant="default" loading={pending} onClick={() => void recordNone()}>
          {say('allergies.recordNone')}
        </Button>
      )}
      <Button variant="default" onClick={() => setEditing({})}>
        {say('allergies.add')}
      </Button>
    </Group>
  )
  return (
    <Stack gap="sm">
      {allergies.length > 0 && buttons}
      <DataTable
        label="allergies.title"
        columns={columns}
        rows={allergies}
        nameOf={nameOf}
        empty="allergies.empty"
        emptyAction={buttons}
        actions={rowMenu<Allergy>([
          mayEdit && {
            ...editAction((allergy) => setEditing({ allergy })),
            isFor: (allergy) => !isStatement(allergy),
          },
          mayDelete &&
            deleteAction('allergies.delete', (allergy) =>
              remove('allergies', allergy.id, { name: nameOf(allergy) }),
            ),
        ])}
      />
      {editing && (
        <AllergyDialog
          patientId={patientId}
          allergy={editing.allergy}
          onClose={() => setEditing(null)}
        />
      )}
    </Stack>
  )
}
