// Long: one resource with its extensions, identifiers and searches, each of which reads its table.
import { sql } from 'kysely'
import { identifiersIn, knownBirthDate, storedBirthText } from '~/features/people/patients/patient'
import { createPatient, savePatient } from '~/features/people/patients/patients.server'
import { deletePatientWithRecords } from '~/features/people/patients/deletions/deletions.server'
import { permitsSomewhere } from '~/policy/facts'
import { knowPatient } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import type { Context } from '~/server/operation'
import type { Language } from '~/shared/language'
import type { Element } from '../element'
import { communicationIn, languageFrom } from '../communication'
import { unsupportedElements, invalidElement } from '../outcome'
import {
  orConditions,
  conditionalCodes,
  code,
  dayRangeParameter,
  moment,
  type Parameter,
  referenceParameter,
  referenceBy,
  string,
  tokens,
} from '../parameters'
import { ABSENT, NOT_KNOWN } from '../parts'
import { compact, refer, resource, type FhirRow, type WriteContext } from '../resource'
import { badValue, prefixed, parseDateSpan, splitAt, parseToken, unescaped } from '../values'
import { isId } from '~/shared/id'

const IDENTIFIER_TYPE = 'http://terminology.hl7.org/CodeSystem/v2-0203'
const CITIZENSHIP = 'http://hl7.org/fhir/StructureDefinition/patient-citizenship'
/** An answer to a field of the registration form: `urn:uuid:<id of the field>`. */
const FIELD = 'urn:uuid:'

type Identifier = { system?: string; value: string } & Record<string, unknown>
type Answer = {
  id: string
  string_value: string | null
  number_value: number | null
  boolean_value: boolean | null
  date_value: string | null
}

export type PatientRow = {
  id: string
  given_name: string | null
  surname: string | null
  sex: string | null
  date_of_birth: string | null
  metadata: Record<string, unknown>
  phone: string | null
  camp: string | null
  hometown: string | null
  citizenship: string | null
  government_id: string | null
  external_patient_id: string | null
  medical_record_system: string | null
  primary_clinic_id: string | null
  died_on: string | null
  language: string | null
  photo_url: string | null
  replaces: string[]
  answers: Answer[]
}

const GENDERS = ['male', 'female', 'other'] as const
/** Nothing where no sex is recorded; "unknown" for a word that is no gender of FHIR. */
const toFhirGender = (sex: string | null) =>
  sex === null || sex === ''
    ? undefined
    : (GENDERS.find((gender) => gender === sex) ?? ('unknown' as const))

/** A client that writes back the part of the date that it read says nothing new of it. */
function keptBirth(given: string | null, row: PatientRow): string | null {
  return given !== null && given === birthFrom(knownBirthDate(row)) ? storedBirthText(row) : given
}

const typed = (type: string, value: string | null, system: string | null = null) =>
  value
    ? {
        type: { coding: [{ system: IDENTIFIER_TYPE, code: type }] },
        ...(system && { system }),
        value,
      }
    : undefined

const extensionValue = ({ string_value, number_value, boolean_value, date_value }: Answer) => {
  if (string_value) return { valueString: string_value }
  if (number_value !== null) return { valueDecimal: number_value }
  if (boolean_value !== null) return { valueBoolean: boolean_value }
  return date_value && { valueDateTime: new Date(date_value).toISOString() }
}

export function patientToFhir(row: PatientRow) {
  const answers = row.answers.flatMap((answer) => {
    const value = extensionValue(answer)
    return value ? [{ url: FIELD + answer.id, ...value }] : []
  })
  return {
    resourceType: 'Patient',
    ...compact({
      extension: [
        ...(row.citizenship
          ? [
              {
                url: CITIZENSHIP,
                extension: [{ url: 'code', valueCodeableConcept: { text: row.citizenship } }],
              },
            ]
          : []),
        ...answers,
      ],
      identifier: [
        typed('NI', row.government_id),
        typed('MR', row.external_patient_id, row.medical_record_system),
        ...identifiersIn(row.metadata),
      ],
      active: true,
      name: [
        {
          family: row.surname?.trim(),
          given: row.given_name?.trim().split(/\s+/),
        },
      ],
      telecom: [row.phone && { system: 'phone', value: row.phone }],
      gender: toFhirGender(row.sex),
      birthDate: knownBirthDate(row),
      // the profiles of Patient ask for a date of birth, or for the word that there is none
      _birthDate: row.date_of_birth ? undefined : NOT_KNOWN,
      deceasedDateTime: row.died_on,
      address: [{ city: row.hometown, district: row.camp }],
      communication: [communicationIn(row.language)],
      photo: [row.photo_url && { url: `/api/photos/${row.id}` }],
      managingOrganization: refer('Organization', row.primary_clinic_id),
      link: row.replaces.map((id) => ({ other: refer('Patient', id), type: 'replaces' })),
    }),
  }
}

type Input = {
  given_name: string | null
  surname: string | null
  sex: string | null
  date_of_birth: string | null
  phone: string | null
  camp: string | null
  hometown: string | null
  citizenship: string | null
  government_id: string | null
  external_patient_id: string | null
  died_on: string | null
  language: Language | null
  primary_clinic_id?: string
  identifiers: Identifier[]
  answers: Record<string, string | number | boolean>
}

export function patientFromFhir(element: Element, { actor }: Pick<WriteContext, 'actor'>): Input {
  if (element.boolean('active') === false) throw unsupportedElements(['Patient.active'])
  const name = element.only('name')
  const telecom = element.only('telecom')
  const address = element.only('address')
  name?.ignore('use', 'text')
  telecom?.ignore('use', 'rank')
  address?.ignore('use', 'type', 'text')
  const system = telecom?.text('system')
  if (system !== undefined && system !== 'phone')
    throw unsupportedElements(['Patient.telecom[0].system'])
  const gender = element.text('gender')
  if (gender !== undefined && gender !== 'unknown' && toFhirGender(gender) === 'unknown')
    throw invalidElement('Patient.gender', 'This is not an administrative gender.')
  const clinic =
    element.reference('managingOrganization', 'Organization') ?? actor.clinicId ?? undefined
  return {
    given_name: name?.texts('given').join(' ') || null,
    surname: name?.text('family') ?? null,
    sex: gender === 'unknown' ? null : (gender ?? null),
    date_of_birth: birthIn(element),
    phone: telecom?.text('value') ?? null,
    camp: address?.text('district') ?? null,
    hometown: address?.text('city') ?? null,
    died_on: readDayOfDeath(element),
    language: languageFrom(element),
    ...(clinic && { primary_clinic_id: clinic }),
    ...identifiersFrom(element),
    ...extensionsFrom(element),
  }
}

/** A date of birth that is not known may be said. */
function birthIn(element: Element): string | null {
  const absent = element.one('_birthDate')?.only('extension')
  if (absent && absent.text('url') !== ABSENT) throw unsupportedElements([absent.expression])
  absent?.ignore('valueCode')
  return birthFrom(element.text('birthDate'))
}

/** The text that the registration form reads: a day, a year, or the middle of a month. */
function birthFrom(date: string | undefined): string | null {
  if (date === undefined) return null
  if (!/^\d{4}(-\d\d(-\d\d)?)?$/.test(date))
    throw invalidElement('Patient.birthDate', 'This is not a FHIR date.')
  return date.length === 7 ? `~${date}-15±16` : date
}

function readDayOfDeath(element: Element): string | null {
  if (element.boolean('deceasedBoolean') === true)
    throw invalidElement('Patient.deceasedBoolean', 'Give the day of death as deceasedDateTime.')
  const died = element.text('deceasedDateTime')
  if (died === undefined) return null
  if (!/^\d{4}-\d\d-\d\d$/.test(died))
    throw invalidElement(
      'Patient.deceasedDateTime',
      'Sanad stores the day of death, without a time.',
    )
  return died
}

function identifiersFrom(element: Element) {
  const found = {
    government_id: null as string | null,
    external_patient_id: null as string | null,
    identifiers: [] as Identifier[],
  }
  for (const each of element.list('identifier')) {
    const coding = each.one('type')?.only('coding')
    const system = coding?.text('system')
    const type = coding?.text('code')
    const value = each.text('value')
    if (!value) throw invalidElement(each.expression, 'An identifier needs a value.')
    const column =
      system !== IDENTIFIER_TYPE || each.has('system')
        ? undefined
        : ({ NI: 'government_id', MR: 'external_patient_id' } as const)[type ?? '']
    if (column && found[column] === null) found[column] = value
    else {
      const own = each.text('system')
      const use = each.text('use')
      found.identifiers.push({
        ...(use && { use }),
        ...(type && { type: { coding: [{ ...(system && { system }), code: type }] } }),
        ...(own && { system: own }),
        value,
      })
    }
  }
  return found
}

function extensionsFrom(element: Element) {
  let citizenship: string | null = null
  const answers: Input['answers'] = {}
  for (const each of element.list('extension')) {
    const url = each.text('url') ?? ''
    if (url === CITIZENSHIP) {
      const inner = each.only('extension')
      if (inner?.text('url') !== 'code') throw unsupportedElements([each.expression])
      citizenship = inner.one('valueCodeableConcept')?.text('text') ?? null
      continue
    }
    const field = url.startsWith(FIELD) ? url.slice(FIELD.length) : ''
    const value =
      each.text('valueString') ??
      each.number('valueDecimal') ??
      each.boolean('valueBoolean') ??
      each.text('valueDateTime')?.slice(0, 10)
    if (!isId(field) || value === undefined) throw unsupportedElements([each.expression])
    answers[field] = value
  }
  return { citizenship, answers }
}

/** A setting; null if medical record numbers have no system. */
const medicalRecordSystem = sql<string | null>`(select nullif(s.value, '') from app_config s
  where s.namespace = 'exchange' and s.key = 'medical-record-system' and not s.is_deleted)`

/** A number of the configured system is the medical record number of Sanad. */
async function withMedicalRecord({ db }: Context, input: Input): Promise<Input> {
  if (input.external_patient_id !== null) return input
  const { rows } = await sql<{ system: string | null }>`
    select ${medicalRecordSystem} as system`.execute(db)
  const found = input.identifiers.find(
    ({ system }) => system !== undefined && system === rows[0]?.system,
  )
  if (!found) return input
  return {
    ...input,
    external_patient_id: found.value,
    identifiers: input.identifiers.filter((each) => each !== found),
  }
}

/** Every identifier is a token; `:of-type` asks `system of the type|type|value`. */
const identifiers = sql<unknown[] | null>`(r.metadata -> 'identifiers')`
const contains = (asked: object) =>
  sql<boolean>`${identifiers} @> ${JSON.stringify([asked])}::jsonb`
const ofColumns = tokens('identifier', [
  code('identifier', sql`r.government_id`),
  code('identifier', sql`r.external_patient_id`, medicalRecordSystem),
])
const identifier: Parameter = {
  ...ofColumns,
  isNumber: true,
  modifiers: ['not', 'of-type'],
  condition(value, modifier) {
    if (modifier === 'of-type') {
      const [system, type, text, ...more] = splitAt(value, '|').map(unescaped)
      if (!system || !type || !text || more.length > 0)
        throw badValue(value, 'This needs a system, a type and a value')
      const column =
        system === IDENTIFIER_TYPE &&
        ({ NI: sql`r.government_id`, MR: sql`r.external_patient_id` } as const)[type]
      const other = contains({ type: { coding: [{ system, code: type }] }, value: text })
      return column ? orConditions([sql<boolean>`${column} = ${text}`, other]) : other
    }
    const asked = parseToken(value)
    const named = {
      ...(asked.system && { system: asked.system }),
      ...(asked.code && { value: asked.code }),
    }
    return asked.system === ''
      ? ofColumns.condition(value, undefined)
      : orConditions([contains(named), ofColumns.condition(value, undefined)])
  },
  present: orConditions([ofColumns.present, sql<boolean>`jsonb_array_length(${identifiers}) > 0`]),
}

const sex = sql<string | null>`r.sex`
const given = sql<string | null>`r.given_name`
const surname = sql<string | null>`r.surname`

/**
 * `patient_search` holds the folded names in Latin letters. PostgreSQL has no trigrams of Arabic words, so the index of
 * the names themselves finds all patients, and folding the names of 100,000 takes a second.
 */
const among = (text: string, before: string) => sql<boolean>`r.id = any(array(select s.patient_id
  from patient_search s where s.names like ${before} || search_text(${text}) || '%'))`

const version = sql<Date>`greatest(r.last_modified, (select max(a.last_modified)
  from patient_additional_attributes a where a.patient_id = r.id))`

/** The answers to further fields count. What is new is found by indexes of both tables. */
const exact = moment('meta.lastUpdated', version)
const lastUpdated: Parameter = {
  ...exact,
  sort: sql`r.last_modified`,
  always: true,
  condition(value, modifier) {
    const all = exact.condition(value, modifier)
    const [prefix, text] = prefixed(value)
    const span = parseDateSpan(text)
    if (!span || !['eq', 'gt', 'ge', 'sa'].includes(prefix)) return all
    const since = sql`${new Date(span.low).toISOString()}::timestamptz`
    return sql<boolean>`((r.last_modified >= ${since} or r.id in (
      select a.patient_id from patient_additional_attributes a where a.last_modified >= ${since}))
      and ${all})`
  },
}

export const patient = resource<PatientRow>({
  type: 'Patient',
  from: sql`patients r`,
  columns: sql`r.id, r.given_name, r.surname, r.sex, r.date_of_birth, r.metadata, r.phone, r.camp, r.hometown,
    r.citizenship, r.government_id, r.external_patient_id, r.primary_clinic_id, r.died_on, r.language, r.photo_url,
    ${medicalRecordSystem} as medical_record_system,
    array(select m.loser_id from patient_merges m where m.winner_id = r.id and m.unmerged_at is null
      order by m.merged_at) as replaces,
    (select coalesce(jsonb_agg(jsonb_build_object('id', a.attribute_id, 'string_value', a.string_value,
        'number_value', a.number_value, 'boolean_value', a.boolean_value, 'date_value', a.date_value)
        order by a.server_created_at), '[]')
      from patient_additional_attributes a where a.patient_id = r.id and not a.is_deleted) as answers`,
  modified: version,
  permits: (actor) => permitsSomewhere(knowPatient, actor),
  where: (actor) => patientsWhere(knowPatient, actor, 'r.id'),
  patient: 'id',
  toFhir: patientToFhir,
  summary: [
    'identifier',
    'active',
    'name',
    'telecom',
    'gender',
    'birthDate',
    'deceasedDateTime',
    'address',
    'managingOrganization',
    'link',
  ],
  search: {
    identifier,
    name: string('name.family|name.given', [given, surname], { words: [given], among }),
    family: string('name.family', surname, { among }),
    given: string('name.given', given, { words: [given], among }),
    phone: { ...code('telecom.value', sql`r.phone`), isNumber: true },
    gender: conditionalCodes(
      'gender',
      {
        male: sql`${sex} = 'male'`,
        female: sql`${sex} = 'female'`,
        other: sql`${sex} = 'other'`,
        unknown: sql`(${sex} <> '' and ${sex} not in ('male', 'female', 'other'))`,
      },
      'http://hl7.org/fhir/administrative-gender',
    ),
    birthdate: dayRangeParameter(
      'birthDate',
      sql`birth_first(r.date_of_birth, r.metadata)`,
      sql`birth_last(r.date_of_birth, r.metadata)`,
    ),
    organization: referenceParameter('managingOrganization', sql`r.primary_clinic_id`, [
      'Organization',
    ]),
    deceased: conditionalCodes('deceasedDateTime', {
      true: sql`r.died_on is not null`,
      false: sql`r.died_on is null`,
    }),
    link: referenceBy(
      'link.other',
      ['Patient'],
      sql`(select min(m.loser_id::text)::uuid from patient_merges m
        where m.winner_id = r.id and m.unmerged_at is null)`,
      ({ id }) =>
        isId(id)
          ? sql`r.id in (select m.winner_id from patient_merges m
              where m.loser_id = ${id}::uuid and m.unmerged_at is null)`
          : sql`false`,
    ),
    _lastUpdated: lastUpdated,
  },
  writes: {
    table: 'patients',
    fromFhir: patientFromFhir,
    create: async (ctx: Context, input: Input, id: string) =>
      createPatient(ctx, { ...(await withMedicalRecord(ctx, input)), id } as never), // it checks its input
    async update(ctx: Context, update: Input, row: PatientRow & FhirRow) {
      const { answers, ...input } = await withMedicalRecord(ctx, update)
      // what the new version leaves out is removed
      const removed = Object.fromEntries(row.answers.map((answer) => [answer.id, null]))
      return savePatient(ctx, {
        ...input,
        date_of_birth: keptBirth(input.date_of_birth, row),
        // a word that FHIR does not have is read as "unknown", and stays
        sex: input.sex === null && toFhirGender(row.sex) === 'unknown' ? row.sex : input.sex,
        answers: { ...removed, ...answers },
        id: row.id,
        last_modified: row.fhir_modified,
      })
    },
    delete: (ctx, row) => deletePatientWithRecords(ctx, { id: row.id }),
    expressions: {
      given_name: 'Patient.name[0].given',
      surname: 'Patient.name[0].family',
      sex: 'Patient.gender',
      date_of_birth: 'Patient.birthDate',
      died_on: 'Patient.deceasedDateTime',
      phone: 'Patient.telecom[0].value',
      camp: 'Patient.address[0].district',
      hometown: 'Patient.address[0].city',
      citizenship: 'Patient.extension',
      government_id: 'Patient.identifier',
      external_patient_id: 'Patient.identifier',
      primary_clinic_id: 'Patient.managingOrganization',
    },
  },
})
