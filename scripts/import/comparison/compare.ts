import type { Client } from 'pg'
import {
  allergiesTable,
  appointmentsTable,
  attribute,
  attributeSource,
  attributeTarget,
  eventsTable,
  patientsTable,
  problemsTable,
  visitsTable,
  vitalsTable,
} from './expected-care'
import {
  batchesTable,
  catalogue,
  dispensingTable,
  items,
  expectedPhoneItems,
  knowCatalogue,
  openings,
  prescriptionsTable,
  stockTable,
} from './expected-medicines'
import {
  clinicsTable,
  departmentsTable,
  eventFormsTable,
  eventLogs,
  permissionsTable,
  registrationFormsTable,
  settings,
  usersTable,
} from './expected-office'
import {
  LOOKUPS_AT_ONCE,
  type ComparisonReport,
  type Finding,
  Reader,
  type ComparedRow,
  readRowsByCursor,
} from './reader'

const IN_ORDER = [
  clinicsTable,
  usersTable,
  departmentsTable,
  eventFormsTable,
  catalogue,
  batchesTable,
  patientsTable,
  visitsTable,
  eventsTable,
  vitalsTable,
  problemsTable,
  allergiesTable,
  appointmentsTable,
  prescriptionsTable,
  dispensingTable,
  openings,
  eventLogs,
]

/** Of which each deletion whose parent lives can be undone from the trash. */
const TRASH: Record<string, string> = {
  patients: 'true',
  visits: `exists (select from patients p where p.id = t.patient_id and not p.is_deleted)`,
  events: `exists (select from patients p where p.id = t.patient_id and not p.is_deleted)
    and not exists (select from visits v where v.id = t.visit_id and v.is_deleted)`,
  patient_vitals: `exists (select from patients p where p.id = t.patient_id and not p.is_deleted)
    and not exists (select from visits v where v.id = t.visit_id and v.is_deleted)`,
  patient_allergies: `exists (select from patients p where p.id = t.patient_id and not p.is_deleted)`,
  prescriptions: `exists (select from patients p where p.id = t.patient_id and not p.is_deleted)`,
}

/** Tables of the source of which no row is taken: each row must be in the file of what is unplaced. */
const UNPLACED = [
  'patient_observations',
  'patient_tobacco_history',
  'education_content',
  'reports',
  'report_components',
  'string_ids',
  'string_content',
  'hh_unique',
  'inventory_transactions',
]

/**
 * Reads the source and Sanad side by side and explains each difference by a rule of docs/exchange.md.
 * It shares no code with the importer. Memory does not grow with the number of rows.
 */
export async function compare(
  source: Client,
  target: Client,
  onFinding?: (finding: Finding) => Promise<void> | void,
): Promise<ComparisonReport> {
  const reader = new Reader(source, target, onFinding)
  for (const client of [source, target])
    await client.query(`begin isolation level repeatable read read only; set local timezone = 'UTC';
      set local datestyle = 'ISO'; set local work_mem = '64MB'; set local cursor_tuple_fraction = 1`)
  try {
    const { rows } = await source.query<{ id: string }>('select id::text from drug_catalogue')
    knowCatalogue(rows.map(({ id }) => id))
    for (const table of IN_ORDER) await reader.table(table)
    await reader.table(stockTable, ({ quantity_available }) => quantity_available === 0)
    await reader.table(permissionsTable)
    await reader.table(
      registrationFormsTable,
      ({ id, is_deleted }) => id === '01900000-0000-7000-8000-000000000001' && is_deleted === true,
    )
    await reader.table(settings, (row) => row['last_modified_by'] === null)
    await reader.table(items, await ofPhones(reader))
    await attributes(reader)
    await passwords(reader)
    await trash(reader)
    for (const table of UNPLACED) {
      const known = await source.query(
        'select to_regclass($1) as name where to_regclass($1) is not null',
        [table],
      )
      if (known.rows.length === 0) continue
      const {
        rows: [found],
      } = await source.query<{ n: number }>(`select count(*)::int as n from ${table}`)
      reader.countsOf(`${table} (source)`).unplaced = found!.n
      reader.rule(table, 'Sanad has no table for it', found!.n)
    }
    await reader.settle()
  } finally {
    for (const client of [source, target]) await client.query('rollback').catch(() => {})
  }
  return reader.comparison
}

/** Rows that only Sanad has, because a phone's item became one. */
async function ofPhones(reader: Reader) {
  const expected = new Map<string, ComparedRow>()
  const sql = `select row_to_json(t) as row from prescriptions t where t.items::text like '%medicationId%'
    and not exists (select from prescription_items i where i.prescription_id = t.id)`
  for await (const { row } of readRowsByCursor(reader.source, sql))
    for (const item of expectedPhoneItems(row as ComparedRow))
      expected.set(item.id, { ...item, prescription_id: (row as ComparedRow)['id'] })
  return (row: ComparedRow) => {
    const item = expected.get(String(row['id']))
    const isRight =
      item !== undefined &&
      item['drug_id'] === row['drug_id'] &&
      row['quantity_prescribed'] === item['quantity'] &&
      row['prescription_id'] === item['prescription_id'] &&
      row['dosage_instructions'] !== ''
    if (isRight) reader.rule('prescription_items', 'itemsBecomeRows')
    return isRight
  }
}

/** Grouped by patient on both sides, matched by field. */
async function attributes(reader: Reader) {
  const name = 'patient_additional_attributes'
  const counts = reader.countsOf(name)
  const groups = async function* (rows: AsyncGenerator<ComparedRow>) {
    let group: ComparedRow[] = []
    for await (const row of rows) {
      if (group.length && group[0]!['patient_id'] !== row['patient_id']) {
        yield group
        group = []
      }
      group.push(row)
    }
    if (group.length) yield group
  }
  const reportUnexpectedRows = (rows: readonly ComparedRow[]) => {
    for (const { row } of rows as { row: ComparedRow }[])
      reader.finding(name, String(row['patient_id']), '', 'no row', row, String(row['id']))
  }
  const there = groups(readRowsByCursor(reader.target, attributeTarget))
  let next = await there.next()
  for await (const group of groups(readRowsByCursor(reader.source, attributeSource))) {
    const patient = String(group[0]!['patient_id'])
    if (!group[0]!['has_patient']) {
      counts.unplaced += group.length
      reader.rule(name, 'no such patient', group.length)
      continue
    }
    while (!next.done && String(next.value[0]!['patient_id']) < patient) {
      reportUnexpectedRows(next.value)
      next = await there.next()
    }
    const mine =
      !next.done && next.value[0]!['patient_id'] === patient
        ? next.value.map(({ row }) => row as ComparedRow)
        : []
    if (mine.length) next = await there.next()
    // the newest first: of two for one field, the other is unplaced
    const newest = group.toSorted(
      (a, b) =>
        Date.parse(String((b['row'] as ComparedRow)['updated_at'])) -
        Date.parse(String((a['row'] as ComparedRow)['updated_at'])),
    )
    const taken = new Set<string>()
    for (const { row, ...context } of newest) {
      const { field, expected } = attribute(row as ComparedRow, context)
      const key = `${patient} ${field}`
      if (taken.has(field)) {
        counts.unplaced += 1
        reader.rule(name, 'a newer row has the same patient and attribute')
        continue
      }
      taken.add(field)
      const found = mine.findIndex((one) => one['attribute_id'] === field)
      reader.row(name, key, expected, found < 0 ? undefined : mine.splice(found, 1)[0])
    }
    reportUnexpectedRows(mine.map((row) => ({ row })))
    await reader.settle(LOOKUPS_AT_ONCE)
  }
  for (; !next.done; next = await there.next()) reportUnexpectedRows(next.value)
}

/** Each hash of bcrypt stands in credentials_bcrypt until its user signs in, and in no other table. */
async function passwords(reader: Reader) {
  const sql = `select t.id::text, row_to_json(t) as row,
      exists (select from users o where o.id <> t.id and lower(o.email) = lower(t.email)) as has_twin
    from users t order by t.id`
  const { rows } = await reader.target.query<{ user_id: string; row: ComparedRow }>(
    'select user_id::text, to_jsonb(t) as row from credentials_bcrypt t',
  )
  const kept = new Map(rows.map(({ user_id, row }) => [user_id, JSON.stringify(row)]))
  const { rows: argon } = await reader.target.query<{ user_id: string }>(
    'select user_id::text from credentials',
  )
  const signedIn = new Set(argon.map(({ user_id }) => user_id))
  for await (const { id, row, has_twin } of readRowsByCursor(reader.source, sql)) {
    const { hashed_password: hash, is_deleted } = row as ComparedRow
    const isBcrypt =
      /^\$2[aby]\$\d\d\$/.test(String(hash)) && !String(hash).includes('PPY9X2ZxFG93IU9CK4FUtO')
    const has = kept.get(String(id))
    if (!isBcrypt && has) reader.finding('credentials_bcrypt', String(id), 'hash', 'none', 'one')
    if (isBcrypt && !has && !has_twin && !is_deleted && !signedIn.has(String(id)))
      reader.finding('credentials_bcrypt', String(id), 'hash', 'one', 'none')
    if (has && !has.includes(String(hash)))
      reader.finding('credentials_bcrypt', String(id), 'hash', "the source's", 'another')
  }
}

async function trash(reader: Reader) {
  for (const [table, parentLives] of Object.entries(TRASH)) {
    const { rows } = await reader.target.query<{ id: string }>(
      `select t.id::text from ${table} t where t.is_deleted and ${parentLives} and not exists (
         select from deletions d where d.record_id = t.id 
           and d.table_name = '${table}' and d.deleted_by is null) limit 50`,
    )
    for (const { id } of rows)
      reader.finding(table, id, '(trash)', 'an entry without a person', 'none')
  }
}
