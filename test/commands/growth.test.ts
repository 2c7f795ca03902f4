import { spawnSync } from 'node:child_process'
import pg from 'pg'
import { expect } from 'vitest'
import { openDataDirectory } from '~/db/embedded-directory.server'
import { runningEmbedded } from '~/db/embedded.server'
import { built } from '../built'
import { multiplyPatients } from '../../scripts/prove/multiply'
import { type Sanad, settingsFor, test } from './sanad'

test('a million patients are made as copies: each with its records, search and rows for phones', async ({
  temporaryDirectory,
  start,
}) => {
  const folder = temporaryDirectory()
  const settings = await settingsFor(folder)
  const { status, stderr } = spawnSync(
    process.execPath,
    [built('commands/seed.js'), '--patients', '20'],
    { env: settings, encoding: 'utf8' },
  )
  expect(stderr).not.toContain('rror')
  expect(status).toBe(0)
  const before = await countsOf(folder, () => start(settings))
  await multiplyPatients(folder, 3)
  const after = await countsOf(folder, () => start(settings))
  expect(before.patients).toBe(20)
  for (const [table, count] of Object.entries(before))
    expect([table, after[table]]).toEqual([table, 3 * count])
})

const TABLES = [
  'patients',
  'visits',
  'events',
  'event_answers',
  'dispensing_records',
  'patient_links',
  'patient_search',
  'wire_patients',
  'wire_visits',
  'wire_dispensing_records',
]

/** Starts Sanad on the directory and counts the rows of its tables; cached rows are those of their record. */
async function countsOf(folder: string, start: () => Sanad) {
  const sanad = start()
  await sanad.ready
  const client = new pg.Client(runningEmbedded(openDataDirectory(folder))!.ownerUrl)
  await client.connect()
  const counts: Record<string, number> = {}
  for (const table of TABLES) {
    const { rows } = await client.query<{ count: string }>(`select count(*) from ${table}`)
    counts[table] = Number(rows[0]!.count)
  }
  const strays = await client.query(
    `select from wire_visits w join visits v on v.id = w.row_id
     where w.text::jsonb ->> 'patient_id' <> v.patient_id::text`,
  )
  expect(strays.rowCount).toBe(0)
  await client.end()
  sanad.child.kill('SIGTERM')
  await sanad.exit
  return counts
}
