import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { PARTS } from '~/features/record/timeline/tabs'
import { operations } from '~/rpc/operations'
import { tablesReadBy } from '~/rpc/live.server'
import type { AnyOperation } from '~/server/operation'
import { isAnswered } from './access'
import { aRequest, cloneTemplate, test as base } from './harness'
import { samples } from './samples'
import { makeWorld } from './world'

/** Two clinics and users of each kind, committed: the locks of a transaction then say what one operation read. */
const test = base.extend('world', { scope: 'file' }, async ({}, { onCleanup }) => {
  const db = await cloneTemplate(`live_${process.pid}`)
  onCleanup(() => db.destroy())
  const { rows } = await sql<{ name: string }>`
    select tgrelid::regclass::text as name from pg_trigger where tgname = 'tell'`.execute(db)
  const made = await db.transaction().execute((trx) => makeWorld(trx))
  return { db, announced: new Set(rows.map(({ name }) => name)), ...made }
})

const declared = [...operations.values()].flatMap((operation) =>
  operation.facts.reads ? [{ name: operation.facts.name, operation }] : [],
)

/** Read with the user's rights before each operation, which may answer by them. */
const OF_THE_ACTOR = ['emergency_accesses']

describe('the tables that an operation declares are those that its SQL reads', () => {
  test.for(declared)('$name', async ({ operation }, { world }) => {
    const { reads = [], looksUp = [] } = operation.facts
    const found = new Set<string>(reads.filter((table) => OF_THE_ACTOR.includes(table)))
    for (const actor of Object.values(world.actors))
      for (const side of [world.own, world.other])
        for (const table of await tablesOf(world.db, operation, actor, side)) found.add(table)
    const announced = [...found].filter((table) => world.announced.has(table))
    expect([...reads, ...looksUp].toSorted()).toEqual(announced.toSorted())
  })
})

type World = Awaited<ReturnType<typeof makeWorld>>

/** Every table that the call read, in views and functions too: PostgreSQL locks each until the transaction ends. */
async function tablesOf(
  db: Parameters<typeof makeWorld>[0],
  operation: AnyOperation,
  actor: World['actors'][string],
  side: World['own'],
): Promise<string[]> {
  const trx = await db.startTransaction().execute()
  try {
    const outcome = await operation(
      { db: trx, actor: actor ?? null, request: aRequest() },
      samples[operation.facts.name]!(side),
    ).catch((error: unknown) => error)
    // for the access log, a refused call looks for the patients whose rows it names
    const { rows } = await sql<{ name: string }>`
      select relation::regclass::text as name from pg_locks join pg_class on pg_class.oid = relation
      where pid = pg_backend_pid() and relkind = 'r' and (${isAnswered(outcome)}
        or pg_get_functiondef('records_named'::regproc) !~ ('from ' || relname || ' where'))`.execute(
      trx,
    )
    return rows.map(({ name }) => name)
  } finally {
    await trx.rollback().execute()
  }
}

const screens = import.meta.glob<string>('../src/routes/app/**/*.tsx', {
  query: '?raw',
  import: 'default',
  eager: true,
})
const patientPage = import.meta.glob<string>(
  '../src/features/record/timeline/{record.ts,PatientRecord.tsx}',
  {
    query: '?raw',
    import: 'default',
    eager: true,
  },
)

/** Screens that are not reloaded under the user: editors, paper, and pages without changes by other users. */
const READ_ONCE = [
  'account.tsx',
  'appointments/edit/{-$appointmentId}.tsx',
  'appointments/print.$appointmentId.tsx',
  'audit.tsx',
  'audit_.accesses.tsx',
  'clinics/edit.{-$clinicId}.tsx',
  'dispensing/label.$prescriptionId.tsx',
  'dispensing/paper.tsx',
  'event-forms/library.tsx',
  'events/edit.{-$eventId}.tsx',
  'follow-up/letter.$messageId.tsx',
  'inventory/clinic-inventory/bin-card.$drugId.tsx',
  'inventory/clinic-inventory/count.tsx',
  'inventory/clinic-inventory/transfer.tsx',
  'inventory/drug-catalogue/edit/{-$drugId}.tsx',
  'patients/$patientId_.document.tsx',
  'patients/card.$patientId.tsx',
  'patients/immunization-card.$patientId.tsx',
  'patients/merge.tsx',
  'patients/seen.$patientId.tsx',
  'prescriptions/edit/{-$prescriptionId}.tsx',
  'prescriptions/overrides-of-day.tsx',
  'prescriptions/print.$prescriptionId.tsx',
  'referrals/print.$referralId.tsx',
  'registers.tsx',
  'reports/charts.$code.tsx',
  'reports/definitions/codes.$definitionId.tsx',
  'reports/people.$code.tsx',
  'reports/print.$code.tsx',
  'settings/dhis2.tsx',
  'settings/gateway.tsx',
  'users/edit.{-$userId}.tsx',
  'users/manage-permissions.{-$userId}.tsx',
  'visits/laboratory.$visitId.tsx',
  'visits/print.$visitId.tsx',
]

/** Read by the screen's component, with the loader's data as its version. */
const READ_BY_COMPONENT = ['inventory.list', 'sendings.list']

test('a screen follows what its loader reads', () => {
  const readOnce = []
  for (const [path, source] of Object.entries(screens)) {
    const route = path.slice('../src/routes/app/'.length)
    const isPatient = route === 'patients/$patientId.tsx'
    const loader = isPatient
      ? patientPage['../src/features/record/timeline/record.ts']!
      : (/\n {2}loader[:(][\s\S]*?(?=\n {2}[a-zA-Z]+[:(]|\n {2}\/\/|\n\}\))/.exec(source)?.[0] ??
        '')
    const screen = isPatient
      ? patientPage['../src/features/record/timeline/PatientRecord.tsx']!
      : source
    const read = new Set(
      [...loader.matchAll(/\bapi\s*\.(\w+)\s*\.(\w+)\(/g)]
        .map(([, noun, verb]) => `${noun}.${verb}`)
        .filter((name) => operations.get(name)?.facts.kind === 'query'),
    )
    // src/features/care/banner/load-banner.ts
    if (/\bloadBanner\(/.test(loader)) read.add('patients.banner')
    const follows = /\buseLive\(([^)]*)\)/.exec(screen)?.[1]
    if (follows === undefined) {
      if (read.size > 0) readOnce.push(route)
      continue
    }
    const followed = [...follows.matchAll(/'([\w.]+)'/g)].map(([, name]) => name!)
    expect(
      followed.filter((name) => !READ_BY_COMPONENT.includes(name)).toSorted(),
      `useLive of ${route}`,
    ).toEqual([...read].toSorted())
    if (isPatient) followed.push(...Object.values(PARTS))
    expect(
      followed.filter((name) => !operations.get(name)?.facts.reads),
      `${route} follows operations without \`reads\``,
    ).toEqual([])
  }
  expect(readOnce.toSorted()).toEqual(READ_ONCE)
})

test('a screen hears of the tables of its operations; one that names an unknown operation, of all', () => {
  expect(tablesReadBy('clinics.get,registrationForm.get')).toEqual(
    new Set(['clinic_departments', 'clinics', 'registration_forms']),
  )
  expect(tablesReadBy('clinics.get,clinics.removed')).toBe('all')
  expect(tablesReadBy('clinics.get,demo.time')).toBe('all')
  expect(tablesReadBy(null)).toBe('all')
})
