import { type Kysely, sql } from 'kysely'
import { describe, expect } from 'vitest'
import * as z from 'zod'
import type { DB } from '~/db/types'
import { cardCode } from '~/features/people/patients/card/card'
import { accessKind } from '~/features/office/audit/access-kinds'
import type { Parameter } from '~/fhir/parameters'
import type { Resource } from '~/fhir/resource'
import { RESOURCES } from '~/fhir/resources/all'
import { answer as answerFhir, explainFhirFailure } from '~/fhir/respond.server'
import { operations } from '~/rpc/operations'
import { flushAccesses } from '~/server/access-log'
import { type AnyOperation, type Context, operationRules } from '~/server/operation'
import { FIELDS_OF_NO_PATIENT, NUMBER_FIELDS } from '~/server/question'
import type { Actor } from '~/shared/actor'
import { AppError } from '~/shared/errors'
import { throwBug, type World, worldOf } from './access'
import { makeFactories } from './factories'
import { aRequest, test as base } from './harness'
import { samples } from './samples'
import type { Side } from './world'

/**
 * No question without a trace: what names a patient in the input of a read is in the access log, whatever the answer
 * (docs/decisions/0028). The questions are found in the input schemas and in the search parameters, so that a new
 * filter is asked here without an entry.
 */
const test = base.extend('world', { scope: 'file' }, async ({}, { onCleanup }) => {
  const world = await worldOf(onCleanup)
  const numbered = async (side: Side, n: number) => {
    const numbers = {
      government_id: `GOV-4471-${n}`,
      external_patient_id: `MRN/9937/${n}`,
      phone: `+963 944 812 55${n}`,
    }
    await world.db.updateTable('patients').set(numbers).where('id', '=', side.patient.id).execute()
    return numbers
  }
  const numbers = new Map([
    [world.own, await numbered(world.own, 1)],
    [world.other, await numbered(world.other, 2)],
  ])
  await world.db
    .updateTable('event_forms')
    .set({ form_fields: JSON.stringify([A_QUESTION]) })
    .execute()
  return { ...world, numbers }
})

const A_QUESTION = {
  id: 'note',
  name: 'Words',
  description: '',
  required: false,
  fieldType: 'free-text',
  inputType: 'text',
  length: 'short',
}

type Entry = { operation: string; outcome: string; patient_ids: string[] }

/** What a call leaves in the log. Nothing of it remains, and the log remembers nothing of earlier calls. */
async function logOf(db: Kysely<DB>, call: (fresh: Kysely<DB>) => Promise<unknown>) {
  // the log remembers its entries by database, and takes this for another one
  const fresh = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => result,
  })
  await sql`savepoint asking`.execute(db)
  try {
    const outcome = await call(fresh).catch((error: unknown) => error)
    await flushAccesses(fresh)
    const entries: Entry[] = await db
      .selectFrom('access_log')
      .select(['operation', 'outcome', 'patient_ids'])
      .orderBy('at')
      .execute()
    return { outcome, entries, named: new Set(entries.flatMap((entry) => entry.patient_ids)) }
  } finally {
    await sql`rollback to savepoint asking`.execute(db)
  }
}

const ask = (db: Kysely<DB>, operation: AnyOperation, actor: Actor, input: unknown) =>
  logOf(db, (fresh) => operation({ db: fresh, actor, request: { ...aRequest() } }, input))

const isInvalid = (outcome: unknown) => {
  throwBug(outcome)
  return outcome instanceof AppError && outcome.code === 'invalid'
}

type Schema = { [K in 'anyOf' | 'oneOf' | 'allOf']?: Schema[] } & {
  type?: string
  format?: string
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  items?: Schema
  minimum?: number
}
/** A field of an input: its path, whether it is a list, and its schema. */
type Field = { path: string[]; isList: boolean; schema: Schema }

function fieldsOf(schema: Schema, path: string[] = [], isList = false): Field[] {
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  return [
    ...(path.length > 0 ? [{ path, isList, schema }] : []),
    ...parts.flatMap((part) => fieldsOf(part, path, isList)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) =>
      fieldsOf(part, [...path, name], isList),
    ),
    ...(schema.items ? fieldsOf(schema.items, path, true) : []),
  ]
}

const fieldsOfInput = ({ facts }: AnyOperation) =>
  fieldsOf(z.toJSONSchema(facts.input, { io: 'input', unrepresentable: 'any' }) as Schema)

const queries = [...operations.values()].filter(
  ({ facts }) => facts.kind === 'query' && !facts.open,
)
const nameOf = ({ path }: Field) => path.at(-1)!
const isId = ({ schema }: Field) => schema.format === 'uuid'
const isText = ({ schema }: Field) =>
  schema.type === 'string' &&
  schema.format === undefined &&
  schema.enum === undefined &&
  schema.const === undefined

const unique = (values: string[]) => [...new Set(values)].toSorted()

/** The sample with one field set. */
function withField(sample: unknown, { path, isList }: Field, value: unknown): unknown {
  const [first, ...rest] = path
  if (first === undefined) return isList ? [value] : value
  const of = Object(sample) as Record<string, unknown>
  return { ...of, [first]: withField(of[first], { path: rest, isList, schema: {} }, value) }
}

/** Calls that are answered with rows and without: the first page, one far beyond the last, no row of any day. */
function variants(fields: Field[], input: unknown): unknown[] {
  const has = (name: string) => fields.find(({ path }) => path.length === 1 && path[0] === name)
  const given = Object(input) as object
  return [
    given,
    ...(has('page') ? [{ ...given, page: 99_999 }] : []),
    ...(has('from')?.schema.format === 'date' && has('to')
      ? [{ ...given, from: '1901-01-01', to: '1901-01-02' }]
      : []),
  ]
}

/** Ids of no patient's record. One that is not here is looked up, and asked below. */
const IDS_OF_NO_PATIENT = [
  'batchId',
  'clinicId',
  'clinic_ids',
  'definitionId',
  'departmentId',
  'drugId',
  'drugIds',
  'formId',
  'providerId',
  'provider_id',
  'runId',
  'userId',
]

test('the ids that are never looked up are of no patient', () => {
  const fields = queries.flatMap(fieldsOfInput).filter(isId)
  const skipped = fields.filter(({ path }) => path.some((name) => FIELDS_OF_NO_PATIENT.test(name)))
  expect(unique(skipped.map(nameOf))).toEqual([...IDS_OF_NO_PATIENT, 'id'].toSorted())
  // the last row of the page before
  expect(skipped.filter((field) => nameOf(field) === 'id').map(({ path }) => path)).toEqual([
    ['after', 'id'],
  ])
})

/** Texts that are compared with no number of a patient. */
const WORDS = [
  'action',
  'code',
  'column',
  'date_of_birth',
  'field',
  'given_name',
  'hometown',
  'least',
  'month',
  'most',
  'period',
  'row',
  'section',
  'sex',
  'sort',
  'surname',
  'table',
  'timestamp',
  'value',
]

test('each text of a question about patients is a number of a patient, or is known to be none', () => {
  const texts = unique(
    queries
      .filter((operation) => operationRules(operation).shows)
      .flatMap((operation) => fieldsOfInput(operation).filter(isText).map(nameOf)),
  )
  expect(texts.filter((name) => !NUMBER_FIELDS.has(name))).toEqual(WORDS)
})

/** Of own patients, and of patients outside the user's scope. */
const ASKERS = (world: World) =>
  [
    ['registrar', world.own],
    ['registrar', world.other],
    ['super_admin', world.other],
  ].map(([name, side]) => [world.actors[name as string]!, side as Side] as const)

type Named = { operation: AnyOperation; field: Field; name: string }
const named = (isIt: (field: Field, operation: AnyOperation) => boolean): Named[] =>
  queries.flatMap((operation) =>
    fieldsOfInput(operation)
      .filter((field) => isIt(field, operation))
      .map((field) => ({
        operation,
        field,
        name: `${operation.facts.name} ${field.path.join('.')}`,
      })),
  )

const namesAnId = (field: Field) =>
  isId(field) && !field.path.some((name) => FIELDS_OF_NO_PATIENT.test(name))

describe('a patient that the input names by an id is in the log, whatever the answer', () => {
  test.for(named(namesAnId))('$name', async ({ operation, field }, { world }) => {
    const fields = fieldsOfInput(operation)
    let asked = 0
    for (const [actor, side] of ASKERS(world)) {
      const sample = samples[operation.facts.name]!(side)
      const ids = [side.patient.id, valueAt(sample, field)]
      for (const id of unique(ids.filter((each) => typeof each === 'string'))) {
        const patients = await patientsOf(world.db, id)
        for (const input of variants(fields, withField(sample, field, id))) {
          const { outcome, entries, named: inLog } = await ask(world.db, operation, actor, input)
          if (isInvalid(outcome)) continue
          asked += 1
          expect(patients.filter((patient) => !inLog.has(patient))).toEqual([])
          for (const entry of entries.filter((each) => each.outcome === 'shown'))
            expect([entry.operation, accessKind(entry.operation)]).not.toContain(undefined)
        }
      }
    }
    expect(asked).toBeGreaterThan(0)
  })
})

function valueAt(input: unknown, { path }: Field): unknown {
  return path.reduce<unknown>((at, name) => (Object(at) as Record<string, unknown>)[name], input)
}

async function patientsOf(db: Kysely<DB>, id: string): Promise<string[]> {
  const { rows } = await sql<{
    id: string
  }>`select patients_named(array[${id}]::uuid[]) as id`.execute(db)
  return rows.map((row) => row.id)
}

const namesANumber = (field: Field, operation: AnyOperation) =>
  isText(field) && NUMBER_FIELDS.has(nameOf(field)) && operationRules(operation).shows !== undefined

describe('a patient that the input names by a number is in the log, whatever the answer', () => {
  test.for(named(namesANumber))('$name', async ({ operation, field }, { world }) => {
    const fields = fieldsOfInput(operation)
    for (const [actor, side] of ASKERS(world).slice(1)) {
      const { patient, referral } = side
      const { government_id, external_patient_id, phone } = world.numbers.get(side)!
      const written = [
        external_patient_id,
        phone,
        government_id.toLowerCase().replaceAll('-', ' '),
        cardCode(patient.id),
        `${referral.number.slice(0, 4)} ${referral.number.slice(4)}`,
      ]
      for (const number of nameOf(field) === 'number' ? written.slice(-1) : written) {
        const sample = samples[operation.facts.name]!(side)
        for (const input of variants(fields, withField(sample, field, number))) {
          const { outcome, named: inLog } = await ask(world.db, operation, actor, input)
          if (outcome instanceof AppError && outcome.code === 'forbidden') continue
          expect(isInvalid(outcome)).toBe(false)
          expect({ number, named: [...inLog] }).toEqual({
            number,
            named: expect.arrayContaining([patient.id]) as string[],
          })
        }
      }
    }
  })
})

test('a number that more than five patients have names none of them', async ({ world }) => {
  const { db, own, actors } = world
  const search = operations.get('patients.list')!
  const input = { search: '0999 000 111', page: 99_999 }
  const make = makeFactories(db)
  const withPhone = () =>
    make.patient({ primary_clinic_id: own.clinic.id, phone: '+963 999 000 111' })
  await sql`savepoint crowd`.execute(db)
  const five = await Promise.all(Array.from({ length: 5 }, withPhone))
  const { named: inLog } = await ask(db, search, actors['super_admin']!, input)
  expect([...inLog].toSorted()).toEqual(five.map(({ id }) => id).toSorted())
  await withPhone()
  const { entries } = await ask(db, search, actors['super_admin']!, input)
  expect(entries).toEqual([{ operation: 'patients.list', outcome: 'shown', patient_ids: [] }])
  await sql`rollback to savepoint crowd`.execute(db)
})

describe('a search that names nobody is one entry without patients in ten minutes', () => {
  const searches: Record<string, (side: Side) => { call: [string, unknown][]; outcome: string }> = {
    'no patient has the name': () => ({
      call: [
        ['patients.search', { searchQuery: 'qqqq zzzz' }],
        ['patients.search', { searchQuery: 'zzzz qqqq' }],
      ],
      outcome: 'not_found',
    }),
    'pages beyond the last of a list': () => ({
      call: [
        ['patients.list', { page: 99_998 }],
        ['patients.list', { page: 99_999, sort: 'surname' }],
      ],
      outcome: 'shown',
    }),
    'the words of an answer, piece by piece': ({ eventForm }) => ({
      call: ['a', 'b', 'c'].map((value) => [
        'events.byForm',
        { formId: eventForm.id, field: A_QUESTION.id, value, page: 99_999 },
      ]),
      outcome: 'not_found',
    }),
    'a report': (side) => ({
      call: [['reports.run', samples['reports.run']!(side)]],
      outcome: 'shown',
    }),
    'a definition of a report that is tried': (side) => ({
      call: [['reportDefinitions.preview', samples['reportDefinitions.preview']!(side)]],
      outcome: 'shown',
    }),
  }
  for (const [name, make] of Object.entries(searches))
    test(name, async ({ world }) => {
      const { call, outcome } = make(world.own)
      const { entries, outcome: error } = await logOf(world.db, async (db) => {
        for (const [operation, input] of call)
          await operations.get(operation)!(
            { db, actor: world.actors['super_admin']!, request: aRequest() },
            input,
          )
      })
      expect(error).toBeUndefined()
      expect(entries).toEqual([{ operation: call[0]![0], outcome, patient_ids: [] }])
      expect(accessKind(call[0]![0])).toBeTruthy()
    })
})

test('a number that is searched is never in the log', async ({ world }) => {
  const { db, actors, numbers, own } = world
  const { government_id } = numbers.get(own)!
  const search = operations.get('patients.search')!
  const { outcome } = await logOf(db, async (fresh) => {
    await search(
      { db: fresh, actor: actors['super_admin']!, request: aRequest() },
      { searchQuery: government_id },
    )
    await flushAccesses(fresh)
    const { rows } = await sql<{ text: string }>`select l::text as text from access_log l`.execute(
      fresh,
    )
    return rows.map(({ text }) => text).join()
  })
  expect(outcome).toContain(own.patient.id)
  expect(outcome).not.toContain(government_id)
})

/** Tokens that are no number of a patient. */
const TOKENS = [
  'action',
  'active',
  'category',
  'class',
  'clinical-status',
  'code',
  'combo-code',
  'deceased',
  'form',
  'gender',
  'identifier',
  'intent',
  'priority',
  'role',
  'status',
  'type',
  'vaccine-code',
  'verification-status',
  'version',
]

describe('a FHIR search is in the log with the patient that it names, whatever the answer', () => {
  const typeNamed = (type: string) => RESOURCES.find((resource) => resource.type === type)
  const isOfPatients = (type: string) => typeNamed(type)?.patient != null
  const parametersOf = (resource: Resource): [string, Parameter][] =>
    Object.entries(resource.search)
  const namesPatients = ({ reference }: Parameter) =>
    reference !== undefined && reference.targets.some(isOfPatients)

  test('each token is a number of a patient, or is known to be none', () => {
    const tokens = RESOURCES.flatMap((resource) =>
      parametersOf(resource)
        .filter(([, { kind, isNumber }]) => kind === 'token' && !isNumber)
        .map(([name]) => ({ type: resource.type, name })),
    )
    expect(unique(tokens.map(({ name }) => name)).filter((name) => !TOKENS.includes(name))).toEqual(
      [],
    )
    expect(tokens.filter(({ type, name }) => type === 'Patient' && name === 'identifier')).toEqual(
      [],
    )
  })

  type Question = [name: string, value: string]
  type Rows = (type: string) => string | undefined
  type Numbers = { government_id: string; phone: string }

  /** Every way in which a search of a type can name the patient: parameters, chains and `_has`. */
  function questionsOf(resource: Resource, rows: Rows, numbers: Numbers): Question[] {
    const direct = (of: Resource): Question[] => [
      ...(of.patient !== null && rows(of.type) ? [['_id', rows(of.type)!] as Question] : []),
      ...parametersOf(of).flatMap(([name, parameter]): Question[] => [
        ...(namesPatients(parameter)
          ? parameter
              .reference!.targets.filter((type) => isOfPatients(type) && rows(type))
              .map((type): Question => [name, `${type}/${rows(type)!}`])
          : []),
        ...(parameter.isNumber
          ? [[name, name === 'phone' ? numbers.phone : numbers.government_id] as Question]
          : []),
      ]),
    ]
    const person = typeNamed('Patient')!
    const chains = parametersOf(resource)
      .filter(([, { reference }]) => reference?.targets.includes('Patient'))
      .flatMap(([name]) =>
        direct(person).map(([own, value]): Question => [`${name}:Patient.${own}`, value]),
      )
    const reverse = RESOURCES.flatMap((source) =>
      parametersOf(source)
        .filter(([, { reference }]) => reference?.targets.includes(resource.type))
        .flatMap(([through]) =>
          direct(source).map(([own, value]): Question => [
            `_has:${source.type}:${through}:${own}`,
            value,
          ]),
        ),
    )
    return [...direct(resource), ...chains, ...reverse]
  }

  const ENDINGS: Question[][] = [
    [],
    [
      ['_summary', 'count'],
      ['_lastUpdated', 'gt2999-01-01'],
    ],
  ]

  test.for(RESOURCES.map((resource) => ({ type: resource.type, resource })))(
    '$type',
    async ({ resource }, { world }) => {
      const { db, own, numbers } = world
      const rows = await idsByType(db, own)
      const questions = questionsOf(resource, (type) => rows.get(type), numbers.get(own)!)
      for (const question of questions)
        for (const ending of ENDINGS) {
          const { outcome, named: inLog } = await logOf(world.db, (db) =>
            searchFhir(
              { db, actor: world.actors['admin']!, request: aRequest('fhir') },
              resource.type,
              [question, ...ending],
            ),
          )
          const asked = [question, ...ending].join('&')
          expect({ asked, outcome, named: [...inLog] }).toEqual({
            asked,
            outcome: 200,
            named: expect.arrayContaining([own.patient.id]) as string[],
          })
        }
    },
  )

  test('one that the user may not see is named, too', async ({ world }) => {
    const { db, other, actors } = world
    const request = aRequest('fhir')
    const asked = async (...path: string[]) => {
      const { outcome, entries } = await logOf(db, (fresh) =>
        getFhir({ db: fresh, actor: actors['registrar']!, request }, path, []),
      )
      return { outcome, entries }
    }
    const entry = { outcome: 'not_found', patient_ids: [other.patient.id] }
    expect(await asked('Patient', other.patient.id)).toEqual({
      outcome: 404,
      entries: [{ ...entry, operation: 'fhir.read' }],
    })
    expect(await asked('Patient', other.patient.id, '$everything')).toEqual({
      outcome: 404,
      entries: [{ ...entry, operation: 'fhir.everything' }],
    })
  })

  test('a read that answers that the row was deleted is in the log', async ({ world }) => {
    const { db, own, actors } = world
    const { outcome, entries } = await logOf(db, async (fresh) => {
      await sql`update patients set is_deleted = true where id = ${own.patient.id}`.execute(fresh)
      const request = aRequest('fhir')
      return getFhir(
        { db: fresh, actor: actors['super_admin']!, request },
        ['Patient', own.patient.id],
        [],
      )
    })
    expect(outcome).toBe(410)
    expect(entries).toMatchObject([{ operation: 'fhir.read', patient_ids: [own.patient.id] }])
  })

  test('a create that finds one, or would, is a question about that patient', async ({ world }) => {
    const { db, own, actors, numbers } = world
    const { government_id } = numbers.get(own)!
    const { outcome, named: inLog } = await logOf(db, (fresh) =>
      answerFhir(
        {
          method: 'POST',
          path: ['Patient'],
          parameters: [],
          headers: new Headers({ 'if-none-exist': `identifier=${government_id}&birthdate=lt1800` }),
          body: { resourceType: 'Patient', unknown: true },
        },
        { ctx: { db: fresh, actor: actors['admin']!, request: aRequest('fhir') }, site: SITE },
      ).then(
        ({ status }) => status,
        (error: unknown) => explainFhirFailure(error, '').status,
      ),
    )
    expect(outcome).toBe(422)
    expect([...inLog]).toContain(own.patient.id)
  })

  test('a search of what is about no patient leaves no entry', async ({ world }) => {
    const { db, actors } = world
    const { entries } = await logOf(db, (fresh) =>
      searchFhir(
        { db: fresh, actor: actors['admin']!, request: aRequest('fhir') },
        'Medication',
        [],
      ),
    )
    expect(entries).toEqual([])
  })
})

const SITE = { base: 'https://clinic.example/api/fhir' }

const getFhir = (ctx: Context, path: string[], parameters: [string, string][]) =>
  answerFhir({ method: 'GET', path, parameters, headers: new Headers() }, { ctx, site: SITE }).then(
    ({ status }) => status,
    (error: unknown) => explainFhirFailure(error, '').status,
  )

const searchFhir = (ctx: Context, type: string, parameters: [string, string][]) =>
  getFhir(ctx, [type], parameters)

/** An id of the patient's own resources of each type that has one. */
async function idsByType(db: Kysely<DB>, { patient }: Side): Promise<Map<string, string>> {
  const ids = new Map([['Patient', patient.id]])
  for (const { from, type, patient: column, id } of RESOURCES) {
    if (column === null || type === 'Patient') continue
    const { rows } = await sql<{ id: string }>`select ${id ?? sql`r.id`}::text as id from ${from}
      where r.patient_id = ${patient.id} limit 1`.execute(db)
    if (rows[0]) ids.set(type, rows[0].id)
  }
  return ids
}
