import { Button, Group, Select } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type * as z from 'zod'
import { useSay } from '~/shared/say'
import { SearchBox } from '~/ui/SearchBox'
import { DRUG_FILTERS, FORMS, ROUTES } from './drug'
import type { drugSearch } from './drug-search'
import { ScanButton } from './ScanButton'

export type DrugSearch = z.output<typeof drugSearch>
export const isNarrowed = ({ form, route, only }: DrugSearch) => Boolean(form ?? route ?? only)

/** Narrows the catalogue; every choice is in the address. A scanned package is searched for. */
export function DrugFilters({ search }: { search: DrugSearch }) {
  const say = useSay()
  const navigate = useNavigate()
  const choose = (filter: Partial<DrugSearch>) =>
    void navigate({
      to: '.',
      search: ((current: object) => ({ ...current, ...filter, page: undefined })) as never,
      replace: true,
      resetScroll: false,
    })
  const look = {
    clearable: true,
    clearButtonProps: { 'aria-label': say('common.clear') },
    w: { base: '100%', xs: '11rem' },
  } as const
  return (
    <Group gap="xs">
      <Group gap="xs" wrap="nowrap" w={{ base: '100%', xs: 'auto' }}>
        <SearchBox label="drugs.search" />
        <ScanButton onScan={(code) => choose({ search: code })} />
      </Group>
      <Select
        {...look}
        aria-label={say('drugs.form')}
        placeholder={say('drugs.form')}
        value={search.form ?? null}
        onChange={(form) => choose({ form: form as DrugSearch['form'] })}
        data={FORMS.map((form) => ({ value: form, label: say(`drugs.form_${form}`) }))}
      />
      <Select
        {...look}
        aria-label={say('drugs.route')}
        placeholder={say('drugs.route')}
        value={search.route ?? null}
        onChange={(route) => choose({ route: route as DrugSearch['route'] })}
        data={ROUTES.map((route) => ({ value: route, label: say(`drugs.route_${route}`) }))}
      />
      <Select
        {...look}
        w={{ base: '100%', xs: '14rem' }}
        aria-label={say('drugs.only')}
        placeholder={say('drugs.only')}
        value={search.only ?? null}
        onChange={(only) => choose({ only: only as DrugSearch['only'] })}
        data={DRUG_FILTERS.map((only) => ({ value: only, label: say(`drugs.only_${only}`) }))}
      />
      {isNarrowed(search) && (
        <Button variant="subtle" onClick={() => choose({ form: undefined, route: undefined, only: undefined })}>
          {say('drugs.clearFilters')}
        </Button>
      )}
    </Group>
  )
}
