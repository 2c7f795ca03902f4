import { byKind, type ByKind, type Cell, type CellKind } from '~/features/reports/cells/definition'
import { useSay } from '~/shared/say'
import type { SharedParts } from './definition-draft'
import { sourceLabel } from './report-words'

type Say = ReturnType<typeof useSay>

const called =
  (kind: Exclude<CellKind, 'count' | 'manual'>) =>
  (_cell: Cell, say: Say): string =>
    say(`reportEditor.cell_${kind}`)

const words: ByKind<[Say], string> = {
  count: ({ count }, say) => say(sourceLabel(count)),
  manual: ({ manual }, say) => say(`reportEditor.manual_${manual}`),
  sum: called('sum'),
  median: called('median'),
  ratio: called('ratio'),
  weighted: called('weighted'),
  clinics: called('clinics'),
  add: called('add'),
  subtract: called('subtract'),
  like: called('like'),
  days: called('days'),
}

/** What a measure is in words: its source, its name, or how it is calculated. */
export function useMeasureWords({ measures }: SharedParts) {
  const say = useSay()
  return (measure: string | Cell | undefined): string => {
    if (measure === undefined) return say('reportEditor.chooseWhat')
    if (typeof measure === 'string')
      return measures && measure in measures ? measure : `${measure}?`
    return byKind(words, measure, say)
  }
}
