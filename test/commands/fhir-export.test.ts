import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { connect } from '~/db/connect'
import { makeFactories } from '../factories'
import { givePassword, PASSWORD } from '../sessions'
import { applicationUrl, databaseUrl, settingsForUsed, test, until } from './sanad'

test(
  'the writer of a deleted export stops before its next type and removes its own files',
  { timeout: 300_000 },
  async ({ start, temporaryDirectory }) => {
    const dataDir = temporaryDirectory()
    const sanad = start({ ...(await settingsForUsed(dataDir)), SANAD_LOG_LEVEL: 'error' })
    const origin = await sanad.ready
    const db = connect(databaseUrl(dataDir))
    // its statements are visible to its own role
    const app = connect(applicationUrl(dataDir))
    const make = makeFactories(db)
    await make.patient({ primary_clinic_id: (await make.clinic()).id })
    const admin = await make.user({ role: 'super_admin' })
    await givePassword(db, admin)
    const signedIn = await fetch(`${origin}/api/auth/sign-in`, {
      method: 'POST',
      body: JSON.stringify({ email: admin.email, password: PASSWORD }),
      headers: { 'content-type': 'application/json' },
    })
    const { token } = (await signedIn.json()) as { token: string }
    const headers = { authorization: `Bearer ${token}` }
    /** Nothing reads the table until the function that it returns is called. */
    const lock = async (table: string) => {
      const held = await db.startTransaction().execute()
      await sql`lock table ${sql.ref(table)}`.execute(held)
      return () => held.rollback().execute()
    }
    // a backup or another job may wait for the table as well
    const waitingFor = async (table: string) => {
      const { rows } = await sql<{ count: number }>`select count(*)::int as count
        from pg_locks join pg_stat_activity using (pid)
        where not granted and relation = ${table}::regclass
          and query like 'declare fhir_export%'`.execute(app)
      return rows[0]!.count
    }

    const unlockDispensed = await lock('dispensing_records')
    const unlockForms = await lock('event_form_versions')
    const types = 'Patient,MedicationDispense,Questionnaire'
    const begun = await fetch(`${origin}/api/fhir/$export?_type=${types}`, { headers })
    expect(begun.status).toBe(202)
    const status = begun.headers.get('content-location')!
    const folder = join(dataDir, 'files', 'fhir-exports', status.split('/').at(-1)!)
    await until(async () => (await waitingFor('dispensing_records')) === 1)
    expect(existsSync(join(folder, '0.ndjson'))).toBe(true)

    expect((await fetch(status, { method: 'DELETE', headers })).status).toBe(202)
    // another job, which removes files of deleted exports, finds the writer's lock
    await until(async () => (await isIdle()) && existsSync(join(folder, '0.ndjson')))
    await unlockDispensed()
    // without dispensed medicines there is nothing to write, and the next type is never read
    await until(() => !existsSync(folder))
    expect(await waitingFor('event_form_versions')).toBe(0)
    await unlockForms()
    // not before: the access log looks for the id in every table of patients
    expect((await fetch(status, { headers })).status).toBe(404)

    // of an export that is done, the job removes the files
    const again = await fetch(`${origin}/api/fhir/$export?_type=Patient`, { headers })
    const done = again.headers.get('content-location')!
    await until(async () => (await fetch(done, { headers })).status === 200)
    const files = join(dataDir, 'files', 'fhir-exports', done.split('/').at(-1)!)
    expect(existsSync(files)).toBe(true)
    expect((await fetch(done, { method: 'DELETE', headers })).status).toBe(202)
    await until(() => !existsSync(files))

    sanad.child.kill('SIGTERM')
    expect((await sanad.exit).stderr).not.toContain('FHIR export failed')
    await Promise.all([db.destroy(), app.destroy()])

    /** No job of exports waits any more: one runs, which is the writer. */
    async function isIdle() {
      const { rows } = await sql<{ count: number }>`select count(*)::int as count
        from graphile_worker.jobs where task_identifier = 'fhir_exports'`.execute(db)
      return rows[0]!.count === 1
    }
  },
)
