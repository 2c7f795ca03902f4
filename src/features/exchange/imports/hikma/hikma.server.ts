import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import type { OpenContext } from '~/server/operation'
import { IMPORT_BATCH } from '../batches.server'
import { committing, rehearse, type Steps } from '../write.server'
import { closeClinics } from './clinics.server'
import {
  allergiesMapping,
  appointmentsMapping,
  eventsMapping,
  problemsMapping,
  visitsMapping,
  vitalsMapping,
} from './care'
import { takeFiles } from './files.server'
import { eventFormsMapping, registrationFormsMapping } from './forms'
import { deleteMissing } from './missing.server'
import { listForReview } from '../moved-in/moved-in.server'
import { rowDigests } from './digest'
import type { SourceFacts, TableMapping, Unique } from './mapping'
import { batchesMapping, drugs } from './medicines'
import { clinicsMapping, departmentsMapping, permissionsMapping, usersMapping } from './office'
import { takePasswords } from './passwords.server'
import { attributes, patientsMapping } from './people'
import { importedBefore, mappingName, type News, noOutcome, place } from './place.server'
import {
  dispensingMapping,
  phoneItemsMapping,
  prescriptionItemsMapping,
  prescriptionsMapping,
} from './prescriptions'
import { type ImportNote, type SourceRow, sourceText } from './reading'
import { knownTo } from './references.server'
import { NOT_LISTED } from '../former-rules'
import { COUNTED, UNPLACED } from './schema'
import { type HikmaReport, type HikmaWatch, newTable, type HikmaRun, type TableTally } from './run'
import type { HikmaSource, Sourced } from './source.server'
import { postOpeningStock } from './stock.server'
import { takeEventLogs, takeSettings } from './trails.server'
import { isId } from '~/shared/id'

/** In the order in which they refer to each other. */
const MAPPINGS: readonly TableMapping[] = [
  clinicsMapping,
  usersMapping,
  permissionsMapping,
  departmentsMapping,
  registrationFormsMapping,
  eventFormsMapping,
  drugs,
  batchesMapping,
  patientsMapping,
  attributes,
  visitsMapping,
  eventsMapping,
  vitalsMapping,
  problemsMapping,
  allergiesMapping,
  appointmentsMapping,
  prescriptionsMapping,
  phoneItemsMapping,
  prescriptionItemsMapping,
  dispensingMapping,
]

const ACTION = 'imports.hikma'

/**
 * Brings over the database of a Hikma server (docs/exchange.md). It can run again at any time, while the old server
 * stays in use: only what changed there since is written. `report` is right after an interruption as well.
 */
export async function importHikma(
  ctx: OpenContext,
  source: HikmaSource,
  report: HikmaReport,
  { isDryRun = false, files, ...watch }: HikmaWatch & { isDryRun?: boolean; files?: string } = {},
): Promise<void> {
  report.missing = source.missing
  const work = async (steps: Steps) => {
    const run: HikmaRun = {
      source,
      steps,
      beside: isDryRun || ctx.db.isTransaction ? undefined : ctx.db,
      facts: await loadFacts(source, steps),
      number: await steps(nextRun),
      report,
      watch,
    }
    await takeSettings(run)
    for (const mapping of MAPPINGS) {
      await takeTable(run, mapping)
      if (mapping === usersMapping) await takePasswords(run)
      if (mapping === registrationFormsMapping) await keepOneForm(run)
      if (mapping === batchesMapping) await postOpeningStock(run)
    }
    await takeEventLogs(run)
    // a rehearsal cannot take files back
    if (files !== undefined && !isDryRun) await takeFiles(run, ctx, files)
    await closeClinics(run)
    for (const table of UNPLACED) await setAside(run, table)
    for (const table of COUNTED)
      if (source.has(table)) report.counted[table] = await source.count(table)
    await steps((db) => endRun(db, run.number))
  }
  if (isDryRun) await rehearse(ctx, ACTION, work)
  else await work(committing(ctx, ACTION))
}

const nextRun = async (db: Kysely<DB>) => {
  const { rows } = await sql<{ run: number }>`
    select coalesce(max(run), 0) + 1 as run from import_rows where source = 'hikma'`.execute(db)
  return rows[0]!.run
}

/** A phone of the former server names a time up to the end of the last run as its last pull. */
const endRun = (db: Kysely<DB>, run: number) =>
  sql`insert into import_runs (source, run) values ('hikma', ${run})
    on conflict (source, run) do update set ended_at = excluded.ended_at`.execute(db)

const UNIQUE: Record<Unique, { from: string; key: string }> = {
  clinic: { from: 'clinics where not is_deleted', key: 'lower(name)' },
  email: { from: 'users', key: 'email' },
  department: {
    from: 'clinic_departments where not is_deleted',
    key: "clinic_id || ' ' || lower(name)",
  },
  barcode: {
    from: 'drug_catalogue where not is_deleted and barcode is not null',
    key: "ltrim(barcode, '0')",
  },
  batch: { from: 'drug_batches', key: "drug_id || ' ' || lower(batch_number)" },
}

async function loadFacts(source: HikmaSource, steps: Steps): Promise<SourceFacts> {
  const closed = source.has('clinics', 'is_archived') ? 'is_archived or is_deleted' : 'is_deleted'
  const clinicRows = await source.query<{ id: string }>(
    `select id::text from clinics where ${closed}`,
  )
  const forms = source.has('patient_registration_forms')
    ? await source.query<{ id: string }>(
        `select id::text from patient_registration_forms where not coalesce(is_deleted, false)
         order by updated_at desc nulls last, id limit 1`,
      )
    : []
  const taken = new Map<Unique, Map<string, string>>()
  for (const [what, { from, key }] of Object.entries(UNIQUE) as [
    Unique,
    { from: string; key: string },
  ][]) {
    const { rows } = await steps((db) =>
      sql<{
        id: string
        key: string
      }>`select id, ${sql.raw(key)} as key from ${sql.raw(from)}`.execute(db),
    )
    taken.set(what, new Map(rows.map((row) => [row.key, row.id])))
  }
  return {
    closedClinics: new Set(clinicRows.map(({ id }) => id)),
    registrationForm: forms[0]?.id,
    today: new Date().toISOString().slice(0, 10),
    isTaken(what, value, id) {
      const owner = taken.get(what)!.get(value)
      if (owner !== undefined && owner !== id) return true
      taken.get(what)!.set(value, id)
      return false
    },
  }
}

async function takeTable(run: HikmaRun, mapping: TableMapping): Promise<void> {
  const { source, report, watch } = run
  if (!source.has(mapping.from)) return
  const table = mappingName(mapping)
  const tally = newTable(table)
  report.tables.push(tally)
  const total = await source.count(mapping.from, mapping.where)
  const seen = { known: 0, derived: new Set<string>() }
  const selection = {
    from: mapping.from,
    extra: mapping.extra?.(source.has),
    join: mapping.join?.(source.has),
    where: mapping.where,
    without: mapping.from === 'users' ? ['hashed_password'] : [],
  }
  let done = 0
  for await (const batch of oneAhead(
    arriving(run, mapping, source.batches(selection, IMPORT_BATCH)),
  )) {
    watch.signal?.throwIfAborted()
    await takeBatch(run, mapping, tally, seen, batch)
    done += batch.read
    watch.onProgress?.(table, done, total)
  }
  if (!mapping.expand) await deleteMissing(run, mapping, tally, seen)
}

const expanded = (mapping: TableMapping, batch: Sourced[]): Sourced[] =>
  mapping.expand
    ? batch.flatMap(({ row, digest }) => mapping.expand!(row).map((one) => ({ row: one, digest })))
    : batch

type Seen = { known: number; derived: Set<string> }

/** A batch of the source. */
type Arrived = {
  /** Rows of the source, each of which can become several. */
  read: number
  rows: readonly Sourced[]
  /** What they are called in Sanad. */
  ids: readonly string[]
  /** What becomes of them; undefined if only the transaction that writes them can say it. */
  mapped: Mapped | undefined
}
type Mapped = {
  before: ReadonlyMap<string, Buffer>
  news: News[]
  told: { row: SourceRow; reason: string }[]
  notes: { id: string; note: ImportNote }[]
  unchanged: number
}

/**
 * The batches of a table, mapped. A mapping reads only tables that are done, so a batch can be mapped while the one
 * before it is written, unless both have a row of the same id.
 */
async function* arriving(
  run: HikmaRun,
  mapping: TableMapping,
  sourced: AsyncGenerator<Sourced[]>,
): AsyncGenerator<Arrived> {
  let last: ReadonlySet<string> = new Set()
  for await (const batch of sourced) {
    const rows = expanded(mapping, batch)
    const ids = rows.map(({ row }) => mapping.idOf?.(row) ?? String(row['id']).toLowerCase())
    const mapped =
      run.beside && !ids.some((id) => last.has(id))
        ? await mappedBy(run.beside, run, mapping, rows, ids)
        : undefined
    last = new Set(ids)
    yield { read: batch.length, rows, ids, mapped }
  }
}

/** Makes the next while the caller works on one. */
async function* oneAhead<T>(all: AsyncGenerator<T>): AsyncGenerator<T> {
  const begin = () => {
    const next = all.next()
    // it is reported when the caller comes to it
    next.catch(() => {})
    return next
  }
  let next = begin()
  try {
    for (;;) {
      const { value, done } = await next
      if (done) return
      next = begin()
      yield value
    }
  } finally {
    await all.return(undefined)
  }
}

async function mappedBy(
  db: Kysely<DB>,
  run: HikmaRun,
  mapping: TableMapping,
  rows: readonly Sourced[],
  ids: readonly string[],
): Promise<Mapped> {
  const before = await importedBefore(db, mappingName(mapping), ids)
  const changed = rows.filter(
    ({ digest }, at) => !before.get(ids[at]!)?.subarray(0, digest.length).equals(digest),
  )
  const mapped: Mapped = {
    before,
    news: [],
    told: [],
    notes: [],
    unchanged: rows.length - changed.length,
  }
  if (changed.length === 0) return mapped
  const known = await knownTo(
    db,
    mapping,
    changed.map(({ row }) => row),
  )
  for (const { row, digest } of changed) {
    const reading = mapping.map(row, known, run.facts)
    if (reading === null) continue
    if ('unplaced' in reading) mapped.told.push({ row, reason: reading.unplaced })
    else {
      const { record } = reading
      mapped.news.push({ row, record, columns: rowDigests(digest, mapping.to, record) })
      for (const note of reading.notes) mapped.notes.push({ id: record.id, note })
    }
  }
  return mapped
}

async function takeBatch(
  run: HikmaRun,
  mapping: TableMapping,
  tally: TableTally,
  seen: Seen,
  { rows, ids, mapped }: Arrived,
) {
  const { watch } = run
  const write = async (db: Kysely<DB>) => {
    const own = mapped ?? (await mappedBy(db, run, mapping, rows, ids))
    const isNews = own.news.length > 0
    const outcome = isNews ? await place(db, mapping, own, run.number) : noOutcome()
    await listForReview(db, rowsForReview(mapping, own, outcome))
    return { ...own, outcome }
  }
  const { outcome, told, notes, unchanged } =
    mapped?.news.length === 0 ? { ...mapped, outcome: noOutcome() } : await run.steps(write)
  rows.forEach(({ row }, at) => {
    if (ids[at] !== String(row['id']).toLowerCase()) seen.derived.add(ids[at]!)
  })
  seen.known += rows.length
  tally.rows += rows.length
  tally.inserted += outcome.inserted
  tally.updated += outcome.updated
  tally.deleted += outcome.deleted
  tally.unchanged += unchanged
  tally.differences += outcome.differences.length
  if (outcome.inserted + outcome.updated + outcome.deleted > 0) run.report.hasNews = true
  for (const { row, reason } of [...told, ...outcome.refused]) {
    tally.unplaced += 1
    await watch.onUnplaced?.(mappingName(mapping), row, reason)
  }
  for (const { id, note } of notes) {
    const rule = note.column ? `${note.rule} ${note.column}` : note.rule
    tally.notes[rule] = (tally.notes[rule] ?? 0) + 1
    if (!NOT_LISTED.has(note.rule)) await watch.onNote?.(mappingName(mapping), id, note)
  }
  for (const difference of outcome.differences)
    await watch.onDifference?.(mappingName(mapping), difference)
}

/** What a clinician looks at of the rows that were placed; a deleted one only if the move has deleted it. */
function rowsForReview(
  mapping: TableMapping,
  { news, notes }: Mapped,
  { refused }: { refused: readonly { row: SourceRow }[] },
) {
  const left = new Set(refused.map(({ row }) => row))
  const records = new Map(
    news.flatMap(({ row, record }) => (left.has(row) ? [] : [[record.id, record] as const])),
  )
  return notes.flatMap(({ id, note: { rule, column = '', value, patientId } }) => {
    const record = records.get(id)
    if (!record || !isId(patientId) || !isId(id)) return []
    if (record['is_deleted'] === true && rule !== 'withdrawn') return []
    const word = sourceText(value ?? '')
    return [{ patientId, table: mapping.to.table, rowId: id, column, rule, word }]
  })
}

/** Sanad uses its first live form: forms that were not imported make way for the imported one. */
async function keepOneForm({ steps, facts }: HikmaRun) {
  const form = facts.registrationForm
  if (!isId(form)) return
  await steps((db) =>
    sql`update registration_forms f set is_deleted = true
      where not is_deleted and id <> ${form}
        and exists (select from registration_forms where id = ${form} and not is_deleted)
        and not exists (select from import_rows
          where source = 'hikma' and table_name = ${registrationFormsMapping.from} and row_id = f.id)`.execute(
      db,
    ),
  )
}

/** Rows that have no place in Sanad go into the file as they are. */
async function setAside({ source, report, watch }: HikmaRun, table: string) {
  if (!source.has(table)) return
  const tally = newTable(table)
  report.tables.push(tally)
  for await (const batch of source.batches({ from: table }, IMPORT_BATCH)) {
    watch.signal?.throwIfAborted()
    for (const { row } of batch) await watch.onUnplaced?.(table, row, 'Sanad has no table for it')
    tally.rows += batch.length
    tally.unplaced += batch.length
  }
}
