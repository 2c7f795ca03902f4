import { Group, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useQuery } from '~/client/query'
import { PickList } from '~/fields/PickList'
import { type Sayable, useSay } from '~/shared/say'
import { Died } from '../Died'
import { patientName } from '../patient'
import type { PickedPatient } from './search.server'

const SETTLE_MS = 250

type Props = {
  label: Sayable
  /** The chosen patient. */
  value: { id: string; name: string } | null
  onChange: (patient: { id: string; name: string } | null) => void
  error?: string
  disabled?: boolean
  required?: boolean
}

/** Finds a patient as the list does: by any part of a name, a phone or an id. */
export function PatientPicker({ label, value, onChange, error, disabled, required }: Props) {
  const say = useSay()
  const [typed, setTyped] = useState(value?.name ?? '')
  const [settled] = useDebouncedValue(typed, SETTLE_MS)
  const found = useFound(settled === value?.name ? '' : settled)
  const others = found
    .filter(({ id }) => id !== value?.id)
    .map((patient) => ({ value: patient.id, label: patientName(patient) }))
  return (
    <PickList
      wrapperProps={{ 'data-late-list': true }}
      label={say(label)}
      placeholder={say('patientSearch.placeholder')}
      value={value?.id ?? null}
      data={[...(value ? [{ value: value.id, label: value.name }] : []), ...others]}
      // the server has filtered and ranked them: filtering by letters here would drop other scripts
      filter={({ options }) => options}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      onChange={(id, option) => onChange(id && option ? { id, name: option.label } : null)}
      renderOption={({ option }) => (
        <Choice name={option.label} patient={found.find(({ id }) => id === option.value)} />
      )}
      nothingFoundMessage={settled ? say('form.nothingFound') : undefined}
      clearable
      clearButtonProps={{ 'aria-label': say('common.clear') }}
      error={error}
      aria-invalid={Boolean(error) || undefined}
      withAsterisk={required}
      aria-required={required || undefined}
      disabled={disabled}
      autoComplete="off"
    />
  )
}

function useFound(searchQuery: string): readonly PickedPatient[] {
  const { data } = useQuery('patients.search', searchQuery.trim() ? { searchQuery } : null, {
    keepPrevious: true,
  })
  return data?.patients ?? []
}

function Choice({ name, patient }: { name: string; patient: PickedPatient | undefined }) {
  const details =
    patient && [patient.date_of_birth, patient.phone, patient.government_id].filter(Boolean)
  return (
    <Group gap="xs" justify="space-between" w="100%">
      <Text size="sm">
        <bdi>{name}</bdi> {patient?.died_on && <Died on={patient.died_on} />}
      </Text>
      <Text size="xs" c="dimmed" dir="ltr">
        {details?.join(' · ')}
      </Text>
    </Group>
  )
}
