import { Button, Group, Popover, SegmentedControl, Select, SimpleGrid, Stack } from '@mantine/core'
import { DateInput } from '@mantine/dates'
import { IconFilter } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { dayFrom } from '~/fields/typed'
import { useSay } from '~/shared/say'
import { SearchBox } from '~/ui/SearchBox'
import { type AppointmentSearch, LISTED_STATUSES, WHENS } from './appointment'

const FILTERS = ['clinicId', 'departmentId', 'providerId', 'status', 'from', 'to'] as const
/** How many filters narrow the list, beside the words searched for. */
export const filtersOf = (search: AppointmentSearch) => FILTERS.filter((name) => search[name] !== undefined).length

type Named = { id: string; name: string }
export type Choices = { clinics: readonly Named[]; departments: readonly Named[]; providers: readonly Named[] }
type Props = { search: AppointmentSearch; choices: Choices }

/** Narrows the list of appointments; every choice is in the address. */
export function AppointmentFilters({ search, choices }: Props) {
  const say = useSay()
  const navigate = useNavigate()
  const choose = (filter: Partial<AppointmentSearch>) =>
    void navigate({
      to: '.',
      search: ((current: object) => ({ ...current, ...filter, page: undefined })) as never,
      replace: true,
      resetScroll: false,
    })
  const look = {
    clearable: true,
    clearButtonProps: { 'aria-label': say('common.clear') },
    comboboxProps: { withinPortal: false },
    nothingFoundMessage: say('form.nothingFound'),
    searchable: true,
    openOnFocus: false,
  } as const
  const pick = (
    name: 'clinicId' | 'departmentId' | 'providerId',
    label: 'clinics.one' | 'appointments.department' | 'appointments.provider',
    any: 'appointments.anyClinic' | 'appointments.anyDepartment' | 'appointments.anyProvider',
    data: readonly Named[],
  ) => (
    <Select
      {...look}
      label={say(label)}
      placeholder={say(any)}
      value={search[name] ?? null}
      onChange={(value) => choose({ [name]: value ?? undefined })}
      data={data.map(({ id, name: text }) => ({ value: id, label: text }))}
    />
  )
  const day = (name: 'from' | 'to') => (
    <DateInput
      label={say(`appointments.${name}`)}
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
  const count = filtersOf(search)
  const hasDays = search.from !== undefined || search.to !== undefined
  return (
    <Group gap="sm">
      <SearchBox label="appointments.search" />
      <SegmentedControl
        aria-label={say('appointments.period')}
        value={hasDays ? '' : (search.when ?? 'upcoming')}
        onChange={(when) =>
          choose({
            when: when === 'upcoming' ? undefined : (when as AppointmentSearch['when']),
            from: undefined,
            to: undefined,
          })
        }
        data={WHENS.map((value) => ({ value, label: say(`appointments.${value}`) }))}
      />
      <Popover position="bottom-start" width={360} trapFocus>
        <Popover.Target>
          <Button
            variant={count > 0 ? 'light' : 'default'}
            leftSection={<IconFilter size={16} aria-hidden />}
            rightSection={count > 0 ? <span>{count}</span> : undefined}
          >
            {say('appointments.filters')}
          </Button>
        </Popover.Target>
        <Popover.Dropdown maw="calc(100vw - 2rem)">
          <Stack gap="sm">
            {pick('clinicId', 'clinics.one', 'appointments.anyClinic', choices.clinics)}
            {pick('departmentId', 'appointments.department', 'appointments.anyDepartment', choices.departments)}
            {pick('providerId', 'appointments.provider', 'appointments.anyProvider', choices.providers)}
            <Select
              {...look}
              label={say('appointments.status')}
              placeholder={say('appointments.anyStatus')}
              value={search.status ?? null}
              onChange={(value) => choose({ status: (value ?? undefined) as AppointmentSearch['status'] })}
              data={LISTED_STATUSES.map((value) => ({ value, label: say(`appointments.${value}`) }))}
            />
            <SimpleGrid cols={2} spacing="sm">
              {day('from')}
              {day('to')}
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
      search: (({ search, when }: AppointmentSearch) => ({ search, when })) as never,
      replace: true,
    })
  return (
    <Button variant="default" onClick={clear}>
      {say('appointments.clearFilters')}
    </Button>
  )
}
