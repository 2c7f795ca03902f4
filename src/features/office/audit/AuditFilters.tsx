import { useLocale } from 'use-intl'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { PickFilter, useFilter } from '~/ui/filters'
import { AUDIT_FILTERS, type AuditSearch } from './audit-search'
import { ACTIONS, actionWords, AUDITED_TABLES, tableWords } from './audit-words'
import { TrailFilters, type TrailProps, wide } from './TrailFilters'

export function AuditFilters(props: TrailProps<AuditSearch>) {
  const { search } = props
  const choose = useFilter<AuditSearch>()
  const inWords = useWords()
  return (
    <TrailFilters {...props} filters={AUDIT_FILTERS}>
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
        options={inWords(AUDITED_TABLES, tableWords, search.table)}
        w={wide}
      />
    </TrailFilters>
  )
}

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
