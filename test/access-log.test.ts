import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { describe, expect } from 'vitest'
import type { DB } from '~/db/types'
import { accessKind } from '~/features/office/audit/access-kinds'
import { operations } from '~/rpc/operations'
import { flushAccesses } from '~/server/access-log'
import { type AnyOperation, operationRules } from '~/server/operation'
import { nobodyByName } from '~/server/shown'
import type { Actor } from '~/shared/actor'
import { AppError } from '~/shared/errors'
import { throwBug, worldOf } from './access'
import { makeFactories } from './factories'
import { aRequest, test as base } from './harness'
import { samples } from './samples'
import { newId, type Side } from './world'

/** The parts of a world by which an answer can be traced to a patient: names and ids of records. */
const test = base.extend('world', { scope: 'file' }, async ({}, { onCleanup }) => {
  const world = await worldOf(onCleanup)
  const make = makeFactories(world.db)
  await sql`update patients set given_name = 'Zq' || md5(id::text), surname = 'Mansour'`.execute(
    world.db,
  )
  for (const { patient, clinic, registrar, upload } of [world.own, world.other]) {
    const of = { patient_id: patient.id, clinic_id: clinic.id, provider_id: registrar.id }
    await make.appointment({ ...of, timestamp: new Date('2030-03-01T09:00:00Z') })
    await world.db
      .insertInto('access_log')
      .values({ ...earlier, patient_ids: [patient.id], clinic_id: clinic.id })
      .execute()
    await world.db
      .insertInto('deletions')
      .values({
        ...deletion,
        record_id: newId(),
        label: nameOf(patient.id),
        patient_id: patient.id,
      })
      .execute()
    await world.db
      .insertInto('import_duplicates')
      .values({ ...doubt, import_id: upload.id, patient_id: patient.id })
      .execute()
  }
  return { ...world, traces: await tracesIn(world.db) }
})

const nameOf = (id: string) => `Zq${createHash('md5').update(id).digest('hex')}`
const deletion = { table_name: 'visits', record_id: newId() }
const EARLIER = 'earlier'
const earlier = {
  via: 'web',
  operation: 'patients.get',
  outcome: 'shown',
  request_id: EARLIER,
}
const doubt = { line: 2, name: 'A person', strength: 'likely', reasons: [] }

/** Calls with results. The samples only test which users may call an operation. */
const ASKED: Record<string, (side: Side) => unknown> = {
  'appointments.search': ({ patient }) => ({ searchQuery: nameOf(patient.id) }),
  'patients.search': ({ patient }) => ({ searchQuery: nameOf(patient.id) }),
  'patients.duplicates': ({ patient }) => ({
    given_name: nameOf(patient.id),
    surname: 'Mansour',
    date_of_birth: patient.date_of_birth,
  }),
  'appointments.calendar': ({ clinic }) => ({ clinicId: clinic.id, ...MARCH }),
  'appointments.month': ({ clinic }) => ({ clinicId: clinic.id, ...MARCH }),
}
const MARCH = { from: '2030-03-01', to: '2030-03-31' }

/** Tables with an id and a patient. `patients_named` (src/db/schema) knows each of them. */
const tablesOfPatients = async (db: Kysely<DB>) => {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c
      join pg_attribute i on i.attrelid = c.oid and i.attname = 'id' and i.atttypid = 'uuid'::regtype
      join pg_attribute p on p.attrelid = c.oid and p.attname = 'patient_id'
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      and c.relname not in ('audit_log', 'deletions') order by 1`.execute(db)
  return rows.map(({ name }) => name)
}

/** Rows that reviewers see without the patient, who may be outside their scope. */
const REVIEWS = [
  'emergency_accesses',
  'history_openings',
  'safety_overrides',
  'sync_conflicts',
  'sync_quarantine',
]

/** Texts by which an answer names a patient -> id of the patient. */
async function tracesIn(db: Kysely<DB>): Promise<Map<string, string>> {
  const parts = (await tablesOfPatients(db))
    .filter((name) => !REVIEWS.includes(name))
    .map(
      (name) => sql`union all select id::text, patient_id from ${sql.table(name)}
      where patient_id is not null`,
    )
  const { rows } = await sql<{ trace: string; patient: string }>`
    select id::text as trace, id as patient from patients
    union all select given_name, id from patients ${sql.join(parts, sql` `)}`.execute(db)
  return new Map(rows.map(({ trace, patient }) => [trace, patient]))
}

const reads = [...operations.values()].filter(({ facts }) => facts.kind === 'query' && !facts.open)

/** Queries about no patient. A query that is not here says in `on` or `shows` which patients its answer is about. */
const OF_NO_PATIENT = [
  'account.get',
  'apiClients.get',
  'apiClients.list',
  'appPasswords.list',
  'audit.newestSeal',
  'audit.users',
  'backups.file',
  'backups.last',
  'backups.list',
  'batches.byDrug',
  'batches.inClinic',
  'checklist.get',
  'clinics.get',
  'clinics.list',
  'clinics.names',
  'configurations.get',
  'configurations.list',
  'configurations.phoneCode',
  'copies.get',
  'departments.names',
  'devices.list',
  'devices.waiting',
  'dhis2.check',
  'dhis2.dataSet',
  'dhis2.get',
  'dispensing.propose',
  'drugs.export',
  'drugs.get',
  'drugs.list',
  'drugs.scan',
  'drugs.search',
  'drugs.stats',
  'eventForms.diff',
  'eventForms.get',
  'eventForms.list',
  'eventForms.starter',
  'eventForms.starterUpdate',
  'eventForms.starters',
  'eventForms.version',
  'eventForms.versions',
  'externalCodes.clinics',
  'externalCodes.list',
  'followUpSchedules.list',
  'followups.count',
  'hub.get',
  'imports.get',
  'imports.list',
  'imports.newUsers',
  'imports.rejected',
  'inventory.attention',
  'inventory.export',
  'inventory.list',
  'ledger.list',
  'messageGateway.check',
  'messageGateway.get',
  'messageTexts.list',
  'patients.deletionProgress',
  'permissions.check',
  'permissions.list',
  'problems.searchCodes',
  'programs.list',
  'queue.board',
  'registrationForm.answered',
  'registrationForm.get',
  'registrationForm.list',
  'reportBindings.list',
  'reportDefinitions.get',
  'reportDefinitions.list',
  'reportDefinitions.versions',
  'reports.history',
  'reports.closedOn',
  'reports.list',
  'safety.rules',
  'sessions.list',
  'sessions.listOf',
  'shortfalls.list',
  'summary.care',
  'summary.stats',
  'summary.stock',
  'summary.trends',
  'users.clinicsWhere',
  'users.current',
  'users.currentId',
  'users.find',
  'users.get',
  'users.hasRole',
  'users.list',
  'users.names',
  'users.passwordsToAsk',
]

test('every query says which patients its answer shows, or is known to be about none', () => {
  const silent = reads.filter(
    (operation) => !operationRules(operation).shows && !operationRules(operation).on,
  )
  const names = silent.map(({ facts }) => facts.name)
  expect(names.filter((name) => !OF_NO_PATIENT.includes(name))).toEqual([])
  expect(OF_NO_PATIENT.filter((name) => !operations.has(name))).toEqual([])
})

const ACTORS = ['registrar', 'clinic admin', 'super_admin']

describe('an answer about a patient is in the access log', () => {
  test.for(reads.map((operation) => ({ name: operation.facts.name, operation })))(
    '$name',
    async ({ name, operation }, { world }) => {
      const all: string[] = []
      for (const actor of ACTORS.map((each) => world.actors[each]!))
        for (const side of [world.own, world.other]) {
          const { answer, recorded } = await answerTo(world.db, operation, actor, side)
          if (answer === undefined) continue
          const text = JSON.stringify(answer) ?? ''
          const shown = new Set(
            [...world.traces].flatMap(([trace, patient]) =>
              text.includes(trace) ? [patient] : [],
            ),
          )
          all.push(...recorded)
          expect([...shown].filter((id) => !recorded.includes(id))).toEqual([])
        }
      const { shows } = operationRules(operation)
      if (shows && shows !== nobodyByName) expect(all).not.toEqual([])
      if (all.length > 0) expect(accessKind(name)).toBeTruthy()
    },
  )
})

async function answerTo(db: Kysely<DB>, operation: AnyOperation, actor: Actor, side: Side) {
  // the log remembers its entries by database, and takes this for another one
  const fresh = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => result,
  })
  await sql`savepoint reading`.execute(db)
  try {
    const outcome = await operation(
      { db: fresh, actor, request: { ...aRequest() } },
      (ASKED[operation.facts.name] ?? samples[operation.facts.name]!)(side),
    ).catch((error: unknown) => error)
    throwBug(outcome)
    await flushAccesses(fresh)
    const entries = await db
      .selectFrom('access_log')
      .selectAll()
      .where('outcome', '=', 'shown')
      .where('request_id', '<>', EARLIER)
      .execute()
    return {
      answer: outcome instanceof AppError ? undefined : outcome,
      recorded: entries.flatMap((entry) => entry.patient_ids),
    }
  } finally {
    await sql`rollback to savepoint reading`.execute(db)
  }
}
