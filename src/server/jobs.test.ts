import { EventEmitter, once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Kysely } from 'kysely'
import { createPool } from '~/db/connect'
import { grantApplication } from '~/db/roles.server'
import type { DB } from '~/db/types'
import { cloneTemplate, urlsOf } from '../../test/harness'
import { askFor, prepareJobs, startJobs } from './jobs.server'

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
