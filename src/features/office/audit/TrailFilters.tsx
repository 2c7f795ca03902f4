import { Box } from '@mantine/core'
import type { ReactNode } from 'react'
import { PatientPicker } from '~/features/people/patients/search/PatientPicker'
import { DayFilter, FilterRow, named, PickFilter, useFilter } from '~/ui/filters'

type Named = { id: string; name: string }
type Common = {
  userId?: string
  patientId?: string
  clinicId?: string
  from?: string
  to?: string
}
export type TrailProps<Search extends Common> = {
  search: Search
  users: readonly Named[]
  clinics: readonly Named[]
  patient: Named | null
}
type Props = TrailProps<Common> & { filters: readonly string[]; children: ReactNode }

/** Narrows a trail; every choice is in the address. `children`: filters of one trail, with the width `wide`. */
export function TrailFilters({ search, users, clinics, patient, filters, children }: Props) {
  const choose = useFilter<Common>()
  return (
    <FilterRow search={search} filters={filters}>
      <TrailUserFilter users={users} userId={search.userId} />
      {children}
      <Box w={wide}>
        <PatientPicker
          key={patient?.id}
          label="patients.one"
          value={patient}
          onChange={(one) => choose({ patientId: one?.id })}
        />
      </Box>
      {clinics.length > 1 && (
        <PickFilter
          label="clinics.one"
          any="audit.any"
          value={search.clinicId}
          onPick={(clinicId) => choose({ clinicId })}
          options={named(clinics)}
          w={wide}
        />
      )}
      <DaysFilter {...search} />
    </FilterRow>
  )
}

export function TrailUserFilter({ users, userId }: { users: readonly Named[]; userId?: string }) {
  const choose = useFilter<Common>()
  return (
    <PickFilter
      label="audit.who"
      any="audit.any"
      value={userId}
      onPick={(picked) => choose({ userId: picked })}
      options={named(users)}
      w={wide}
    />
  )
}

/** The first and the last day. */
export function DaysFilter({ from, to }: Pick<Common, 'from' | 'to'>) {
  const choose = useFilter<Common>()
  return (
    <>
      <DayFilter
        label="audit.from"
        value={from}
        onPick={(day) => choose({ from: day })}
        w={dayWide}
      />
      <DayFilter label="audit.to" value={to} onPick={(day) => choose({ to: day })} w={dayWide} />
    </>
  )
}

export const wide = { base: '100%', xs: '14rem' }
const dayWide = { base: '100%', xs: 180 }
