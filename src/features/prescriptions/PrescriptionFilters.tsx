import { Button, Group, Popover, Select, SimpleGrid, Stack } from '@mantine/core'
import { DateInput } from '@mantine/dates'
import { IconFilter } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { dayFrom } from '~/fields/typed'
import { useSay } from '~/shared/say'
import { SearchBox } from '~/ui/SearchBox'
import { PRIORITIES, type PrescriptionSearch, priorityLabel, STATUSES, statusLabel } from './prescription'

const FILTERS = ['status', 'priority', 'clinicId', 'providerId', 'from', 'to'] as const
/** How many filters narrow the list, beside the words searched for. */
export const filtersOf = (search: PrescriptionSearch) => FILTERS.filter((name) => search[name] !== undefined).length

type Named = { id: string; name: string }
type Props = { search: PrescriptionSearch; clinics: readonly Named[]; users: readonly Named[] }

/** Narrows the list; every choice is in the address. */
export function PrescriptionFilters({ search, clinics, users }: Props) {
  const say = useSay()
  const navigate = useNavigate()
  const choose = (filter: Partial<PrescriptionSearch>) =>
    void navigate({
      to: '.',
      search: ((current: object) => ({ ...current, ...filter, page: undefined })) as never,
      replace: true,
      resetScroll: false,
    })
  const count = filtersOf(search)
  const pick = (name: 'status' | 'priority' | 'clinicId' | 'providerId', label: string, data: Option[]) => (
    <Select
      label={label}
      placeholder={say('prescriptions.any')}
      value={search[name] ?? null}
      onChange={(value) => choose({ [name]: value ?? undefined })}
      data={data}
      searchable={data.length > 7}
      openOnFocus={false}
      clearable
      clearButtonProps={{ 'aria-label': say('common.clear') }}
      comboboxProps={{ withinPortal: false }}
    />
  )
  const day = (name: 'from' | 'to') => (
    <DateInput
      label={say(`prescriptions.${name}`)}
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
  const named = (all: readonly Named[]) => all.map(({ id, name }) => ({ value: id, label: name }))
  const clear = () => choose(Object.fromEntries(FILTERS.map((name) => [name, undefined])))
  return (
    <Group gap="sm">
      <SearchBox label="prescriptions.search" />
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
            <SimpleGrid cols={2} spacing="sm">
              {pick(
                'status',
                say('prescriptions.status'),
                STATUSES.map((value) => ({ value, label: say(statusLabel(value)) })),
              )}
              {pick(
                'priority',
                say('prescriptions.priority'),
                PRIORITIES.map((value) => ({ value, label: say(priorityLabel(value)) })),
              )}
            </SimpleGrid>
            {pick('clinicId', say('prescriptions.pickupClinic'), named(clinics))}
            {pick('providerId', say('prescriptions.provider'), named(users))}
            <SimpleGrid cols={2} spacing="sm">
              {day('from')}
              {day('to')}
            </SimpleGrid>
            {count > 0 && (
              <Button variant="default" onClick={clear}>
                {say('patientSearch.clearFilters')}
              </Button>
            )}
          </Stack>
        </Popover.Dropdown>
      </Popover>
    </Group>
  )
}

type Option = { value: string; label: string }
