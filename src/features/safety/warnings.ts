import { classesOf, type DrugClass, isRelated, membersOf } from './drug-classes'
import { canonical } from './ingredients'
import { type Effect, type Interaction, interactionOf } from './interactions'

/** A medicine as the rules look at it: by the active substances that the catalogue names. */
export type CheckedDrug = { drugId: string; name: string; ingredients: readonly string[] }

export type KnownAllergy = {
  id: string
  substance: string
  substance_kind: string
  substance_code: string | null
  reaction: string | null
  severity: string | null
}

type About = {
  /** The same warning has the same key tomorrow: an override refers to it. */
  key: string
  drugId: string
  drug: string
}
export type Warning =
  | (About & {
      kind: 'allergy'
      ingredient: string
      substance: string
      reaction: string | null
      severity: string | null
      /** The substance itself, another of its class, or one of a class that is alike. */
      match: 'same' | 'class' | 'related'
      drugClass: DrugClass | null
    })
  | (About & { kind: 'duplicate'; ingredient: string; other: string })
  | (About & {
      kind: 'interaction'
      ingredient: string
      otherIngredient: string
      other: string
      rule: Interaction['id']
      effect: Effect
    })
  /** The catalogue does not say what is in it: nothing could be checked. */
  | (About & { kind: 'unchecked' })
export type WarningKind = Warning['kind']
export const WARNING_KINDS = ['allergy', 'interaction', 'duplicate', 'unchecked'] as const satisfies WarningKind[]

/**
 * Everything that speaks against giving these medicines to somebody with these allergies who takes the others already;
 * the gravest kind first. An empty list says only that no rule was broken, not that there is no danger.
 */
export function warningsOf(
  drugs: readonly CheckedDrug[],
  taken: readonly CheckedDrug[],
  allergies: readonly KnownAllergy[],
): Warning[] {
  const warnings = drugs.flatMap((drug, at) => {
    if (drug.ingredients.length === 0) return [unchecked(drug)]
    // a pair of new medicines is looked at once, from the later one
    const others = [...taken, ...drugs.slice(0, at)]
    return [
      ...allergies.flatMap((allergy) => allergyWarning(drug, allergy) ?? []),
      ...others.flatMap((other) => pairWarnings(drug, other)),
    ]
  })
  const byKey = new Map(warnings.map((warning) => [warning.key, warning]))
  return [...byKey.values()].toSorted((a, b) => WARNING_KINDS.indexOf(a.kind) - WARNING_KINDS.indexOf(b.kind))
}

const unchecked = ({ drugId, name }: CheckedDrug): Warning => ({
  key: `unchecked:${drugId}`,
  kind: 'unchecked',
  drugId,
  drug: name,
})

function allergyWarning(drug: CheckedDrug, allergy: KnownAllergy): Warning | undefined {
  const matches = drug.ingredients.map(canonical).flatMap((ingredient) => {
    const match = matchOf(ingredient, allergy)
    return match ? [{ ingredient, ...match }] : []
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

function matchOf(ingredient: string, { substance, substance_kind, substance_code }: KnownAllergy): Match | undefined {
  if (substance_kind === 'none_known') return undefined
  if (substance_kind === 'drug_class') return matchOfClasses(ingredient, [substance_code as DrugClass])
  // what somebody typed in his own words may be a substance all the same
  const cause = canonical(substance_code ?? substance)
  if (cause === ingredient) return { match: 'same', drugClass: null }
  return matchOfClasses(ingredient, classesOf(cause))
}

function matchOfClasses(ingredient: string, causes: readonly DrugClass[]): Match | undefined {
  const same = causes.find((cause) => membersOf[cause].includes(ingredient))
  if (same) return { match: 'class', drugClass: same }
  const related = causes.find((cause) => classesOf(ingredient).some((its) => isRelated(its, cause)))
  return related && { match: 'related', drugClass: related }
}

function pairWarnings(drug: CheckedDrug, other: CheckedDrug): Warning[] {
  const pair = [drug.drugId, other.drugId].toSorted().join(':')
  const about = { drugId: drug.drugId, drug: drug.name, other: other.name }
  const [ours, theirs] = [drug.ingredients.map(canonical), other.ingredients.map(canonical)]
  const both = ours.filter((ingredient) => theirs.includes(ingredient))
  const duplicate: Warning[] =
    both.length > 0
      ? [{ key: `duplicate:${pair}`, kind: 'duplicate', ingredient: [...new Set(both)].join(', '), ...about }]
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
