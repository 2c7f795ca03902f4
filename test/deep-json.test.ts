import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import { operations } from '~/rpc/operations'
import type { DB } from '~/db/types'
import { attempt, throwBug, worldOf } from './access'
import { test as base } from './harness'
import { samples } from './samples'
import { pushedTables } from '~/sync/schema/tables'

const test = base.extend('world', { scope: 'file' }, async ({}, { onCleanup }) =>
  worldOf(onCleanup),
)

/** Puts JSON of that many levels into the records that phones send, as a version without a limit stored it. */
async function plant(db: Kysely<DB>, levels: number) {
  const deep = sql`(${'['.repeat(levels) + ']'.repeat(levels)}::jsonb)`
  for (const [table, { columns }] of pushedTables)
    for (const column of Object.keys(columns).filter((name) => columns[name]!.isJson)) {
      const value = sql.ref(column)
      // the database itself keeps departments flat
      if (column === 'departments') continue
      await sql`update ${sql.table(table)} set ${value} = case jsonb_typeof(${value})
        when 'array' then jsonb_build_array(jsonb_build_object('fieldId', 'x', 'value', ${deep})) || ${value}
        else ${value} || jsonb_build_object('deep', ${deep}) end`.execute(db)
    }
}

test('every operation answers where JSON of 15,000 levels is stored', async ({ world }) => {
  const { db, own, actors } = world
  await plant(db, 15_000)
  await sql`savepoint attempt`.execute(db)
  const failed: string[] = []
  const ofRecords = /^(patients|visits|events|appointments|vitals|problems|prescriptions)\./
  for (const [name, operation] of operations) {
    if (operation.facts.kind !== 'query' && !ofRecords.test(name)) continue
    try {
      const answer = await attempt(db, operation, actors['super_admin']!, samples[name]!(own))
      throwBug(answer)
      JSON.stringify(answer)
    } catch (error) {
      failed.push(`${name}: ${String(error).slice(0, 200)}`)
    }
  }
  expect(failed).toEqual([])
})
