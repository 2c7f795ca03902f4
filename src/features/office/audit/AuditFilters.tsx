import { Box, Group } from '@mantine/core'
import { useLocale } from 'use-intl'
import { PatientPicker } from '~/features/people/patients/search/PatientPicker'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { ClearFilters, DayFilter, named, narrowing, PickFilter, useFilter } from '~/ui/filters'
import { AUDIT_FILTERS, type AuditSearch } from './audit'
import { ACTIONS, actionWords, TABLES, tableWords } from './audit-words'

type Named = { id: string; name: string }
type Props = {
  search: AuditSearch
  users: readonly Named[]
  clinics: readonly Named[]
  patient: Named | null
}

/** Narrows the trail; every choice is in the address. */
export function AuditFilters({ search, users, clinics, patient }: Props) {
  const say = useSay()
  const choose = useFilter<AuditSearch>()
  const inWords = useWords()
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
        label="audit.action"
        any="audit.any"
        value={search.action}
        onPick={(action) => choose({ action })}
        options={inWords(ACTIONS, actionWords, search.action)}
        w={wide}
      />
      <PickFilter
        label="audit.what"
        any="audit.any"
        value={search.table}
        onPick={(table) => choose({ table })}
        options={inWords(TABLES, tableWords, search.table)}
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
      <DayFilter
        label="audit.from"
        value={search.from}
        onPick={(from) => choose({ from })}
        w={day}
      />
      <DayFilter label="audit.to" value={search.to} onPick={(to) => choose({ to })} w={day} />
      {narrowing(search, AUDIT_FILTERS) > 0 && <ClearFilters filters={AUDIT_FILTERS} />}
    </Group>
  )
}

const wide = { base: '100%', xs: '14rem' }
const day = { base: '100%', xs: 180 }

/** Options by label in alphabetical order; one that only the URL names keeps its raw name. */
function useWords() {
  const say = useSay()
  const sorter = new Intl.Collator(useLocale())
  return (
    names: readonly string[],
    wordsOf: (name: string) => MessageKey | undefined,
    chosen: string | undefined,
  ) => {
    const offered = chosen === undefined || names.includes(chosen) ? names : [...names, chosen]
    return offered
      .map((value) => ({ value, label: say(wordsOf(value) ?? { text: value }) }))
      .toSorted((one, other) => sorter.compare(one.label, other.label))
  }
}
