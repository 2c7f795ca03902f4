import { DRUG_CLASSES, type DrugClass, membersOf } from './drug-classes'
import { canonical } from './ingredients'
import { interactingIngredients } from './interactions'

/** The substances that the rules know, sorted: what is suggested while somebody types an allergy. */
export const KNOWN_INGREDIENTS: readonly string[] = [
  ...new Set([...Object.values(membersOf).flat(), ...interactingIngredients]),
].toSorted((a, b) => a.localeCompare(b, 'en'))

export const isDrugClass = (code: string): code is DrugClass => (DRUG_CLASSES as readonly string[]).includes(code)

export type Recognized =
  | { substance_kind: 'ingredient'; substance_code: string }
  | { substance_kind: 'drug_class'; substance_code: DrugClass }
  | { substance_kind: 'other'; substance_code: null }

/** What a typed substance means to the rules; `classNames` as the reader's language calls the classes. */
export function recognize(typed: string, classNames: (name: DrugClass) => string): Recognized {
  const text = typed.trim().toLowerCase()
  const drugClass = DRUG_CLASSES.find((name) => classNames(name).toLowerCase() === text)
  if (drugClass) return { substance_kind: 'drug_class', substance_code: drugClass }
  const ingredient = canonical(text)
  if (KNOWN_INGREDIENTS.includes(ingredient)) return { substance_kind: 'ingredient', substance_code: ingredient }
  return { substance_kind: 'other', substance_code: null }
}
