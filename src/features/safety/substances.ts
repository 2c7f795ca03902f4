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

/** A typed name without case, accents and plural: `penicillin` and "Penicillins" are one. */
export const foldedName = (name: string) =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .trim()
    .toLowerCase()
    .replace(/(?:s|ات)$/, '')

/** What a typed substance means to the rules; `classNames` as the reader's language calls the classes. */
export function recognize(typed: string, classNames: (name: DrugClass) => string): Recognized {
  const text = typed.trim().toLowerCase()
  const exact = DRUG_CLASSES.find((name) => classNames(name).toLowerCase() === text)
  if (exact) return { substance_kind: 'drug_class', substance_code: exact }
  const ingredient = canonical(text)
  if (KNOWN_INGREDIENTS.includes(ingredient)) return { substance_kind: 'ingredient', substance_code: ingredient }
  // after the ingredients: "tetracycline" is one, "tetracyclines" is its class
  const drugClass = DRUG_CLASSES.find((name) => foldedName(classNames(name)) === foldedName(text))
  if (drugClass) return { substance_kind: 'drug_class', substance_code: drugClass }
  return { substance_kind: 'other', substance_code: null }
}

type Substance = { substance: string; substance_kind: string; substance_code: string | null }

/** The same code or, where the rules know only one of the two or neither, the same name. */
export const isSameSubstance = (a: Substance, b: Substance) =>
  a.substance_code !== null && b.substance_code !== null
    ? a.substance_kind === b.substance_kind && a.substance_code === b.substance_code
    : foldedName(a.substance) === foldedName(b.substance)
