import { MultiSelect } from '@mantine/core'
import { use } from 'react'
import type { Option } from '~/fields/field'
import { useSay } from '~/shared/say'
import { FormContext, FormField } from '~/ui/FormField'
import { appointmentFields } from './appointment'
import type { Appointment } from './appointments.server'
import { useClinicChoices } from './clinic-choices'

/** The people and departments of the clinic that is chosen; what is there already is offered whatever became of it. */
export function OfClinic({ appointment }: { appointment?: Appointment }) {
  const chosen = use(FormContext)?.draft['clinic_id']
  const { departments, providers } = useClinicChoices(typeof chosen === 'string' ? chosen : undefined)
  const { provider_id, provider } = appointment ?? {}
  const known = provider_id ? [{ value: provider_id, label: { text: provider ?? '—' } }] : []
  const there = (appointment?.departments ?? []).map(({ id, name }) => ({ value: id, label: { text: name } }))
  const offered = chosen === appointment?.clinic_id ? withThese(departments, there) : departments
  return (
    <>
      <FormField name="provider_id" options={withThese(providers, known)} />
      {offered.length > 0 && <DepartmentsInput options={offered} />}
    </>
  )
}

const withThese = (options: readonly Option[], these: readonly Option[]) => [
  ...these.filter((one, at) => at === these.findIndex(({ value }) => value === one.value) && !has(options, one)),
  ...options,
]
const has = (options: readonly Option[], one: Option) => options.some(({ value }) => value === one.value)

/** Unlike ticks, names one after the other show in which order the patient goes through them. */
function DepartmentsInput({ options }: { options: readonly Option[] }) {
  const say = useSay()
  const form = use(FormContext)
  const chosen = form?.draft['department_ids']
  const complaint = form?.complaints['department_ids']
  const value = (Array.isArray(chosen) ? chosen : []).filter((id): id is string =>
    options.some((one) => one.value === id),
  )
  return (
    <MultiSelect
      name="department_ids"
      label={say('appointments.departments')}
      description={say(appointmentFields.department_ids.hint)}
      placeholder={value.length === 0 ? say('form.choose') : undefined}
      value={value}
      onChange={(ids) => form?.change('department_ids', ids)}
      data={options.map(({ value: id, label }) => ({ value: id, label: say(label) }))}
      error={complaint && say(complaint)}
      disabled={form?.disabled}
      hidePickedOptions
      clearable
      clearButtonProps={{ 'aria-label': say('common.clear') }}
      nothingFoundMessage={say('form.nothingFound')}
      comboboxProps={{ shadow: 'md' }}
    />
  )
}
