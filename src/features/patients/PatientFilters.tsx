import { Button, Group, NumberInput, Popover, Select, SimpleGrid, Stack } from '@mantine/core'
import { DateInput } from '@mantine/dates'
import { IconFilter } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type * as z from 'zod'
import { dayFrom } from '~/fields/typed'
import type { Option } from '~/fields/field'
import { useSay } from '~/shared/say'
import { SearchBox } from '~/ui/SearchBox'
import type { patientSearch } from './search'

export type PatientSearch = z.output<typeof patientSearch>
const FILTERS = [
  'clinicId',
  'sex',
  'ageFrom',
  'ageTo',
  'registeredFrom',
  'registeredTo',
  'visitedFrom',
  'visitedTo',
] as const
/** How many filters narrow the list, beside the words searched for. */
export const filtersOf = (search: PatientSearch) => FILTERS.filter((name) => search[name] !== undefined).length

type Props = {
  search: PatientSearch
  clinics: readonly { id: string; name: string }[]
  sexes: readonly Option[]
  /** Who may not see visits cannot ask for them. */
  withVisits: boolean
}

/** Narrows the list of patients; every choice is in the address. */
export function PatientFilters({ search, clinics, sexes, withVisits }: Props) {
  const say = useSay()
  const navigate = useNavigate()
  const choose = (filter: Partial<PatientSearch>) =>
    void navigate({
      to: '.',
      search: ((current: object) => ({ ...current, ...filter, page: undefined })) as never,
      replace: true,
      resetScroll: false,
    })
  const count = filtersOf(search)
  const look = {
    clearable: true,
    clearButtonProps: { 'aria-label': say('common.clear') },
    comboboxProps: { withinPortal: false },
  } as const
  const day = (name: 'registeredFrom' | 'registeredTo' | 'visitedFrom' | 'visitedTo') => (
    <DateInput
      label={say(`patientSearch.${name}`)}
      value={search[name] ?? null}
      onChange={(value) => choose({ [name]: value ?? undefined })}
      valueFormat="YYYY-MM-DD"
      placeholder="YYYY-MM-DD"
      dateParser={dayFrom}
      clearable
      clearButtonProps={{ 'aria-label': say('common.clear') }}
      popoverProps={{ withinPortal: false }}
    />
  )
  const age = (name: 'ageFrom' | 'ageTo') => (
    <NumberInput
      label={say(`patientSearch.${name}`)}
      value={search[name] ?? ''}
      onChange={(value) => choose({ [name]: value === '' ? undefined : Number(value) })}
      min={0}
      max={150}
      allowDecimal={false}
      hideControls
    />
  )
  return (
    <Group gap="sm">
      <SearchBox label="patientSearch.placeholder" />
      <Popover position="bottom-start" width={360} trapFocus>
        <Popover.Target>
          <Button
            variant={count > 0 ? 'light' : 'default'}
            leftSection={<IconFilter size={16} aria-hidden />}
            rightSection={count > 0 ? <span>{count}</span> : undefined}
          >
            {say('patientSearch.filters')}
          </Button>
        </Popover.Target>
        <Popover.Dropdown maw="calc(100vw - 2rem)">
          <Stack gap="sm">
            <Select
              {...look}
              searchable
              openOnFocus={false}
              label={say('clinics.one')}
              placeholder={say('patientSearch.anyClinic')}
              value={search.clinicId ?? null}
              onChange={(value) => choose({ clinicId: value ?? undefined })}
              data={clinics.map(({ id, name }) => ({ value: id, label: name }))}
            />
            <Select
              {...look}
              label={say('patientSearch.sex')}
              placeholder={say('patientSearch.anySex')}
              value={search.sex ?? null}
              onChange={(value) => choose({ sex: value ?? undefined })}
              data={sexes.map(({ value, label }) => ({ value, label: say(label) }))}
            />
            <SimpleGrid cols={2} spacing="sm">
              {age('ageFrom')}
              {age('ageTo')}
              {day('registeredFrom')}
              {day('registeredTo')}
              {withVisits && day('visitedFrom')}
              {withVisits && day('visitedTo')}
            </SimpleGrid>
            {count > 0 && <ClearFilters />}
          </Stack>
        </Popover.Dropdown>
      </Popover>
    </Group>
  )
}

export function ClearFilters() {
  const say = useSay()
  const navigate = useNavigate()
  const clear = () =>
    void navigate({
      to: '.',
      search: ((current: PatientSearch) => ({
        search: current.search,
        sort: current.sort,
        direction: current.direction,
      })) as never,
      replace: true,
    })
  return (
    <Button variant="default" onClick={clear}>
      {say('patientSearch.clearFilters')}
    </Button>
  )
}
