import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { openConnection } from '~/db/connect'
import { seedForms } from './answers'
import { seedClinics } from './clinics'
import { seedMedicines } from './medicines'
import { type Clinic, type Person, personOf } from './people'
import { nouns } from './nouns'
import { subjectOf, type Subject, type Value } from './subject'

/** People that one transaction writes. */
const CHUNK = 2_000

type Seed = {
  patients: number
  seed: string
  today: Date
  clinic?: { id: string; name: string }
}

/** Writes people and their records by COPY. Returns rows by table. What an interrupted seed wrote is passed over. */
export async function writeSeed(
  url: string,
  { patients, seed, today, clinic }: Seed,
  { signal, onProgress }: { signal?: AbortSignal; onProgress?: (done: number) => void } = {},
): Promise<Record<string, number>> {
  const client = await openConnection(url, { statementTimeout: 0 })
  const written: Record<string, number> = Object.fromEntries(nouns.map(({ table }) => [table, 0]))
  try {
    const clinics = await inSeed(client, () => seedClinics(client, seed, clinic))
    await inSeed(client, () => seedMedicines(client, { seed, clinics, today }))
    await inSeed(client, () => seedForms(client))
    for (let start = 0; start < patients; start += CHUNK) {
      signal?.throwIfAborted()
      const end = Math.min(start + CHUNK, patients)
      await inSeed(client, async () => {
        const subjects = await missing(client, { seed, start, end, clinics, today })
        for (const { table, columns, rows } of nouns) {
          const lines = subjects.flatMap((subject) =>
            rows(subject).map((row) => copyLine(columns.map((name) => row[name]))),
          )
          written[table]! += lines.length
          const list = columns.map((name) => pg.escapeIdentifier(name)).join(', ')
          if (lines.length)
            await pipeline(
              Readable.from(lines),
              client.query(copyFrom(`copy ${table} (${list}) from stdin`)),
            )
        }
      })
      onProgress?.(end)
    }
    return written
  } finally {
    await client.end()
  }
}

/** 'seed' keeps the audit triggers out: no user made the load data. */
async function inSeed<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query("begin; select set_config('sanad.action', 'seed', true)")
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

type Chunk = { seed: string; start: number; end: number; clinics: readonly Clinic[]; today: Date }

async function missing(
  client: pg.Client,
  { seed, start, end, clinics, today }: Chunk,
): Promise<Subject[]> {
  const numbers = Array.from({ length: end - start }, (_, i) => start + i)
  const idOf = (number: number): Person['id'] => personOf(seed, number, clinics, today).id
  const { rows } = await client.query<{ id: string }>(
    'select id from patients where id = any($1)',
    [numbers.map(idOf)],
  )
  const there = new Set(rows.map(({ id }) => id))
  return numbers
    .filter((number) => !there.has(idOf(number)))
    .map((number) => subjectOf(seed, number, clinics, today))
}

/** PostgreSQL's text format of COPY. */
const copyLine = (values: readonly Value[]) => `${values.map(copyValue).join('\t')}\n`

function copyValue(value: Value): string {
  if (value === null || value === undefined) return String.raw`\N`
  if (value instanceof Date) return value.toISOString()
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.replaceAll(/[\\\n\r\t]/g, (sign) => escapes[sign]!)
}
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
