import { Box, Group } from '@mantine/core'
import { PatientPicker } from '~/features/people/patients/search/PatientPicker'
import { useSay } from '~/shared/say'
import { ClearFilters, DayFilter, named, narrowing, PickFilter, useFilter } from '~/ui/filters'
import { ACCESS_KINDS } from './access-kinds'
import { kindWords } from './access-words'
import { ACCESS_FILTERS, type AccessSearch, OUTCOMES } from './accesses'

type Named = { id: string; name: string }
type Props = {
  search: AccessSearch
  users: readonly Named[]
  clinics: readonly Named[]
  patient: Named | null
}

/** Narrows the accesses; every choice is in the address. */
export function AccessFilters({ search, users, clinics, patient }: Props) {
  const say = useSay()
  const choose = useFilter<AccessSearch>()
  return (
    <Group gap="sm" align="flex-end" component="section" aria-label={say('filters.title')}>
      <PickFilter
        label="audit.who"
        any="audit.any"
        value={search.userId}
        onPick={(userId) => choose({ userId })}
        options={named(users)}
        w={wide}
      />
      <PickFilter
        label="accesses.did"
        any="audit.any"
        value={search.kind}
        onPick={(kind) => choose({ kind })}
        options={ACCESS_KINDS.map((value) => ({ value, label: say(kindWords(value)) }))}
        w={wide}
      />
      <PickFilter
        label="accesses.outcome"
        any="audit.any"
        value={search.outcome}
        onPick={(outcome) => choose({ outcome })}
        options={OUTCOMES.map((value) => ({ value, label: say(`accesses.outcome_${value}`) }))}
        w={wide}
      />
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
      {narrowing(search, ACCESS_FILTERS) > 0 && <ClearFilters filters={ACCESS_FILTERS} />}
    </Group>
  )
}

/** The first and the last day. */
export function DaysFilter({ from, to }: { from?: string; to?: string }) {
  const choose = useFilter<{ from?: string; to?: string }>()
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

const wide = { base: '100%', xs: '14rem' }
const dayWide = { base: '100%', xs: 180 }
