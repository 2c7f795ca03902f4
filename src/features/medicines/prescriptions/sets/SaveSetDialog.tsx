import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { api } from '~/client/api'
import { useQuery } from '~/client/query'
import { drugTitle } from '~/features/medicines/drugs/drug'
import { CODE_SYSTEMS } from '~/records/problem'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { CancelButton } from '~/ui/CancelButton'
import { Dialog } from '~/ui/Dialog'
import { useFormState } from '~/ui/form'
import { FormAlert } from '~/ui/FormAlert'
import { toast } from '~/ui/toast'
import { toDose, type PrescriptionDraft } from '../writing/prescription-draft'

type Props = {
  draft: PrescriptionDraft
  /** The pickup clinic, to users who administer it. */
  clinic: { id: string; name: string } | null
  onClose: () => void
}

const FIELDS = ['name', 'items']

/** Saves medicines of the form under a name; the form and the prescription stay as they are. */
export function SaveSetDialog({ draft, clinic, onClose }: Props) {
  const say = useSay()
  const [id] = useState(newId)
  const items = draft.items.filter(({ drug, item_status }) => drug && item_status !== 'cancelled')
  const patientId = draft.patient?.id
  const problems = useQuery('problems.list', draft.problem_id && patientId ? { patientId } : null)
  const problem = problems.data?.find((one) => one.id === draft.problem_id)
  const system = CODE_SYSTEMS.find((one) => one === problem?.problem_code_system)
  const form = useFormState({
    start: {
      name: '',
      chosen: items.map((item) => item.id),
      isOfClinic: false,
      isOfProblem: true,
    },
    differs: (a, b) => JSON.stringify(a) !== JSON.stringify(b),
    isField: (path) => FIELDS.includes(path),
  })
  const { ref, values, errors, alert, isSaving } = form

  async function save(event: FormEvent) {
    event.preventDefault()
    event.stopPropagation()
    if (isSaving) return
    await form.save(async () => {
      await api.prescriptionSets.save({
        id,
        last_modified: null,
        name: values.name,
        clinic_id: values.isOfClinic ? (clinic?.id ?? null) : null,
        problem:
          problem && system && values.isOfProblem
            ? { system, code: problem.problem_code, label: problem.problem_label }
            : null,
        items: items
          .filter((item) => values.chosen.includes(item.id))
          .map(({ drug, dosage_instructions, dose, quantity, notes }) => ({
            drug_id: drug?.drug_id ?? '',
            dosage_instructions,
            dose: toDose(dose),
            quantity_prescribed: quantity === '' ? 1 : quantity,
            notes,
          })),
      })
      toast.success(say({ key: 'prescriptionSets.savedDone', values: { name: values.name } }))
      onClose()
    })
  }

  return (
    <Dialog onClose={onClose} title={say('prescriptionSets.save')}>
      <form ref={ref} onSubmit={save} noValidate>
        <Stack gap="sm">
          <FormAlert {...alert} />
          <Text size="sm">{say('prescriptionSets.saveLead')}</Text>
          <TextInput
            name="name"
            label={say('prescriptionSets.name')}
            value={values.name}
            onChange={(event) => form.change({ name: event.currentTarget.value }, ['name'])}
            error={errors['name'] && say(errors['name'])}
            aria-invalid={Boolean(errors['name']) || undefined}
            withAsterisk
            aria-required
            maxLength={100}
            dir="auto"
            autoComplete="off"
            data-autofocus
          />
          <Checkbox.Group
            label={say('prescriptions.medications')}
            value={values.chosen}
            onChange={(chosen) => form.change({ chosen }, ['items'])}
            error={errors['items'] && say(errors['items'])}
          >
            <Stack gap={4} mt={4}>
              {items.map(({ id: item, drug }) => (
                <Checkbox key={item} value={item} label={drug ? drugTitle(drug, say) : ''} />
              ))}
            </Stack>
          </Checkbox.Group>
          {problem && system && (
            <Checkbox
              label={say({
                key: 'prescriptionSets.forProblem',
                values: { problem: problem.problem_label },
              })}
              checked={values.isOfProblem}
              onChange={(event) => form.change({ isOfProblem: event.currentTarget.checked }, [])}
            />
          )}
          {clinic && (
            <Checkbox
              label={say({ key: 'prescriptionSets.forClinic', values: { clinic: clinic.name } })}
              checked={values.isOfClinic}
              onChange={(event) => form.change({ isOfClinic: event.currentTarget.checked }, [])}
            />
          )}
          <Group gap="sm">
            <Button type="submit" loading={isSaving}>
              {say('common.save')}
            </Button>
            <CancelButton onClick={onClose} />
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
