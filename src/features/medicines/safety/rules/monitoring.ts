import { inEach, inWords, sayIn } from '~/shared/in-words'
import monitoringJson from '../tables/monitoring.json'
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
import { ingredientNames } from './ingredients'

type Row = {
  id: string
  /** INN of the medicines. */
  members: readonly string[]
  level: Level
  /** Why, as the end of a sentence. */
  why: RuleText
  /** What to measure before the first dose; without it the source names nothing. */
  before?: RuleText
  /** What to measure later and when; without a test named: those of `before`. */
  again: RuleText
  source: PublishedSource
}

export const monitoring = monitoringJson as {
  version: string
  source: PublishedSource
  rows: readonly Row[]
}

/**
 * Reminds when a treatment starts, and not at each renewal: what is recorded as taken, what a refill continues and what
 * the patient takes now, in any strength, is no start. A medicine that ended and still acts is.
 */
export const checkMonitoring: Check = ({ drugs, taken }) => {
  const known = new Set(
    taken.filter(({ standing }) => standing !== 'ended').flatMap(ingredientNames),
  )
  return drugs
    .filter((drug) => drug.standing !== 'recorded' && !drug.isContinued && !isLocal(drug))
    .flatMap((drug) => {
      const started = ingredientNames(drug).filter((name) => !known.has(name))
      return monitoring.rows
        .filter(({ members }) => members.some((name) => started.includes(name)))
        .map((row) => monitoringWarning(drug, row))
    })
}

const monitoringWarning = (drug: CheckedDrug, row: Row): RuleWarning => ({
  key: `monitoring:${drug.drugId}:${row.id}`,
  kind: 'monitoring',
  drugId: drug.drugId,
  drug: drug.name,
  rule: row.id,
  version: monitoring.version,
  level: row.level,
  text: inWords('safety.sentence.needsMonitoring', { drug: drug.name, why: row.why }),
  todo: row.before
    ? inWords('safety.sentence.monitorBeforeAndLater', { before: row.before, again: row.again })
    : inWords('safety.sentence.monitorLater', { again: row.again }),
  source: row.source,
})

export const monitoringTable: RuleTable = {
  table: 'monitoring',
  version: monitoring.version,
  source: monitoring.source,
  needs: [],
  rows: monitoring.rows.map(({ id, members, level, why, source }) => ({
    id,
    title: inEach((language) => {
      const names = members.slice(0, 3).join(sayIn(language)('safety.answer.comma'))
      return `${names}${members.length > 3 ? '…' : ''} · ${why[language]}`
    }),
    level,
    members,
    source,
  })),
}
