import { writeFile } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import { afterEach, describe, expect, vi } from 'vitest'
import { createPool } from '~/db/connect'
import { perProcess } from '~/db/per-process'
import type { DB } from '~/db/types'
import { dismissNotice, summaryCare } from '~/features/reports/dashboard/administration.server'
import { CHECKLIST } from '~/features/reports/dashboard/summary'
import { listAccesses, listPatientAccesses } from '~/features/office/audit/accesses.server'
import { runImport } from '~/features/exchange/imports/imports.server'
import { runImports } from '~/features/exchange/imports/run.server'
import { getPatient } from '~/features/people/patients/patients.server'
import { explainFhirFailure } from '~/fhir/respond.server'
import { newId } from '~/shared/id'
import { sentence } from '~/shared/sentence'
import { makeFactories } from '../../test/factories'
import { aRequest, asOwner, cloneTemplate, test as base, urlsOf } from '../../test/harness'
import { recordRead } from './access-log'
import { withoutTurn } from './admission.server'
import { explainDatabaseError } from './constraints'
import { diskState, isDiskFull, lowLimit, stateOfDisk } from './disk.server'
import { health } from './health.server'
import type { Context } from './operation'

const MB = 1024 ** 2
const GB = 1024 * MB
const full = { code: 'unavailable', text: { key: 'errors.diskFull' } }
const MINUTE = 60_000
const mapping = { Name: 'given_name', Birth: 'date_of_birth', Sex: 'sex' }

/** What a failed write left says nothing about the next test. */
afterEach(async () => {
  vi.useRealTimers()
  await diskState()
  perProcess('disk', () => ({ failedAt: 0 })).failedAt = -Infinity
})

const name = `full_disk_${process.pid}`
const test = base.extend('own', { scope: 'file' }, async ({}, { onCleanup }) => {
  const db = await cloneTemplate(name)
  onCleanup(() => db.destroy())
  return db
})

/** PostgreSQL's own error for each row that this table would get. Returns what ends it. */
async function fillDisk(table: string, errcode = '53100', text = 'No space left on device') {
  const failing = sql.raw(`failing_${table}`)
  await asOwner(name, async (owner) => {
    const said = `could not extend file "base/1/2": ${text}`
    const body = sql.lit(`begin raise exception '${said}' using errcode = '${errcode}'; end`)
    await sql`create function ${failing}() returns trigger language plpgsql as ${body}`.execute(
      owner,
    )
    await sql`create trigger ${failing} before insert on ${sql.table(table)}
      for each statement execute function ${failing}()`.execute(owner)
  })
  return () => asOwner(name, (owner) => sql`drop function ${failing} cascade`.execute(owner))
}

const someone = (db: Kysely<DB>, role: 'admin' | 'registrar', userId: string): Context => ({
  db,
  request: aRequest(),
  actor: { userId, name: '', role, language: 'en', clinicId: null, grants: {} },
})

test('one rule says from how many free bytes on a disk is scarce, and from how many nothing is saved', () => {
  const states = [20 * GB, 3 * GB, 2 * GB - 1, 64 * MB, 64 * MB - 1, 24 * MB, 24 * MB - 1, 0]
  expect(states.map((free) => stateOfDisk(free, 100 * GB))).toEqual([
    'ok',
    'ok',
    'low',
    'low',
    'reserve',
    'reserve',
    'full',
    'full',
  ])
  // of a memory card of 8 GB, a tenth
  expect(lowLimit(8 * GB)).toBe((8 * GB) / 10)
  expect(stateOfDisk(0, 0)).toBe('ok')
})

describe('a write that the disk refuses', () => {
  test.for([
    ['53100', 'No space left on device'],
    ['42501', 'Read-only file system'],
  ])('by %s is a sentence, and health says why it is not ready', async ([code, text], { own }) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const admin = someone(own, 'admin', (await makeFactories(own).user({ role: 'admin' })).id)
    const end = await fillDisk('dismissals', code, text)
    try {
      await expect(dismissNotice(admin, { notice: CHECKLIST })).rejects.toMatchObject(full)
      expect(await diskState()).toMatchObject({ isFailing: true })
      const pool = createPool(urlsOf(name).appUrl, { max: 1 })
      const state = await health(pool)
      await pool.end()
      expect(state).toMatchObject({ live: true, ready: false, database: 'ok', disk: 'full' })
      expect(await summaryCare(admin, null)).toMatchObject({ disk: { isFull: true } })
      const registrar = someone(own, 'registrar', newId())
      expect(
        await summaryCare(
          {
            ...registrar,
            actor: { ...registrar.actor, grants: { [newId()]: ['can_register_patients'] } },
          },
          null,
        ),
      ).toMatchObject({ disk: null })
    } finally {
      await end()
    }
    await dismissNotice(admin, { notice: CHECKLIST })
    vi.advanceTimersByTime(MINUTE)
    expect(isDiskFull(await diskState())).toBe(false)
  })

  test('a file on a full disk is the same, and other failures are not', async () => {
    const thrown = await writeFile('/dev/full', 'x').catch((error: unknown) => error)
    expect(explainDatabaseError(thrown)).toMatchObject(full)
    expect(explainDatabaseError(new Error('A wrapper', { cause: thrown }))).toMatchObject(full)
    const missing = await writeFile('/missing/file', 'x').catch((error: unknown) => error)
    expect(explainDatabaseError(missing)).toBe(missing)
    const said = new Error('Read-only file system')
    expect(explainDatabaseError(said)).toBe(said)
  })

  test('before any handler is answered as each way in answers', async () => {
    const thrown = Object.assign(new Error('could not extend file'), { code: '53100' })
    const answer = async (path: string) => {
      const headers = { 'accept-language': 'es' }
      const response = withoutTurn(new Request(`http://localhost${path}`, { headers }), thrown)
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '60'])
      return response.text()
    }
    const text = sentence('es', { key: 'errors.diskFull' })
    expect(await answer('/app/patients')).toBe(text)
    expect(JSON.parse(await answer('/api/trpc/patients.list'))).toEqual({ error: text })
    const outcome = {
      issue: [{ code: 'transient', diagnostics: sentence('en', { key: 'errors.diskFull' }) }],
    }
    expect(JSON.parse(await answer('/api/fhir/Patient'))).toMatchObject(outcome)
    expect(explainFhirFailure(thrown, 'r')).toMatchObject({ status: 503, body: outcome })
    expect(() => withoutTurn(new Request('http://localhost/'), new Error('a bug'))).toThrow('a bug')
  })

  test('ends an import with the reason', async ({ own }) => {
    const make = makeFactories(own)
    const admin = someone(own, 'admin', (await make.user({ role: 'admin' })).id)
    const { id } = await make.upload('Name,Birth,Sex\nLayla,1990-05-17,female\n')
    const end = await fillDisk('patients')
    try {
      await runImport(admin, { id, task: 'import', mapping })
      await runImports(own)
    } finally {
      await end()
    }
    const row = await own
      .selectFrom('imports')
      .select(['status', 'failure'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row).toEqual({ status: 'failed', failure: { key: 'errors.diskFull' } })
  })
})

test('on a full disk users read on; the access log is written later, and what it lacks is counted', async ({
  own,
}) => {
  const make = makeFactories(own)
  const admin = someone(own, 'admin', (await make.user({ role: 'admin' })).id)
  const stranger = someone(own, 'registrar', (await make.user()).id)
  const patient = await make.patient()
  const end = await fillDisk('access_log')
  try {
    await getPatient(admin, { id: patient.id })
    // a refusal is a refusal
    await expect(getPatient(stranger, { id: patient.id })).rejects.toMatchObject({
      code: 'not_found',
    })
    // the log itself is read, too
    expect((await listAccesses(admin, {})).rows).toEqual([])
    // 201 lists of 999 patients: more than memory may hold
    for (let at = 0; at < 201; at += 1)
      await recordRead(admin, {
        operation: 'patients.list',
        clinicId: null,
        shown: Array.from({ length: 999 }, () => newId()),
        question: { ids: [], numbers: [], changes: [] },
        isFound: true,
      })
  } finally {
    await end()
  }
  const { rows } = await listAccesses(admin, {})
  expect(rows.map(({ operation, outcome, count }) => [operation, outcome, count])).toEqual(
    expect.arrayContaining([
      ['audit.lost', 'lost', 1],
      ['patients.list', 'shown', 1],
    ]),
  )
  const counted = await own
    .selectFrom('access_log')
    .select(['operation', 'outcome'])
    .select(({ fn }) => fn.sum<number>('count').as('count'))
    .groupBy(['operation', 'outcome'])
    .orderBy('operation')
    .orderBy('outcome')
    .execute()
  expect(counted).toEqual([
    { operation: 'audit.accesses', outcome: 'not_found', count: 1 },
    { operation: 'audit.lost', outcome: 'lost', count: 1 },
    { operation: 'patients.get', outcome: 'not_found', count: 1 },
    { operation: 'patients.get', outcome: 'shown', count: 1 },
    { operation: 'patients.list', outcome: 'shown', count: 200 },
  ])
  const seen = await listPatientAccesses(admin, { patientId: patient.id })
  expect(seen.rows.map(({ outcome, count }) => [outcome, count])).toContainEqual(['lost', 1])
})
