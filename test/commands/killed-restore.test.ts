import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createPool } from '~/db/connect'
import { openDataDirectory } from '~/db/embedded-directory.server'
import { startEmbedded } from '~/db/embedded.server'
import { built } from '../built'
import { addPatient, rowsOf, run } from './backup'
import { databaseUrl, postgresPid, settingsForUsed, test, until } from './sanad'

/** What a restore is doing when it is killed, and whether it has stored all of the backup by then. */
const MOMENTS = [
  ['copy "audit_log"', false],
  ['alter table % add constraint % foreign key', false],
  ['insert into wire_', true],
] as const

test(
  'a killed restore leaves all earlier records or all of the backup, and can be repeated',
  { timeout: 300_000 },
  async ({ start, temporaryDirectory }) => {
    const [dataDir, place] = [temporaryDirectory(), temporaryDirectory()]
    const settings = await settingsForUsed(dataDir)
    /** The records, while nothing else runs on the directory. */
    const looked = async (statements: string) => {
      const postgres = await startEmbedded(openDataDirectory(dataDir))
      try {
        return await rowsOf<{ surname: string }>(postgres.ownerUrl, statements)
      } finally {
        await postgres.stop()
      }
    }
    const sanad = start(settings)
    await sanad.ready
    await addPatient(databaseUrl(dataDir))
    await rowsOf(
      databaseUrl(dataDir),
      `insert into audit_log (action, via, request_id, table_name, changes)
       select 'patients.save', 'web', '', 'patients', jsonb_build_object('n', array[n, n + 1])
       from generate_series(1, 30000) n`,
    )
    const file = join(place, 'monday.backup')
    expect(run('backup', [file], { SANAD_DATA_DIR: dataDir }).status).toBe(0)
    sanad.child.kill('SIGTERM')
    await sanad.exit
    await looked(`update patients set surname = 'Later'`)

    const env = { PATH: process.env['PATH'], SANAD_DATA_DIR: dataDir }
    for (const [statement, isStored] of MOMENTS) {
      const running = join(dataDir, 'run', 'postgres.json')
      const victim = spawn(process.execPath, [built('commands/restore.js'), file, '--replace'], {
        env,
        stdio: 'ignore',
      })
      const ended = new Promise((resolve) => victim.once('close', resolve))
      await until(() => existsSync(running))
      await whenRunning(databaseUrl(dataDir), statement)
      process.kill(postgresPid(dataDir), 'SIGKILL')
      victim.kill('SIGKILL')
      await ended
      expect([statement, await looked('select surname from patients')]).toEqual([
        statement,
        [{ surname: isStored ? 'Mansour' : 'Later' }],
      ])
    }
    const again = start(settings)
    await again.ready
    expect(
      await rowsOf(databaseUrl(dataDir), 'select text is null as missing from wire_patients'),
    ).toEqual([{ missing: false }])
    again.child.kill('SIGTERM')
    await again.exit
    await looked(`update patients set surname = 'Later'`)
    expect(run('restore', [file, '--replace'], { SANAD_DATA_DIR: dataDir })).toMatchObject({
      status: 0,
    })
    // its rows bypass PostgreSQL's log, which takes a third of the time
    const options = readFileSync(join(dataDir, 'postgres', 'postmaster.opts'), 'utf8')
    expect(options).toContain('"wal_level=minimal"')
    expect(await looked('select surname from patients')).toEqual([{ surname: 'Mansour' }])
  },
)

/** Waits for a statement of a restore: a pattern of LIKE for its beginning. */
async function whenRunning(url: string, statement: string) {
  const pool = createPool(url, { max: 1, name: 'watcher' })
  const isRunning = async () => {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity where application_name = 'sanad restore' and query ilike $1`,
      [`${statement}%`],
    )
    return Boolean(rowCount)
  }
  // no pause between two looks: some statements take milliseconds
  for (const end = Date.now() + 60_000; Date.now() < end;)
    if (await isRunning().catch(() => false)) return void pool.end().catch(() => {})
  throw new Error(`The restore did not come to: ${statement}`)
}
