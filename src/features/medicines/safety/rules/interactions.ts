import { parseIngredients } from './ingredients'
import table from '../tables/interactions.json'
import { isLocal } from './routes'
import type {
  Check,
  CheckedDrug,
  Level,
  RuleTable,
  RuleWarning,
  PublishedSource,
  RuleText,
} from './rule'
import { isolated } from '~/shared/isolated'

/**
 * Pairs of medicines: the 15 that the panel of the US Office of the National Coordinator accepted
 * (Phansalkar 2012), and those of primary care, each with its source in `interactions.json`.
 * Silence is no proof of safety.
 */
type Side = {
  name: RuleText
  members: readonly string[]
  routes?: readonly string[]
  /** A medicine that holds all of these as well, by one of these routes, does not count: a rehydration salt. */
  notWith?: { members: readonly string[]; routes: readonly string[] }
}
type Rule = {
  id: string
  groups: string[]
  level: string
  why: string
  todo: string
  /** Of several, the link leads to the first that has an address. */
  source: string | string[]
}

const groups: Readonly<Record<string, Side>> = table.groups
const sources: Readonly<Record<string, PublishedSource>> = table.sources
const reasons: Readonly<Record<string, RuleText>> = table.reasons
const actions: Readonly<Record<string, RuleText>> = table.actions

/** A side of a pair is a group, or one substance by its INN. */
const interactionSide = (name: string): Side =>
  groups[name] ?? { name: { en: name, ar: name, es: name }, members: [name] }

const joined = (one: RuleText, other: RuleText): RuleText => ({
  en: `${one.en} + ${other.en}`,
  ar: `${one.ar} + ${other.ar}`,
  es: `${one.es} + ${other.es}`,
})

const combineSources = (names: string | string[]): PublishedSource => {
  const named = [names].flat().map((name) => sources[name]!)
  const url = named.find((source) => source.url)?.url
  return { text: named.map(({ text }) => text).join('; '), ...(url && { url }) }
}

export const INTERACTIONS = (table.rules as Rule[]).map(
  ({ id, groups: [one, other], level, why, todo, source }) => {
    const sides = [interactionSide(one!), interactionSide(other!)] as const
    return {
      id,
      sides,
      level: level as Level,
      title: joined(sides[0].name, sides[1].name),
      why: reasons[why]!,
      todo: actions[todo]!,
      source: combineSources(source),
    }
  },
)

const tableRows = INTERACTIONS.map(({ id, title, level, sides, source }) => ({
  id,
  title,
  level,
  members: [...new Set(sides.flatMap(({ members }) => members))],
  source,
}))

/** On which sides of which rules a substance is, by the order of the rules: most rules are about others. */
const bySubstance = new Map<string, Map<number, [boolean, boolean]>>()
for (const [at, { sides }] of INTERACTIONS.entries())
  for (const member of tableRows[at]!.members) {
    const rules = bySubstance.get(member) ?? new Map<number, [boolean, boolean]>()
    bySubstance.set(member, rules)
    rules.set(at, [sides[0].members.includes(member), sides[1].members.includes(member)])
  }

const NO_RULES: ReadonlyMap<number, [boolean, boolean]> = new Map()
const rulesWith = (ingredient: string) => bySubstance.get(ingredient) ?? NO_RULES

export const interactionTable: RuleTable = {
  table: 'interaction',
  version: table.version,
  source: sources[table.source]!,
  needs: [],
  rows: tableRows,
  rowsAbout: ({ drug, ingredient }) =>
    [...rulesWith(ingredient)].flatMap(([at, isOn]) =>
      INTERACTIONS[at]!.sides.some((side, one) => isOn[one] && counts(side, drug))
        ? [tableRows[at]!]
        : [],
    ),
}

type Given = { drug: CheckedDrug; ingredient: string }

/**
 * Whether a medicine with a substance of a group counts. A group can be about some routes only (into a vein);
 * otherwise a medicine that stays where it is applied does not count.
 */
const counts = ({ routes, notWith }: Side, drug: CheckedDrug) =>
  (routes ? routes.includes(drug.route || 'unknown') : !isLocal(drug)) &&
  !(notWith && isMixedWith(notWith, drug))

function isMixedWith({ members, routes }: NonNullable<Side['notWith']>, drug: CheckedDrug) {
  const names = drug.ingredients.flatMap(parseIngredients).map(({ name }) => name)
  return routes.includes(drug.route || 'unknown') && members.every((name) => names.includes(name))
}

/** The rules that both are a pair of, whichever is on which side. */
function rulesForPair(a: Given, b: Given) {
  if (a.ingredient === b.ingredient) return []
  const others = rulesWith(b.ingredient)
  return [...rulesWith(a.ingredient)].flatMap(([at, ofA]) => {
    const ofB = others.get(at)
    if (!ofB) return []
    const rule = INTERACTIONS[at]!
    const [one, other] = rule.sides
    const isPair =
      (ofA[0] && ofB[1] && counts(one, a.drug) && counts(other, b.drug)) ||
      (ofA[1] && ofB[0] && counts(one, b.drug) && counts(other, a.drug))
    return isPair ? [rule] : []
  })
}

/** "Zocor (simvastatin)"; a generic name that says it already stays alone. */
const named = ({ drug, ingredient }: Given) =>
  isolated(
    drug.name.toLowerCase().includes(ingredient) ? drug.name : `${drug.name} (${ingredient})`,
  )

/** The same pair whichever of the two was prescribed first. */
export const pairKey = (a: CheckedDrug, b: CheckedDrug) => [a.drugId, b.drugId].toSorted().join(':')

/** Each new medicine with what is taken already and with the new ones before it: a pair is looked at once. */
export const pairDrugs = (drugs: readonly CheckedDrug[], taken: readonly CheckedDrug[]) =>
  drugs.flatMap((drug, at) => [
    ...taken.map((other) => ({ drug, other, isTaken: true })),
    ...drugs.slice(0, at).map((other) => ({ drug, other, isTaken: false })),
  ])

const givenBy = (drug: CheckedDrug): Given[] =>
  drug.ingredients.flatMap(parseIngredients).map(({ name }) => ({ drug, ingredient: name }))

export const checkInteractions: Check = ({ drugs, taken }) =>
  pairDrugs(drugs, taken).flatMap(({ drug, other }) =>
    givenBy(drug).flatMap((a) =>
      givenBy(other).flatMap((b) =>
        rulesForPair(a, b).map((rule) => interactionWarning(rule, a, b)),
      ),
    ),
  )

function interactionWarning(
  { id, level, why, todo, source }: (typeof INTERACTIONS)[number],
  a: Given,
  b: Given,
): RuleWarning {
  const names = `${named(a)} + ${named(b)}`
  const pair = pairKey(a.drug, b.drug)
  return {
    key: `interaction:${pair}:${id}:${level}`,
    kind: 'interaction',
    drugId: a.drug.drugId,
    drug: a.drug.name,
    pair,
    other: b.drug.name,
    rule: id,
    version: table.version,
    level,
    text: { en: `${names}: ${why.en}`, ar: `${names}: ${why.ar}`, es: `${names}: ${why.es}` },
    todo,
    source,
  }
}
