import { Checkbox, Fieldset, SimpleGrid, Stack, Text } from '@mantine/core'
import { PickList, PickSeveral } from '~/fields/PickList'
import type { EventFormField } from '~/forms/definition'
import { type Condition, type Limits, type Rules, NOTE_URGENCIES } from '~/forms/definition-rules'
import { fitsVaccine } from '~/forms/definition-checks'
import { fitsVital, isLayout, VITAL_SIGNS, VITAL_UNITS } from '~/forms/field-kinds'
import { useSay } from '~/shared/say'
import { VACCINES } from '~/shared/vaccines'
import { NumberBox } from '~/ui/NumberBox'
import { ComputeEditor } from './ComputeEditor'
import { ConditionEditor } from './ConditionEditor'
import type { FormDraft } from './form-draft'

type Props = {
  field: EventFormField
  form: FormDraft
  setField: (field: EventFormField) => void
  errorOf: (...paths: string[]) => string | undefined
}

const aCondition: Condition = {
  match: 'all',
  tests: [{ fieldId: '', comparison: 'answered', value: null }],
}
const noLimits: Limits = { min: null, max: null }

/**
 * When a field is shown and required, what it accepts, what is computed. Phones without rules
 * always show it.
 */
export function RulesEditor({ field, form, setField, errorOf }: Props) {
  const say = useSay()
  const rules = field.rules ?? {}
  const isNumber = field.fieldType === 'free-text' && field.inputType === 'number'
  const at = form.form_fields.findIndex(({ id }) => id === field.id)
  const above = form.form_fields.slice(0, at).filter(({ fieldType }) => !isLayout(fieldType))

  const roleOfText = field.fieldType === 'options' ? 'dose' : 'lot'
  const vaccineRole = field.fieldType === 'date' ? 'day' : roleOfText

  function set(values: Partial<Rules>, settings: { units?: string[] } = {}) {
    const next = Object.fromEntries(
      Object.entries({ ...rules, ...values }).filter(([, rule]) => rule !== undefined),
    )
    setField({
      ...field,
      ...settings,
      rules: Object.keys(next).length > 0 ? (next as Rules) : undefined,
    } as EventFormField)
  }
  const condition = (name: 'showIf' | 'requiredIf' | 'refuseIf') => (
    <>
      <Checkbox
        label={say(`formBuilder.${name}`)}
        checked={rules[name] !== undefined}
        onChange={(event) => set({ [name]: event.currentTarget.checked ? aCondition : undefined })}
      />
      {rules[name] && (
        <ConditionEditor
          label={say(`formBuilder.${name}`)}
          condition={rules[name]}
          above={name === 'refuseIf' ? [...above, field] : above}
          form={form}
          onChange={(next) => set({ [name]: next })}
          error={errorOf(`rules.${name}`)}
        />
      )}
    </>
  )
  const limits = (name: 'limits' | 'normal') => {
    const now = rules[name] ?? noLimits
    const change = (side: 'min' | 'max') => (value: number | '') => {
      const next = { ...now, [side]: value === '' ? null : value }
      set({ [name]: next.min === null && next.max === null ? undefined : next })
    }
    return (
      <SimpleGrid cols={2} spacing="sm">
        {(['min', 'max'] as const).map((side) => (
          <NumberBox
            key={side}
            label={say(`formBuilder.${name}_${side}`)}
            value={now[side]}
            onChange={change(side)}
            error={side === 'max' && errorOf(`rules.${name}`)}
          />
        ))}
      </SimpleGrid>
    )
  }

  return (
    <Fieldset legend={say('formBuilder.rules')} variant="filled">
      <Stack gap="sm">
        {condition('showIf')}
        {!isLayout(field.fieldType) && !field.required && condition('requiredIf')}
        {!isLayout(field.fieldType) && !rules.compute && condition('refuseIf')}
        {field.fieldType === 'text' && (
          <PickList
            label={say('formBuilder.urgency')}
            value={rules.urgency ?? 'none'}
            onChange={(value) => set({ urgency: NOTE_URGENCIES.find((one) => one === value) })}
            data={[
              { value: 'none', label: say('formBuilder.urgency_none') },
              ...NOTE_URGENCIES.map((value) => ({
                value: value as string,
                label: say(`answers.urgency_${value}`),
              })),
            ]}
            allowDeselect={false}
            maw={{ sm: '50%' }}
          />
        )}
        {isNumber && !rules.compute && (
          <Checkbox
            label={say('formBuilder.whole')}
            checked={rules.whole === true}
            onChange={(event) => set({ whole: event.currentTarget.checked || undefined })}
            error={errorOf('rules.whole')}
          />
        )}
        {field.fieldType === 'options' && field.multi && (
          <PickSeveral
            label={say('formBuilder.exclusive')}
            description={say('formBuilder.exclusiveHint')}
            value={rules.exclusive ?? []}
            onChange={(ids) => set({ exclusive: ids.length > 0 ? ids : undefined })}
            data={field.options.map(({ id, label }, index) => ({
              value: id,
              label: label || String(index + 1),
            }))}
            searchable
            hidePickedOptions
            nothingFoundMessage={say('form.nothingFound')}
            error={errorOf('rules.exclusive')}
          />
        )}
        {isNumber && !rules.compute && limits('limits')}
        {isNumber && limits('normal')}
        {isNumber && (
          <PickList
            label={say('formBuilder.vital')}
            value={rules.vital ?? 'none'}
            onChange={(value) => {
              const vital = VITAL_SIGNS.find((one) => one === value)
              const unit = field.units?.[0]
              set(
                { vital },
                vital && !fitsVital(vital, unit) ? { units: VITAL_UNITS[vital].slice(0, 1) } : {},
              )
            }}
            data={[
              { value: 'none', label: say('formBuilder.vitalNone') },
              ...VITAL_SIGNS.map((value) => ({
                value: value as string,
                label: say(`vitals.${value}`),
              })),
            ]}
            allowDeselect={false}
            searchable
            nothingFoundMessage={say('form.nothingFound')}
            maw={{ sm: '50%' }}
            error={errorOf('rules.vital')}
          />
        )}
        {fitsVaccine(field, VACCINES[0]) && (
          <PickList
            label={say('formBuilder.vaccine')}
            description={say(`formBuilder.vaccineHint_${vaccineRole}`)}
            value={rules.vaccine ?? 'none'}
            onChange={(value) =>
              set({ vaccine: value === 'all' ? value : VACCINES.find((one) => one === value) })
            }
            data={[
              { value: 'none', label: say('formBuilder.vaccineNone') },
              ...(field.fieldType === 'date'
                ? [{ value: 'all', label: say('formBuilder.vaccineAll') }]
                : []),
              ...VACCINES.map((value) => ({
                value: value as string,
                label: say(`immunizations.vaccines.${value}`),
              })),
            ]}
            allowDeselect={false}
            searchable
            nothingFoundMessage={say('form.nothingFound')}
            maw={{ sm: '50%' }}
            error={errorOf('rules.vaccine')}
          />
        )}
        {field.fieldType === 'date' && (
          <PickList
            label={say('formBuilder.days')}
            value={rules.days ?? 'any'}
            onChange={(value) =>
              set({ days: value === 'past' || value === 'future' ? value : undefined })
            }
            data={(['any', 'past', 'future'] as const).map((value) => ({
              value,
              label: say(`formBuilder.days_${value}`),
            }))}
            allowDeselect={false}
            maw={{ sm: '50%' }}
          />
        )}
        {(isNumber || field.fieldType === 'date') && (
          <ComputeEditor
            field={field}
            above={above}
            form={form}
            onChange={(compute) =>
              set({
                compute,
                limits: compute ? undefined : rules.limits,
                whole: compute ? undefined : rules.whole,
                refuseIf: compute ? undefined : rules.refuseIf,
              })
            }
            error={errorOf('rules.compute')}
          />
        )}
        <Text size="xs" c="dimmed">
          {say('formBuilder.rulesOnPhones')}
        </Text>
      </Stack>
    </Fieldset>
  )
}
