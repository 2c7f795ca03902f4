import { type Birth, birthSpan } from '~/fields/birth'
import { mayBePregnant } from '~/features/care/pregnancies/pregnancy'
import type { Language } from '~/shared/language'
import { daysBetween, monthsBetween } from '~/shared/zone'
import agesJson from '../tables/ages.json'
import conditionsJson from '../tables/conditions.json'
import { ingredientsOf } from './ingredients'
import kidneysJson from '../tables/kidneys.json'
import pregnancyJson from '../tables/pregnancy.json'
import type {
  Check,
  CheckedDrug,
  Fact,
  Level,
  PatientFacts,
  RuleKind,
  RuleTable,
  RuleWarning,
  Source,
  Words,
} from './rule'

type Row = {
  id: string
  /** INN of the medicines. */
  members: readonly string[]
  level: Level
  /** Why, as the end of a sentence. */
  why: Words
  todo: Words
  source: Source
  /** The routes that the row is about; without it all that reach the blood. */
  routes?: readonly string[]
}
/** Below this age, in months or days, or below this weight. */
type AgeRow = Row & {
  limit: Words
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
type ConditionRow = Row & { codes: readonly string[]; problem: Words }
type Table<R> = { version: string; date: string; source: Source; rows: readonly R[] }

export const ages = agesJson as Table<AgeRow>
export const pregnancy = pregnancyJson as Table<PregnancyRow>
export const kidneys = kidneysJson as Table<KidneyRow>
export const conditions = conditionsJson as Table<ConditionRow>

/** What is put on the skin, into an eye, an ear or the nose hardly reaches the blood. */
const LOCAL = new Set(['topical', 'ophthalmic', 'otic', 'nasal'])
const concerns = ({ members, routes }: Row, { ingredients, route }: CheckedDrug) =>
  (!route || (routes ? routes.includes(route) : !LOCAL.has(route))) &&
  ingredients.flatMap(ingredientsOf).some(({ name }) => members.includes(name))

const LANGUAGES = ['en', 'ar', 'es'] as const satisfies readonly Language[]
const inEach = (say: (language: Language) => string) =>
  Object.fromEntries(LANGUAGES.map((language) => [language, say(language)])) as Words

/** "may be given" by level, in the middle of a sentence. */
const LEADS: Record<Level, Words> = {
  must_not: { en: 'must not be given', ar: 'يُمنع إعطاؤه', es: 'no debe administrarse' },
  avoid: { en: 'should be avoided', ar: 'ينبغي تجنبه', es: 'debe evitarse' },
  caution: { en: 'needs caution', ar: 'يُستعمل بحذر', es: 'requiere precaución' },
}
const CONTEXTS = {
  age: (limit: Words): Words => ({
    en: `below ${limit.en}`,
    ar: `دون عمر ${limit.ar}`,
    es: `por debajo de ${limit.es}`,
  }),
  weight: (kg: number): Words => ({
    en: `below ${kg} kg`,
    ar: `دون وزن ${kg} كغ`,
    es: `por debajo de ${kg} kg`,
  }),
  pregnant: { en: 'in pregnancy', ar: 'أثناء الحمل', es: 'en el embarazo' },
  breastfeeding: { en: 'while breastfeeding', ar: 'أثناء الإرضاع', es: 'durante la lactancia' },
  can_conceive: {
    en: 'in a woman who can become pregnant',
    ar: 'لدى امرأة يمكن أن تحمل',
    es: 'en una mujer que puede quedar embarazada',
  },
  kidney: (egfr: number): Words => ({
    en: `with an eGFR of ${egfr}`,
    ar: `عند معدل ترشيح كبيبي ${egfr}`,
    es: `con una TFGe de ${egfr}`,
  }),
  kidneyBelow: (egfr: number): Words => ({
    en: `eGFR below ${egfr}`,
    ar: `معدل الترشيح الكبيبي أقل من ${egfr}`,
    es: `TFGe menor de ${egfr}`,
  }),
  condition: (problem: Words): Words => ({
    en: `with ${problem.en}`,
    ar: `عند وجود ${problem.ar}`,
    es: `con ${problem.es}`,
  }),
}
const DOUBTS = {
  age: {
    en: 'The age is not known exactly and may be below this limit.',
    ar: 'العمر غير معروف بدقة وقد يكون دون هذا الحد.',
    es: 'La edad no se conoce con exactitud y puede estar por debajo de este límite.',
  },
  weeks: {
    en: 'The duration of the pregnancy is not recorded.',
    ar: 'عمر الحمل غير مسجل.',
    es: 'La duración del embarazo no está registrada.',
  },
} as const

type Found = { context: Words; doubt?: keyof typeof DOUBTS }

function warningOf<R extends Row>(
  table: Table<R>,
  kind: RuleKind,
  drug: CheckedDrug,
  row: R,
  found: Found,
): RuleWarning {
  const { context, doubt } = found
  return {
    key: `${kind}:${drug.drugId}:${row.id}${doubt ? ':uncertain' : ''}`,
    kind,
    drugId: drug.drugId,
    drug: drug.name,
    rule: row.id,
    version: table.version,
    level: row.level,
    text: inEach((language) => {
      const said = `${LEADS[row.level][language]} ${context[language]}`
      // a sentence that begins with a Latin name would be laid out from left to right
      const start = language === 'ar' ? `الدواء ${drug.name}: ${said}` : `${drug.name} ${said}`
      const sentence =
        language === 'ar' ? `${start}؛ ${row.why.ar}.` : `${start}: ${row.why[language]}.`
      return doubt ? `${sentence} ${DOUBTS[doubt][language]}` : sentence
    }),
    todo: row.todo,
    source: row.source,
  }
}

/**
 * The check of a table: each medicine against each row, where the row finds something in what is
 * known of the patient.
 */
const checkOf =
  <R extends Row>(
    kind: RuleKind,
    table: Table<R>,
    find: (row: R, patient: PatientFacts) => Found | undefined,
  ): Check =>
  ({ drugs, patient }) =>
    patient === undefined
      ? []
      : drugs.flatMap((drug) =>
          table.rows.flatMap((row) => {
            const found = concerns(row, drug) ? find(row, patient) : undefined
            return found ? [warningOf(table, kind, drug, row, found)] : []
          }),
        )

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

export const checkAge = checkOf('age', ages, (row, { birth, today, weight }) => {
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

const checkRows = checkOf('pregnancy', pregnancy, (row, patient) => {
  const { when } = row
  const { state, weeks, isPossible } = patient.pregnancy
  if (when === 'breastfeeding') return state === when ? { context: CONTEXTS[when] } : undefined
  if (when === 'can_conceive') {
    const mayConceive =
      patient.sex === 'female' &&
      patient.birth &&
      mayBePregnant('female', patient.birth, patient.today)
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
  const harmful = drugs.filter((drug) =>
    pregnancy.rows.some((row) => row.when === 'pregnant' && concerns(row, drug)),
  )
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
      text: {
        en: `Pregnancy is not known; for an unborn child this can matter: ${names}.`,
        ar: `الحمل غير معروف، وقد يهم ذلك الجنين: ${names}.`,
        es: `No se sabe si hay embarazo; para el feto puede importar: ${names}.`,
      },
      todo: {
        en: 'Ask about pregnancy and record the answer.',
        ar: 'يُسأل عن الحمل وتُسجَّل الإجابة.',
        es: 'Pregunte por el embarazo y registre la respuesta.',
      },
      source: pregnancy.source,
    },
  ]
}
export const checkPregnancy: Check = (checked) => [...checkRows(checked), ...checkUnknown(checked)]

export const checkKidneys = checkOf('kidney', kidneys, (row, { kidneys: known }) =>
  known && known.egfr < row.under && known.egfr >= (row.from ?? 0)
    ? { context: CONTEXTS.kidney(known.egfr) }
    : undefined,
)

export const checkConditions = checkOf(
  'condition',
  conditions,
  ({ codes, problem }, { problems }) =>
    problems.some((code) => codes.some((start) => code.startsWith(start)))
      ? { context: CONTEXTS.condition(problem) }
      : undefined,
)

const titleOf = (row: Row, context: Words): Words =>
  inEach(
    (language) =>
      `${row.members.slice(0, 3).join(', ')}${row.members.length > 3 ? '…' : ''} · ${context[language]}`,
  )

const asTable = <R extends Row>(
  kind: RuleKind,
  table: Table<R>,
  needs: readonly Fact[],
  contextOf: (row: R) => Words,
): RuleTable => ({
  table: kind,
  version: table.version,
  source: table.source,
  needs,
  rows: table.rows.map((row) => ({
    id: row.id,
    title: titleOf(row, contextOf(row)),
    level: row.level,
    members: row.members,
    source: row.source,
    ...('underKg' in row && { needs: ['weight'] as const }),
  })),
})

const unknownRow: RuleTable['rows'][number] = {
  id: NOT_KNOWN,
  title: { en: 'Pregnancy not known', ar: 'الحمل غير معروف', es: 'Embarazo no conocido' },
  level: 'caution',
  members: [],
}
const ofPregnancy = asTable(
  'pregnancy',
  pregnancy,
  ['birth', 'sex', 'pregnancy'],
  (row) => CONTEXTS[row.when],
)

export const PATIENT_TABLES: readonly RuleTable[] = [
  asTable('age', ages, ['birth'], (row) => CONTEXTS.age(row.limit)),
  { ...ofPregnancy, rows: [...ofPregnancy.rows, unknownRow] },
  asTable('kidney', kidneys, ['kidneys'], ({ under }) => CONTEXTS.kidneyBelow(Math.floor(under))),
  asTable('condition', conditions, ['problems'], ({ problem }) => CONTEXTS.condition(problem)),
]
