import { parseIngredients } from '~/features/medicines/safety/rules/ingredients'
import { isLocal } from '~/features/medicines/safety/rules/routes'
import type { CheckedDrug } from '~/features/medicines/safety/rules/rule'
import { largest } from '~/shared/any-length'
import table from '../tables/live-vaccines.json'

/** Vaccines that are live whatever the product: those of typhoid, cholera, influenza and encephalitis are both. */
export const isLive = (vaccine: string) => table.vaccines.includes(vaccine)

/** `byDose` and `steroid`: only in high doses, which nobody compares: the question says so. */
type Weakened = {
  key: 'immunizations.weakened' | 'immunizations.weakenedByDose' | 'immunizations.steroid'
  medicine: string
}

const { weakening, byDose, corticosteroids } = table
const lists = [...weakening, byDose, corticosteroids]

/** For how many days after the last dose a live vaccine is asked about. */
export const actsOnVaccines = {
  most: largest(lists.map(({ daysAfter }) => daysAfter)),
  days: (ingredients: readonly string[]) =>
    largest([
      0,
      ...lists.filter(({ names }) => hasAny(ingredients, names)).map(({ daysAfter }) => daysAfter),
    ]),
}

/** What a patient takes, or took until lately, that speaks against a live vaccine; null if nothing on the lists. */
export function weakenedBy(taken: readonly CheckedDrug[]): Weakened | null {
  const named = (names: readonly string[]) =>
    joined(taken.filter((drug) => !isOnSkin(drug) && hasAny(drug.ingredients, names)))
  const strong = named(weakening.flatMap(({ names }) => names))
  if (strong) return { key: 'immunizations.weakened', medicine: strong }
  const some = named(byDose.names)
  if (some) return { key: 'immunizations.weakenedByDose', medicine: some }
  const steroids = named(corticosteroids.names)
  return steroids ? { key: 'immunizations.steroid', medicine: steroids } : null
}

/** The medicines of which a substance is not known: nobody can say whether they speak against a live vaccine. */
export const notComparedWithVaccines = (taken: readonly CheckedDrug[]): string =>
  joined(
    taken.filter(
      (drug) =>
        !isOnSkin(drug) &&
        (drug.ingredients.length === 0 ||
          drug.ingredients.flatMap(parseIngredients).some(({ isKnown }) => !isKnown)),
    ),
  )

/** Of the same form in every language. */
const joined = (drugs: readonly CheckedDrug[]) =>
  [...new Set(drugs.map(({ name }) => name))].join(' · ')

const hasAny = (ingredients: readonly string[], names: readonly string[]) =>
  ingredients.flatMap(parseIngredients).some(({ name }) => names.includes(name))

/** A list from elsewhere says the form in the name: "tacrolimus ointment". A route that is not recorded may be any. */
function isOnSkin(drug: CheckedDrug) {
  const words = ` ${drug.name
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .join(' ')} `
  const isNamedSo = table.localWords.some((word) => words.includes(` ${word} `))
  return isLocal(drug) || (!drug.form && !drug.route && isNamedSo)
}
