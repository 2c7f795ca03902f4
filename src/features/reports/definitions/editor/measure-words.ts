import type { Cell } from '~/features/reports/cells/definition'
import { useSay } from '~/shared/say'
import type { SharedParts } from './definition-draft'
import { sourceLabel } from './report-words'

/** What a measure is in words: its source, its name, or how it is calculated. */
export function useMeasureWords({ measures }: SharedParts) {
  const say = useSay()
  return (measure: string | Cell | undefined): string => {
    if (measure === undefined) return say('reportEditor.chooseWhat')
    if (typeof measure === 'string')
      return measures && measure in measures ? measure : `${measure}?`
    if ('count' in measure) return say(sourceLabel(measure.count))
    if ('manual' in measure) return say(`reportEditor.manual_${measure.manual}`)
    if ('sum' in measure) return say('reportEditor.cell_sum')
    if ('median' in measure) return say('reportEditor.cell_median')
    if ('ratio' in measure) return say('reportEditor.cell_ratio')
    if ('weighted' in measure) return say('reportEditor.cell_weighted')
    if ('clinics' in measure) return say('reportEditor.cell_clinics')
    if ('add' in measure) return say('reportEditor.cell_add')
    if ('subtract' in measure) return say('reportEditor.cell_subtract')
    return say('like' in measure ? 'reportEditor.cell_like' : 'reportEditor.cell_days')
  }
}
