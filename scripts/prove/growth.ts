import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { connectToDataDir } from '../bench/database'
import { openFloor } from '../bench/floor'
import { waitUntilIdle } from '../bench/idle'
import { measures } from '../bench/measures'
import { openWorkbench } from '../bench/workbench'
import { wholeNumber, WrongUsage } from '../command'
import { untilStopped } from '../import/kind'
import { multiplyPatients } from './multiply'
import { type Proof, parseProofOptions } from './proof'

const help = `npm run prove -- growth [--patients N] [--copies N] [--keep DIR] [--keep-smaller DIR]

  --patients      patients of the larger database; the smaller one has a tenth (default: 100000)
  --copies        makes one in so many of the larger one, and the others as copies of them, without triggers, which
                  takes a fraction of the time: 10 for a million
  --keep          the data directory of the larger one: made there, or used as it was left
  --keep-smaller  the same of the smaller one

Compares what each measure of npm run bench reads in the two: at most by a quarter more and some pages,
as the logarithm grows from 10,000 to 100,000. No clock.
`

/** Pages of eight kilobytes that may come from where the rows happen to lie. */
const BY_CHANCE = 40

type Grown = { name: string; pages: number; rows: number }
type Size = { table: string; bytes: number; indexes: number }
type Measured = { patients: number; reads: Grown[]; sizes: Size[] }

export const growth: Proof = {
  summary: 'ten times the patients: what lists, searches and saves read, and kilobytes per patient',
  async run(args) {
    const values = parseProofOptions(args, help, {
      patients: { type: 'string', default: '100000' },
      keep: { type: 'string' },
      'keep-smaller': { type: 'string' },
      copies: { type: 'string', default: '1' },
    })
    if (!values) return 0
    const patients = wholeNumber('patients', values.patients, 1_000)
    const copies = wholeNumber('copies', values.copies, 1)
    if (patients % (10 * copies))
      throw new WrongUsage('--patients must be a multiple of ten times --copies.')
    const signal = untilStopped()
    const smaller = { patients: patients / 10, copies: 1 }
    const few = await measured(smaller, values['keep-smaller'], signal)
    const many = await measured({ patients, copies }, values.keep, signal)
    const lines = few.reads.map((reads, at) => growthRow(reads, many.reads[at]!))
    process.stdout.write(
      [
        `| ${'measure'.padEnd(44)} | pages, ${few.patients} | pages, ${many.patients} | |`,
        '| --- | ---: | ---: | --- |',
        ...lines.map(({ text }) => text),
        '',
        ...formatSizes(many),
        '',
      ].join('\n'),
    )
    return lines.every(({ holds }) => holds) ? 0 : 1
  },
}

/** Nothing may read more than the logarithm of the number of patients grows. */
export const growsSlowly = (few: number, many: number, ratio: number) =>
  many <= few * ratio + BY_CHANCE

function growthRow(few: Grown, many: Grown) {
  const holds = growsSlowly(few.pages, many.pages, 1.25)
  const cells = [few.name.padEnd(44), few.pages, many.pages, holds ? '' : 'grows faster']
  return { holds, text: `| ${cells.join(' | ')} |` }
}

type Wanted = { patients: number; copies: number }

/** Makes the patients that the others are copies of, and the copies. */
async function prepareCopies({ patients, copies }: Wanted, place: string, signal: AbortSignal) {
  const done = join(place, 'bench-copies')
  if (copies === 1 || existsSync(done)) return
  const bench = await openWorkbench({ patients: patients / copies, keep: place, signal })
  await waitUntilIdle(bench.dataDir, signal)
  await bench.close()
  const began = Date.now()
  await multiplyPatients(bench.dataDir, copies)
  process.stderr.write(`${copies} of each in ${Math.round((Date.now() - began) / 1000)} s\n`)
  writeFileSync(done, String(copies))
}

async function measured(
  wanted: Wanted,
  keep: string | undefined,
  signal: AbortSignal,
): Promise<Measured> {
  const { patients } = wanted
  const place = keep ?? mkdtempSync(join(tmpdir(), 'sanad-growth-'))
  process.stderr.write(`${patients} patients…\n`)
  await prepareCopies(wanted, place, signal)
  const bench = await openWorkbench({ patients, keep: place, signal })
  try {
    await waitUntilIdle(bench.dataDir, signal)
    const sizes = await readTableSizes(bench.dataDir)
    const floor = await openFloor(bench.dataDir, bench.owner.email)
    const reads: Grown[] = []
    for (const { name, call } of measures) {
      if (!call) continue
      const { pages, rows } = await floor.of(...call(bench, 0))
      reads.push({ name, pages, rows })
    }
    await floor.close()
    return { patients, reads, sizes }
  } finally {
    await bench.close()
    if (!keep) rmSync(place, { recursive: true, force: true })
  }
}

async function readTableSizes(dataDir: string): Promise<Size[]> {
  const db = connectToDataDir(dataDir)
  try {
    const { rows } = await sql<Size>`
      select relname as "table", pg_total_relation_size(oid) as bytes, pg_indexes_size(oid) as indexes
      from pg_class where relkind in ('r', 'm') and relnamespace = 'public'::regnamespace
      order by bytes desc`.execute(db)
    return rows
  } finally {
    await db.destroy()
  }
}

/** Tables that say who did and saw what; each partition of the log of accesses is one. */
const isTrail = ({ table }: Size) => /^(audit_log|access_log|trail_)/.test(table)

function formatSizes({ patients, sizes }: Measured): string[] {
  const kB = (bytes: number) => (bytes / 1024 / patients).toFixed(2)
  const sum = (some: readonly Size[]) => some.reduce((all, { bytes }) => all + bytes, 0)
  const trails = sizes.filter(isTrail)
  return [
    `Kilobytes per patient: ${kB(sum(sizes))}, without the trails ${kB(sum(sizes) - sum(trails))}`,
    '',
    '| table | kB per patient | of these indexes |',
    '| --- | ---: | ---: |',
    ...sizes
      .slice(0, 20)
      .map(({ table, bytes, indexes }) => `| ${table} | ${kB(bytes)} | ${kB(indexes)} |`),
  ]
}
