import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { addAll } from '~/shared/any-length'
import { isVitalSign, vitalSign } from '~/shared/loinc'
import { IMPORT_BATCH, bringBatches, type Watch } from '../batches.server'
import type { Csv, CsvRow } from '../csv.server'
import { insertOfPatients } from './parents.server'
import { ownOrStableId, stableId } from '../stable-id'
import {
  isMoment,
  parseSyntheaMoment,
  PATIENT,
  type SyntheaRow,
  VISIT,
  vitalsTarget,
} from './synthea'
import { count, type Fate, left, rejected, repeated, type Tally } from '../tally'
import type { ImportedRecord, Steps } from '../write.server'

/** Synthea writes a row per value; we store one set for each patient and moment. */
type Measured = {
  line: number
  patient: string
  encounter: string
  at: string
  field: string
  value: number
}

/**
 * Imports observations as vital signs. They come in any order, so they are first written to a
 * temporary table and read sorted: memory does not grow with the file.
 */
export async function bringObservations(
  { db, csv, rowOf }: { db: Kysely<DB>; csv: Csv; rowOf: (row: CsvRow) => SyntheaRow },
  tally: Tally,
  steps: Steps,
  watch: Watch,
) {
  await sql`create temporary table if not exists import_measured
    (line int, patient text, encounter text, at text, field text, value float8)`.execute(db)
  await sql`truncate import_measured`.execute(db)
  await bringBatches(csv, tally, steps, watch, async (step, rows) => {
    const found = rows.map((row) => measured(row, rowOf(row)))
    const measurements = found.filter((one) => 'field' in one)
    await sql`insert into import_measured select * from jsonb_to_recordset(${JSON.stringify(measurements)}::jsonb)
      as m(line int, patient text, encounter text, at text, field text, value float8)`.execute(step)
    return found.map((one) => ('field' in one ? undefined : one))
  })
  for await (const sets of setsInOrder(db)) {
    watch.signal?.throwIfAborted()
    const fates = await steps((step) =>
      insertOfPatients(
        step,
        vitalsTarget,
        sets.map(({ record }) => record),
      ),
    )
    for (const { record, lines, again } of sets) {
      const fate = fates.get(record)!
      count(tally, fate, lines.length)
      count(tally, repeated, again)
      if (fate.outcome === 'imported') tally.made += 1
      if (fate.outcome !== 'rejected') continue
      for (const line of lines)
        await watch.onRejected?.(tally.file, { line, values: [], end: 0 }, fate)
    }
  }
  await sql`drop table import_measured`.execute(db)
}

function measured({ line }: CsvRow, row: SyntheaRow): Measured | Fate {
  const [at, code, given, unit] = [row('DATE'), row('CODE'), row('VALUE'), row('UNITS')]
  if (!isVitalSign(code)) return left('imports.later.observations')
  if (!isMoment(at))
    return rejected({ key: 'imports.reasons.date', values: { value: at, column: 'DATE' } })
  const value = given.trim() === '' ? Number.NaN : Number(given)
  if (!Number.isFinite(value))
    return rejected({ key: 'imports.reasons.number', values: { value: given, column: 'VALUE' } })
  const sign = vitalSign(code, value, unit)
  if (!sign)
    return rejected({ key: 'imports.reasons.unit', values: { value: unit, column: 'UNITS' } })
  return {
    line,
    patient: row('PATIENT'),
    encounter: row('ENCOUNTER'),
    at,
    field: sign.column,
    value: sign.value,
  }
}

type Set = {
  record: ImportedRecord
  lines: number[]
  /** Rows that say the same once more. */ again: number
}

async function* setsInOrder(db: Kysely<DB>): AsyncGenerator<Set[]> {
  await sql`create index if not exists import_measured_idx on import_measured (patient, encounter, at, line)`.execute(
    db,
  )
  let sets: Set[] = []
  let open: Measured[] = []
  const close = () => addAll(sets, splitIntoSets(open.splice(0)))
  for await (const row of measurementsInOrder(db)) {
    if (open[0] && !isSameMoment(open[0], row)) close()
    open.push(row)
    if (sets.length < IMPORT_BATCH) continue
    yield sets
    sets = []
  }
  close()
  if (sets.length) yield sets
}

async function* measurementsInOrder(db: Kysely<DB>) {
  let last: Measured = { line: 0, patient: '', encounter: '', at: '', field: '', value: 0 }
  for (;;) {
    const { rows } = await sql<Measured>`
      select * from import_measured
      where (patient, encounter, at, line) > (${last.patient}, ${last.encounter}, ${last.at}, ${last.line}::int)
      order by patient, encounter, at, line limit ${10 * IMPORT_BATCH}`.execute(db)
    yield* rows
    if (rows.length < 10 * IMPORT_BATCH) return
    last = rows.at(-1)!
  }
}

const isSameMoment = (a: Measured, b: Measured) =>
  a.patient === b.patient && a.encounter === b.encounter && a.at === b.at

/**
 * Usually one set. Two values of one sign at one moment make a second set, so that none is lost.
 */
function splitIntoSets(rows: Measured[]): Set[] {
  const [first] = rows
  if (!first) return []
  const { patient, encounter, at } = first
  const sets: (Set & { values: Map<string, number> })[] = []
  const open = (ordinal: number) => {
    const id = stableId(
      'synthea.vitals',
      patient,
      encounter,
      at,
      ...(ordinal ? [String(ordinal)] : []),
    )
    const moment = parseSyntheaMoment(at)
    const record: ImportedRecord = {
      id,
      patient_id: ownOrStableId(PATIENT, patient),
      visit_id: encounter ? ownOrStableId(VISIT, encounter) : null,
      timestamp: moment,
      metadata: { synthea: { encounter } },
      created_at: moment,
      updated_at: moment,
    }
    return { record, lines: [], again: 0, values: new Map<string, number>() }
  }
  for (const { line, field, value } of rows) {
    const said = sets.find(({ values }) => values.get(field) === value)
    if (said) {
      said.again += 1
      continue
    }
    let set = sets.find(({ values }) => !values.has(field))
    if (!set) sets.push((set = open(sets.length)))
    set.values.set(field, value)
    set.record[field] = value
    set.lines.push(line)
  }
  return sets
}
