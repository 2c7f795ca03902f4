import { Checkbox, Fieldset, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { PickList, PickSeveral } from '~/fields/PickList'
import type { EventFormField } from '~/forms/definition'
import {
  ARITY,
  type Computation,
  FUNCTIONS,
  type FunctionName,
  givesDay,
  isDating,
  takesDayAt,
} from '~/forms/definition-rules'
import { parseFormula } from '~/forms/formula'
import { useSay } from '~/shared/say'
import { NumberBox } from '~/ui/NumberBox'
import { useFieldName } from './field-name'
import type { FormDraft } from './form-draft'

type Props = {
  field: EventFormField
  above: readonly EventFormField[]
  form: FormDraft
  onChange: (compute: Computation | undefined) => void
  error: string | undefined
}

const isCounted = (field: EventFormField) =>
  field.fieldType === 'options' ||
  field.fieldType === 'binary' ||
  (field.fieldType === 'free-text' && field.inputType === 'number')

const DECIMALS: Partial<Record<FunctionName, number>> = { bmi: 1, weightForHeight: 2 }

const aComputation = (name: FunctionName): Computation => ({
  function: name,
  fields: [],
  formula: '',
  days: name === 'addDays' ? 28 : 0,
  decimals: DECIMALS[name] ?? 0,
})

/** The value is computed instead of typed: a function of a closed list, and its questions. */
export function ComputeEditor({ field, above, form, onChange, error }: Props) {
  const say = useSay()
  const nameOf = useFieldName(form)
  const compute = field.rules?.compute
  const functions = FUNCTIONS.filter((name) => givesDay(name) === (field.fieldType === 'date'))
  const sourcesAt = (at: number) =>
    above
      .filter((one) =>
        compute && takesDayAt(compute.function, at) ? one.fieldType === 'date' : isCounted(one),
      )
      .map((one) => ({ value: one.id, label: nameOf(one) }))
  const sources = sourcesAt(0)
  const set = (values: Partial<Computation>) => compute && onChange({ ...compute, ...values })
  const most = compute ? ARITY[compute.function][1] : 0
  const single = compute && most > 0 && most <= 3

  return (
    <Stack gap={6}>
      <Checkbox
        label={say('formBuilder.compute')}
        checked={compute !== undefined}
        onChange={(event) =>
          onChange(event.currentTarget.checked ? aComputation(functions[0] ?? 'sum') : undefined)
        }
      />
      {compute && (
        <Fieldset variant="unstyled" aria-label={say('formBuilder.compute')}>
          <Stack gap="sm">
            <PickList
              label={say('formBuilder.function')}
              value={compute.function}
              onChange={(value) => {
                const name = functions.find((one) => one === value)
                if (name) onChange(aComputation(name))
              }}
              data={functions.map((value) => ({
                value,
                label: say(`formBuilder.function_${value}`),
              }))}
              allowDeselect={false}
              maw={{ sm: '60%' }}
            />
            {single && (
              <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
                {Array.from({ length: Math.min(most, compute.fields.length + 1) }, (_, at) => (
                  <PickList
                    key={at}
                    label={say(argumentLabel(compute.function, at))}
                    value={compute.fields[at] ?? null}
                    onChange={(id) =>
                      set({
                        fields: id
                          ? compute.fields.toSpliced(at, 1, id)
                          : compute.fields.slice(0, at),
                      })
                    }
                    data={sourcesAt(at)}
                    searchable={sourcesAt(at).length > 7}
                    clearable={isDating(compute.function) && at > 0}
                    allowDeselect={false}
                    placeholder={say('form.choose')}
                    nothingFoundMessage={say('form.nothingFound')}
                  />
                ))}
                {compute.function === 'addDays' && (
                  <NumberBox
                    label={say('formBuilder.addedDays')}
                    isWhole
                    value={compute.days}
                    onChange={(value) => set({ days: Math.trunc(Number(value)) })}
                  />
                )}
              </SimpleGrid>
            )}
            {most > 3 && (
              <PickSeveral
                label={say('formBuilder.computeFrom')}
                value={compute.fields}
                onChange={(fields) => set({ fields })}
                data={sources}
                maxValues={most}
                searchable
                hidePickedOptions
                nothingFoundMessage={say('form.nothingFound')}
              />
            )}
            {compute.function === 'formula' && (
              <>
                <Letters
                  fields={compute.fields}
                  nameOf={(id) => sources.find(({ value }) => value === id)?.label ?? ''}
                />
                <SimpleGrid cols={2} spacing="sm">
                  <TextInput
                    label={say('formBuilder.formula')}
                    value={compute.formula}
                    onChange={(event) => set({ formula: event.currentTarget.value })}
                    error={
                      compute.formula !== '' &&
                      !parseFormula(compute.formula, compute.fields.length) &&
                      say('formBuilder.formulaWrong')
                    }
                    placeholder="(a + 2 × b) / 3"
                    dir="ltr"
                    maxLength={200}
                    autoComplete="off"
                    spellCheck={false}
                  />
                  <NumberBox
                    label={say('formBuilder.decimals')}
                    isWhole
                    value={compute.decimals}
                    onChange={(value) =>
                      set({ decimals: Math.min(4, Math.max(0, Math.trunc(Number(value)))) })
                    }
                  />
                </SimpleGrid>
              </>
            )}
            {error && (
              <Text size="sm" c="var(--mantine-color-error)" role="alert">
                {error}
              </Text>
            )}
          </Stack>
        </Fieldset>
      )}
    </Stack>
  )
}

function argumentLabel(name: FunctionName, at: number) {
  if (name === 'bmi')
    return at === 0 ? 'formBuilder.argument_weight' : 'formBuilder.argument_height'
  if (name === 'daysBetween')
    return at === 0 ? 'formBuilder.argument_from' : 'formBuilder.argument_to'
  if (name === 'addDays') return 'formBuilder.argument_day'
  if (at === 0) return 'formBuilder.argument_lmp'
  return at === 1 ? 'formBuilder.argument_scanDay' : 'formBuilder.argument_scanWeeks'
}

/** The question for each letter of a formula. */
function Letters({
  fields,
  nameOf,
}: {
  fields: readonly string[]
  nameOf: (id: string) => string
}) {
  return (
    <Text size="sm" c="dimmed">
      {fields.map((id, at) => (
        <span key={id}>
          {at > 0 && ' · '}
          <code dir="ltr">{String.fromCodePoint(97 + at)}</code> = <bdi>{nameOf(id)}</bdi>
        </span>
      ))}
    </Text>
  )
}
