import { Group } from '@mantine/core'
import { DOSAGE_FORMS, ROUTES } from '~/shared/dosage'
import { useSay } from '~/shared/say'
import { ClearFilters, narrowing, PickFilter, useFilter } from '~/ui/filters'
import { SearchBox } from '~/ui/SearchBox'
import { DRUG_FILTERS } from './drug-search'
import type { DrugSearch } from './drug-search'
import { ScanButton } from './ScanButton'

/** The filters of the catalogue, besides the search. */
export const CATALOGUE_FILTERS = ['form', 'route', 'only'] as const

/** Narrows the catalogue; every choice is in the address. A scanned package is searched for. */
export function DrugFilters({ search }: { search: DrugSearch }) {
  const say = useSay()
  const choose = useFilter<DrugSearch>()
  return (
    <Group gap="xs">
      <Group gap="xs" wrap="nowrap" w={{ base: '100%', xs: 'auto' }}>
        <SearchBox label="drugs.search" />
        <ScanButton onScan={(code) => choose({ search: code })} />
      </Group>
      <PickFilter
        inRow
        label="drugs.form"
        any="drugs.form"
        value={search.form}
        onPick={(form) => choose({ form })}
        options={DOSAGE_FORMS.map((value) => ({ value, label: say(`drugs.form_${value}`) }))}
        w={{ base: '100%', xs: '11rem' }}
      />
      <PickFilter
        inRow
        label="drugs.route"
        any="drugs.route"
        value={search.route}
        onPick={(route) => choose({ route })}
        options={ROUTES.map((value) => ({ value, label: say(`drugs.route_${value}`) }))}
        w={{ base: '100%', xs: '11rem' }}
      />
      <PickFilter
        inRow
        label="drugs.only"
        any="drugs.only"
        value={search.only}
        onPick={(only) => choose({ only })}
        options={DRUG_FILTERS.map((value) => ({ value, label: say(`drugs.only_${value}`) }))}
        w={{ base: '100%', xs: '14rem' }}
      />
      {narrowing(search, CATALOGUE_FILTERS) > 0 && <ClearFilters filters={CATALOGUE_FILTERS} />}
    </Group>
  )
}
