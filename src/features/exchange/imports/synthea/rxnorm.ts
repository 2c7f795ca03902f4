import { canonicalIngredient } from '~/features/medicines/safety/rules/ingredients'

/** The facts of a medicine that its RxNorm name states. */
type NamedDrug = {
  generic_name: string
  brand_name: string | null
  /**
   * Empty if the name states no substance: the safety checks then report that they cannot check it.
   */
  ingredients: string[]
  form: string
  route: string
  dosage_quantity: number | null
  dosage_units: string
}

/** One substance with its strength: "Oxycodone Hydrochloride 10 MG", "Epinephrine 1 MG/ML". */
const PART =
  /^(?<name>[a-z][^\d]*?)\s+(?<strength>\d+(?:\.\d+)?)\s*(?<unit>MG|MCG|G|UNT|ML|MEQ|%)(?:\/(?:ML|ACTUAT|HR))?\b/i

const units: Record<string, string> = { MG: 'mg', MCG: 'mcg', G: 'g', UNT: 'units', ML: 'mL' }

/**
 * Reads the name of a clinical drug: substances, strengths, dose form, and the brand in square
 * brackets. The pattern is that of RxNorm names
 * (https://www.nlm.nih.gov/research/umls/rxnorm/overview.html). An approval number and the amount
 * in a package may come first.
 */
export function readRxNorm(description: string): NamedDrug {
  const text = description.trim().replaceAll(/\s+/g, ' ')
  const brand = /\[(?<brand>[^\]]+)\]\s*$/.exec(text)?.groups?.['brand'] ?? null
  const bare = text
    .replace(/\s*\[[^\]]+\]\s*$/, '')
    .replace(/^NDA\d+\s+/i, '')
    .replace(/^\d+(?:\.\d+)?\s+(?:ML|ACTUAT|HR)\s+/i, '')
  const parts = bare.split(' / ').map((part) => PART.exec(part)?.groups)
  const isRead = parts.every((part) => part !== undefined)
  const named = isRead ? parts.map((part) => part!['name']!) : []
  const [only] = parts
  const isSingle = isRead && parts.length === 1
  return {
    generic_name: isRead ? named.map(asName).join(' + ') : text.slice(0, 200),
    brand_name: brand,
    ingredients: [...new Set(named.map(canonicalIngredient))],
    form: found(forms, bare),
    route: found(routes, bare),
    dosage_quantity: isSingle ? Number(only!['strength']) || null : null,
    dosage_units: (isSingle && units[only!['unit']!.toUpperCase()]) || 'mg',
  }
}

/** Some names capitalize a part to distinguish look-alikes: amLODIPine, HYDROcodone. */
const asName = (name: string) => {
  const quiet = /[a-z][A-Z]|[A-Z]{2,}[a-z]/.test(name) ? name.toLowerCase() : name
  return quiet.charAt(0).toUpperCase() + quiet.slice(1)
}

/** The first matching pattern gives the form or route of docs/specification.md, "Form definitions". */
const forms: readonly (readonly [RegExp, string])[] = [
  [/tablet/i, 'tablet'],
  [/capsule/i, 'capsule'],
  [/inhaler|inhalation/i, 'inhaler'],
  [/spray/i, 'spray'],
  [/inject|syringe|cartridge/i, 'injection'],
  [/suppository/i, 'suppository'],
  [/cream/i, 'cream'],
  [/lotion/i, 'lotion'],
  [/\bgel\b/i, 'gel'],
  [/patch|transdermal/i, 'patch'],
  [/drops|ophthalmic|otic/i, 'drops'],
  [/oral (solution|suspension)|syrup/i, 'syrup'],
  [/solution|suspension/i, 'bottle'],
]
const routes: readonly (readonly [RegExp, string])[] = [
  [/vaginal/i, 'vaginal'],
  [/transdermal|patch/i, 'transdermal'],
  [/ophthalmic/i, 'ophthalmic'],
  [/otic/i, 'otic'],
  [/nasal/i, 'nasal'],
  [/rectal|suppository/i, 'rectal'],
  [/sublingual|mucosal/i, 'sublingual'],
  [/inhaler|inhalation/i, 'inhalation'],
  [/topical|cream|lotion|\bgel\b/i, 'topical'],
  [/oral|chewable/i, 'oral'],
]
const found = (list: readonly (readonly [RegExp, string])[], text: string) =>
  list.find(([pattern]) => pattern.test(text))?.[1] ?? 'other'
