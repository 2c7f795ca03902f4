import { useSay } from '~/shared/say'
import { PickFilter, useFilter } from '~/ui/filters'
import { ACCESS_KINDS } from '~/shared/access-kinds'
import { kindWords } from './access-words'
import { ACCESS_FILTERS, type AccessSearch, OUTCOMES } from './access-search'
import { TrailFilters, type TrailProps, wide } from './TrailFilters'

export function AccessFilters(props: TrailProps<AccessSearch>) {
  const { search } = props
  const say = useSay()
  const choose = useFilter<AccessSearch>()
  return (
    <TrailFilters {...props} filters={ACCESS_FILTERS}>
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
    </TrailFilters>
  )
}
