import { Checkbox, Group, SimpleGrid, TextInput } from '@mantine/core'
import { PickList, PickSeveral } from '~/fields/PickList'
import type { EventFieldOfType, EventFormField } from '~/forms/definition'
import {
  BINARY_INPUTS,
  DURATION_UNITS,
  MIME_TYPES,
  OPTIONS_INPUTS,
  TEXT_INPUTS,
  TEXT_SIZES,
  FORM_UNITS,
} from '~/forms/field-kinds'
import { DOSE_UNITS, DOSAGE_FORMS, ROUTES } from '~/shared/dosage'
import { useSay } from '~/shared/say'
import { NumberBox } from '~/ui/NumberBox'
import { useUnitName } from './unit-name'

type Props<F extends EventFormField = EventFormField> = {
  field: F
  setField: (field: EventFormField) => void
  errorOf: (...paths: string[]) => string | undefined
}

export function KindSettings({ field, ...props }: Props) {
  switch (field.fieldType) {
    case 'free-text':
      return <TextSettings {...props} field={field} />
    case 'options':
      return <OptionsSettings {...props} field={field} />
    case 'binary':
      return <BinarySettings {...props} field={field} />
    case 'medicine':
      return <MedicineSettings {...props} field={field} />
    case 'file':
      return <FileSettings {...props} field={field} />
    case 'text':
      return <NoteSettings {...props} field={field} />
    case 'date':
    case 'diagnosis':
    case 'separator':
      return null
  }
}

function TextSettings({ field, setField, errorOf }: Props<EventFieldOfType<'free-text'>>) {
  const say = useSay()
  const unitName = useUnitName()
  const types = [...TEXT_INPUTS, 'textarea'] as const
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      <PickList
        label={say('formBuilder.textType')}
        value={field.inputType}
        onChange={(value) => {
          const inputType = types.find((type) => type === value) ?? 'text'
          const isNumber = inputType === 'number'
          const {
            limits: _limits,
            normal: _normal,
            compute: _compute,
            vital: _vital,
            whole: _whole,
            ...others
          } = field.rules ?? {}
          const { vaccine: _vaccine, ...withoutVaccine } = isNumber ? (field.rules ?? {}) : others
          const rules = inputType === 'text' ? others : withoutVaccine
          setField({
            ...field,
            inputType,
            length: inputType === 'textarea' ? 'long' : 'short',
            units: isNumber ? field.units : undefined,
            rules: Object.keys(rules).length > 0 ? rules : undefined,
          })
        }}
        data={types.map((value) => ({ value, label: say(`formBuilder.input_${value}`) }))}
        allowDeselect={false}
        error={errorOf('inputType', 'length')}
      />
      {field.inputType === 'number' && (
        <PickList
          label={say('formBuilder.unit')}
          value={field.units?.[0] ?? null}
          onChange={(value) => setField({ ...field, units: value ? [value] : undefined })}
          data={FORM_UNITS.map((value) => ({ value, label: unitName(value) }))}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': say('common.clear') }}
          placeholder={say('formBuilder.noUnit')}
          nothingFoundMessage={say('form.nothingFound')}
          error={errorOf('units')}
        />
      )}
    </SimpleGrid>
  )
}

function OptionsSettings({ field, setField, errorOf }: Props<EventFieldOfType<'options'>>) {
  const say = useSay()
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      <PickList
        label={say('formBuilder.shownAs')}
        value={field.inputType}
        onChange={(value) =>
          setField({
            ...field,
            inputType: OPTIONS_INPUTS.find((type) => type === value) ?? 'select',
          })
        }
        data={OPTIONS_INPUTS.map((value) => ({
          value,
          label: say(`formBuilder.input_${value}`),
          disabled: field.multi && value === 'radio',
        }))}
        allowDeselect={false}
        error={errorOf('inputType')}
      />
      <Checkbox
        mt={{ sm: '1.9rem' }}
        label={say('formBuilder.multi')}
        checked={field.multi}
        onChange={(event) => {
          const multi = event.currentTarget.checked
          setField({
            ...field,
            multi,
            inputType: multi && field.inputType === 'radio' ? 'select' : field.inputType,
            // one answer is one dose, and the only one anyway
            ...(field.rules && {
              rules: { ...field.rules, vaccine: undefined, exclusive: undefined },
            }),
          })
        }}
        error={errorOf('multi')}
      />
    </SimpleGrid>
  )
}

function BinarySettings({ field, setField, errorOf }: Props<EventFieldOfType<'binary'>>) {
  const say = useSay()
  return (
    <PickList
      label={say('formBuilder.shownAs')}
      value={field.inputType}
      onChange={(value) =>
        setField({ ...field, inputType: BINARY_INPUTS.find((type) => type === value) ?? 'radio' })
      }
      data={BINARY_INPUTS.map((value) => ({ value, label: say(`formBuilder.input_${value}`) }))}
      allowDeselect={false}
      error={errorOf('inputType')}
      maw={{ sm: '50%' }}
    />
  )
}

function MedicineSettings({ field, setField, errorOf }: Props<EventFieldOfType<'medicine'>>) {
  const say = useSay()
  const unitName = useUnitName()
  const set = (values: Partial<typeof field.fields>) =>
    setField({ ...field, fields: { ...field.fields, ...values } })
  const list = <T extends string>(
    name: 'route' | 'form' | 'doseUnits' | 'durationUnits',
    values: readonly T[],
    labelOf: (value: T) => string,
  ) => (
    <PickSeveral
      label={say(`formBuilder.medicine_${name}`)}
      value={[...field.fields[name]] as T[]}
      onChange={(chosen) => set({ [name]: values.filter((value) => chosen.includes(value)) })}
      data={values.map((value) => ({ value, label: labelOf(value) }))}
      hidePickedOptions
      searchable
      nothingFoundMessage={say('form.nothingFound')}
      error={errorOf(`fields.${name}`)}
    />
  )
  const text = (name: 'dose' | 'frequency' | 'intervals' | 'duration') => (
    <TextInput
      label={say(`formBuilder.medicine_${name}`)}
      value={field.fields[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
      maxLength={200}
      autoComplete="off"
      dir="auto"
    />
  )
  return (
    <>
      {list('route', ROUTES, (value) => say(`drugs.route_${value}`))}
      {list('form', DOSAGE_FORMS, (value) => say(`drugs.form_${value}`))}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {list('doseUnits', DOSE_UNITS, unitName)}
        {list('durationUnits', DURATION_UNITS, unitName)}
        {text('dose')}
        {text('frequency')}
        {text('intervals')}
        {text('duration')}
      </SimpleGrid>
    </>
  )
}

function FileSettings({ field, setField, errorOf }: Props<EventFieldOfType<'file'>>) {
  const say = useSay()
  const count = (name: 'minItems' | 'maxItems') => (
    <NumberBox
      label={say(`formBuilder.${name}`)}
      value={field[name]}
      onChange={(value) => setField({ ...field, [name]: Math.trunc(Number(value)) })}
      min={0}
      max={20}
      isWhole
      error={errorOf(name)}
    />
  )
  return (
    <>
      <Checkbox.Group
        label={say('formBuilder.mimeTypes')}
        value={field.allowedMimeTypes}
        onChange={(chosen) =>
          setField({
            ...field,
            allowedMimeTypes: MIME_TYPES.filter((type) => chosen.includes(type)),
          })
        }
        error={errorOf('allowedMimeTypes')}
      >
        <Group mt={6}>
          {MIME_TYPES.map((type) => (
            <Checkbox key={type} value={type} label={type.split('/')[1]?.toUpperCase()} />
          ))}
        </Group>
      </Checkbox.Group>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        <Checkbox
          mt={{ sm: '1.9rem' }}
          label={say('formBuilder.multiple')}
          checked={field.multiple}
          onChange={(event) => {
            const multiple = event.currentTarget.checked
            const most = multiple ? Math.max(field.maxItems, 2) : 1
            setField({
              ...field,
              multiple,
              maxItems: most,
              minItems: Math.min(field.minItems, most),
            })
          }}
        />
        {count('minItems')}
        {field.multiple && count('maxItems')}
      </SimpleGrid>
    </>
  )
}

function NoteSettings({ field, setField }: Props<EventFieldOfType<'text'>>) {
  const say = useSay()
  return (
    <PickList
      label={say('formBuilder.size')}
      value={field.size}
      onChange={(value) =>
        setField({ ...field, size: TEXT_SIZES.find((size) => size === value) ?? 'md' })
      }
      data={TEXT_SIZES.map((value) => ({ value, label: say(`formBuilder.size_${value}`) }))}
      allowDeselect={false}
      maw={{ sm: '50%' }}
    />
  )
}
