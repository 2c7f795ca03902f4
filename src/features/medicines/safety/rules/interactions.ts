import { ingredientsOf } from './ingredients'
import table from '../tables/interactions.json'
import { isLocal } from './routes'
import type { Check, CheckedDrug, Level, RuleTable, RuleWarning, Source, Words } from './rule'
import { isolated } from '~/shared/isolated'

/**
 * Pairs of medicines: the 15 that the panel of the US Office of the National Coordinator accepted
 * (Phansalkar 2012), and those of primary care, each with its source in `interactions.json`.
 * Silence is no proof of safety.
 */
type Side = {
  name: Words
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
const sources: Readonly<Record<string, Source>> = table.sources
const reasons: Readonly<Record<string, Words>> = table.reasons
const actions: Readonly<Record<string, Words>> = table.actions

/** A side of a pair is a group, or one substance by its INN. */
const sideOf = (name: string): Side =>
  groups[name] ?? { name: { en: name, ar: name, es: name }, members: [name] }

const joined = (one: Words, other: Words): Words => ({
  en: `${one.en} + ${other.en}`,
  ar: `${one.ar} + ${other.ar}`,
  es: `${one.es} + ${other.es}`,
})

const sourceOf = (names: string | string[]): Source => {
  const named = [names].flat().map((name) => sources[name]!)
  const url = named.find((source) => source.url)?.url
  return { text: named.map(({ text }) => text).join('; '), ...(url && { url }) }
}

export const INTERACTIONS = (table.rules as Rule[]).map(
  ({ id, groups: [one, other], level, why, todo, source }) => {
    const sides = [sideOf(one!), sideOf(other!)] as const
    return {
      id,
      sides,
      level: level as Level,
      title: joined(sides[0].name, sides[1].name),
      why: reasons[why]!,
      todo: actions[todo]!,
      source: sourceOf(source),
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

/** The rules that have a substance on a side, in their order: most rules are about others. */
const bySubstance = Map.groupBy(
  tableRows.flatMap(({ members }, at) => members.map((member) => ({ member, at }))),
  ({ member }) => member,
)
const rulesWith = (ingredient: string) => (bySubstance.get(ingredient) ?? []).map(({ at }) => at)

export const interactionTable: RuleTable = {
  table: 'interaction',
  version: table.version,
  source: sources[table.source]!,
  needs: [],
  rows: tableRows,
  rowsAbout: ({ drug, ingredient }) =>
    rulesWith(ingredient).flatMap((at) =>
      INTERACTIONS[at]!.sides.some((side) => isIn(side, { drug, ingredient }))
        ? [tableRows[at]!]
        : [],
    ),
}

type Given = { drug: CheckedDrug; ingredient: string }

/**
 * A group can be about some routes only (into a vein); otherwise a medicine that stays where it is
 * applied does not count.
 */
const isIn = ({ members, routes, notWith }: Side, { drug, ingredient }: Given) =>
  members.includes(ingredient) &&
  (routes ? routes.includes(drug.route || 'unknown') : !isLocal(drug)) &&
  !(notWith && isMixedWith(notWith, drug))

function isMixedWith({ members, routes }: NonNullable<Side['notWith']>, drug: CheckedDrug) {
  const names = drug.ingredients.flatMap(ingredientsOf).map(({ name }) => name)
  return routes.includes(drug.route || 'unknown') && members.every((name) => names.includes(name))
}

const isPair = ([one, other]: readonly [Side, Side], a: Given, b: Given) =>
  a.ingredient !== b.ingredient &&
  ((isIn(one, a) && isIn(other, b)) || (isIn(one, b) && isIn(other, a)))

/** "Zocor (simvastatin)"; a generic name that says it already stays alone. */
const named = ({ drug, ingredient }: Given) =>
  isolated(
    drug.name.toLowerCase().includes(ingredient) ? drug.name : `${drug.name} (${ingredient})`,
  )

/** The same pair whichever of the two was prescribed first. */
export const pairOf = (a: CheckedDrug, b: CheckedDrug) => [a.drugId, b.drugId].toSorted().join(':')

/** Each new medicine with what is taken already and with the new ones before it: a pair is looked at once. */
export const pairsOf = (drugs: readonly CheckedDrug[], taken: readonly CheckedDrug[]) =>
  drugs.flatMap((drug, at) => [
    ...taken.map((other) => ({ drug, other, isTaken: true })),
    ...drugs.slice(0, at).map((other) => ({ drug, other, isTaken: false })),
  ])

const givenBy = (drug: CheckedDrug): Given[] =>
  drug.ingredients.flatMap(ingredientsOf).map(({ name }) => ({ drug, ingredient: name }))

export const checkInteractions: Check = ({ drugs, taken }) =>
  pairsOf(drugs, taken).flatMap(({ drug, other }) =>
    givenBy(drug).flatMap((a) =>
      givenBy(other).flatMap((b) =>
        rulesWith(a.ingredient)
          .map((at) => INTERACTIONS[at]!)
          .filter(({ sides }) => isPair(sides, a, b))
          .map((rule) => warningOf(rule, a, b)),
      ),
    ),
  )

function warningOf(
  { id, level, why, todo, source }: (typeof INTERACTIONS)[number],
  a: Given,
  b: Given,
): RuleWarning {
  const names = `${named(a)} + ${named(b)}`
  const pair = pairOf(a.drug, b.drug)
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
