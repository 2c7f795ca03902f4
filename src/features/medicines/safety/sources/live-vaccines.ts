import { canonical, ingredientsOf } from '~/features/medicines/safety/rules/ingredients'
import type { CheckedDrug } from '~/features/medicines/safety/rules/rule'
import table from '../tables/live-vaccines.json'

/** Vaccines that are live whatever the product: those of typhoid, cholera, influenza and encephalitis are both. */
export const isLive = (vaccine: string) => table.vaccines.includes(vaccine)

/** Only in high doses and for weeks: the screen says from which. */
type Weakened = { key: 'immunizations.weakened' | 'immunizations.steroid'; medicine: string }

/** What a patient takes that speaks against a live vaccine; null if nothing on the list. */
export function weakenedBy(taken: readonly CheckedDrug[]): Weakened | null {
  const named = (names: readonly string[], isCounted: (drug: CheckedDrug) => boolean) => {
    const listed = new Set(names.map(canonical))
    return taken
      .filter((drug) => isCounted(drug) && drug.ingredients.some((name) => isAmong(name, listed)))
      .map(({ name }) => name)
      .join(', ')
  }
  const weakening = named(table.weakening, isNotLocal)
  if (weakening) return { key: 'immunizations.weakened', medicine: weakening }
  const steroids = named(table.corticosteroids, isNotLocal)
  return steroids ? { key: 'immunizations.steroid', medicine: steroids } : null
}

const isAmong = (ingredient: string, listed: ReadonlySet<string>) =>
  ingredientsOf(ingredient).some(({ name }) => listed.has(name))

/** A route that is not recorded may be any. */
const isNotLocal = ({ route }: CheckedDrug) => !route || table.notLocal.includes(route)
