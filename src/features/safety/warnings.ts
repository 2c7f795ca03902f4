import { CHECKS } from './checks'
import { classesOf, type DrugClass, isRelated, membersOf } from './drug-classes'
import { canonical, ingredientsOf } from './ingredients'
import { interactionOf } from './interactions'
import type { CheckedDrug, PatientFacts } from './rule'
import { isDrugClass, type Resolved, resolveAllergy } from './substances'
import { type Warning, WARNING_KINDS } from './warning'

export type KnownAllergy = {
  id: string
  substance: string
  substance_kind: string
  substance_code: string | null
  reaction: string | null
  severity: string | null
  /** The substances of the catalogue's brand that the allergy names, if it names one. */
  brandIngredients?: readonly string[]
}

/**
 * Everything that speaks against giving these medicines to somebody with these allergies who takes the others already;
 * the gravest kind first. An empty list says only that no rule was broken, not that there is no danger.
 */
export function warningsOf(
  drugs: readonly CheckedDrug[],
  taken: readonly CheckedDrug[],
  allergies: readonly KnownAllergy[],
  patient?: PatientFacts,
): Warning[] {
  const meant = allergies
    .filter(({ substance_kind }) => substance_kind !== 'none_known')
    .map((allergy) => ({ allergy, causes: causesOf(allergy) }))
  const warnings = drugs.flatMap((drug, at) => {
    if (drug.ingredients.length === 0) return [unchecked(drug)]
    // a pair of new medicines is looked at once, from the later one
    const others = [...taken, ...drugs.slice(0, at)]
    return [
      ...meant.flatMap(({ allergy, causes }) => allergyWarning(drug, allergy, causes) ?? []),
      ...others.flatMap((other) => pairWarnings(drug, other)),
      ...uncheckedIngredients(drug),
    ]
  })
  const [first] = drugs
  const marks = first ? meant.flatMap((one) => uncheckedAllergy(first, one.allergy, one.causes) ?? []) : []
  const ofRules = CHECKS.flatMap((check) => check({ drugs, taken, patient }))
  const byKey = new Map([...warnings, ...ofRules, ...marks].map((warning) => [warning.key, warning]))
  return [...byKey.values()].toSorted((a, b) => WARNING_KINDS.indexOf(a.kind) - WARNING_KINDS.indexOf(b.kind))
}

const unchecked = ({ drugId, name }: CheckedDrug): Warning => ({
  key: `unchecked:${drugId}`,
  kind: 'unchecked',
  drugId,
  drug: name,
})

const uncheckedIngredients = (drug: CheckedDrug): Warning[] =>
  drug.ingredients
    .flatMap(ingredientsOf)
    .filter(({ isKnown }) => !isKnown)
    .map(({ name }) => ({ ...unchecked(drug), key: `unchecked:${drug.drugId}:${name}`, ingredient: name }) as Warning)

/** A recorded code is what the rules compare; words of one's own are resolved at each check, in every language. */
function causesOf({ substance, substance_kind, substance_code, brandIngredients }: KnownAllergy): Resolved {
  if (substance_kind === 'drug_class' && isDrugClass(substance_code ?? ''))
    return { classes: [substance_code as DrugClass], ingredients: [], unknown: [] }
  const code = substance_kind === 'ingredient' ? substance_code : null
  const resolved = resolveAllergy(code ?? substance)
  if (resolved.classes.length + resolved.ingredients.length > 0 || !brandIngredients?.length) return resolved
  const found = brandIngredients.flatMap(ingredientsOf)
  return {
    classes: [],
    ingredients: found.map(({ name }) => name),
    unknown: found.flatMap(({ name, isKnown }) => (isKnown ? [] : [name])),
  }
}

function uncheckedAllergy(first: CheckedDrug, allergy: KnownAllergy, { unknown }: Resolved): Warning | undefined {
  if (unknown.length === 0) return undefined
  const mark = unchecked(first)
  return { ...mark, key: `unchecked:allergy:${allergy.id}`, kind: 'unchecked', allergy: allergy.substance }
}

function allergyWarning(drug: CheckedDrug, allergy: KnownAllergy, causes: Resolved): Warning | undefined {
  const matches = drug.ingredients.flatMap(ingredientsOf).flatMap(({ name }) => {
    const match = matchOf(name, causes)
    return match ? [{ ingredient: name, ...match }] : []
  })
  const best = matches.toSorted((a, b) => STRENGTH.indexOf(a.match) - STRENGTH.indexOf(b.match))[0]
  return (
    best && {
      key: `allergy:${drug.drugId}:${allergy.id}`,
      kind: 'allergy',
      drugId: drug.drugId,
      drug: drug.name,
      substance: allergy.substance,
      reaction: allergy.reaction,
      severity: allergy.severity,
      ...best,
    }
  )
}

const STRENGTH = ['same', 'class', 'related'] as const
type Match = { match: (typeof STRENGTH)[number]; drugClass: DrugClass | null }

function matchOf(ingredient: string, { classes, ingredients, unknown }: Resolved): Match | undefined {
  // a name that the rules do not know is still compared with names that they do not know either
  if ([...ingredients, ...unknown.map(canonical)].includes(ingredient)) return { match: 'same', drugClass: null }
  return matchOfClasses(ingredient, [...classes, ...ingredients.flatMap(classesOf)])
}

function matchOfClasses(ingredient: string, causes: readonly DrugClass[]): Match | undefined {
  const same = causes.find((cause) => membersOf[cause].includes(ingredient))
  if (same) return { match: 'class', drugClass: same }
  const related = causes.find((cause) => classesOf(ingredient).some((its) => isRelated(its, cause)))
  return related && { match: 'related', drugClass: related }
}

const namesIn = (drug: CheckedDrug) => drug.ingredients.flatMap(ingredientsOf).map(({ name }) => name)

function pairWarnings(drug: CheckedDrug, other: CheckedDrug): Warning[] {
  const pair = [drug.drugId, other.drugId].toSorted().join(':')
  const about = { drugId: drug.drugId, drug: drug.name, other: other.name }
  const [ours, theirs] = [namesIn(drug), namesIn(other)]
  const both = ours.filter((ingredient) => theirs.includes(ingredient))
  const record = [drug, other].some(({ standing }) => standing === 'recorded') && { isRecord: true }
  const duplicate: Warning[] =
    both.length > 0 && other.standing !== 'ended'
      ? [{ key: `duplicate:${pair}`, kind: 'duplicate', ingredient: [...new Set(both)].join(', '), ...about, ...record }] // prettier-ignore
      : []
  const interactions = ours.flatMap((ingredient) =>
    theirs.flatMap((otherIngredient): Warning[] => {
      const rule = interactionOf(ingredient, otherIngredient)
      if (!rule) return []
      const { id, effect } = rule
      return [{ key: `interaction:${pair}:${id}`, kind: 'interaction', rule: id, effect, ingredient, otherIngredient, ...about }] // prettier-ignore
    }),
  )
  return [...duplicate, ...interactions]
}
