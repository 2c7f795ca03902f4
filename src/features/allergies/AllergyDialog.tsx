import {
  Autocomplete,
  Button,
  type ComboboxItem,
  type OptionsFilter,
  SimpleGrid,
  Text,
} from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { use, useState } from 'react'
import { toast } from 'sonner'
import { DRUG_CLASSES } from '~/features/safety/drug-classes'
import { KNOWN_INGREDIENTS } from '~/features/safety/ingredients'
import { isFullyKnown, recognize, resolveAllergy } from '~/features/safety/substances'
import { typed as textOf } from '~/fields/kind'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { Dialog } from '~/ui/Dialog'
import { FieldForm } from '~/ui/FieldForm'
import { FormContext } from '~/ui/FormField'
import { saveAllergy } from './allergies.functions'
import type { Allergy } from './allergies.server'
import { allergyFields, suggestedSubstances } from './allergy'

type Props = { patientId: string; allergy?: Allergy; onClose: () => void }

/** Records an allergy, or changes one. What is typed is matched with what prescriptions are checked for, and it is said. */
export function AllergyDialog({ patientId, allergy, onClose }: Props) {
  const say = useSay()
  const router = useRouter()
  const [id] = useState(() => allergy?.id ?? newId())
  return (
    <Dialog onClose={onClose} size="lg" title={say(allergy ? 'allergies.edit' : 'allergies.add')}>
      <FieldForm
        fields={allergyFields}
        values={allergy}
        suggested={{ status: 'active' }}
        submit="common.save"
        cancel={
          <Button variant="default" onClick={onClose}>
            {say('common.cancel')}
          </Button>
        }
        onSubmit={async (values) => {
          const kept = allergy?.substance === values.substance ? (allergy as never) : undefined
          const { substance_kind, substance_code } = kept ?? recognize(values.substance)
          await saveAllergy({
            data: {
              id,
              patient_id: patientId,
              last_modified: allergy?.last_modified,
              ...values,
              substance_kind,
              substance_code,
            },
          })
          await router.invalidate()
          toast.success(say({ key: 'allergies.savedDone', values: { name: values.substance } }))
          onClose()
        }}
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
      </FieldForm>
    </Dialog>
  )
}

const MOST_SUGGESTED = 20

/** Classes in the language of the screen and substances by their INN are suggested; anything else may be typed. */
function SubstanceField() {
  const say = useSay()
  const form = use(FormContext)
  if (!form) throw new Error('The substance is a field of a form')
  const typed = textOf(form.draft['substance'])
  const complaint = form.complaints['substance']
  const resolved = resolveAllergy(typed)
  const [drugClass] = resolved.classes
  const classes = DRUG_CLASSES.map((name) => ({ name, label: say(`safety.classes.${name}`) }))
  const matching: OptionsFilter = ({ options, search, limit }) => {
    const byName = new Map((options as ComboboxItem[]).map((option) => [option.label, option]))
    return suggestedSubstances(search, classes)
      .slice(0, limit)
      .flatMap((name) => byName.get(name) ?? [])
  }
  const hint = !isFullyKnown(resolved)
    ? 'allergies.notCheckable'
    : drugClass
      ? 'allergies.checkedClass'
      : 'allergies.checkedIngredient'
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
        error={complaint && say(complaint)}
        aria-invalid={Boolean(complaint) || undefined}
        withAsterisk
        aria-required
        disabled={form.disabled}
        limit={MOST_SUGGESTED}
        // an open list takes the first Escape, which is to close the dialog
        openOnFocus={false}
        filter={matching}
        // Enter takes the suggestion that is marked; only where nothing is suggested does it save
        selectFirstOptionOnChange
        maxLength={200}
        comboboxProps={{ withinPortal: false, shadow: 'md' }}
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
