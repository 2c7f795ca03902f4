import {
  Autocomplete,
  type ComboboxItem,
  type OptionsFilter,
  SimpleGrid,
  Text,
} from '@mantine/core'
import { use } from 'react'
import { api } from '~/client/api'
import { DRUG_CLASSES } from '~/features/medicines/safety/rules/drug-classes'
import { KNOWN_INGREDIENTS } from '~/features/medicines/safety/rules/ingredients'
import {
  isFullyKnown,
  recognize,
  resolveAllergy,
  saysNone,
} from '~/features/medicines/safety/rules/substances'
import { keepEnter } from '~/fields/keep-enter'
import { typed as textOf } from '~/fields/kind'
import { allergyRecord } from '~/records/allergy'
import { useSay } from '~/shared/say'
import { FormContext } from '~/ui/FormField'
import { RecordDialog } from '~/ui/RecordDialog'
import type { Allergy } from './allergies.server'
import { suggestSubstances } from './allergy'

type Props = { patientId: string; allergy?: Allergy; onClose: () => void }

/** Records an allergy, or changes one. Shows whether the safety checks know the substance that is typed. */
export const AllergyDialog = ({ patientId, allergy, onClose }: Props) => (
  <RecordDialog
    title={allergy ? 'allergies.edit' : 'allergies.add'}
    fields={allergyRecord.fields}
    record={allergy}
    suggested={{ status: 'active' }}
    onSave={(values, version) => {
      const stored = allergy?.substance === values.substance ? (allergy as never) : undefined // no statement
      const { substance_kind, substance_code } = stored ?? recognize(values.substance)
      const data = { ...values, ...version, substance_kind, substance_code, patient_id: patientId }
      return api.allergies.save(data)
    }}
    saved={({ substance }) => ({ key: 'allergies.savedDone', values: { name: substance } })}
    onClose={onClose}
  >
    {(Field) => (
      <>
        <SubstanceField />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <Field name="severity" />
          <Field name="status" />
        </SimpleGrid>
        <Field name="reaction" />
        <Field name="notes" />
      </>
    )}
  </RecordDialog>
)

const MAX_SUGGESTIONS = 20

/** Classes in the language of the screen and substances by their INN are suggested; anything else may be typed. */
function SubstanceField() {
  const say = useSay()
  const form = use(FormContext)
  if (!form) throw new Error('The substance is a field of a form')
  const typed = textOf(form.draft['substance'])
  const error = form.errors['substance']
  const resolved = resolveAllergy(typed)
  const [drugClass] = resolved.classes
  const classes = DRUG_CLASSES.map((name) => ({ name, label: say(`safety.classes.${name}`) }))
  const matching: OptionsFilter = ({ options, search, limit }) => {
    const byName = new Map((options as ComboboxItem[]).map((option) => [option.label, option]))
    return suggestSubstances(search, classes)
      .slice(0, limit)
      .flatMap((name) => byName.get(name) ?? [])
  }
  const hintOfKnown = drugClass ? 'allergies.checkedClass' : 'allergies.checkedIngredient'
  const hintOfSubstance = isFullyKnown(resolved) ? hintOfKnown : 'allergies.notCheckable'
  const hint = saysNone(typed) ? 'allergies.saysNone' : hintOfSubstance
  return (
    <div>
      <Autocomplete
        name="substance"
        label={say('allergies.substance')}
        description={say('allergies.substanceHint')}
        data={[...classes.map(({ label }) => label), ...KNOWN_INGREDIENTS]}
        value={typed}
        onChange={(value) => form.change('substance', value)}
        onBlur={() => form.check('substance')}
        error={error && say(error)}
        aria-invalid={Boolean(error) || undefined}
        withAsterisk
        aria-required
        disabled={form.disabled}
        limit={MAX_SUGGESTIONS}
        // an open list would take the Escape that closes the dialog
        openOnFocus={false}
        filter={matching}
        // Enter takes the marked suggestion; without one it saves
        selectFirstOptionOnChange
        onKeyDown={keepEnter}
        maxLength={200}
        comboboxProps={{ shadow: 'md' }}
        dir="auto"
        data-autofocus
      />
      {typed.trim() !== '' && (
        <Text
          size="xs"
          c={hint === 'allergies.notCheckable' ? undefined : 'dimmed'}
          mt={4}
          component="output"
          display="block"
        >
          {say(hint)}
        </Text>
      )}
    </div>
  )
}
