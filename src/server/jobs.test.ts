import { EventEmitter, once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Kysely, sql } from 'kysely'
import { createPool } from '~/db/connect'
import { grantApplication } from '~/db/roles.server'
import type { DB } from '~/db/types'
import { cloneTemplate, urlsOf } from '../../test/harness'
import { askFor, prepareJobs, startJobs, voidFutureJobs } from './jobs.server'

const name = 'jobs'
let db: Kysely<DB>

beforeAll(async () => {
  db = await cloneTemplate(name)
  await prepareJobs(urlsOf(name).ownerUrl)
  await grantApplication(urlsOf(name))
})
afterAll(() => db.destroy())

test('a long job that is requested again and again keeps no other job waiting', async () => {
  const said = new EventEmitter()
  let runs = 0
  const release = once(said, 'release')
  const pool = createPool(urlsOf(name).appUrl, { max: 4 })
  const jobs = await startJobs(pool, db, {
    check_medicines: {
      async run() {
        runs += 1
        said.emit(`run ${runs}`)
        await release
      },
    },
    backups: {
      async run() {
        said.emit('backup')
      },
    },
  })
  try {
    const begun = once(said, 'run 1')
    await askFor(db, 'check_medicines')
    await begun
    // as many as there are workers, and one more
    for (let i = 0; i < 4; i += 1) await askFor(db, 'check_medicines')
    const backup = once(said, 'backup')
    await askFor(db, 'backups')
    await backup
    expect(runs).toBe(1)
    // what was requested meanwhile is done by one more run
    const again = once(said, 'run 2')
    said.emit('release')
    await again
  } finally {
    said.emit('release')
    await jobs.stop()
    await pool.end()
  }
  expect(runs).toBe(2)
})

test('what a clock that was ahead left neither stops a schedule nor keeps a job', async () => {
  const pool = createPool(urlsOf(name).appUrl, { max: 4 })
  const said = new EventEmitter()
  const jobs = () =>
    startJobs(pool, db, {
      sealing: { schedule: '* * * * *', run: async () => {} },
      retried: { run: async () => void said.emit('retried') },
      held: { run: async () => void said.emit('held') },
    })
  const first = await jobs()
  await first.stop()
  const ahead = sql`interval '400 days'`
  await sql`update graphile_worker._private_known_crontabs
    set last_execution = now() + ${ahead}, known_since = now() + ${ahead}`.execute(db)
  for (const job of ['retried', 'held']) await askFor(db, job)
  await sql`update graphile_worker._private_jobs j set
      run_at = case t.identifier when 'retried' then run_at + ${ahead} else run_at end,
      locked_at = case t.identifier when 'held' then now() + ${ahead} end,
      locked_by = case t.identifier when 'held' then 'a killed process' end
    from graphile_worker._private_tasks t where t.id = j.task_id`.execute(db)
  const both = Promise.all([once(said, 'retried'), once(said, 'held')])
  const second = await jobs()
  try {
    await both
    const { rows } = await sql<{ isVoid: boolean }>`
      select last_execution is null and known_since <= now() as "isVoid"
      from graphile_worker._private_known_crontabs where identifier = 'sealing'`.execute(db)
    expect(rows).toEqual([{ isVoid: true }])
  } finally {
    await second.stop()
    await pool.end()
  }
  // times of a right clock stay
  await sql`update graphile_worker._private_known_crontabs set last_execution = now()`.execute(db)
  await voidFutureJobs(db)
  const { rows } = await sql<{ kept: boolean }>`
    select last_execution is not null as kept from graphile_worker._private_known_crontabs`.execute(
    db,
  )
  expect(rows).toEqual([{ kept: true }])
})
