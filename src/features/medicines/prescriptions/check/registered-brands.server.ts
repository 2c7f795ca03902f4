import { bareName } from '~/features/medicines/safety/rules/ingredients'
import { spellingKey } from '~/features/medicines/safety/rules/spelling'
import table from '~/features/medicines/safety/tables/brands.json'
import type { KnownAllergy } from '~/features/medicines/safety/warnings'

/** The key of a brand -> its substances. Built when a name is first looked up: it takes longer than a check. */
let index: ReadonlyMap<string, readonly string[]> | undefined

function brands(): ReadonlyMap<string, readonly string[]> {
  if (index) return index
  const found = new Map<string, readonly string[]>()
  const ambiguous = new Set<string>()
  for (const { names } of table.registers)
    for (const [combination, lines] of Object.entries<string[]>(names as never)) {
      const substances = combination.split(' + ')
      for (const brand of lines.flatMap((line) => line.split(', '))) {
        const key = spellingKey(brand)
        const before = found.get(key)
        if (before && before.join() !== substances.join()) ambiguous.add(key)
        found.set(key, substances)
      }
    }
  // one name for two medicines: which of them was meant is not known
  for (const key of ambiguous) found.delete(key)
  index = found
  return found
}

/**
 * The substances of a brand of a national register: "Klamoks 625" where "Klamoks" is listed. Undefined for any other
 * name. Only equal spellings count, never a similar one, and the clinic's own catalogue goes first. What was found is
 * said to be found in a register: the same name can be another medicine in another country.
 */
export function registeredBrand(name: string): readonly string[] | undefined {
  const short = bareName(name)
  return brands().get(spellingKey(name)) ?? (short ? brands().get(spellingKey(short)) : undefined)
}

/** The allergy with the substances of the registered brand that it names, if it names one. */
export function withRegisteredBrand(allergy: KnownAllergy, name: string): KnownAllergy {
  const readAs = registeredBrand(name)
  return readAs ? { ...allergy, readAs } : allergy
}
