import { Autocomplete, Button, Group, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import { Fragment, useState } from 'react'
import { PickList } from '~/fields/PickList'
import { CancelButton } from '~/ui/CancelButton'
import { toast } from '~/ui/toast'
import { api } from '~/client/api'
import { useQuery } from '~/client/query'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { Dialog } from '~/ui/Dialog'
import { FormAlert } from '~/ui/FormAlert'
import { useFormState } from '~/ui/form'
import type { ListedBinding } from './bindings.server'

type Props = {
  binding?: ListedBinding
  clinics: readonly { id: string; name: string }[]
  /** Concepts that have a binding already. */
  concepts: readonly string[]
  onClose: () => void
}

const SETTLE_MS = 250
const ANSWERS = [
  ['field_id', 'option', 'reportBindings.wholeForm', 'reportBindings.optionHint'],
  ['when_field_id', 'when_option', 'reportBindings.always', undefined],
] as const
const NAMES = ['concept', 'clinic_id', 'form_id', ...ANSWERS.flatMap(([a, b]) => [a, b])] as const
type Values = Pick<ListedBinding, (typeof NAMES)[number]>
const NO_ANSWERS = { field_id: null, option: null, when_field_id: null, when_option: null }
const EMPTY: Values = { concept: '', clinic_id: null, form_id: '', ...NO_ANSWERS }

/** Which answer holds a concept of the reports: a form, a field of it, and for a choice the option. */
export function BindingDialog({ binding, clinics, concepts, onClose }: Props) {
  const say = useSay()
  const router = useRouter()
  const [id] = useState(() => binding?.id ?? newId())
  const { ref, values, change, errors, alert, isSaving, stale, submit, rebase } =
    useFormState<Values>({
      start: () =>
        binding
          ? (Object.fromEntries(NAMES.map((name) => [name, binding[name]])) as Values)
          : EMPTY,
      differs: (a, b) => NAMES.some((name) => a[name] !== b[name]),
      isField: (path) => NAMES.some((name) => name === path),
    })
  const definition = useQuery('eventForms.get', values.form_id ? { id: values.form_id } : null)
  const fields = (definition.data?.form_fields ?? []).filter((each) => 'inputType' in each)
  const fieldOptions = (fieldId: string | null) => {
    const field = fields.find((each) => each.id === fieldId)
    return field && 'options' in field ? field.options : []
  }
  const errorText = (name: (typeof NAMES)[number]) => errors[name] && say(errors[name])
  const nothing = say('form.nothingFound')

  const save = async () => {
    await api.reportBindings.save({
      ...values,
      id,
      last_modified: binding?.last_modified ?? null,
    })
    rebase(values)
    await router.invalidate()
    toast.success(say('reportBindings.savedDone'))
    onClose()
  }

  return (
    <Dialog
      onClose={onClose}
      size="lg"
      title={say(binding ? 'reportBindings.edit' : 'reportBindings.add')}
    >
      <form ref={ref} onSubmit={(event) => void submit(event, save)} method="post" noValidate>
        <Stack gap="md">
          <FormAlert {...alert} />
          {stale && <FormAlert texts={[stale.text]} lasting />}
          <Autocomplete
            label={say('reportBindings.concept')}
            description={say('reportBindings.conceptHint')}
            value={values.concept}
            onChange={(concept) => change({ concept })}
            data={[...concepts]}
            error={errorText('concept')}
            required
            dir="ltr"
            maxLength={100}
          />
          <FormPicker
            start={binding ? { id: binding.form_id, name: binding.form } : null}
            onChange={(form_id) => change({ form_id, ...NO_ANSWERS })}
            error={errorText('form_id')}
          />
          {ANSWERS.map(([field, option, placeholder, hint]) => (
            <Fragment key={field}>
              <PickList
                label={say(`reportBindings.${field}`)}
                placeholder={say(placeholder)}
                value={values[field]}
                onChange={(fieldId) => change({ [field]: fieldId, [option]: null })}
                data={fields.map((each) => ({ value: each.id, label: each.name }))}
                clearable
                clearButtonProps={{ 'aria-label': say('common.clear') }}
                searchable
                disabled={!definition.data}
                nothingFoundMessage={nothing}
                error={errorText(field)}
              />
              {values[field] !== null &&
                (fieldOptions(values[field]).length > 0 ? (
                  <PickList
                    label={say(`reportBindings.${option}`)}
                    description={hint && say(hint)}
                    value={values[option]}
                    onChange={(value) => change({ [option]: value })}
                    data={fieldOptions(values[field]).map(({ value, label }) => ({
                      value: value || label,
                      label,
                    }))}
                    clearable
                    clearButtonProps={{ 'aria-label': say('common.clear') }}
                    searchable
                    nothingFoundMessage={nothing}
                    error={errorText(option)}
                  />
                ) : (
                  <TextInput
                    label={say(`reportBindings.${option}`)}
                    description={hint && say(hint)}
                    value={values[option] ?? ''}
                    onChange={(event) => change({ [option]: event.currentTarget.value || null })}
                    error={errorText(option)}
                    dir="auto"
                  />
                ))}
            </Fragment>
          ))}
          <PickList
            label={say('reportBindings.clinic_id')}
            placeholder={say('eventForms.everyClinic')}
            value={values.clinic_id}
            onChange={(clinic_id) => change({ clinic_id })}
            data={clinics.map(({ id: value, name }) => ({ value, label: name }))}
            clearable
            clearButtonProps={{ 'aria-label': say('common.clear') }}
            searchable
            nothingFoundMessage={nothing}
            error={errorText('clinic_id')}
          />
          <Group gap="sm">
            <Button type="submit" disabled={isSaving || stale !== null}>
              {say(isSaving ? 'common.saving' : 'common.save')}
            </Button>
            <CancelButton onClick={onClose} />
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

type Form = { id: string; name: string }
type PickerProps = {
  start: Form | null
  onChange: (formId: string) => void
  error: string | undefined
}

/** Finds a form as the list of forms does, by a part of its name. */
function FormPicker({ start, onChange, error }: PickerProps) {
  const say = useSay()
  const [chosen, setChosen] = useState(start)
  const [typed, setTyped] = useState(start?.name ?? '')
  const [settled] = useDebouncedValue(typed, SETTLE_MS)
  const search = settled === chosen?.name ? '' : settled.trim()
  const { data } = useQuery('eventForms.list', { page: 1, search }, { keepPrevious: true })
  const others = (data?.rows ?? []).filter(({ id }) => id !== chosen?.id)
  return (
    <PickList
      label={say('reportBindings.form_id')}
      value={chosen?.id ?? null}
      onChange={(id, option) => {
        if (!id || !option || id === chosen?.id) return
        setChosen({ id, name: option.label })
        onChange(id)
      }}
      data={[...(chosen ? [chosen] : []), ...others].map(({ id: value, name: label }) => ({
        value,
        label,
      }))}
      // the server has filtered them: a page holds only the first forms
      filter={({ options }) => options}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      allowDeselect={false}
      nothingFoundMessage={say('form.nothingFound')}
      error={error}
      required
      autoComplete="off"
    />
  )
}
