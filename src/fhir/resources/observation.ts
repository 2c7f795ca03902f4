import { sql } from 'kysely'
import { keysIn } from '~/shared/object'
import { LIMITS } from '~/features/care/vitals/vital'
import { saveVital } from '~/features/care/vitals/vitals.server'
import { permitsSomewhere } from '~/policy/facts'
import { readHistory } from '~/policy/rules'
import { historyWhere } from '~/policy/sql.server'
import type { Context } from '~/server/operation'
import type { MessageKey } from '~/shared/language'
import {
  LOINC,
  type CodedVital,
  isVitalSign,
  SIGNS,
  UCUM,
  UNIT_WORDS,
  vitalSign,
} from '~/shared/loinc'
import type { Element } from '../element'
import { unsupportedElements, invalidElement } from '../outcome'
import {
  bySubject,
  conditionalCodes,
  composite,
  moment,
  type Parameter,
  quantities,
  quantity as quantityParameter,
  referenceParameter,
  tokens,
} from '../parameters'
import {
  readKnownCode,
  presentValues,
  readDateTime,
  requireElement,
  note,
  toQuantity,
  UNKNOWN,
} from '../parts'
import { compact, type Fhir, instant, refer, resource, type WriteContext } from '../resource'
import { isId } from '~/shared/id'

/** The columns of vital signs and what else an Observation needs. */
export type VitalRow = Record<CodedVital, number | null> & {
  patient_id: string
  visit_id: string | null
  timestamp: Date
  bp_position: string | null
  /** `height_position` says how a height was measured. */
  metadata: unknown
  recorded_by_user_id: string | null
}

/** One value, or both blood pressures, of a row. */
type ObservationRow = Pick<
  VitalRow,
  'patient_id' | 'visit_id' | 'timestamp' | 'recorded_by_user_id'
> & {
  key: string
  value: number | null
  /** The diastolic blood pressure. */
  second: number | null
  position: string | null
}

const CATEGORY = 'http://terminology.hl7.org/CodeSystem/observation-category'
/** https://hl7.org/fhir/R4/extension-observation-bodyposition.html */
const BODY_POSITION = 'http://hl7.org/fhir/StructureDefinition/observation-bodyPosition'
const profile = (name: string) => `http://hl7.org/fhir/StructureDefinition/${name}`
const POSITIONS = ['sitting', 'standing', 'lying'] as const

type Single = Exclude<CodedVital, 'systolic_bp' | 'diastolic_bp'>
/**
 * One row is one Observation for each value, with the id `<row>-<key>`; both blood pressures are one. `profile`: of
 * the vital signs of R4, where it has one.
 */
const OBSERVED: Readonly<Record<string, { column: Single; profile?: string } | 'pressure'>> = {
  bp: 'pressure',
  'heart-rate': { column: 'heart_rate', profile: 'heartrate' },
  pulse: { column: 'pulse_rate' },
  'resp-rate': { column: 'respiratory_rate', profile: 'resprate' },
  oxygen: { column: 'oxygen_saturation', profile: 'oxygensat' },
  temperature: { column: 'temperature_celsius', profile: 'bodytemp' },
  height: { column: 'height_cm', profile: 'bodyheight' },
  weight: { column: 'weight_kg', profile: 'bodyweight' },
  bmi: { column: 'bmi', profile: 'bmi' },
  waist: { column: 'waist_circumference_cm' },
  head: { column: 'head_circumference_cm', profile: 'headcircum' },
  pain: { column: 'pain_level' },
  creatinine: { column: 'creatinine_umol_l' },
}
const OBSERVED_KEYS = Object.keys(OBSERVED)
/** What is measured in a laboratory; the others are vital signs. */
const LABORATORY = 'creatinine'
const CATEGORIES = {
  'vital-signs': 'Vital Signs',
  laboratory: 'Laboratory',
} as const
type CategoryCode = keyof typeof CATEGORIES
const observationCategory = (key: string): CategoryCode =>
  key === LABORATORY ? 'laboratory' : 'vital-signs'
/** The columns of a key: there is an Observation when one of them has a value. */
const columnsOfKey = (key: string): readonly CodedVital[] => {
  const observed = OBSERVED[key]!
  return observed === 'pressure' ? ['systolic_bp', 'diastolic_bp'] : [observed.column]
}
/** The LOINC codes of a key, and of its components. */
const codesOfKey = (key: string): readonly string[] =>
  OBSERVED[key] === 'pressure' ? [PANEL.code] : vitalCodings(columnsOfKey(key)[0]!).map(codingCode)

const codingCode = ({ code }: { code: string }) => code
const vitalCodings = (column: CodedVital) =>
  SIGNS[column].writes.map(([code, display]) => ({ system: LOINC, code, display }))
const PANEL = {
  system: LOINC,
  code: '85354-9',
  display: 'Blood pressure panel with all children optional',
}

/** The name of what an Observation of these rows measures, as screens have it. */
export const nameOfObserved = (key: string): MessageKey => {
  const observed = OBSERVED[key]!
  return observed === 'pressure' ? 'vitals.blood_pressure' : `vitals.${observed.column}`
}

/** The Observations of a row, one for each value. */
export const allToFhir = (row: VitalRow): Fhir[] =>
  OBSERVED_KEYS.filter((key) => columnsOfKey(key).some((column) => row[column] !== null)).map(
    (key) => {
      const [first, second] = columnsOfKey(key)
      const { height_position = null } = (row.metadata ?? {}) as { height_position?: string | null }
      const position = { bp: row.bp_position, height: height_position }[key] ?? null
      return toFhir({
        ...row,
        key,
        position,
        value: row[first!],
        second: second ? row[second] : null,
      })
    },
  )

function toFhir(row: ObservationRow): Fhir {
  const { key } = row
  const observed = OBSERVED[key]!
  const isPressure = observed === 'pressure'
  const category = observationCategory(key)
  const coding = isPressure ? [PANEL] : vitalCodings(observed.column)
  const own = isPressure ? 'bp' : observed.profile
  return {
    resourceType: 'Observation',
    ...compact({
      meta: {
        profile: (category === 'laboratory' ? [] : presentValues('vitalsigns', own)).map(profile),
      },
      extension: presentValues(
        row.position && { url: BODY_POSITION, valueCodeableConcept: { text: row.position } },
      ),
      status: isPossible(row) ? 'final' : 'preliminary',
      category: [{ coding: [{ system: CATEGORY, code: category, display: CATEGORIES[category] }] }],
      code: { coding, text: coding[0]!.display },
      subject: refer('Patient', row.patient_id),
      encounter: refer('Encounter', row.visit_id),
      effectiveDateTime: instant(row.timestamp),
      performer: presentValues(refer('Practitioner', row.recorded_by_user_id)),
      note: note(isPossible(row) ? null : 'Outside the limits that Sanad accepts: probably wrong.'),
      ...(isPressure
        ? {
            component: [
              pressureComponent('systolic_bp', row.value),
              pressureComponent('diastolic_bp', row.second),
            ],
          }
        : { valueQuantity: measured(observed.column, row.value!) }),
    }),
  }
}

/** A value that no form takes came in by another way, and asserts nothing. */
const isWithin = (column: CodedVital, value: number | null) =>
  value === null || (value >= LIMITS[column][0] && value <= LIMITS[column][1])
const isPossible = ({ key, value, second }: Pick<ObservationRow, 'key' | 'value' | 'second'>) => {
  const [first, other] = columnsOfKey(key)
  return isWithin(first!, value) && (!other || isWithin(other, second))
}

const measured = (column: CodedVital, value: number) => {
  const { is } = SIGNS[column]
  return toQuantity(value, UCUM[is], UNIT_WORDS[is])
}
const pressureComponent = (column: 'systolic_bp' | 'diastolic_bp', value: number | null) => ({
  code: { coding: vitalCodings(column) },
  ...(value === null
    ? { dataAbsentReason: { coding: [UNKNOWN] } }
    : { valueQuantity: measured(column, value) }),
})

const CATEGORY_CODES = keysIn(CATEGORIES)

/** What `vitals.save` takes of one Observation: a value, or both blood pressures. */
export function observationFromFhir(element: Element, { actor }: Pick<WriteContext, 'actor'>) {
  requireElement(
    readKnownCode(element, 'status', ['final', 'amended', 'corrected']),
    element.at('status'),
  )
  for (const category of element.list('category')) {
    category.ignore('text')
    for (const coding of category.list('coding')) {
      coding.ignore('system', 'display', 'version', 'userSelected')
      readKnownCode(coding, 'code', CATEGORY_CODES)
    }
  }
  const position = positionIn(element)
  const values = valuesIn(element)
  if (position && !('systolic_bp' in values || 'diastolic_bp' in values || 'height_cm' in values))
    throw invalidElement(
      element.at('extension'),
      'Only a blood pressure or a height has a position.',
    )
  if (position === 'sitting' && 'height_cm' in values)
    throw invalidElement(element.at('extension'), 'A height is measured standing or lying.')
  const isHeight = 'height_cm' in values
  // Sanad stores who records: a client measures in its own name
  const performer = element.only('performer')
  performer?.ignore('display', 'type')
  if (performer && performer.text('reference') !== `Practitioner/${actor.userId}`)
    throw unsupportedElements([performer.expression])
  return {
    patient_id: requireElement(element.reference('subject', 'Patient'), element.at('subject')),
    visit_id: element.reference('encounter', 'Encounter') ?? null,
    timestamp: requireElement(
      readDateTime(element, 'effectiveDateTime'),
      element.at('effectiveDateTime'),
    ),
    bp_position: isHeight ? null : position,
    height_position: isHeight ? (position as 'standing' | 'lying' | null) : null,
    ...values,
  }
}

type Input = ReturnType<typeof observationFromFhir>

/** The key of the one value of an Observation, or of both blood pressures. */
const observedKey = (input: Values) =>
  OBSERVED_KEYS.find((key) => columnsOfKey(key).some((column) => input[column] !== undefined))

function positionIn(element: Element) {
  const extension = element.only('extension')
  if (!extension) return null
  if (extension.text('url') !== BODY_POSITION)
    throw invalidElement(extension.at('url'), `The only extension is ${BODY_POSITION}.`)
  const value = requireElement(
    extension.one('valueCodeableConcept'),
    extension.at('valueCodeableConcept'),
  )
  return requireElement(readKnownCode(value, 'text', POSITIONS), value.at('text'))
}

type Values = Partial<Record<CodedVital, number>>
function valuesIn(element: Element): Values {
  const code = requireElement(element.one('code'), element.at('code'))
  code.ignore('text')
  const codes = code.list('coding').map((coding) => loincIn(coding))
  if (codes.includes(PANEL.code)) {
    const values: Values = {}
    for (const component of element.list('component'))
      Object.assign(values, readComponent(component))
    return values
  }
  const value = requireElement(element.one('valueQuantity'), element.at('valueQuantity'))
  return readVitalSign(codes, code, value)
}

function readComponent(component: Element): Values {
  const code = requireElement(component.one('code'), component.at('code'))
  code.ignore('text')
  const codes = code.list('coding').map((coding) => loincIn(coding))
  const value = component.one('valueQuantity')
  if (value) return readVitalSign(codes, code, value)
  const absent = requireElement(component.one('dataAbsentReason'), component.at('valueQuantity'))
  absent.ignore('coding', 'text')
  return {}
}

function loincIn(coding: Element): string {
  coding.ignore('display', 'version', 'userSelected')
  if (coding.text('system') !== LOINC) throw invalidElement(coding.at('system'), `Use ${LOINC}.`)
  return requireElement(coding.text('code'), coding.at('code'))
}

function readVitalSign(codes: readonly string[], code: Element, value: Element): Values {
  const columns = codes.filter(isVitalSign)
  const [first] = columns
  if (first === undefined || columns.length < codes.length)
    throw invalidElement(code.expression, `Sanad stores the vital signs ${readable()}.`)
  value.ignore('unit')
  if (value.has('system') && value.text('system') !== 'http://unitsofmeasure.org')
    throw invalidElement(value.at('system'), 'Use http://unitsofmeasure.org.')
  const amount = requireElement(value.number('value'), value.at('value'))
  const unit = requireElement(value.text('code'), value.at('code'))
  const signs = columns.map((each) => vitalSign(each, amount, unit))
  const [sign] = signs
  if (!sign) throw invalidElement(value.at('code'), 'This unit does not measure this vital sign.')
  if (signs.some((each) => each?.column !== sign.column))
    throw invalidElement(code.expression, 'These codes are different vital signs.')
  if (sign.column === 'bmi')
    throw invalidElement(code.expression, 'The body mass index follows from weight and height.')
  return { [sign.column]: sign.value }
}

const readable = () =>
  [PANEL.code, ...OBSERVED_KEYS.filter((key) => key !== 'bp').flatMap(codesOfKey)].join(', ')

const column = (name: CodedVital) => sql<number | null>`${sql.ref(`r.${name}`)}::float8`
const isKey = (key: string) => sql<boolean>`o.key = ${key}`
/** The values of each key, and the position of the two that have one. */
const keys = sql.join(
  OBSERVED_KEYS.map((key) => {
    const [first, second] = columnsOfKey(key)
    const position = { bp: sql`r.bp_position`, height: sql`r.metadata ->> 'height_position'` }[key]
    return sql`(${key}::text, ${column(first!)}, ${second ? column(second) : sql`null::float8`},
      ${position ?? sql`null::text`})`
  }),
)
/** `isPossible` as a condition. */
const isPossibleSql = sql<boolean>`(case o.key ${sql.join(
  OBSERVED_KEYS.map((key) => {
    const [first, second] = columnsOfKey(key)
    const within = (name: CodedVital) =>
      sql`coalesce(${column(name)} between ${LIMITS[name][0]} and ${LIMITS[name][1]}, true)`
    return sql`when ${key} then ${within(first!)} ${second ? sql`and ${within(second)}` : sql``}`
  }),
  sql` `,
)} end)`
const singles = OBSERVED_KEYS.filter((key) => key !== 'bp')
const ucumUnit = (name: CodedVital) => ({
  system: 'http://unitsofmeasure.org',
  code: UCUM[SIGNS[name].is],
})
/** The value of one key, null in the rows of others. */
const valueOfKeySql = (key: string, name: CodedVital) =>
  sql<number | null>`case o.key when ${key} then ${column(name)} end`

const codes = conditionalCodes(
  'code',
  Object.fromEntries(
    OBSERVED_KEYS.flatMap((key) => codesOfKey(key).map((code) => [code, isKey(key)])),
  ),
  LOINC,
)
const pressures = columnsOfKey('bp')
/** The code of a blood pressure and its value, of one of the two. */
const components = pressures.map((name): readonly [Parameter, Parameter] => [
  conditionalCodes('component.code', { [SIGNS[name].writes[0][0]]: isKey('bp') }, LOINC),
  quantityParameter('component.valueQuantity', valueOfKeySql('bp', name), ucumUnit(name)),
])

const ID = /^([0-9a-f-]{36})-([a-z-]{2,20})$/i

export const observation = resource<ObservationRow>({
  type: 'Observation',
  from: sql`patient_vitals r cross join lateral (
    select * from (values ${keys}) observed(key, value, second, position)
    where value is not null or second is not null) o`,
  columns: sql`r.patient_id, r.visit_id, r.timestamp, r.recorded_by_user_id, o.key, o.value, o.second, o.position`,
  id: sql`(r.id::text || '-' || o.key)`,
  hasId(id) {
    const [, row = '', key = ''] = ID.exec(id) ?? []
    return isId(row) ? sql<boolean>`(r.id = ${row}::uuid and ${isKey(key)})` : null
  },
  order: [sql`r.id`, sql`o.key`],
  permits: (actor) => permitsSomewhere(readHistory, actor),
  where: (actor) => historyWhere(actor, 'r'),
  patient: 'patient_id',
  toFhir,
  search: {
    ...bySubject,
    code: codes,
    'combo-code': tokens('code|component.code', [
      codes,
      conditionalCodes(
        'component.code',
        Object.fromEntries(pressures.map((name) => [SIGNS[name].writes[0][0], isKey('bp')])),
        LOINC,
      ),
    ]),
    category: conditionalCodes(
      'category',
      {
        'vital-signs': sql<boolean>`o.key <> ${LABORATORY}`,
        laboratory: isKey(LABORATORY),
      },
      CATEGORY,
    ),
    status: conditionalCodes(
      'status',
      { final: isPossibleSql, preliminary: sql<boolean>`not ${isPossibleSql}` },
      'http://hl7.org/fhir/observation-status',
    ),
    date: moment('effectiveDateTime', sql`r.timestamp`),
    encounter: referenceParameter('encounter', sql`r.visit_id`, ['Encounter']),
    'value-quantity': quantities(
      'valueQuantity',
      singles.map((key) => {
        const [name] = columnsOfKey(key)
        return quantityParameter('valueQuantity', valueOfKeySql(key, name!), ucumUnit(name!))
      }),
    ),
    'component-code-value-quantity': composite('component', components),
  },
  writes: {
    table: 'patient_vitals',
    fromFhir: observationFromFhir,
    create: (ctx: Context, input: Input, id: string) => saveVital(ctx, { ...input, id }),
    storedAs: (input: Input, id: string) => `${id}-${observedKey(input)}`,
    expressions: {
      patient_id: 'Observation.subject',
      visit_id: 'Observation.encounter',
      timestamp: 'Observation.effectiveDateTime',
      bp_position: 'Observation.extension[0]',
      height_position: 'Observation.extension[0]',
    },
  },
})
