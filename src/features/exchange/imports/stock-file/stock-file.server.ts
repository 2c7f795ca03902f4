import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { drugKey } from '~/features/medicines/drugs/catalogue-file'
import {
  type MedicineCells,
  readWrittenMedicine,
} from '~/features/medicines/drugs/written-medicine.server'
import { quantityField } from '~/features/medicines/inventory/inventory'
import { certainDay } from '~/fields/day'
import { isAmbiguousNumber, numberFrom } from '~/fields/typed'
import { batchRecord } from '~/records/batch'
import { normalizeBarcode } from '~/records/package-code'
import { bisect } from '~/server/bisect'
import type { OpenContext } from '~/server/operation'
import type { Message } from '~/shared/errors'
import { firstErrors } from '~/shared/problems'
import { clinicTimeZone, dayIn as dayInZone } from '~/shared/zone'
import * as z from 'zod'
import { bringBatches, type Watch } from '../batches.server'
import type { Csv, CsvRow } from '../csv.server'
import type { ColumnMapping, PreviewRow } from '../lists'
import { firstProblem } from '../medicines-file/medicines-file.server'
import { type DateFormat, parseFormattedDay } from '../patients-file/date-format'
import { readCells } from '../reader/cells'
import { type ColumnFormats, dateFormatIn } from '../reader/formats'
import { cellsByTarget, writtenCells } from '../reader/headings.server'
import { stableId } from '../stable-id'
import { type Fate, imported, left, rejected, repeated, type Tally } from '../tally'
import { recordChanges } from '../undo/changes.server'
import { committing, isAboutValues, importRefusal, rehearse, type Steps } from '../write.server'

type StockFile = {
  headers: readonly string[]
  mapping: ColumnMapping
  clinicId: string
  dateFormat?: DateFormat
  formats?: ColumnFormats
  importId?: string
}

const ACTION = 'imports.stock'

const { batch_number, expiry_date, supplier_name, purchase_price, purchase_currency } =
  batchRecord.fields
const StockRow = z.object({
  batch_number: batch_number.schema,
  expiry_date: expiry_date.schema,
  supplier_name: supplier_name.schema,
  purchase_price: purchase_price.schema,
  purchase_currency: purchase_currency.schema,
  quantity: quantityField.schema,
})
type StockRow = z.output<typeof StockRow>

/**
 * Enters the stock that a clinic has, batch by batch, as opening quantities in the ledger. The medicines are in the
 * catalogue already. A batch with stock in the clinic is left as it is: a stock-take corrects it. It can run again at
 * any time, also after an interruption.
 */
export async function importStock(
  ctx: OpenContext,
  csv: Csv,
  file: StockFile,
  tally: Tally,
  { isDryRun, ...watch }: Watch & { isDryRun?: boolean } = {},
) {
  const read = stockReader(file)
  const seen = new Set<string>()
  const work = (steps: Steps) =>
    bringBatches(csv, tally, steps, watch, (db, rows) => bring(db, rows, { file, read, seen }))
  await (isDryRun ? rehearse(ctx, ACTION, work) : work(committing(ctx, ACTION)))
}

type Read =
  | {
      medicine: ReturnType<typeof readWrittenMedicine>
      barcode: string
      name: string
      stock: StockRow
      emptied: Message[]
    }
  | { refused: Message }

const IDENTITIES = new Set(['barcode', 'batch_number'])

function stockReader({ headers, mapping, dateFormat, formats }: StockFile) {
  const { columns, headings } = cellsByTarget(headers, mapping)
  const year = new Date().getUTCFullYear() + 20
  return (row: CsvRow): Read => {
    const read = readCells(row, columns, { identities: IDENTITIES, formats })
    if ('refused' in read) return read
    const { cells, emptied } = read
    const expiry = cells['expiry_date']
    const format = dateFormatIn(formats, headings['expiry_date']) ?? dateFormat
    const day = expiry === undefined ? undefined : expiryIn(expiry, format, year)
    if (day === null)
      return {
        refused: {
          key: 'imports.reasons.date',
          values: { value: expiry!.slice(0, 60), column: headings['expiry_date']! },
        },
      }
    const number = (name: string) => (cells[name] ? numberFrom(cells[name]) : null)
    const unread = ['purchase_price', 'quantity'].find((name) => typeof number(name) === 'string')
    if (unread)
      return {
        refused: {
          key: isAmbiguousNumber(cells[unread]!)
            ? 'imports.reasons.ambiguousNumber'
            : 'imports.reasons.number',
          values: { value: cells[unread]!.slice(0, 60), column: headings[unread]! },
        },
      }
    const parsed = StockRow.safeParse({
      batch_number: cells['batch_number'] ?? '',
      expiry_date: day ?? '',
      supplier_name: cells['supplier_name'] ?? null,
      purchase_price: number('purchase_price'),
      purchase_currency: cells['purchase_currency'] ?? null,
      quantity: number('quantity'),
    })
    if (!parsed.success) return { refused: firstProblem(firstErrors(parsed.error), headings) }
    const { barcode = '', generic_name, brand_name, strength, form, route } = cells
    const name = generic_name ?? brand_name ?? ''
    if (!name && !barcode)
      return {
        refused: {
          key: 'imports.reasons.missing',
          values: { column: headings['generic_name'] ?? headings['barcode'] ?? 'generic_name' },
        },
      }
    const medicine = Object.entries({ generic_name: name, strength, form, route })
    const given = Object.fromEntries(medicine.filter(([, cell]) => cell)) as MedicineCells
    return {
      medicine: readWrittenMedicine(given, headings),
      barcode: barcode ? normalizeBarcode(barcode).replace(/^0+/, '') : '',
      name,
      stock: parsed.data,
      emptied,
    }
  }
}

/** The last day of a month, or the day in the format of the column. */
const expiryIn = (text: string, format: DateFormat | undefined, year: number) =>
  (format && parseFormattedDay(format, text, year)) ??
  parseFormattedDay('YYYY-MM-DD', text, year) ??
  certainDay(text, 'last')

type Drug = {
  id: string
  barcode: string | null
  generic_name: string
  brand_name: string | null
  form: string
  route: string
  dosage_quantity: number | null
  dosage_units: string
  per_quantity: number | null
  per_unit: string | null
  ingredient_strengths: string | null
}

type Work = { file: StockFile; read: ReturnType<typeof stockReader>; seen: Set<string> }
type Item = {
  drugId: string
  batchId: string
  stock: StockRow
  at: number
  emptied: Message[]
  reference: string
}

async function bring(db: Kysely<DB>, rows: CsvRow[], { file, read, seen }: Work): Promise<Fate[]> {
  const readings = rows.map(read)
  const drugs = await drugsNamed(db, readings)
  const fates: (Fate | null)[] = []
  const wanted: { drugId: string; stock: StockRow; at: number; emptied: Message[] }[] = []
  for (const [at, reading] of readings.entries()) {
    if ('refused' in reading) {
      fates.push(rejected(reading.refused))
      continue
    }
    const found = findDrugs(reading, drugs)
    const key = `${found[0]?.id} ${reading.stock.batch_number.toLowerCase()}`
    if (found.length !== 1) fates.push(rejected(notOne(reading, found.length > 0)))
    else if (seen.has(key)) fates.push(rejected({ key: 'imports.reasons.batchTwice' }))
    else {
      seen.add(key)
      fates.push(null)
      wanted.push({ drugId: found[0]!.id, stock: reading.stock, at, emptied: reading.emptied })
    }
  }
  const items: Item[] = []
  for (const [i, batch] of (await batchesFor(db, file.clinicId, wanted)).entries()) {
    const { drugId, stock, at, emptied } = wanted[i]!
    if (batch.expiry !== stock.expiry_date)
      fates[at] = rejected({ key: 'batches.otherExpiry', values: { expiry: batch.expiry } })
    else if (batch.opening === 0 && batch.moved === 0) {
      const reference = stableId('imports.stock', file.clinicId, batch.id, String(batch.openings))
      items.push({ drugId, batchId: batch.id, stock, at, emptied, reference })
    } else
      fates[at] = batch.opening === stock.quantity ? repeated : left('imports.reasons.batchHere')
  }
  const failures = await bisect(
    db,
    items,
    (some) => postOpening(db, file.clinicId, some),
    (error) => {
      if (!isAboutValues(error)) throw error
      return importRefusal(error)
    },
  )
  const refused = new Map(failures.map(({ item, failure }) => [item.at, failure]))
  for (const { at, emptied } of items)
    fates[at] = refused.has(at) ? rejected(refused.get(at)!) : { ...imported, emptied }
  if (file.importId)
    await recordChanges(
      db,
      file.importId,
      items
        .filter(({ at }) => !refused.has(at))
        .map(({ batchId, drugId, stock }) => ({
          table: 'drug_batches',
          id: batchId,
          before: null,
          after: { drugId, clinicId: file.clinicId, quantity: stock.quantity },
        })),
    )
  return fates.map((fate) => fate ?? imported)
}

const notOne = (
  { name, barcode }: Exclude<Read, { refused: Message }>,
  isSeveral: boolean,
): Message => ({
  key: isSeveral ? 'imports.reasons.severalMedicines' : 'imports.reasons.noMedicine',
  values: { value: (name || barcode).slice(0, 60) },
})

/** The medicines of the catalogue that rows may mean. */
async function drugsNamed(db: Kysely<DB>, readings: readonly Read[]): Promise<Drug[]> {
  const read = readings.flatMap((reading) => ('refused' in reading ? [] : [reading]))
  const names = read.flatMap(({ name, medicine }) => [
    name.toLowerCase(),
    String(medicine.given['generic_name']).toLowerCase(),
  ])
  const { rows } = await sql<Drug>`
    select id, barcode, generic_name, brand_name, form, route, dosage_quantity, dosage_units, per_quantity,
      per_unit, ingredient_strengths
    from drug_catalogue where not is_deleted and (
      lower(generic_name) = any(${names}) or lower(brand_name) = any(${names})
      or ltrim(barcode, '0') = any(${read.map(({ barcode }) => barcode).filter(Boolean)}))`.execute(
    db,
  )
  return rows
}

const STATED = [
  'form',
  'route',
  'dosage_quantity',
  'dosage_units',
  'per_quantity',
  'per_unit',
  'ingredient_strengths',
] as const

/** By barcode; otherwise by name and whatever else the row states of the medicine. */
function findDrugs(
  { barcode, name, medicine: { given, assumed } }: Exclude<Read, { refused: Message }>,
  all: Drug[],
) {
  const byBarcode = barcode
    ? all.filter((drug) => drug.barcode?.replace(/^0+/, '') === barcode)
    : []
  if (byBarcode.length > 0) return byBarcode
  const names = [name, String(given['generic_name'])].map((text) => text.toLowerCase())
  const known = {
    ...given,
    ...('form' in assumed && assumed['form'] !== 'other' && { form: assumed['form'] }),
  }
  const fitting = all.filter(
    (drug) =>
      names.some((text) =>
        [drug.generic_name, drug.brand_name].some((own) => own?.toLowerCase() === text),
      ) &&
      // `known` is some columns of a line
      STATED.every((column) => !(column in known) || known[column as never] === drug[column]),
  )
  return [...new Map(fitting.map((drug) => [drugKey(drug), drug])).values()]
}

/** What the first rows would enter, with the medicine of the catalogue that each one means. */
export async function previewStock(
  db: Kysely<DB>,
  file: StockFile,
  rows: readonly CsvRow[],
): Promise<PreviewRow[]> {
  const readings = rows.map(stockReader(file))
  const drugs = await drugsNamed(db, readings)
  return readings.map((reading, i): PreviewRow => {
    const { line } = rows[i]!
    const written = writtenCells(rows[i]!, file.headers, file.mapping)
    if ('refused' in reading) return { line, values: null, problem: reading.refused, written }
    const [drug, other] = findDrugs(reading, drugs)
    if (!drug || other)
      return { line, values: null, problem: notOne(reading, drug !== undefined), written }
    return { line, values: { ...drug, ...reading.stock }, problem: null }
  })
}

type KnownBatch = {
  id: string
  expiry: string
  /** What imports have entered, less what an undo took back. */
  opening: number
  openings: number
  /** Other movements in the clinic. */
  moved: number
}

/** The batch of each row, made where it is missing, with what moved of it in the clinic. */
async function batchesFor(
  db: Kysely<DB>,
  clinicId: string,
  wanted: readonly { drugId: string; stock: StockRow }[],
): Promise<KnownBatch[]> {
  if (wanted.length === 0) return []
  const given = JSON.stringify(
    wanted.map(({ drugId, stock }, at) => ({ ...stock, drug_id: drugId, at })),
  )
  const shape = sql`jsonb_to_recordset(${given}::jsonb) as given(at int, drug_id uuid, batch_number text,
    expiry_date date, supplier_name text, purchase_price numeric, purchase_currency text)`
  const today = dayInZone(new Date(), clinicTimeZone())
  await sql`
    insert into drug_batches (id, drug_id, batch_number, expiry_date, supplier_name, purchase_price,
      purchase_currency, received_date)
    select gen_random_uuid(), drug_id, batch_number, expiry_date, supplier_name, purchase_price,
      purchase_currency, ${today}::date
    from ${shape} on conflict (drug_id, lower(batch_number)) do update set expiry_date = excluded.expiry_date
      -- an undo took back all that imports had entered: the corrected list says when it expires
      where drug_batches.expiry_date <> excluded.expiry_date and drug_batches.quantity_remaining = 0
        and exists (select from inventory_transactions m where m.batch_id = drug_batches.id)
        and not exists (select from inventory_transactions m
          where m.batch_id = drug_batches.id and m.reference_type <> 'opening')`.execute(db)
  const { rows } = await sql<KnownBatch>`
    select b.id, b.expiry_date::text as expiry,
      coalesce(sum(m.quantity) filter (where m.reference_type = 'opening'), 0)::float8 as opening,
      count(m.id) filter (where m.reference_type = 'opening')::int as openings,
      count(m.id) filter (where m.reference_type <> 'opening')::int as moved
    from ${shape}
    join drug_batches b on b.drug_id = given.drug_id and lower(b.batch_number) = lower(given.batch_number)
    left join inventory_transactions m on m.batch_id = b.id and m.clinic_id = ${clinicId}
    group by given.at, b.id order by given.at`.execute(db)
  return rows
}

const postOpening = (db: Kysely<DB>, clinicId: string, items: readonly Item[]) => {
  const given = items.map(({ drugId, batchId, stock, reference }) => ({
    drug_id: drugId,
    batch_id: batchId,
    quantity: stock.quantity,
    reference,
  }))
  return sql`
    select post_stock(${clinicId}, drug_id, batch_id, 'adjustment', quantity, 'opening', reference, null, null,
      clinic_day(now()))
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
      as given(drug_id uuid, batch_id uuid, quantity numeric, reference uuid)`.execute(db)
}
