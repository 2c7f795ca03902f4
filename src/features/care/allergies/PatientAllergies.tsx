import { Button } from '@mantine/core'
import { api } from '~/client/api'
import { saysNone } from '~/features/medicines/safety/rules/substances'
import { allergyRecord, isActiveAllergy, isNoneKnown } from '~/records/allergy'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { type Column, fieldColumns } from '~/ui/columns'
import { recordedBy } from '~/ui/RecordedBy'
import { RecordList } from '~/ui/RecordList'
import { StatusBadge } from '~/ui/StatusBadge'
import { AllergyDialog } from './AllergyDialog'
import type { Allergy } from './allergies.server'

type Props = {
  patientId: string
  allergies: readonly Allergy[]
  mayEdit: boolean
  mayDelete: boolean
}

/** The allergies of one patient, active ones first, and the statement that there are none. */
export function PatientAllergies({ patientId, allergies, ...rights }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const allergyName = (allergy: Allergy) =>
    isNoneKnown(allergy) ? say('allergies.noneKnown') : allergy.substance

  const columns: Column<Allergy>[] = [
    {
      key: 'substance',
      label: 'allergies.substance',
      cell: (one) => <bdi>{allergyName(one)}</bdi>,
    },
    {
      key: 'status',
      card: 'badge',
      label: 'allergies.status',
      cell: (allergy) => (
        <StatusBadge tone={isActiveAllergy(allergy) && !isNoneKnown(allergy) ? 'bad' : 'quiet'}>
          {say(`allergies.${allergy.status}`)}
        </StatusBadge>
      ),
    },
    ...fieldColumns(allergyRecord.fields, ['severity', 'reaction', 'notes']),
    recordedBy,
  ]
  const recordNone = () =>
    run(() => api.allergies.recordNone({ id: newId(), patientId }), {
      success: 'allergies.recordedNone',
    })
  return (
    <RecordList
      noun="allergies"
      rows={allergies}
      columns={columns}
      nameOf={allergyName}
      {...rights}
      isEditable={(allergy) => !isNoneKnown(allergy)}
      more={
        allergies.every(
          (one) => !isActiveAllergy(one) || (!isNoneKnown(one) && saysNone(one.substance)),
        ) && (
          <Button variant="default" loading={pending} onClick={() => void recordNone()}>
            {say('allergies.recordNone')}
          </Button>
        )
      }
      dialog={(allergy, onClose) => <AllergyDialog {...{ patientId, allergy, onClose }} />}
    />
  )
}
