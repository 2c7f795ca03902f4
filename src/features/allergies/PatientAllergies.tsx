import { Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { AllergiesTable } from './AllergiesTable'
import { AllergyDialog } from './AllergyDialog'
import { recordNoAllergies } from './allergies.functions'
import type { Allergy } from './allergies.server'

type Props = {
  patientId: string
  allergies: readonly Allergy[]
  mayEdit: boolean
  mayDelete: boolean
  mayRestore: boolean
}

/** The allergies of one patient, and the statement that there are none. */
export function PatientAllergies({ patientId, allergies, mayEdit, mayDelete, mayRestore }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const [editing, setEditing] = useState<{ allergy?: Allergy } | null>(null)
  const isAsked = allergies.some(({ status }) => status === 'active')
  const buttons = mayEdit && (
    <Group gap="xs" justify={allergies.length > 0 ? 'flex-end' : 'center'}>
      {!isAsked && (
        <Button
          variant="default"
          loading={pending}
          onClick={() =>
            void run(() => recordNoAllergies({ data: { id: newId(), patientId } }), {
              success: 'allergies.recordedNone',
            })
          }
        >
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
      <AllergiesTable
        rows={allergies}
        mayEdit={mayEdit}
        mayDelete={mayDelete}
        mayRestore={mayRestore}
        onEdit={(allergy) => setEditing({ allergy })}
        add={buttons}
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
