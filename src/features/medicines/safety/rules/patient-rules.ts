import { type Birth, birthSpan } from '~/fields/birth'
import { isPregnancyRelevant } from '~/features/care/pregnancies/pregnancy'
import { daysBetween, monthsBetween } from '~/shared/zone'
import agesJson from '../tables/ages.json'
import conditionsJson from '../tables/conditions.json'
import { canonicalIngredient, ingredientNames } from './ingredients'
import { inEach, inWords } from '~/shared/in-words'
import { worstKidneyStage } from './problem-codes'
import kidneysJson from '../tables/kidneys.json'
import pregnancyJson from '../tables/pregnancy.json'
import usable from '../tables/usable.json'
import type {
  Check,
  CheckedDrug,
  Fact,
  Level,
  CheckedPatient,
  RuleKind,
  RuleTable,
  RuleWarning,
  PublishedSource,
  RuleText,
} from './rule'

type Row = {
  id: string
  /** INN of the medicines. */
  members: readonly string[]
  level: Level
  /** Why, as the end of a sentence. */
  why: RuleText
  todo: RuleText
  source: PublishedSource
  /** The routes that the row is about; without it all that reach the blood. */
  routes?: readonly string[]
  /** Says nothing of a dose that is known to be this at most, in units: every day, or once or at most once a week. */
  harmless?: { day: number; week: number; unitsPerMg: number }
}
/** Below this age, in months or days, or below this weight. */
type AgeRow = Row & {
  limit: RuleText
  underMonths?: number
  underDays?: number
  underKg?: number
}
/** `fromWeek` is the first completed week that counts, `beforeWeek` the first that does not. */
type PregnancyRow = Row & {
  when: 'pregnant' | 'breastfeeding' | 'can_conceive'
  fromWeek?: number
  beforeWeek?: number
  /** Says nothing where the duration is not known: another row does. */
  needsWeeks?: boolean
}
type KidneyRow = Row & { from?: number; under: number }
/** The beginnings of ICD-10 codes, and what the reader calls them. */
type ConditionRow = Row & { codes: readonly string[]; problem: RuleText }
type Table<R> = { version: string; date: string; source: PublishedSource; rows: readonly R[] }

export const ages = agesJson as Table<AgeRow>
export const pregnancy = pregnancyJson as Table<PregnancyRow>
export const kidneys = kidneysJson as Table<KidneyRow>
export const conditionRules = conditionsJson as Table<ConditionRow>

/** What is put on the skin, into an eye, an ear or the nose hardly reaches the blood. */
const LOCAL = new Set(['topical', 'ophthalmic', 'otic', 'nasal'])
const isByRoute = ({ routes }: Row, { route }: CheckedDrug) =>
  !route || (routes ? routes.includes(route) : !LOCAL.has(route))
const concerns = (row: Row, drug: CheckedDrug, names = ingredientNames(drug)) =>
  isByRoute(row, drug) && names.some((name) => row.members.includes(name)) && !isHarmless(row, drug)

function isHarmless({ harmless, members }: Row, { dosing }: CheckedDrug) {
  const given = dosing?.perDose.filter(({ ingredient }) =>
    members.includes(canonicalIngredient(ingredient)),
  )
  if (!harmless || !dosing || !given?.length) return false
  const { day, week, unitsPerMg } = harmless
  const most = dosing.everyDays === null || dosing.everyDays >= 7 ? week : day
  return given.every(
    ({ quantity, unit }) =>
      quantity * (unit === 'mg' ? unitsPerMg : 1) * dosing.dosesPerDay <= most,
  )
}

/** In the key of a row that goes by the dose: more of it is another warning. */
const doseKeyPart = ({ harmless }: Row, { dosing }: CheckedDrug) =>
  harmless && dosing
    ? `:${dosing.perDose.map(({ quantity, unit }) => `${quantity} ${unit}`).join('+')}` +
      ` ${dosing.dosesPerDay}/${dosing.everyDays}`
    : ''

/** When a row holds, in the middle of a sentence: "in pregnancy", "with an eGFR of 25". */
const CONTEXTS = {
  age: (limit: RuleText) => inWords('safety.sentence.belowAge', { limit }),
  weight: (kg: number) => inWords('safety.sentence.belowKg', { kg }),
  pregnant: inWords('safety.sentence.pregnant'),
  breastfeeding: inWords('safety.sentence.breastfeeding'),
  can_conceive: inWords('safety.sentence.canConceive'),
  kidney: (egfr: number) => inWords('safety.sentence.egfr', { egfr }),
  kidneyStage: (stage: string, under: number) =>
    inWords('safety.sentence.kidneyStage', { stage, under }),
  kidneyBelow: (egfr: number) => inWords('safety.sentence.egfrBelow', { egfr }),
  condition: (problem: RuleText) => inWords('safety.sentence.withProblem', { problem }),
}

const DOUBTS = {
  age: inWords('safety.sentence.ageUncertain'),
  weeks: inWords('safety.sentence.weeksUnknown'),
}

type Found = { context: RuleText; doubt?: 'age' | 'weeks' }

function patientWarning<R extends Row>(
  table: Table<R>,
  kind: RuleKind,
  drug: CheckedDrug,
  row: R,
  found: Found,
): RuleWarning {
  const { context, doubt } = found
  const text = inWords(`safety.sentence.${row.level}`, { drug: drug.name, context, why: row.why })
  return {
    key: `${kind}:${drug.drugId}:${row.id}${doubt ? ':uncertain' : ''}${doseKeyPart(row, drug)}`,
    kind,
    drugId: drug.drugId,
    drug: drug.name,
    rule: row.id,
    version: table.version,
    level: row.level,
    text: doubt ? inEach((language) => `${text[language]} ${DOUBTS[doubt][language]}`) : text,
    todo: row.todo,
    source: row.source,
  }
}

/**
 * The check of a table: each medicine against each row, where the row finds something in what is
 * known of the patient.
 */
const createTableCheck =
  <R extends Row>(
    kind: RuleKind,
    table: Table<R>,
    find: (row: R, patient: CheckedPatient) => Found | undefined,
  ): Check =>
  ({ drugs, patient }) =>
    patient === undefined
      ? []
      : drugs.flatMap((drug) => {
          const names = ingredientNames(drug)
          return table.rows.flatMap((row) => {
            const found = concerns(row, drug, names) ? find(row, patient) : undefined
            return found ? [patientWarning(table, kind, drug, row, found)] : []
          })
        })

/** Whether the patient is surely below the limit, or may be; undefined when surely not, or when the age is unknown. */
function isBelow({ underMonths, underDays }: AgeRow, birth: Birth | null, today: string) {
  if (!birth) return undefined
  const under = (born: string) => {
    if (underDays !== undefined) return daysBetween(born, today) < underDays
    return underMonths !== undefined && monthsBetween(born, today) < underMonths
  }
  const [earliest, latest] = birthSpan(birth)
  if (under(earliest)) return 'surely'
  return under(latest) ? 'maybe' : undefined
}

export const checkAge = createTableCheck('age', ages, (row, { birth, today, weight }) => {
  const below = isBelow(row, birth, today)
  if (below)
    return { context: CONTEXTS.age(row.limit), ...(below === 'maybe' && { doubt: 'age' as const }) }
  const { underKg } = row
  return underKg && weight && weight.kg < underKg
    ? { context: CONTEXTS.weight(underKg) }
    : undefined
})

const isInWeeks = ({ fromWeek = 0, beforeWeek = Infinity }: PregnancyRow, weeks: number) =>
  weeks >= fromWeek && weeks < beforeWeek

const checkRows = createTableCheck('pregnancy', pregnancy, (row, patient) => {
  const { when } = row
  const { state, weeks, isPossible } = patient.pregnancy
  if (when === 'breastfeeding') return state === when ? { context: CONTEXTS[when] } : undefined
  if (when === 'can_conceive') {
    const mayConceive =
      patient.sex === 'female' &&
      patient.birth &&
      isPregnancyRelevant('female', patient.birth, patient.today)
    return mayConceive && state !== 'pregnant' && isPossible !== false
      ? { context: CONTEXTS[when] }
      : undefined
  }
  if (state !== 'pregnant') return undefined
  if (row.fromWeek === undefined && row.beforeWeek === undefined)
    return { context: CONTEXTS.pregnant }
  if (weeks === null)
    return row.needsWeeks ? undefined : { context: CONTEXTS.pregnant, doubt: 'weeks' }
  return isInWeeks(row, weeks) ? { context: CONTEXTS.pregnant } : undefined
})

const NOT_KNOWN = 'not_known'

/** Where pregnancy is not known, it is said once for all medicines that a row about pregnancy speaks of. */
const checkUnknown: Check = ({ drugs, patient }) => {
  if (patient?.pregnancy.state !== NOT_KNOWN) return []
  const harmful = drugs.filter((drug) => {
    const names = ingredientNames(drug)
    return pregnancy.rows.some((row) => row.when === 'pregnant' && concerns(row, drug, names))
  })
  const [first] = harmful
  if (!first) return []
  const names = [...new Set(harmful.map(({ name }) => name))].join(', ')
  return [
    {
      key: `pregnancy:${harmful.map(({ drugId }) => drugId).join('+')}:${NOT_KNOWN}`,
      kind: 'pregnancy',
      drugId: first.drugId,
      drug: first.name,
      rule: NOT_KNOWN,
      version: pregnancy.version,
      level: 'caution',
      text: inWords('safety.sentence.pregnancyUnknown', { names }),
      todo: inWords('safety.sentence.pregnancyUnknownTodo'),
      source: pregnancy.source,
    },
  ]
}
export const checkPregnancy: Check = (checked) => [...checkRows(checked), ...checkUnknown(checked)]

/** The measured eGFR and a recorded stage of kidney disease: the worse of the two counts. */
export const checkKidneys = createTableCheck(
  'kidney',
  kidneys,
  (row, { kidneys: known, problems }) => {
    const stage = worstKidneyStage(problems)
    if (stage && (!known || stage.most < known.egfr))
      return isWithin(row, stage.most)
        ? { context: CONTEXTS.kidneyStage(stage.name, stage.most + 1) }
        : undefined
    return known && isWithin(row, known.egfr) ? { context: CONTEXTS.kidney(known.egfr) } : undefined
  },
)

const isWithin = ({ under, from = 0 }: KidneyRow, egfr: number) => egfr < under && egfr >= from

export const checkConditions = createTableCheck(
  'condition',
  conditionRules,
  ({ codes, problem }, { problems }) =>
    problems.some((code) => codes.some((start) => code.startsWith(start)))
      ? { context: CONTEXTS.condition(problem) }
      : undefined,
)

const rowTitle = (row: Row, context: RuleText): RuleText =>
  inEach(
    (language) =>
      `${row.members.slice(0, 3).join(', ')}${row.members.length > 3 ? '…' : ''} · ${context[language]}`,
  )

type TableOf<R extends Row> = {
  needs: readonly Fact[]
  contextOf: (row: R) => RuleText
  /** Whether a row can say anything about a patient in this state. */
  isFor?: (row: R, patient: CheckedPatient) => boolean
}

function asTable<R extends Row>(
  kind: RuleKind,
  table: Table<R>,
  { needs, contextOf, isFor = () => true }: TableOf<R>,
): RuleTable {
  const rows = table.rows.map((row) => ({
    id: row.id,
    title: rowTitle(row, contextOf(row)),
    level: row.level,
    members: row.members,
    source: row.source,
    ...('underKg' in row && { needs: ['weight'] as const }),
  }))
  return {
    table: kind,
    version: table.version,
    source: table.source,
    needs,
    rows,
    rowsAbout: ({ drug, ingredient, patient }) =>
      rows.filter((_, at) => {
        const row = table.rows[at]!
        return (
          row.members.includes(ingredient) &&
          isByRoute(row, drug) &&
          (!patient || isFor(row, patient))
        )
      }),
  }
}

type UsableRow = {
  id: string
  when: 'pregnant' | 'breastfeeding'
  members: readonly string[]
  routes?: readonly string[]
  source: PublishedSource
}

const unknownRow: RuleTable['rows'][number] = {
  id: NOT_KNOWN,
  title: inWords('safety.sentence.pregnancyUnknownTitle'),
  level: 'caution',
  members: [],
}
/** A row about breastfeeding says nothing about a pregnancy, nor the other way round. */
const isForState = ({ when }: PregnancyRow, { pregnancy: { state } }: CheckedPatient) => {
  if (state === 'pregnant' || state === 'breastfeeding') return when === state
  return state === 'not_known' ? when === 'pregnant' : state === 'not_pregnant'
}
const ofPregnancy = asTable('pregnancy', pregnancy, {
  needs: ['birth', 'sex', 'pregnancy'],
  contextOf: (row) => CONTEXTS[row.when],
  isFor: isForState,
})

/** What a source says may be used in pregnancy or while breastfeeding. */
const usableRows = (usable.rows as readonly UsableRow[]).map((row) => ({
  ...row,
  id: `usable_${row.id}`,
  title: inWords('safety.sentence.usable', {
    context: CONTEXTS[row.when],
    names: row.members.join(', '),
  }),
  isUsable: true as const,
}))
const isUsableFor = (
  { members, routes, when }: UsableRow,
  { drug, ingredient, patient }: Parameters<NonNullable<RuleTable['rowsAbout']>>[0],
) => {
  const state = patient?.pregnancy.state ?? 'not_pregnant'
  const isOfState =
    state === 'not_pregnant' || when === (state === 'breastfeeding' ? state : 'pregnant')
  return (
    members.includes(ingredient) &&
    (!routes || !drug.route || routes.includes(drug.route)) &&
    isOfState &&
    state !== 'after_birth'
  )
}

export const PATIENT_TABLES: readonly RuleTable[] = [
  asTable('age', ages, { needs: ['birth'], contextOf: (row) => CONTEXTS.age(row.limit) }),
  {
    ...ofPregnancy,
    rows: [...ofPregnancy.rows, unknownRow],
    rowsAbout: (about) => [
      ...ofPregnancy.rowsAbout!(about),
      ...usableRows.filter((row) => isUsableFor(row, about)),
    ],
  },
  asTable('kidney', kidneys, {
    needs: ['kidneys'],
    contextOf: ({ under }) => CONTEXTS.kidneyBelow(Math.floor(under)),
  }),
  asTable('condition', conditionRules, {
    needs: ['problems'],
    contextOf: ({ problem }) => CONTEXTS.condition(problem),
  }),
]
