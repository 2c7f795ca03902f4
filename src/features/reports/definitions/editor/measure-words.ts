import { type Cell, cellRules } from '~/features/reports/cells/definition'
import { useSay } from '~/shared/say'
import type { SharedParts } from './definition-draft'

export const cellWords = (cell: Cell) => cellRules(cell).words(cell)

/** What a measure is in words: its source, its name, or how it is calculated. */
export function useMeasureWords({ measures }: SharedParts) {
  const say = useSay()
  return (measure: string | Cell | undefined): string => {
    if (measure === undefined) return say('reportEditor.chooseWhat')
    if (typeof measure === 'string')
      return measures && measure in measures ? measure : `${measure}?`
    return say(cellWords(measure))
  }
}
