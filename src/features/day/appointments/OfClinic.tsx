import { use, useEffect, useEffectEvent } from 'react'
import { PickSeveral } from '~/fields/PickList'
import type { Option } from '~/fields/field'
import { useSay } from '~/shared/say'
import { FormContext, FormField } from '~/ui/FormField'
import { appointmentFields } from './appointment'
import type { Appointment } from './appointments.server'
import { useClinicChoices } from './clinic-choices'

/**
 * Providers and departments of the chosen clinic; those the appointment has already are offered
 * whatever became of them.
 */
export function OfClinic({ appointment }: { appointment?: Appointment }) {
  const form = use(FormContext)
  const chosen = form?.draft['clinic_id']
  const { departments, providers, of } = useClinicChoices(
    typeof chosen === 'string' ? chosen : undefined,
  )
  const { provider_id, provider } = appointment ?? {}
  const isSameClinic = chosen === appointment?.clinic_id
  const known =
    provider_id && isSameClinic ? [{ value: provider_id, label: { text: provider ?? '—' } }] : []
  const there = (appointment?.departments ?? []).map(({ id, name }) => ({
    value: id,
    label: { text: name },
  }))
  const offeredDepartments = isSameClinic ? withThese(departments, there) : departments
  const offeredProviders = withThese(providers, known)
  useLeaveBehind(of, offeredProviders, offeredDepartments)
  return (
    <>
      <FormField name="provider_id" options={offeredProviders} />
      {offeredDepartments.length > 0 && <DepartmentsInput options={offeredDepartments} />}
    </>
  )
}

/**
 * When the choices of another clinic have arrived, the provider and departments that it does not
 * have are unchosen.
 */
function useLeaveBehind(
  of: string | undefined,
  providers: readonly Option[],
  departments: readonly Option[],
) {
  const form = use(FormContext)
  const settle = useEffectEvent(() => {
    const { provider_id, department_ids } = form?.draft ?? {}
    if (provider_id && !providers.some(({ value }) => value === provider_id))
      form?.change('provider_id', null)
    const chosen = Array.isArray(department_ids) ? department_ids : []
    const left = chosen.filter((id) => departments.some(({ value }) => value === id))
    if (left.length < chosen.length) form?.change('department_ids', left)
  })
  useEffect(() => {
    if (of) settle()
  }, [of])
}

const withThese = (options: readonly Option[], these: readonly Option[]) => [
  ...these.filter(
    (one, at) => at === these.findIndex(({ value }) => value === one.value) && !has(options, one),
  ),
  ...options,
]
const has = (options: readonly Option[], one: Option) =>
  options.some(({ value }) => value === one.value)

/** Unlike ticks, names one after the other show in which order the patient goes through them. */
function DepartmentsInput({ options }: { options: readonly Option[] }) {
  const say = useSay()
  const form = use(FormContext)
  const chosen = form?.draft['department_ids']
  const error = form?.errors['department_ids']
  const value = (Array.isArray(chosen) ? chosen : []).filter((id): id is string =>
    options.some((one) => one.value === id),
  )
  return (
    <PickSeveral
      name="department_ids"
      label={say('appointments.departments')}
      description={say(appointmentFields.department_ids.hint)}
      placeholder={value.length === 0 ? say('form.choose') : undefined}
      value={value}
      onChange={(ids) => form?.change('department_ids', ids)}
      data={options.map(({ value: id, label }) => ({ value: id, label: say(label) }))}
      error={error && say(error)}
      disabled={form?.disabled}
      hidePickedOptions
      clearable
      clearButtonProps={{ 'aria-label': say('common.clear') }}
      nothingFoundMessage={say('form.nothingFound')}
      comboboxProps={{ shadow: 'md' }}
    />
  )
}
