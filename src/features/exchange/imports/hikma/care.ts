/** Long because each table of care has its mapping here, beside the readers that several of them share. */
import { LIMITS, type Measure } from '~/features/care/vitals/vital'
import { recognize } from '~/features/medicines/safety/rules/substances'
import { columns, type TableMapping, MOMENT, STAMPS } from './mapping'
import { noteSuspect } from './people'
import { parseClinicalStatus, highestSeverity, parseVerificationStatus } from '../former-words'
import {
  deletedAlong,
  deletedAsWithdrawn,
  type FindReference,
  listIn,
  parseSourceJson,
  reader,
  type ReferencedRow,
  type RowReader,
  type SourceRow,
  sourceText,
} from './reading'
import { isObject } from '~/shared/object'

type Json = Record<string, unknown>

/** The visit if it is one of the patient; else null, listed. */
function readVisit(read: RowReader, row: SourceRow, known: FindReference, column = 'visit_id') {
  const id = read.reference(column, 'visits', known)
  const visit = id === null ? undefined : known('visits', id)
  if (!visit || visit.patient_id === row['patient_id']) return visit
  read.note('otherPatient', column, id)
  return undefined
}
const idOrNull = (reference: ReferencedRow | undefined) => reference?.id ?? null

/** A record outlives its visit: it forgets a deleted one, as in Sanad. */
export function readLiveVisitId(
  read: RowReader,
  row: SourceRow,
  known: FindReference,
  column = 'visit_id',
) {
  const visit = readVisit(read, row, known, column)
  const isDeleted = row['is_deleted'] === true || known('patients', row['patient_id'])?.is_deleted
  if (!visit?.is_deleted || isDeleted) return idOrNull(visit)
  read.note('deletedVisit', column, visit.id)
  return null
}

export const visitsMapping: TableMapping = {
  from: 'visits',
  to: {
    table: 'visits',
    columns: columns({
      uuid: 'patient_id clinic_id provider_id',
      text: 'provider_name',
      jsonb: 'metadata',
      ...STAMPS,
      [MOMENT]: 'check_in_timestamp deleted_at created_at updated_at',
    }),
    incomparable: ['metadata', 'created_at', 'updated_at'],
  },
  references: { patient_id: 'patients', clinic_id: 'clinics', provider_id: 'users' },
  map(row, known) {
    const patient = known('patients', row['patient_id'])
    if (!patient) return { unplaced: 'no such patient' }
    const read = reader(row)
    const own = read.reference('clinic_id', 'clinics', known)
    const clinic_id = own ?? patient.clinic_id ?? null
    if (clinic_id === null) return { unplaced: 'neither the visit nor its patient has a clinic' }
    if (own === null) read.note('primaryClinic', 'clinic_id', clinic_id)
    const stamps = read.stamps()
    const arrived = read.moment('check_in_timestamp')
    if (arrived === null) read.note('createdAt', 'check_in_timestamp')
    return read.done({
      id: String(row['id']),
      patient_id: row['patient_id'],
      clinic_id,
      provider_id: read.reference('provider_id', 'users', known),
      provider_name: read.text('provider_name'),
      check_in_timestamp: arrived ?? stamps.created_at,
      ...deletedAlong(read, stamps, [patient]),
      metadata: read.metadata(),
    })
  },
}

/** The answers of an event: a list, whatever the source made of it. */
function readAnswers(read: RowReader): unknown[] {
  const stored = read.json('form_data', [])
  const parsed = typeof stored === 'string' ? parseSourceJson(stored) : stored
  if (typeof stored === 'string') read.note('parsed', 'form_data')
  if (Array.isArray(parsed)) return listIn(stored)
  read.note('noList', 'form_data')
  if (isObject(parsed) && Object.keys(parsed).length > 0) read.keep('form_data', parsed)
  else if (typeof stored === 'string' && stored && parsed === undefined)
    read.keep('form_data', stored)
  return []
}

export const eventsMapping: TableMapping = {
  from: 'events',
  to: {
    table: 'events',
    columns: columns({
      uuid: 'patient_id visit_id form_id recorded_by_user_id',
      integer: 'form_version',
      text: 'event_type',
      jsonb: 'form_data metadata',
      ...STAMPS,
    }),
    incomparable: ['metadata', 'created_at', 'updated_at'],
  },
  references: {
    patient_id: 'patients',
    visit_id: 'visits',
    form_id: 'event_forms',
    recorded_by_user_id: 'users',
  },
  map(row, known) {
    const patient = known('patients', row['patient_id'])
    if (!patient) return { unplaced: 'no such patient' }
    const read = reader(row)
    const visit = readVisit(read, row, known)
    const form_id = read.reference('form_id', 'event_forms', known)
    return read.done({
      id: String(row['id']),
      patient_id: row['patient_id'],
      visit_id: idOrNull(visit),
      form_id,
      form_version: form_id === null ? null : 1,
      event_type: read.text('event_type'),
      form_data: readAnswers(read),
      recorded_by_user_id: read.reference('recorded_by_user_id', 'users', known),
      ...deletedAlong(read, read.stamps(), [patient, visit]),
      metadata: read.metadata(),
    })
  },
}

const VITALS = [
  'systolic_bp',
  'diastolic_bp',
  'height_cm',
  'weight_kg',
  'bmi',
  'waist_circumference_cm',
  'heart_rate',
  'pulse_rate',
  'respiratory_rate',
  'oxygen_saturation',
  'temperature_celsius',
  'pain_level',
] as const satisfies readonly Measure[]

export const vitalsMapping: TableMapping = {
  from: 'patient_vitals',
  to: {
    table: 'patient_vitals',
    columns: columns({
      uuid: 'patient_id visit_id event_id recorded_by_user_id',
      numeric: VITALS.join(' '),
      text: 'bp_position',
      jsonb: 'metadata',
      ...STAMPS,
      [MOMENT]: 'timestamp deleted_at created_at updated_at',
    }),
    incomparable: ['metadata', 'created_at', 'updated_at'],
  },
  references: { patient_id: 'patients', visit_id: 'visits', recorded_by_user_id: 'users' },
  map(row, known) {
    const patient = known('patients', row['patient_id'])
    if (!patient) return { unplaced: 'no such patient' }
    const read = reader(row)
    const visit = readVisit(read, row, known)
    const stamps = read.stamps()
    const values = Object.fromEntries(VITALS.map((name) => [name, read.number(name)]))
    for (const name of VITALS) {
      const value = values[name] ?? null
      const [least, most] = LIMITS[name]
      if (value !== null && (value < least || value > most)) read.note('implausible', name, value)
    }
    return read.done({
      id: String(row['id']),
      patient_id: row['patient_id'],
      visit_id: idOrNull(visit),
      event_id: row['event_id'] ?? null,
      timestamp: read.momentOr('timestamp', stamps.created_at),
      bp_position: read.text('bp_position'),
      ...values,
      recorded_by_user_id: read.reference('recorded_by_user_id', 'users', known),
      ...deletedAlong(read, stamps, [patient, visit]),
      metadata: read.metadata(),
    })
  },
}

const isGiven = (value: unknown) => value !== null && value !== undefined

const CODE_SYSTEMS = ['icd10cm', 'icd10', 'icd11', 'snomed']
/** Of a problem whose code is of no system that Sanad knows; a clinician chooses the code. */
const UNCODED = 'uncoded'
/** A day becomes midnight UTC. */
const readStartMoment = (read: RowReader, row: SourceRow, column: string) => {
  const value = row[column]
  if (typeof value !== 'string' || value.length > 10) return read.moment(column)
  const day = read.day(column)
  if (day) read.note('midnight', column)
  return day && `${day}T00:00:00.000Z`
}

/**
 * Part of each row, and so of its digest: rows that an earlier run has read by other rules are read again, and mended
 * where nothing has changed them in Sanad.
 */
const RULES = { _rules: '2' }

/** A known word that Sanad writes otherwise, or none. */
function noteOtherWord(
  read: RowReader,
  row: SourceRow,
  column: string,
  meaning: string | null | undefined,
) {
  if (row[column] === null) read.note('empty', column)
  else if (meaning && meaning !== 'withdrawn' && meaning !== row[column])
    read.note('otherWord', column)
}

export const problemsMapping: TableMapping = {
  from: 'patient_problems',
  to: {
    table: 'patient_problems',
    columns: columns({
      uuid: 'patient_id visit_id recorded_by_user_id',
      text: 'problem_code_system problem_code problem_label clinical_status verification_status',
      numeric: 'severity_score',
      jsonb: 'metadata',
      ...STAMPS,
      [MOMENT]: 'onset_date end_date deleted_at created_at updated_at',
    }),
    incomparable: ['metadata', 'created_at', 'updated_at'],
  },
  extra: () => RULES,
  references: { patient_id: 'patients', visit_id: 'visits', recorded_by_user_id: 'users' },
  map(row, known) {
    const patient = known('patients', row['patient_id'])
    if (!patient) return { unplaced: 'no such patient' }
    const read = reader(row)
    const given = read.text('problem_code_system') ?? ''
    const plain = given.trim().toLowerCase().replaceAll(/[\s-]/g, '')
    const system = plain === 'snomedct' ? 'snomed' : plain
    const isCoded = CODE_SYSTEMS.includes(system)
    const label = read.text('problem_label') ?? ''
    if (!isCoded && !label.trim())
      return { unplaced: 'the problem has no label and no known code system' }
    if (!isCoded)
      read.forClinician(
        'unknownCodeSystem',
        'problem_code_system',
        row['problem_code_system'] ?? '',
      )
    else if (system !== given) read.note('codeSystem', 'problem_code_system', given)
    if (row['problem_label'] === null) read.note('empty', 'problem_label')
    noteSuspect(read, row, 'onset_date')
    const clinical = parseClinicalStatus(row['clinical_status'])
    if (!clinical && isGiven(row['clinical_status']))
      read.forClinician('unknownStatus', 'clinical_status', row['clinical_status'])
    const verification = parseVerificationStatus(row['verification_status'])
    if (!verification && isGiven(row['verification_status']))
      read.forClinician('unknownStatus', 'verification_status', row['verification_status'])
    const isWithdrawn = verification === 'withdrawn'
    for (const [column, meaning] of [
      ['clinical_status', clinical],
      ['verification_status', verification],
    ] as const)
      noteOtherWord(read, row, column, meaning)
    const stamps = deletedAlong(read, read.stamps(), [patient])
    return read.done({
      id: String(row['id']),
      patient_id: row['patient_id'],
      visit_id: readLiveVisitId(read, row, known),
      problem_code_system: isCoded ? system : UNCODED,
      problem_code: read.textOr('problem_code', ''),
      problem_label: label,
      clinical_status: clinical ?? 'unknown',
      verification_status: isWithdrawn ? 'refuted' : (verification ?? 'unconfirmed'),
      severity_score: read.number('severity_score'),
      onset_date: readStartMoment(read, row, 'onset_date'),
      end_date: readStartMoment(read, row, 'end_date'),
      recorded_by_user_id: read.reference('recorded_by_user_id', 'users', known),
      ...(isWithdrawn
        ? deletedAsWithdrawn(read, stamps, 'verification_status', row['verification_status'])
        : stamps),
      metadata: read.metadata(),
    })
  },
}

/** The code of a substance that has no label; nothing else names it. */
const substanceCode = (row: SourceRow) =>
  sourceText(row['allergen_code'] ?? '').trim() === ''
    ? ''
    : ['allergen_code_system', 'allergen_code']
        .map((column) => sourceText(row[column] ?? '').trim())
        .join(' ')
        .trim()
        .slice(0, 200)

/** Words that the allergy has no column for, as its notes show them. */
function formatExtraWords(words: Readonly<Record<string, readonly unknown[]>>): string | null {
  const shown = Object.entries(words).flatMap(([name, values]) => {
    const texts = values.filter((value) => value !== null && value !== undefined && value !== '')
    return texts.length > 0 ? [`${name} “${texts.map(String).join('”, “')}”`] : []
  })
  return shown.length > 0 ? `Hikma: ${shown.join('; ')}`.slice(0, 1000) : null
}

export const allergiesMapping: TableMapping = {
  from: 'patient_allergies',
  to: {
    table: 'patient_allergies',
    columns: {
      ...columns({
        uuid: 'patient_id recorded_by_user_id',
        text: 'substance substance_kind substance_code reaction severity status',
        jsonb: 'metadata',
        ...STAMPS,
      }),
      // last: the digests of earlier runs are in this order
      notes: 'text',
    },
    incomparable: ['metadata', 'created_at', 'updated_at'],
  },
  extra: (has): Record<string, string> => ({
    ...RULES,
    ...(has('patient_allergy_reactions') && { _reactions: 'reactions.texts' }),
  }),
  join: (has) =>
    has('patient_allergy_reactions')
      ? `left join (
           select r.allergy_id, json_agg(json_build_object('label', r.reaction_manifestation_label,
             'severity', r.severity) order by r.created_at, r.id)::text as texts
           from patient_allergy_reactions r where not coalesce(r.is_deleted, false)
           group by r.allergy_id) reactions on reactions.allergy_id = t.id`
      : '',
  references: { patient_id: 'patients', recorded_by_user_id: 'users' },
  map(row, known) {
    const patient = known('patients', row['patient_id'])
    if (!patient) return { unplaced: 'no such patient' }
    const read = reader(row)
    const substance = read.name('allergen_label', 200) || substanceCode(row)
    if (!substance) return { unplaced: 'the allergy names no substance' }
    if (!sourceText(row['allergen_label'] ?? '').trim())
      read.forClinician('codeAlone', 'allergen_code', row['allergen_code'])
    const reactions = listIn(read.json('_reactions', [])).filter(isObject)
    const { severity, unknown } = highestSeverity([
      row['severity'],
      ...reactions.map((one) => one['severity']),
    ])
    if (unknown.length > 0) read.forClinician('unknownSeverity', 'severity', unknown.join('; '))
    const labels = reactions.map((one) => sourceText(one['label'] ?? '').trim()).filter(Boolean)
    for (const column of [
      'allergen_code',
      'allergen_code_system',
      'allergy_type',
      'onset_date',
      'end_date',
    ])
      if (row[column] !== null && row[column] !== undefined) read.keep(column, row[column])
    const clinical = parseClinicalStatus(row['clinical_status'])
    const isOver = clinical === 'inactive' || clinical === 'resolved' || clinical === 'remission'
    if (!clinical && isGiven(row['clinical_status']))
      read.forClinician('unknownStatus', 'clinical_status', row['clinical_status'])
    if (clinical && (clinical !== row['clinical_status'] || (isOver && clinical !== 'inactive')))
      read.keep('clinical_status', row['clinical_status'])
    const verification = parseVerificationStatus(row['verification_status'])
    if (!verification && isGiven(row['verification_status']))
      read.forClinician('unknownStatus', 'verification_status', row['verification_status'])
    const isWithdrawn = verification === 'withdrawn'
    const statusOfOther = isOver ? 'inactive' : 'active'
    const status = isWithdrawn || verification === 'refuted' ? 'refuted' : statusOfOther
    if (status !== 'active' && !isWithdrawn) read.note('otherWord', 'status')
    if (severity !== (row['severity'] ?? null)) read.note('otherWord', 'severity')
    if (labels.length > 1) read.note('reactions')
    const stamps = deletedAlong(read, read.stamps(), [patient])
    return read.done({
      id: String(row['id']),
      patient_id: row['patient_id'],
      substance,
      ...recognize(substance),
      reaction: labels.join('; ') || null,
      severity,
      status,
      notes: formatExtraWords({
        severity: unknown,
        'clinical status': clinical ? [] : [row['clinical_status']],
        verification: verification ? [] : [row['verification_status']],
      }),
      recorded_by_user_id: read.reference('recorded_by_user_id', 'users', known),
      ...(isWithdrawn
        ? deletedAsWithdrawn(read, stamps, 'verification_status', row['verification_status'])
        : stamps),
      metadata: read.metadata(),
    })
  },
}

const STEP_STATUSES = ['pending', 'in_progress', 'completed', 'cancelled', 'checked_in']

/** The departments of an appointment. What has no id is kept in `metadata.hikma`. */
function readDepartments(read: RowReader): Json[] {
  const all = read.list('departments')
  const named = all.filter((one): one is Json => isObject(one) && typeof one['id'] === 'string')
  if (named.length < all.length) {
    read.note('noId', 'departments')
    read.keep(
      'departments',
      all.filter((one) => !named.includes(one as Json)),
    )
  }
  return named.map((one) => {
    if (one['status'] === undefined || STEP_STATUSES.includes(sourceText(one['status']))) return one
    read.note('value', 'departments', one['status'])
    return { ...one, status: 'pending' }
  })
}

export const appointmentsMapping: TableMapping = {
  from: 'appointments',
  to: {
    table: 'appointments',
    columns: columns({
      uuid: 'provider_id clinic_id patient_id user_id current_visit_id fulfilled_visit_id',
      numeric: 'duration',
      text: 'reason notes status',
      jsonb: 'departments metadata',
      ...STAMPS,
      boolean: 'is_deleted is_walk_in',
      [MOMENT]: 'timestamp deleted_at created_at updated_at',
    }),
    incomparable: ['metadata', 'created_at', 'updated_at'],
  },
  references: {
    provider_id: 'users',
    clinic_id: 'clinics',
    patient_id: 'patients',
    user_id: 'users',
    current_visit_id: 'visits',
    fulfilled_visit_id: 'visits',
  },
  map(row, known) {
    const patient = known('patients', row['patient_id'])
    if (!patient) return { unplaced: 'no such patient' }
    if (!known('clinics', row['clinic_id'])) return { unplaced: 'no such clinic' }
    const read = reader(row)
    const minutes = read.number('duration')
    const isPossible = minutes === null || (minutes >= 0 && minutes <= 10_080)
    if (!isPossible) {
      read.note('value', 'duration', minutes)
      read.keep('duration', minutes)
    }
    const stamps = read.stamps()
    return read.done({
      id: String(row['id']),
      provider_id: read.reference('provider_id', 'users', known),
      clinic_id: row['clinic_id'],
      patient_id: row['patient_id'],
      user_id: read.reference('user_id', 'users', known),
      current_visit_id: readLiveVisitId(read, row, known, 'current_visit_id'),
      fulfilled_visit_id: readLiveVisitId(read, row, known, 'fulfilled_visit_id'),
      timestamp: read.momentOr('timestamp', stamps.created_at),
      duration: isPossible ? minutes : null,
      reason: read.textOr('reason', ''),
      notes: read.textOr('notes', ''),
      status: read.oneOf(
        'status',
        ['pending', 'confirmed', 'cancelled', 'completed', 'checked_in'],
        'pending',
      ),
      departments: readDepartments(read),
      is_walk_in: read.flag('is_walk_in'),
      ...deletedAlong(read, stamps, [patient]),
      metadata: read.metadata(),
    })
  },
}
