import { CHECKS } from './rules/checks'
import { crossReactionOf } from './rules/cross-reactions'
import { classesOf, type DrugClass, membersOf } from './rules/drug-classes'
import { canonical, ingredientsOf } from './rules/ingredients'
import {
  type CheckedDrug,
  LEVELS,
  type PatientFacts,
  type RuleWarning,
  type TableName,
} from './rules/rule'
import { isDrugClass, type Resolved, resolveAllergy } from './rules/substances'
import { inOrder, type Warning } from './rules/warning'

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

/** Rules that the administrator of this installation switched off, as `table:rule`. */
export type RulesOff = ReadonlySet<string>
const NONE: RulesOff = new Set()
export const ruleName = (table: TableName, rule: string) => `${table}:${rule}`

/**
 * Everything that speaks against giving these medicines to a patient with these allergies who takes the others already;
 * the gravest first. An empty list says only that no rule was broken, not that there is no danger.
 */
export function warningsOf(
  drugs: readonly CheckedDrug[],
  taken: readonly CheckedDrug[],
  allergies: readonly KnownAllergy[],
  patient?: PatientFacts,
  off: RulesOff = NONE,
): Warning[] {
  const meant = allergies
    .filter(({ substance_kind }) => substance_kind !== 'none_known')
    .map((allergy) => ({ allergy, causes: causesOf(allergy) }))
  const warnings = drugs.flatMap((drug) => {
    if (drug.ingredients.length === 0) return [unchecked(drug)]
    return [
      ...meant.flatMap(({ allergy, causes }) => allergyWarning(drug, allergy, causes, off) ?? []),
      ...uncheckedIngredients(drug),
    ]
  })
  const [first] = drugs
  const marks = first
    ? meant.flatMap((one) => uncheckedAllergy(first, one.allergy, one.causes) ?? [])
    : []
  const ofRules = CHECKS.flatMap((check) => check({ drugs, taken, patient })).filter(
    ({ kind, rule }) => !off.has(ruleName(kind, rule)),
  )
  const byKey = new Map(
    [...warnings, ...gravestOfPairs(ofRules), ...marks].map((warning) => [warning.key, warning]),
  )
  return inOrder([...byKey.values()])
}

/**
 * Two warnings about one pair tell the reader the same twice: the graver stays, of two alike the
 * more specific, later one.
 */
function gravestOfPairs(warnings: readonly RuleWarning[]): RuleWarning[] {
  const gravest = new Map<string, RuleWarning>()
  for (const warning of warnings) {
    const pair = warning.pair ?? warning.key
    const best = gravest.get(pair)
    const isGraver = !best || LEVELS.indexOf(warning.level) < LEVELS.indexOf(best.level)
    const isAlike = best?.kind === warning.kind && best.level === warning.level
    if (isGraver || isAlike) gravest.set(pair, warning)
  }
  return [...gravest.values()]
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
    .map(
      ({ name }) =>
        ({
          ...unchecked(drug),
          key: `unchecked:${drug.drugId}:${name}`,
          ingredient: name,
        }) as Warning,
    )

/** A recorded code is what the rules compare; words of one's own are resolved at each check, in every language. */
function causesOf({
  substance,
  substance_kind,
  substance_code,
  brandIngredients,
}: KnownAllergy): Resolved {
  if (substance_kind === 'drug_class' && isDrugClass(substance_code ?? ''))
    return { classes: [substance_code as DrugClass], ingredients: [], unknown: [] }
  const code = substance_kind === 'ingredient' ? substance_code : null
  const resolved = resolveAllergy(code ?? substance)
  if (resolved.classes.length + resolved.ingredients.length > 0 || !brandIngredients?.length)
    return resolved
  const found = brandIngredients.flatMap(ingredientsOf)
  return {
    classes: [],
    ingredients: found.map(({ name }) => name),
    unknown: found.flatMap(({ name, isKnown }) => (isKnown ? [] : [name])),
  }
}

function uncheckedAllergy(
  first: CheckedDrug,
  allergy: KnownAllergy,
  { unknown }: Resolved,
): Warning | undefined {
  if (unknown.length === 0) return undefined
  const mark = unchecked(first)
  return {
    ...mark,
    key: `unchecked:allergy:${allergy.id}`,
    kind: 'unchecked',
    allergy: allergy.substance,
  }
}

function allergyWarning(
  drug: CheckedDrug,
  allergy: KnownAllergy,
  causes: Resolved,
  off: RulesOff,
): Warning | undefined {
  const matches = drug.ingredients.flatMap(ingredientsOf).flatMap(({ name }) => {
    const match = matchOf(name, causes, allergy.severity, off)
    return match ? [{ ingredient: name, ...match }] : []
  })
  const best = matches.toSorted((a, b) => STRENGTH.indexOf(a.match) - STRENGTH.indexOf(b.match))[0]
  return (
    best && {
      // a reaction that turns out graver is another warning: an old reason does not answer for it
      key: [
        'allergy',
        drug.drugId,
        allergy.id,
        best.match,
        allergy.severity ?? '-',
        folded(allergy.reaction),
      ].join(':'),
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

const folded = (reaction: string | null) =>
  (reaction ?? '-').trim().toLowerCase().replaceAll(/\s+/g, ' ').slice(0, 80)

const STRENGTH = ['same', 'class', 'related'] as const
type Match = Pick<
  Extract<Warning, { kind: 'allergy' }>,
  'match' | 'drugClass' | 'level' | 'why' | 'rule' | 'source'
>

function matchOf(
  ingredient: string,
  causes: Resolved,
  severity: string | null,
  off: RulesOff,
): Match | undefined {
  const { classes, ingredients, unknown } = causes
  // a name that the rules do not know is still compared with names that they do not know either
  if ([...ingredients, ...unknown.map(canonical)].includes(ingredient))
    return { match: 'same', drugClass: null, level: 'must_not' }
  const all = [...classes, ...ingredients.flatMap(classesOf)]
  const same = all.find((cause) => membersOf[cause].includes(ingredient))
  if (same) return { match: 'class', drugClass: same, level: 'must_not' }
  const crossed = crossReactionOf(
    ingredient,
    causes,
    (rule) => !off.has(ruleName('cross_reaction', rule)),
  )
  if (!crossed) return undefined
  const { level, why, id, source, from } = crossed
  const isSevere = severity === 'severe' && level === 'caution'
  const drugClass =
    all.find((cause) => membersOf[cause].some((member) => from.includes(member))) ?? null
  return { match: 'related', drugClass, level: isSevere ? 'avoid' : level, why, rule: id, source }
}
