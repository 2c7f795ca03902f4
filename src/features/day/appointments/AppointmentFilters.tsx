import { Group, SegmentedControl, SimpleGrid } from '@mantine/core'
import { useSay } from '~/shared/say'
import { DayFilter, MoreFilters, named, PickFilter, useFilter } from '~/ui/filters'
import { SearchBox } from '~/ui/SearchBox'
import { type AppointmentSearch, LISTED_STATUSES, WHENS } from './appointment-search'

/** The filters of the list, besides the search. */
export const APPOINTMENT_FILTERS = [
  'clinicId',
  'departmentId',
  'providerId',
  'status',
  'from',
  'to',
] as const

type Named = { id: string; name: string }
export type Choices = {
  clinics: readonly Named[]
  departments: readonly Named[]
  providers: readonly Named[]
}
type Props = { search: AppointmentSearch; choices: Choices }

/** Narrows the list of appointments; every choice is in the address. */
export function AppointmentFilters({ search, choices }: Props) {
  const say = useSay()
  const choose = useFilter<AppointmentSearch>()
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
      <MoreFilters search={search} filters={APPOINTMENT_FILTERS}>
        <WhoseFilters search={search} choices={choices} onPick={choose} />
        <PickFilter
          label="appointments.status"
          any="appointments.anyStatus"
          value={search.status}
          onPick={(status) => choose({ status })}
          options={LISTED_STATUSES.map((value) => ({ value, label: say(`appointments.${value}`) }))}
        />
        <SimpleGrid cols={2} spacing="sm">
          <DayFilter
            label="appointments.from"
            value={search.from}
            onPick={(from) => choose({ from })}
          />
          <DayFilter label="appointments.to" value={search.to} onPick={(to) => choose({ to })} />
        </SimpleGrid>
      </MoreFilters>
    </Group>
  )
}

type Whose = { clinicId?: string; departmentId?: string; providerId?: string }
type WhoseProps = { search: Whose; choices: Choices; onPick: (whose: Whose) => void }

/** Of which clinic, department and provider. */
export function WhoseFilters({ search, choices, onPick }: WhoseProps) {
  return (
    <>
      <PickFilter
        label="clinics.one"
        any="appointments.anyClinic"
        value={search.clinicId}
        onPick={(clinicId) => onPick({ clinicId })}
        options={named(choices.clinics)}
      />
      <PickFilter
        label="appointments.department"
        any="appointments.anyDepartment"
        value={search.departmentId}
        onPick={(departmentId) => onPick({ departmentId })}
        options={named(choices.departments)}
      />
      <PickFilter
        label="appointments.provider"
        any="appointments.anyProvider"
        value={search.providerId}
        onPick={(providerId) => onPick({ providerId })}
        options={named(choices.providers)}
      />
    </>
  )
}
