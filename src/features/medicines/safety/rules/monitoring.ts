import type { Language } from '~/shared/language'
import { ingredientsOf } from './ingredients'
import monitoringJson from '../tables/monitoring.json'
import { isLocal } from './routes'
import type { Check, CheckedDrug, Level, RuleTable, RuleWarning, Source, Words } from './rule'

type Row = {
  id: string
  /** INN of the medicines. */
  members: readonly string[]
  level: Level
  /** Why, as the end of a sentence. */
  why: Words
  /** What to measure before the first dose; without it the source names nothing. */
  before?: Words
  /** What to measure later and when; without a test named: those of `before`. */
  again: Words
  source: Source
}

export const monitoring = monitoringJson as {
  version: string
  source: Source
  rows: readonly Row[]
}

const LANGUAGES = ['en', 'ar', 'es'] as const satisfies readonly Language[]
const inEach = (say: (language: Language) => string) =>
  Object.fromEntries(LANGUAGES.map((language) => [language, say(language)])) as Words

const NEEDS: Words = { en: 'needs monitoring', ar: 'يحتاج إلى متابعة', es: 'requiere seguimiento' }
const BEFORE: Words = { en: 'Before the start', ar: 'قبل البدء', es: 'Antes de empezar' }
const AGAIN: Words = { en: 'During treatment', ar: 'أثناء العلاج', es: 'Durante el tratamiento' }

const namesIn = ({ ingredients }: CheckedDrug) =>
  ingredients.flatMap(ingredientsOf).map(({ name }) => name)

/**
 * Reminds when a treatment starts, and not at each renewal: what is recorded as taken, what a refill continues and what
 * the patient takes now, in any strength, is no start. A medicine that ended and still acts is.
 */
export const checkMonitoring: Check = ({ drugs, taken }) => {
  const known = new Set(taken.filter(({ standing }) => standing !== 'ended').flatMap(namesIn))
  return drugs
    .filter((drug) => drug.standing !== 'recorded' && !drug.isContinued && !isLocal(drug))
    .flatMap((drug) => {
      const started = namesIn(drug).filter((name) => !known.has(name))
      return monitoring.rows
        .filter(({ members }) => members.some((name) => started.includes(name)))
        .map((row) => warningOf(drug, row))
    })
}

const warningOf = (drug: CheckedDrug, row: Row): RuleWarning => ({
  key: `monitoring:${drug.drugId}:${row.id}`,
  kind: 'monitoring',
  drugId: drug.drugId,
  drug: drug.name,
  rule: row.id,
  version: monitoring.version,
  level: row.level,
  text: inEach((language) =>
    // a sentence that begins with a Latin name would be laid out from left to right
    language === 'ar'
      ? `الدواء ${drug.name}: ${NEEDS.ar}؛ ${row.why.ar}.`
      : `${drug.name} ${NEEDS[language]}: ${row.why[language]}.`,
  ),
  todo: inEach((language) => {
    const again = `${AGAIN[language]}: ${row.again[language]}.`
    return row.before ? `${BEFORE[language]}: ${row.before[language]}. ${again}` : again
  }),
  source: row.source,
})

export const monitoringTable: RuleTable = {
  table: 'monitoring',
  version: monitoring.version,
  source: monitoring.source,
  needs: [],
  rows: monitoring.rows.map(({ id, members, level, why, source }) => ({
    id,
    title: inEach(
      (language) =>
        `${members.slice(0, 3).join(', ')}${members.length > 3 ? '…' : ''} · ${why[language]}`,
    ),
    level,
    members,
    source,
  })),
}
