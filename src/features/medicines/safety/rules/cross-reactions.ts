import table from '../tables/cross-reactions.json'
import { drugClasses, type DrugClass, membersOf } from './drug-classes'
import { LEVELS, type Level, type RuleTable, type PublishedSource, type RuleText } from './rule'

/**
 * What an allergy to one medicine says about another of a different class. Sulfonamide antibiotics are not listed with
 * other sulfonamides (furosemide, celecoxib): Strom et al., N Engl J Med 2003;349:1628-1635, found no cross-reactivity.
 */
type CrossReaction = {
  id: string
  level: Level
  title: RuleText
  why: RuleText
  source: PublishedSource
  /** An allergy to one of `from` speaks against `to`. */
  from: readonly string[]
  to: readonly string[]
}

const sources: Readonly<Record<string, PublishedSource>> = table.sources
const membersOfAll = (groups: readonly string[]) =>
  groups.flatMap((group) => membersOf[group as DrugClass])

/** A rule between two classes, between substances that share a side chain, or from a class to a substance. */
const CROSS_REACTIONS: readonly CrossReaction[] = table.rules.map(
  ({ id, level, title, why, source, groups = [], members = [] }) => {
    const all = [...membersOfAll(groups), ...members]
    const isOneWay = groups.length === 1
    return {
      id,
      level: level as Level,
      title,
      why,
      source: sources[source]!,
      from: isOneWay ? membersOfAll(groups) : all,
      to: isOneWay ? members : all,
    }
  },
)

export const crossReactionTable: RuleTable = {
  table: 'cross_reaction',
  version: table.version,
  source: sources[table.source]!,
  needs: [],
  rows: CROSS_REACTIONS.map(({ id, title, level, from, to, source }) => ({
    id,
    title,
    level,
    members: [...new Set([...from, ...to])],
    source,
  })),
}

type Causes = { classes: readonly DrugClass[]; ingredients: readonly string[] }

/**
 * The gravest rule by which an allergy speaks against a substance. A class that was written down
 * stands for any member.
 */
export const findCrossReaction = (
  ingredient: string,
  { classes, ingredients }: Causes,
  isOn: (rule: string) => boolean,
): CrossReaction | undefined =>
  CROSS_REACTIONS.filter(
    ({ id, from, to }) =>
      isOn(id) &&
      to.includes(ingredient) &&
      (ingredients.some((cause) => from.includes(cause)) ||
        // a whole class says nothing of the side chain of one member
        classes.some((name) => membersOf[name].every((member) => from.includes(member)))) &&
      !drugClasses(ingredient).some((its) => classes.includes(its)),
  ).toSorted((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level))[0]
