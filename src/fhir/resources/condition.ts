import { sql } from 'kysely'
import { keysIn } from '~/shared/object'
import { CODE_SYSTEM_URLS as CODE_SYSTEMS } from '~/features/care/problem-codes/code'
import { saveProblem } from '~/features/care/problems/problems.server'
import { permitsSomewhere } from '~/policy/facts'
import { readHistory } from '~/policy/rules'
import { historyWhere } from '~/policy/sql.server'
import type { Context } from '~/server/operation'
import { clinicTimeZone, dayIn, startOfDay } from '~/shared/zone'
import type { Element } from '../element'
import { unsupportedElements, invalidElement } from '../outcome'
import { bySubject, conditionalCodes, code, moment, referenceParameter } from '../parameters'
import {
  codedIn,
  readKnownCode,
  concept,
  dayOrMomentIn,
  presentValues,
  requireElement,
} from '../parts'
import { compact, type Fhir, instant, refer, resource, type FhirRow } from '../resource'
import { VERIFICATION_STATUSES } from '~/records/problem'

export type ConditionRow = {
  patient_id: string
  visit_id: string | null
  problem_code_system: string
  problem_code: string
  problem_label: string
  clinical_status: string
  verification_status: string
  severity_score: number | null
  onset_date: Date | null
  end_date: Date | null
  laterality: string | null
  recorded_by_user_id: string | null
  created_at: Date
}

const CLINICAL = 'http://terminology.hl7.org/CodeSystem/condition-clinical'
const VERIFICATION = 'http://terminology.hl7.org/CodeSystem/condition-ver-status'
const CATEGORY = 'http://terminology.hl7.org/CodeSystem/condition-category'
type System = keyof typeof CODE_SYSTEMS
const SYSTEMS = keysIn(CODE_SYSTEMS)
/** R4 has no code for a status that nobody knows: the element is left out. */
const CLINICAL_STATUSES = ['active', 'remission', 'inactive', 'resolved'] as const
/** What R4's code system counts as active, and Sanad does not tell apart. */
const READ_STATUSES = [...CLINICAL_STATUSES, 'recurrence', 'relapse'] as const
const SIDES = ['left', 'right', 'both'] as const

/** None of a problem that was moved in without a code that Sanad knows: its name says what it is. */
const problemCoding = ({ problem_code_system, problem_code, problem_label }: ConditionRow) =>
  problem_code_system in CODE_SYSTEMS
    ? [
        {
          system: CODE_SYSTEMS[problem_code_system as System],
          code: problem_code,
          display: problem_label,
        },
      ]
    : []

export const conditionToFhir = (row: ConditionRow): Fhir => ({
  resourceType: 'Condition',
  ...compact({
    clinicalStatus:
      row.clinical_status === 'unknown'
        ? undefined
        : concept(null, { system: CLINICAL, code: row.clinical_status }),
    verificationStatus: concept(null, { system: VERIFICATION, code: row.verification_status }),
    category: [
      {
        coding: [{ system: CATEGORY, code: 'problem-list-item', display: 'Problem List Item' }],
      },
    ],
    severity: row.severity_score === null ? undefined : { text: String(row.severity_score) },
    code: concept(row.problem_label, ...problemCoding(row)),
    bodySite: presentValues(concept(row.laterality)),
    subject: refer('Patient', row.patient_id),
    encounter: refer('Encounter', row.visit_id),
    onsetDateTime: dayOrMoment(row.onset_date),
    abatementDateTime: dayOrMoment(row.end_date),
    recordedDate: instant(row.created_at),
    recorder: refer('Practitioner', row.recorded_by_user_id),
  }),
})

/** A day is stored as the moment at which it begins in the clinic; a phone may have stored a time. */
function dayOrMoment(at: Date | null): string | null {
  if (!at) return null
  return isDayAlone(at) ? dayIn(at, clinicTimeZone()) : at.toISOString()
}

/** The moment at which a day begins in the clinic stands for the day. */
export const isDayAlone = (at: Date) =>
  startOfDay(dayIn(at, clinicTimeZone())).getTime() === at.getTime()

/** What `problems.save` takes: a day, and where the resource says a time, that moment as well. */
export function conditionFromFhir(element: Element) {
  const coded = readProblemCode(requireElement(element.one('code'), element.at('code')))
  for (const category of element.list('category'))
    codedIn(category, CATEGORY, ['problem-list-item'])
  element.ignore('recordedDate', 'recorder')
  const onset = dayOrMomentIn(element, 'onsetDateTime')
  const end = dayOrMomentIn(element, 'abatementDateTime')
  return {
    patient_id: requireElement(element.reference('subject', 'Patient'), element.at('subject')),
    visit_id: element.reference('encounter', 'Encounter') ?? null,
    ...coded,
    clinical_status: statusIn(element.one('clinicalStatus')),
    verification_status:
      codedIn(element.one('verificationStatus'), VERIFICATION, VERIFICATION_STATUSES) ??
      // a program that does not say it asserts nothing
      'unconfirmed',
    severity_score: severityIn(element.one('severity')),
    onset_date: dayInClinic(onset),
    onset_at: onset instanceof Date ? onset : null,
    end_date: dayInClinic(end),
    ended_at: end instanceof Date ? end : null,
    laterality: sideIn(element.only('bodySite')),
  }
}

type Input = ReturnType<typeof conditionFromFhir>

const dayInClinic = (given: string | Date | undefined) =>
  given instanceof Date ? dayIn(given, clinicTimeZone()) : (given ?? null)
const sideIn = (site: Element | undefined) => (site && readKnownCode(site, 'text', SIDES)) ?? null

function statusIn(status: Element | undefined): (typeof CLINICAL_STATUSES)[number] | 'unknown' {
  const clinicalStatus = codedIn(status, CLINICAL, READ_STATUSES) ?? 'unknown'
  return clinicalStatus === 'recurrence' || clinicalStatus === 'relapse' ? 'active' : clinicalStatus
}

const systemIn = (coding: Element) =>
  SYSTEMS.find((name) => CODE_SYSTEMS[name] === coding.text('system'))

/** The code of a system that Sanad knows; codes of other systems beside it say the same. */
function readProblemCode(element: Element) {
  const codings = element.list('coding')
  const [coding, ...more] = codings.filter(systemIn)
  if (more.length > 0) throw unsupportedElements(more.map(({ expression }) => expression))
  if (!coding)
    throw invalidElement(
      requireElement(codings[0], element.at('coding')).at('system'),
      `Use one of: ${Object.values(CODE_SYSTEMS).join(', ')}.`,
    )
  for (const each of codings) {
    each.ignore('version', 'userSelected')
    if (each !== coding) each.ignore('code', 'display')
  }
  const system = systemIn(coding)!
  const problem_code = requireElement(coding.text('code'), coding.at('code'))
  const display = coding.text('display')
  return {
    problem_code_system: system,
    problem_code,
    problem_label: element.text('text') ?? display ?? problem_code,
  }
}

/** A score from 0 to 10. */
function severityIn(severity: Element | undefined): number | null {
  if (!severity) return null
  const text = requireElement(severity.text('text'), severity.at('text'))
  const score = Number(text)
  if (text.trim() === '' || !(score >= 0 && score <= 10))
    throw invalidElement(severity.at('text'), 'The severity is a number from 0 to 10, as text.')
  return score
}

const is = (column: 'clinical_status' | 'verification_status', value: string) =>
  sql<boolean>`${sql.ref(`r.${column}`)} = ${value}`
const system = sql<string>`case r.problem_code_system ${sql.join(
  SYSTEMS.map((name) => sql`when ${name} then ${CODE_SYSTEMS[name]}`),
  sql` `,
)} end`

export const condition = resource<ConditionRow>({
  type: 'Condition',
  from: sql`patient_problems r`,
  columns: sql`r.patient_id, r.visit_id, r.problem_code_system, r.problem_code, r.problem_label, r.clinical_status,
    r.verification_status, r.severity_score::float8, r.onset_date, r.end_date, r.laterality, r.recorded_by_user_id,
    r.created_at`,
  permits: (actor) => permitsSomewhere(readHistory, actor),
  where: (actor) => historyWhere(actor, 'r'),
  patient: 'patient_id',
  toFhir: conditionToFhir,
  search: {
    ...bySubject,
    code: code('code', sql`r.problem_code`, system),
    'clinical-status': conditionalCodes(
      'clinicalStatus',
      Object.fromEntries(CLINICAL_STATUSES.map((one) => [one, is('clinical_status', one)])),
      CLINICAL,
    ),
    'verification-status': conditionalCodes(
      'verificationStatus',
      Object.fromEntries(VERIFICATION_STATUSES.map((one) => [one, is('verification_status', one)])),
      VERIFICATION,
    ),
    'onset-date': moment('onsetDateTime', sql`r.onset_date`),
    encounter: referenceParameter('encounter', sql`r.visit_id`, ['Encounter']),
    category: conditionalCodes('category', { 'problem-list-item': sql<boolean>`true` }, CATEGORY),
  },
  writes: {
    table: 'patient_problems',
    fromFhir: conditionFromFhir,
    create: (ctx: Context, input: Input, id: string) => saveProblem(ctx, { ...input, id }),
    update: (ctx: Context, input: Input, row: ConditionRow & FhirRow) =>
      saveProblem(ctx, { ...input, id: row.fhir_id, last_modified: row.fhir_modified }),
    expressions: {
      patient_id: 'Condition.subject',
      visit_id: 'Condition.encounter',
      problem_code_system: 'Condition.code.coding[0].system',
      problem_code: 'Condition.code.coding[0].code',
      problem_label: 'Condition.code.text',
      clinical_status: 'Condition.clinicalStatus',
      verification_status: 'Condition.verificationStatus',
      severity_score: 'Condition.severity.text',
      onset_date: 'Condition.onsetDateTime',
      end_date: 'Condition.abatementDateTime',
      laterality: 'Condition.bodySite[0].text',
    },
  },
})
