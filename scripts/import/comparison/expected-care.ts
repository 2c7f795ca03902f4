import { recognize } from '~/features/medicines/safety/rules/substances'
import type { Rule } from '~/features/exchange/imports/former-rules'
import {
  Any,
  anything,
  attributeId,
  cleaned,
  ExpectedRow,
  isNamed,
  parseSourceList,
  ruleOfList,
  anyOfValues,
  type ComparedRow,
  something,
  type ComparedTable,
  textOrJson,
} from './reader'

const USER = (column: string, name: string) =>
  `(t.${column} is null or exists (select from users u where u.id = t.${column})) as ${name}`
/** The clinic that a visit without one gets. */
const CLINIC = (visit: string) => `coalesce(${visit}.clinic_id, (select c.id from patients q
  join clinics c on c.id = q.primary_clinic_id where q.id = ${visit}.patient_id))`
const VISIT = (column: string, name: string) =>
  `left join lateral (select v.patient_id, v.is_deleted is true as is_deleted from visits v where v.id = t.${column}
     and v.patient_id is not null and ${CLINIC('v')} is not null) ${name} on true`
const OF_VISIT = `v.patient_id as visit_patient, v.is_deleted as visit_deleted, p.is_deleted is true as patient_deleted`

/** A visit that is unplaced, or of another patient, cannot be named. */
function checkOwnVisit(
  draft: ExpectedRow,
  row: ComparedRow,
  visitPatient: unknown,
  column = 'visit_id',
) {
  if (row[column] && visitPatient !== row['patient_id']) draft.set(column, null, 'otherPatient')
  return Boolean(row[column]) && visitPatient === row['patient_id']
}
/** Where Sanad's rule is to keep the row and only forget the deleted visit. */
function mayUnlink(
  draft: ExpectedRow,
  row: ComparedRow,
  ofVisit: boolean,
  visitDeleted: unknown,
  column = 'visit_id',
) {
  if (ofVisit && visitDeleted) draft.set(column, anyOfValues(row[column], null), 'deletedVisit')
}
const recorder = (
  draft: ExpectedRow,
  row: ComparedRow,
  isKnown: unknown,
  column = 'recorded_by_user_id',
) => {
  if (row[column] && !isKnown) draft.set(column, null, 'unknown')
}

/** The words of docs/exchange.md, written a second time. */
const MALE = 'male masc man boy hombre masculino varón varon niño ذكر رجل ولد صبي'.split(' ')
const FEMALE = 'f female fem woman girl mujer femenino hembra niña أنثى انثى امرأة بنت فتاة'.split(
  ' ',
)
const sexIn = (word: string) => {
  const bare = word.normalize('NFC').replace(/\.$/, '')
  return MALE.includes(bare) ? 'male' : FEMALE.includes(bare) ? 'female' : word
}

export const patientsTable: ComparedTable = {
  name: 'patients',
  source: `select t.id::text, row_to_json(t) as row, c.id is not null as clinic_known
    from patients t left join clinics c on c.id = t.primary_clinic_id order by t.id`,
  expect(row, { clinic_known }) {
    const draft = new ExpectedRow(row, [
      'given_name',
      'surname',
      'date_of_birth',
      'citizenship',
      'hometown',
      'phone',
      'sex',
      'camp',
      'government_id',
      'external_patient_id',
      'primary_clinic_id',
      'additional_data',
      'last_modified_by',
      'image_timestamp',
    ])
      .times()
      .deletion()
    if (typeof row['sex'] === 'string') {
      const sex = sexIn(row['sex'].trim().toLowerCase())
      if (!sex || ['male', 'female', 'other', 'unknown'].includes(sex)) draft.set('sex', sex, 'sex')
      else draft.setKept('sex', sex, 'unknownSex')
    }
    const birth = row['date_of_birth']
    if (
      typeof birth === 'string' &&
      (birth < '1900-01-01' || birth > new Date().toISOString().slice(0, 10))
    )
      draft.setKept('date_of_birth', null, 'dateOfBirth')
    if (row['primary_clinic_id'] && !clinic_known) draft.set('primary_clinic_id', null, 'unknown')
    draft.defaults({ additional_data: {} })
    if (row['photo_url']) draft.allow('photo_url', anything)
    return draft.metadata().end()
  },
}

export const visitsTable: ComparedTable = {
  name: 'visits',
  source: `select t.id::text, row_to_json(t) as row, ${CLINIC('t')} as clinic, ${USER('provider_id', 'provider')},
      p.is_deleted is true as patient_deleted
    from visits t left join patients p on p.id = t.patient_id order by t.id`,
  expect(row, { clinic, provider, patient_deleted }) {
    if (!row['patient_id']) return { unplaced: 'no such patient' }
    if (!clinic) return { unplaced: 'neither the visit nor its patient has a clinic' }
    const draft = new ExpectedRow(row, [
      'patient_id',
      'clinic_id',
      'provider_id',
      'provider_name',
      'check_in_timestamp',
    ])
      .times()
      .deletion(patient_deleted === true)
    if (!row['clinic_id']) draft.set('clinic_id', clinic, 'primaryClinic')
    recorder(draft, row, provider, 'provider_id')
    if (row['check_in_timestamp'] === null)
      draft.set('check_in_timestamp', row['created_at'] ?? something, 'createdAt')
    return draft.metadata().end()
  },
}

export const eventsTable: ComparedTable = {
  name: 'events',
  source: `select t.id::text, row_to_json(t) as row, ${OF_VISIT}, ${USER('recorded_by_user_id', 'author')},
      (select f.id from event_forms f where f.id = t.form_id) as form
    from events t left join patients p on p.id = t.patient_id ${VISIT('visit_id', 'v')} order by t.id`,
  expect(row, { visit_patient, visit_deleted, patient_deleted, author, form }) {
    if (!row['patient_id']) return { unplaced: 'no such patient' }
    const draft = new ExpectedRow(row, [
      'patient_id',
      'visit_id',
      'form_id',
      'event_type',
      'form_data',
      'recorded_by_user_id',
    ]).times()
    const ofVisit = checkOwnVisit(draft, row, visit_patient)
    draft.deletion(patient_deleted === true || (ofVisit && visit_deleted === true))
    if (row['form_id'] && !form) draft.set('form_id', null, 'unknown')
    draft.allow('form_version', form ? 1 : null)
    recorder(draft, row, author)
    const stored = row['form_data']
    draft.set('form_data', cleaned(parseSourceList(stored)), ruleOfList(stored))
    if (!Array.isArray(stored)) draft.keeps()
    return draft.metadata().end()
  },
}

const SIGNS = [
  'systolic_bp',
  'diastolic_bp',
  'bp_position',
  'height_cm',
  'weight_kg',
  'bmi',
  'waist_circumference_cm',
  'heart_rate',
  'pulse_rate',
  'oxygen_saturation',
  'respiratory_rate',
  'temperature_celsius',
  'pain_level',
]

export const vitalsTable: ComparedTable = {
  name: 'patient_vitals',
  source: `select t.id::text, row_to_json(t) as row, ${OF_VISIT}, ${USER('recorded_by_user_id', 'author')}
    from patient_vitals t join patients p on p.id = t.patient_id ${VISIT('visit_id', 'v')} order by t.id`,
  expect(row, { visit_patient, visit_deleted, patient_deleted, author }) {
    const draft = new ExpectedRow(row, [
      'patient_id',
      'visit_id',
      'event_id',
      'timestamp',
      'recorded_by_user_id',
      ...SIGNS,
    ]).times()
    const ofVisit = checkOwnVisit(draft, row, visit_patient)
    draft.deletion(patient_deleted === true || (ofVisit && visit_deleted === true))
    draft.moment('timestamp')
    recorder(draft, row, author)
    return draft.metadata().end()
  },
}

const midnight = (day: unknown) => (typeof day === 'string' ? `${day}T00:00:00+00:00` : day)
const SYSTEMS: Record<string, string> = {
  icd10: 'icd10',
  icd10cm: 'icd10cm',
  icd11: 'icd11',
  snomed: 'snomed',
  snomedct: 'snomed',
}
const systemIn = (text: unknown) =>
  SYSTEMS[
    textOrJson(text ?? '')
      .toLowerCase()
      .split(/[\s-]+/)
      .join('')
  ]

/** The words of docs/exchange.md, "Words of other systems", written a second time. */
const word = (value: unknown) =>
  textOrJson(value ?? '')
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .split(/[\s_-]+/)
    .join('-')
const CLINICAL: Record<string, string> = {
  active: 'active',
  recurrence: 'active',
  relapse: 'active',
  remission: 'remission',
  inactive: 'inactive',
  resolved: 'resolved',
}
const CERTAINTY: Record<string, string> = {
  confirmed: 'confirmed',
  provisional: 'provisional',
  unconfirmed: 'unconfirmed',
  differential: 'unconfirmed',
  refuted: 'refuted',
  'entered-in-error': 'error',
}
/** Entered in error: deleted, and ruled out if it is restored. */
function withdraw(draft: ExpectedRow, row: ComparedRow, column: string, patientDeleted: unknown) {
  draft.setKept(column, 'refuted', 'withdrawn', row['verification_status'])
  if (row['is_deleted'] === true || patientDeleted === true) return
  draft.set('is_deleted', true, 'withdrawn')
  draft.set('deleted_at', row['updated_at'] ?? something, 'withdrawn')
}

export const problemsTable: ComparedTable = {
  name: 'patient_problems',
  source: `select t.id::text, row_to_json(t) as row, ${OF_VISIT}, ${USER('recorded_by_user_id', 'author')}
    from patient_problems t join patients p on p.id = t.patient_id ${VISIT('visit_id', 'v')} order by t.id`,
  expect(row, { visit_patient, visit_deleted, patient_deleted, author }) {
    const system = systemIn(row['problem_code_system'])
    if (!system && !isNamed(row['problem_label']))
      return { unplaced: 'the problem has no label and no known code system' }
    const draft = new ExpectedRow(row, [
      'patient_id',
      'visit_id',
      'problem_code_system',
      'problem_code',
      'problem_label',
      'clinical_status',
      'verification_status',
      'severity_score',
      'recorded_by_user_id',
    ]).times()
    mayUnlink(draft, row, checkOwnVisit(draft, row, visit_patient), visit_deleted)
    draft.deletion(patient_deleted === true)
    if (system) draft.set('problem_code_system', system, 'codeSystem')
    else draft.setKept('problem_code_system', 'uncoded', 'unknownCodeSystem')
    const clinical = CLINICAL[word(row['clinical_status'])]
    if (clinical) draft.set('clinical_status', clinical, 'otherWord')
    else if (row['clinical_status'] === null) draft.set('clinical_status', 'unknown', 'empty')
    else draft.setKept('clinical_status', 'unknown', 'unknownStatus')
    const certainty = CERTAINTY[word(row['verification_status'])]
    if (row['verification_status'] === null)
      draft.set('verification_status', 'unconfirmed', 'empty')
    else if (!certainty) draft.setKept('verification_status', 'unconfirmed', 'unknownStatus')
    else if (certainty === 'error') withdraw(draft, row, 'verification_status', patient_deleted)
    else draft.set('verification_status', certainty, 'otherWord')
    draft
      .defaults({ problem_code: '', problem_label: '' })
      .allow('onset_date', midnight(row['onset_date']), 'midnight')
      .allow('end_date', midnight(row['end_date']), 'midnight')
    recorder(draft, row, author)
    return draft.metadata().end()
  },
}

const SEVERITIES: Record<string, readonly string[]> = {
  mild: ['mild', 'leve', 'خفيف', 'خفيفة', '255604002'],
  moderate: ['moderate', 'moderado', 'moderada', 'متوسط', 'متوسطة', '6736007'],
  severe: [
    'severe',
    'very-severe',
    'serious',
    'extreme',
    'critical',
    'high',
    'life-threatening',
    'lifethreatening',
    'fatal',
    'anaphylaxis',
    'anaphylactic',
    'anaphylactic-shock',
    'grave',
    'muy-grave',
    'severo',
    'severa',
    'mortal',
    'anafilaxia',
    'شديد',
    'شديدة',
    'شديد-جدا',
    'خطير',
    'خطيرة',
    'مهدد-للحياة',
    'مهددة-للحياة',
    'مميت',
    '24484000',
    '442452003',
    '399166001',
  ],
}
/** Severe if anything says so; else nothing if anything is not understood; else the higher one. */
function highest(found: unknown[]) {
  const words = found.map(word).filter(Boolean)
  const says = (one: string) => words.some((each) => SEVERITIES[one]!.includes(each))
  if (says('severe')) return 'severe'
  if (words.some((each) => !Object.values(SEVERITIES).flat().includes(each))) return null
  return says('moderate') ? 'moderate' : says('mild') ? 'mild' : null
}

export const allergiesTable: ComparedTable = {
  name: 'patient_allergies',
  source: `select t.id::text, row_to_json(t) as row, p.is_deleted is true as patient_deleted,
      ${USER('recorded_by_user_id', 'author')}, r.reactions
    from patient_allergies t join patients p on p.id = t.patient_id
      left join (
        select allergy_id, json_agg(o) as reactions from patient_allergy_reactions o where not is_deleted
        group by 1) r on r.allergy_id = t.id
    order by t.id`,
  expect(row, { patient_deleted, author, reactions }) {
    const draft = new ExpectedRow(row, ['patient_id', 'recorded_by_user_id'])
      .times()
      .deletion(patient_deleted === true)
    const named = textOrJson(row['allergen_label'] ?? '').trim()
    const code = isNamed(row['allergen_code'])
      ? `${textOrJson(row['allergen_code_system'] ?? '').trim()} ${textOrJson(row['allergen_code']).trim()}`.trim()
      : ''
    if (!named && !code) return { unplaced: 'the allergy names no substance' }
    const label = named || code
    draft.columns['substance'] = label
    if (!named) draft.original(row['allergen_code'], 'codeAlone')
    if (label.length > 200) {
      draft.setKept(
        'substance',
        new Any(
          (value) =>
            typeof value === 'string' &&
            value.length <= 200 &&
            value.length > 180 &&
            label.startsWith(value.replace(/…$/u, '').trimEnd()),
          'the beginning',
        ),
        'cut',
        label,
      )
    }
    const known = recognize(label.slice(0, 200))
    draft
      .allow('substance_kind', known.substance_kind)
      .allow('substance_code', known.substance_code)
    const all = (reactions ?? []) as ComparedRow[]
    const labels = all
      .map((one) => textOrJson(one['reaction_manifestation_label'] ?? '').trim())
      .filter(Boolean)
    draft.allow(
      'reaction',
      labels.length
        ? new Any(
            (value) =>
              typeof value === 'string' &&
              labels.every((one) => value.includes(one)) &&
              (labels.length < 2 || value.includes('; ')),
            labels.join('; '),
          )
        : null,
    )
    if (labels.length > 1) draft.note('reactions')
    const severities = [row['severity'], ...all.map((one) => one['severity'])]
    draft.columns['severity'] = row['severity']
    draft.set('severity', highest(severities), 'otherWord')
    const isOver = ['inactive', 'resolved', 'remission'].includes(word(row['clinical_status']))
    const isKnown = CLINICAL[word(row['clinical_status'])] !== undefined
    const certainty = CERTAINTY[word(row['verification_status'])]
    draft.columns['status'] = 'active'
    if (certainty === 'error') withdraw(draft, row, 'status', patient_deleted)
    else if (certainty === 'refuted') draft.set('status', 'refuted', 'otherWord')
    else if (isOver) draft.set('status', 'inactive', 'otherWord')
    const unknown = severities.filter(
      (each) => word(each) && !Object.values(SEVERITIES).flat().includes(word(each)),
    )
    if (unknown.length > 0) draft.note('unknownSeverity')
    const words = [
      ...unknown,
      ...(isKnown ? [] : [row['clinical_status']]),
      ...(certainty ? [] : [row['verification_status']]),
    ].filter((each) => each !== null && each !== undefined && each !== '')
    draft.columns['notes'] = null
    if (words.length > 0)
      draft.set(
        'notes',
        new Any(
          (value) => words.every((each) => textOrJson(value ?? '').includes(textOrJson(each))),
          words.map(textOrJson).join(', '),
        ),
        'unknownStatus',
      )
    for (const column of ['allergen_code', 'onset_date', 'end_date'])
      if (row[column]) draft.original(row[column])
    recorder(draft, row, author)
    return draft.keeps().metadata().end()
  },
}

const DEPARTMENT = new Set(['pending', 'in_progress', 'completed', 'cancelled', 'checked_in'])

export const appointmentsTable: ComparedTable = {
  name: 'appointments',
  source: `select t.id::text, row_to_json(t) as row, p.is_deleted is true as patient_deleted,
      v.patient_id as visit_patient, v.is_deleted as visit_deleted, w.patient_id as done_patient,
      w.is_deleted as done_deleted
    from appointments t join patients p on p.id = t.patient_id
    ${VISIT('current_visit_id', 'v')} ${VISIT('fulfilled_visit_id', 'w')} order by t.id`,
  expect(row, { patient_deleted, visit_patient, visit_deleted, done_patient, done_deleted }) {
    const draft = new ExpectedRow(row, [
      'provider_id',
      'clinic_id',
      'patient_id',
      'user_id',
      'current_visit_id',
      'fulfilled_visit_id',
      'timestamp',
      'duration',
      'reason',
      'notes',
      'status',
      'departments',
      'is_walk_in',
    ])
      .times()
      .deletion(patient_deleted === true)
    mayUnlink(
      draft,
      row,
      checkOwnVisit(draft, row, visit_patient, 'current_visit_id'),
      visit_deleted,
      'current_visit_id',
    )
    mayUnlink(
      draft,
      row,
      checkOwnVisit(draft, row, done_patient, 'fulfilled_visit_id'),
      done_deleted,
      'fulfilled_visit_id',
    )
    if (
      !['pending', 'confirmed', 'cancelled', 'completed', 'checked_in'].includes(
        String(row['status']),
      )
    )
      draft.set('status', 'pending', row['status'] === null ? 'empty' : 'value')
    const list = parseSourceList(row['departments'])
    let rule: Rule = ruleOfList(row['departments'])
    const kept = list.flatMap((one) => {
      const department = typeof one === 'object' && one !== null ? (one as ComparedRow) : {}
      if (typeof department['id'] !== 'string') {
        draft.original(department['name'], 'noId')
        rule = 'noId'
        return []
      }
      const { status } = department
      if (status === undefined || DEPARTMENT.has(textOrJson(status))) return [one]
      rule = 'value'
      return [{ ...department, status: 'pending' }]
    })
    const minutes = row['duration']
    if (typeof minutes === 'number' && (minutes < 0 || minutes > 10_080))
      draft.setKept('duration', null, 'value')
    draft.defaults({ reason: '', notes: '', is_walk_in: false }).moment('timestamp')
    return draft.set('departments', cleaned(kept), rule).metadata().end()
  },
}

const PAIR = `t.patient_id::text || ' ' || lower(t.attribute_id::text)`
/** By patient and field: the id may be another one. Both sides sort by patient; the fields are matched here. */
export const attributeSource = `select t.patient_id::text, row_to_json(t) as row, p.id is not null as has_patient,
    p.is_deleted is true as patient_deleted,
    count(*) over (partition by t.id) > 1 as id_taken
  from patient_additional_attributes t left join patients p on p.id = t.patient_id
  order by t.patient_id, ${PAIR}`
export const attributeTarget = `select t.patient_id::text, to_jsonb(t) as row from patient_additional_attributes t
  order by t.patient_id`

export function attribute(row: ComparedRow, { patient_deleted, id_taken }: ComparedRow) {
  const draft = new ExpectedRow(row, [
    'id',
    'attribute',
    'number_value',
    'string_value',
    'date_value',
    'boolean_value',
  ])
    .times()
    .deletion(patient_deleted === true)
  draft.defaults({ attribute: '' })
  const field = attributeId(String(row['attribute_id']))
  if (field !== row['attribute_id']) draft.note('stableId')
  if (id_taken) draft.set('id', something, 'sameId')
  return { field, expected: draft.metadata().end() }
}
