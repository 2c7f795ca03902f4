import { Group, SimpleGrid } from '@mantine/core'
import { priorityLabel, statusLabel } from '~/records/prescription'
import { PRIORITIES, PRESCRIPTION_STATUSES } from '~/records/prescription-status'
import { useSay } from '~/shared/say'
import { DayFilter, MoreFilters, named, PickFilter, useFilter } from '~/ui/filters'
import { SearchBox } from '~/ui/SearchBox'
import { type PrescriptionSearch } from './prescription-search'

/** The filters of the list, besides the search. */
export const PRESCRIPTION_FILTERS = [
  'status',
  'priority',
  'clinicId',
  'providerId',
  'from',
  'to',
] as const

type Named = { id: string; name: string }
type Props = { search: PrescriptionSearch; clinics: readonly Named[]; users: readonly Named[] }

/** Narrows the list; every choice is in the address. */
export function PrescriptionFilters({ search, clinics, users }: Props) {
  const say = useSay()
  const choose = useFilter<PrescriptionSearch>()
  return (
    <Group gap="sm">
      <SearchBox label="prescriptions.search" />
      <MoreFilters search={search} filters={PRESCRIPTION_FILTERS}>
        <SimpleGrid cols={2} spacing="sm">
          <PickFilter
            label="prescriptions.status"
            any="prescriptions.any"
            value={search.status}
            onPick={(status) => choose({ status })}
            options={PRESCRIPTION_STATUSES.map((value) => ({
              value,
              label: say(statusLabel(value)),
            }))}
          />
          <PickFilter
            label="prescriptions.priority"
            any="prescriptions.any"
            value={search.priority}
            onPick={(priority) => choose({ priority })}
            options={PRIORITIES.map((value) => ({ value, label: say(priorityLabel(value)) }))}
          />
        </SimpleGrid>
        <PickFilter
          label="prescriptions.pickupClinic"
          any="prescriptions.any"
          value={search.clinicId}
          onPick={(clinicId) => choose({ clinicId })}
          options={named(clinics)}
        />
        <PickFilter
          label="prescriptions.provider"
          any="prescriptions.any"
          value={search.providerId}
          onPick={(providerId) => choose({ providerId })}
          options={named(users)}
        />
        <SimpleGrid cols={2} spacing="sm">
          <DayFilter
            label="prescriptions.from"
            value={search.from}
            onPick={(from) => choose({ from })}
          />
          <DayFilter label="prescriptions.to" value={search.to} onPick={(to) => choose({ to })} />
        </SimpleGrid>
      </MoreFilters>
    </Group>
  )
}
