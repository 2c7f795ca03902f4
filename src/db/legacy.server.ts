import type pg from 'pg'
import { zstdDecompressSync } from 'node:zlib'
import type { Transaction } from './connect'
import { fingerprint, type Line } from './fingerprint.server'
import { replacedBy, files as checksums } from './legacy.json'
import { zstd } from './legacy-migrations.json'
import { Refusal } from './refusal'
import { bundledSchema, createdObjects, recordSchema } from './schema.server'
import { inOrder, type SqlFiles, type Step } from './sql-files'

/*
 * The 44 migrations from which a few took over (docs/decisions/0011). Their text is kept,
 * compressed, so that a database of any earlier version can be brought up to the point from which
 * it is adopted.
 */

export const isLegacy = (name: string) => Object.hasOwn(checksums, name)

/** The SQL of the 44, by name: JSON, compressed with zstd, as lines of base64. */
export function legacyMigrations(): SqlFiles {
  const bytes = zstdDecompressSync(Buffer.from(zstd.join(''), 'base64'))
  return JSON.parse(bytes.toString()) as SqlFiles
}

/**
 * The legacy migrations that a database still lacks. Throws a Refusal if one that it has was
 * another.
 */
export function missingLegacy(applied: ReadonlyMap<string, string>): Step[] {
  for (const [name, checksum] of Object.entries(checksums)) {
    if ((applied.get(name) ?? checksum) !== checksum)
      throw new Refusal(
        `The migration "${name}" of this database is not the one of any release, ` +
          'so the database cannot be upgraded.',
      )
  }
  return inOrder(legacyMigrations()).filter(({ name }) => !applied.has(name))
}

/**
 * Puts the names of the present migrations in the place of the legacy ones, in one transaction, if
 * the tables are exactly those that the present migrations make: these run in a scratch schema of
 * the same database, and its fingerprint is compared. `newer`: migrations after the squashed ones
 * that this database already has.
 */
export async function adopt(
  client: pg.Client,
  steps: Step[],
  newer: ReadonlySet<string>,
  transaction: Transaction,
) {
  const adopted = steps.filter(({ name }) => replacedBy.includes(name) || newer.has(name))
  await transaction(client, async () => {
    const present = await fingerprint(client)
    const { wanted, functions } = await inScratchSchema(client, adopted)
    refuseDifference(present, wanted)
    await client.query('delete from schema_migrations where name = any($1)', [
      [...Object.keys(checksums), ...newer],
    ])
    for (const { name, checksum } of adopted)
      await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [
        name,
        checksum,
      ])
    await recordSchema(client, 'legacy', await dropsOfLegacy(client, functions))
  })
}

/** The tables and the functions that the migrations make; nothing of it stays. */
async function inScratchSchema(client: pg.Client, steps: Step[]) {
  await client.query('savepoint scratch')
  await client.query('create schema sanad_adoption').catch((error: { code?: string }) => {
    throw error.code === '42501'
      ? new Refusal(
          'To upgrade this database, its user must be allowed to create a schema in it: ' +
            'make the user the owner of the database.',
        )
      : error
  })
  await client.query(
    `select set_config('search_path', 'sanad_adoption, ' || current_setting('search_path'), true)`,
  )
  for (const { sql } of steps) await client.query(sql)
  const wanted = await fingerprint(client)
  const functions = (await createdObjects(client)).map(({ name }) => name)
  await client.query('rollback to savepoint scratch')
  return { wanted, functions: new Set(functions) }
}

/** Tables that are not of Sanad are ignored. */
function refuseDifference(present: Line[], wanted: Line[]) {
  const ours = new Set(wanted.map((line) => line.of))
  const [has, needs] = [present, wanted].map((lines) => new Set(lines.map(({ line }) => line))) as [
    Set<string>,
    Set<string>,
  ]
  const missing = wanted.filter(({ line }) => !has.has(line)).map(({ line }) => `lacks "${line}"`)
  const extra = present
    .filter(({ of, line }) => ours.has(of) && !needs.has(line))
    .map(({ line }) => `has "${line}"`)
  const differences = [...missing, ...extra]
  if (differences.length === 0) return
  const more = differences.length > 3 ? `, and ${differences.length - 3} more differences` : ''
  throw new Refusal(
    'The tables of this database were changed, so it cannot be upgraded: ' +
      `it ${differences.slice(0, 3).join(', ')}${more}. Undo these changes, then start again.`,
  )
}

/**
 * Statements that drop what the legacy migrations made and db/schema makes now. `kept`: functions
 * of the migrations.
 */
async function dropsOfLegacy(client: pg.Client, kept: ReadonlySet<string>): Promise<string[]> {
  const sources = [...Object.values(legacyMigrations()), ...Object.values(bundledSchema)]
  const names = sources.flatMap((sql) =>
    [...sql.matchAll(/create (?:or replace )?(?:function|view) (\w+)/g)].map(([, name]) => name),
  )
  const made = new Set(names)
  // made by keep_audit(), keep_new_links() and keep_written_down()
  const isGenerated = (name: string) => /^(audit|links)_\w+_insert$|^write_down_/.test(name)
  const all = await createdObjects(client)
  return all
    .filter(
      ({ kind, name }) =>
        (made.has(name) || isGenerated(name)) && !(kind === 'function' && kept.has(name)),
    )
    .map(({ drop }) => drop)
}
