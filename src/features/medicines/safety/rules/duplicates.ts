import table from '../tables/duplicates.json'
import { pairKey, pairDrugs } from './interactions'
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
import { ingredientNames } from './ingredients'

/** Two medicines with one substance, or two of a class of which one is enough. */
type Row = {
  id: string
  level: Level
  title: RuleText
  why: RuleText
  todo: RuleText
  members: readonly string[]
  source: PublishedSource
}

const sources: Readonly<Record<string, PublishedSource>> = table.sources
const actions: Readonly<Record<string, RuleText>> = table.actions

/** Rows about one substance in two medicines: given twice, on the skin as well, or while the last supply lasts. */
const ofSame = (id: keyof typeof table.same): Row => {
  const { level, title, why, todo } = table.same[id]
  return {
    id,
    level: level as Level,
    title,
    why,
    todo: actions[todo]!,
    members: [],
    source: sources[table.source]!,
  }
}
const SAME = ofSame('same')
const LOCAL = ofSame('local')
const RENEWAL = ofSame('renewal')
const STEPS = ofSame('steps')
const RECORDED = ofSame('recorded')

const CLASSES: readonly Row[] = table.classes.map(({ id, name, level, todo, members, source }) => ({
  id,
  level: level as Level,
  title: name,
  why: { en: `${name.en}.`, ar: `${name.ar}.`, es: `${name.es}.` },
  todo: actions[todo]!,
  members,
  source: sources[source]!,
}))
const CORTICOSTEROIDS = CLASSES.find(({ id }) => id === 'corticosteroids')!.members

const tableRows = [SAME, LOCAL, RENEWAL, STEPS, RECORDED, ...CLASSES].map(
  ({ id, title, level, members, source }) => ({ id, title, level, members, source }),
)

export const duplicateTable: RuleTable = {
  table: 'duplicate',
  version: table.version,
  source: sources[table.source]!,
  needs: [],
  rows: tableRows,
  // the same substance twice needs no list
  rowsAbout: ({ ingredient }) =>
    tableRows.filter(({ id, members }) => id === SAME.id || members.includes(ingredient)),
}

/** A basal and a rapid insulin belong together. */
const isInsulin = (name: string) => name.startsWith('insulin')

/** Of a rehydration salt these are little: beside a drip or a tablet of one of them they are no second dose. */
const SALTS = ['glucose', 'sodium chloride', 'potassium chloride']

const isRehydrationSalt = ({ route }: CheckedDrug, names: readonly string[]) =>
  (!route || route === 'oral') && SALTS.every((salt) => names.includes(salt))

/** From this share of the last supply on, prescribing the same medicine again is a renewal. */
const NEARLY_USED_UP = 0.75

export const checkDuplicates: Check = ({ drugs, taken }) =>
  pairDrugs(drugs, taken).flatMap(({ drug, other, isTaken }) => {
    const row = findDuplicateRow(drug, other, isTaken)
    return row ? [duplicateWarning(row.row, row.shared, drug, other)] : []
  })

function findDuplicateRow(
  drug: CheckedDrug,
  other: CheckedDrug,
  isTaken: boolean,
): { row: Row; shared: string[] } | undefined {
  if (other.standing === 'ended') return undefined
  if (isTaken && drug.drugId === other.drugId)
    return (other.supplyUsed ?? 0) >= NEARLY_USED_UP ? undefined : { row: RENEWAL, shared: [] }
  const [ours, theirs] = [ingredientNames(drug), ingredientNames(other)]
  const isSaltApart = isRehydrationSalt(drug, ours) !== isRehydrationSalt(other, theirs)
  const isNone = (name: string) => isInsulin(name) || (isSaltApart && SALTS.includes(name))
  const shared = [...new Set(ours.filter((name) => theirs.includes(name) && !isNone(name)))]
  if (shared.length > 0) {
    if (isLocal(drug) || isLocal(other)) return { row: LOCAL, shared }
    if ([drug, other].some(({ standing }) => standing === 'recorded'))
      return { row: RECORDED, shared }
    // a dose that goes down step by step is written as several strengths
    if (shared.every((name) => CORTICOSTEROIDS.includes(name)) && drug.drugId !== other.drugId)
      return isTaken ? { row: STEPS, shared } : undefined
    return { row: SAME, shared }
  }
  if (isLocal(drug) || isLocal(other)) return undefined
  const row = CLASSES.find(({ members }) =>
    [ours, theirs].every((names) => names.some((name) => members.includes(name))),
  )
  return row && { row, shared: [] }
}

function duplicateWarning(
  row: Row,
  shared: string[],
  drug: CheckedDrug,
  other: CheckedDrug,
): RuleWarning {
  const names = [drug, other].map(({ name }) => isolated(name)).join(' + ')
  const said = (why: string) =>
    `${names}: ${why.replace('{ingredient}', isolated(shared.join(', ')))}`
  const pair = pairKey(drug, other)
  return {
    key: `duplicate:${pair}:${row.id}:${row.level}`,
    kind: 'duplicate',
    drugId: drug.drugId,
    drug: drug.name,
    pair,
    other: other.name,
    rule: row.id,
    version: table.version,
    level: row.level,
    text: { en: said(row.why.en), ar: said(row.why.ar), es: said(row.why.es) },
    todo: row.todo,
    source: row.source,
  }
}
