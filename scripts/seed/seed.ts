import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { openConnection } from '~/db/connect'
import { Refusal } from '~/db/refusal'
import { seedForms } from './answers'
import { seedClinics } from './clinics'
import { seedMedicines } from './medicines'
import { type SeedClinic, type SeedPerson, buildPerson } from './people'
import { nouns } from './nouns'
import { type SeedRow, buildSubject, type SeedSubject, type SeedValue } from './subject'

/** People that one transaction writes. */
const CHUNK = 2_000

type Seed = {
  patients: number
  seed: string
  today: Date
  clinic?: { id: string; name: string }
}

/**
 * Writes people and their records by COPY, as the owner of the database. Returns rows by table. Skips what an
 * interrupted seed wrote. Throws a Refusal if the database holds patients or medicines that no seed wrote.
 */
export async function writeSeed(
  ownerUrl: string,
  { patients, seed, today, clinic }: Seed,
  { signal, onProgress }: { signal?: AbortSignal; onProgress?: (done: number) => void } = {},
): Promise<Record<string, number>> {
  const client = await openConnection(ownerUrl, { statementTimeout: 0 })
  const written: Record<string, number> = Object.fromEntries(nouns.map(({ table }) => [table, 0]))
  try {
    await refuseOthers(client)
    const clinics = await inSeed(client, () => seedClinics(client, seed, clinic))
    await inSeed(client, () => seedMedicines(client, { seed, clinics, today }))
    await inSeed(client, () => seedForms(client))
    for (let start = 0; start < patients; start += CHUNK) {
      signal?.throwIfAborted()
      const end = Math.min(start + CHUNK, patients)
      await inSeed(client, async () => {
        const subjects = await missing(client, { seed, start, end, clinics, today })
        for (const { table, columns, rows } of nouns) {
          const lines = subjects.flatMap((subject) => {
            // given, so that no trigger looks it up for each row
            const recorded_clinic_id = subject.person.clinic.id
            return rows(subject).map((row) => {
              const values: SeedRow = { ...row, recorded_clinic_id }
              return copyLine(columns.map((name) => values[name]))
            })
          })
          written[table]! += lines.length
          const list = columns.map((name) => pg.escapeIdentifier(name)).join(', ')
          if (lines.length)
            await pipeline(
              Readable.from(lines),
              client.query(copyFrom(`copy ${table} (${list}) from stdin`)),
            )
        }
      })
      // The planner knows nothing of what COPY just wrote, and autovacuum cannot analyze tables that each
      // chunk alters again.
      if (isPowerOfTwo(end / CHUNK)) await client.query('analyze')
      onProgress?.(end)
    }
    // lists read from indexes alone and searches from the main part of theirs only after a vacuum
    await client.query('vacuum analyze')
    return written
  } finally {
    await client.end()
  }
}

const isPowerOfTwo = (count: number) => Number.isInteger(Math.log2(count))

/** Accounts, clinics and settings may be there; what a user recorded is in the audit trail. */
async function refuseOthers(client: pg.Client) {
  const { rows } = await client.query<{ is_used: boolean }>(
    `select exists (select from patients where not metadata ? 'seed')
       or exists (select from audit_log where patient_id is not null and via <> 'system')
       or exists (select from audit_log where table_name in ('drug_batches', 'drug_catalogue'))
       as is_used`,
  )
  if (rows[0]!.is_used)
    throw new Refusal(
      'This database holds records that are no sample data: sample patients are only added to a database of its own.',
    )
}

/** The tables that a seed writes and the audit trail follows. */
const AUDITED = [
  ...nouns.map(({ table }) => table),
  'clinic_departments',
  'clinics',
  'drug_batches',
  'drug_catalogue',
  'event_forms',
  'user_clinic_permissions',
  'users',
]

/** SQL that switches the audit triggers of these tables, which only their owner may. */
const switchAudit = (to: 'disable' | 'enable') => `
  do $$ declare part record; begin
    for part in
      select tgrelid::regclass as table_name, tgname from pg_trigger
      where tgname like 'audit\\_%' and tgrelid = any('{${AUDITED.join(',')}}'::regclass[])
      order by tgrelid, tgname
    loop
      execute format('alter table %s ${to} trigger %I', part.table_name, part.tgname);
    end loop;
  end $$`

/** One transaction without entries in the audit trail: no user made the sample data. */
async function inSeed<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    await client.query(switchAudit('disable'))
    const result = await work()
    // a table with pending checks cannot be altered
    await client.query('set constraints all immediate')
    await client.query(switchAudit('enable'))
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

type Chunk = {
  seed: string
  start: number
  end: number
  clinics: readonly SeedClinic[]
  today: Date
}

async function missing(
  client: pg.Client,
  { seed, start, end, clinics, today }: Chunk,
): Promise<SeedSubject[]> {
  const numbers = Array.from({ length: end - start }, (_, i) => start + i)
  const personId = (number: number): SeedPerson['id'] =>
    buildPerson(seed, number, clinics, today).id
  const { rows } = await client.query<{ id: string }>(
    'select id from patients where id = any($1)',
    [numbers.map(personId)],
  )
  const there = new Set(rows.map(({ id }) => id))
  return numbers
    .filter((number) => !there.has(personId(number)))
    .map((number) => buildSubject(seed, number, clinics, today))
}

/** PostgreSQL's text format of COPY. */
const copyLine = (values: readonly SeedValue[]) => `${values.map(copyValue).join('\t')}\n`

function copyValue(value: SeedValue): string {
  if (value === null || value === undefined) return String.raw`\N`
  if (value instanceof Date) return value.toISOString()
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.replaceAll(/[\\\n\r\t]/g, (sign) => escapes[sign]!)
}
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
