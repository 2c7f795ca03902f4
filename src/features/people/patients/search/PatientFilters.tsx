import { Checkbox, Group, SimpleGrid } from '@mantine/core'
import type { Option } from '~/fields/field'
import { useSay } from '~/shared/say'
import { DayFilter, MoreFilters, named, PickFilter, useFilter } from '~/ui/filters'
import { NumberBox } from '~/ui/NumberBox'
import { SearchBox } from '~/ui/SearchBox'
import type { PatientSearch } from './search'

/** The filters of the list, without the search text. */
export const PATIENT_FILTERS = [
  'clinicId',
  'sex',
  'ageFrom',
  'ageTo',
  'registeredFrom',
  'registeredTo',
  'visitedFrom',
  'visitedTo',
  'seen',
] as const

type Props = {
  search: PatientSearch
  clinics: readonly { id: string; name: string }[]
  sexes: readonly Option[]
  /** Users who may not see visits cannot filter by them. */
  withVisits: boolean
}

/** The filters of the patient list, stored in the URL. */
export function PatientFilters({ search, clinics, sexes, withVisits }: Props) {
  const say = useSay()
  const choose = useFilter<PatientSearch>()
  const day = (name: 'registeredFrom' | 'registeredTo' | 'visitedFrom' | 'visitedTo') => (
    <DayFilter
      label={`patientSearch.${name}`}
      value={search[name]}
      onPick={(value) => choose({ [name]: value })}
    />
  )
  const age = (name: 'ageFrom' | 'ageTo') => (
    <NumberBox
      label={say(`patientSearch.${name}`)}
      value={search[name]}
      onChange={(value) => choose({ [name]: Number.isFinite(value) ? Number(value) : undefined })}
    />
  )
  return (
    <Group gap="sm">
      <SearchBox label="patientSearch.placeholder" />
      <MoreFilters search={search} filters={PATIENT_FILTERS}>
        <PickFilter
          label="clinics.one"
          any="patientSearch.anyClinic"
          value={search.clinicId}
          onPick={(clinicId) => choose({ clinicId })}
          options={named(clinics)}
        />
        <PickFilter
          label="patientSearch.sex"
          any="patientSearch.anySex"
          value={search.sex}
          onPick={(sex) => choose({ sex })}
          options={sexes.map(({ value, label }) => ({ value, label: say(label) }))}
        />
        <SimpleGrid cols={2} spacing="sm">
          {age('ageFrom')}
          {age('ageTo')}
          {day('registeredFrom')}
          {day('registeredTo')}
          {withVisits && day('visitedFrom')}
          {withVisits && day('visitedTo')}
        </SimpleGrid>
        {withVisits && (
          <Checkbox
            label={say('patientSearch.seen')}
            checked={search.seen === 'only'}
            onChange={({ currentTarget }) =>
              choose({ seen: currentTarget.checked ? 'only' : undefined })
            }
          />
        )}
      </MoreFilters>
    </Group>
  )
}
