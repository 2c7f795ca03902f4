import {
  canonicalIngredient,
  parseIngredients,
} from '~/features/medicines/safety/rules/ingredients'
import { DOSAGE_FORMS, DOSE_UNITS, ROUTES } from '~/shared/dosage'
import { columns, freeName, type TableMapping, STAMPS } from './mapping'
import { reader, type RowReader } from './reading'

/** The substances of a medicine by its generic name, as the safety check compares them. */
function ingredientsNamed(name: string): string[] {
  const parts = parseIngredients(name)
  const names =
    parts.length > 1 && parts.every(({ isKnown }) => isKnown)
      ? parts.map((part) => part.name)
      : [canonicalIngredient(name)]
  return [...new Set(names.map((one) => one.toLowerCase().trim()).filter(Boolean))]
}

const readCurrency = (read: RowReader, column: string) => {
  const given = read.text(column)
  if (given === '') read.note('empty', column)
  if (given === null || given === '') return null
  if (/^[A-Z]{3}$/.test(given)) return given
  read.note('value', column, given)
  read.keep(column, given)
  return null
}
const readPrice = (read: RowReader, column: string) => {
  const price = read.number(column)
  if (price === null || price >= 0) return price
  read.note('negative', column, price)
  read.keep(column, price)
  return null
}

export const drugs: TableMapping = {
  from: 'drug_catalogue',
  to: {
    table: 'drug_catalogue',
    columns: columns({
      uuid: 'recorded_by_user_id',
      text: 'barcode generic_name brand_name form route dosage_units manufacturer sale_currency notes',
      'text[]': 'ingredients',
      numeric: 'dosage_quantity sale_price min_stock_level max_stock_level',
      jsonb: 'metadata',
      ...STAMPS,
      boolean: 'is_deleted is_controlled requires_refrigeration is_active',
    }),
    incomparable: ['metadata', 'created_at', 'updated_at'],
  },
  references: { recorded_by_user_id: 'users' },
  map(row, known, { isTaken }) {
    const read = reader(row)
    const id = String(row['id'])
    const stamps = read.stamps()
    const brand_name = read.text('brand_name', 200)
    const given = read.name('generic_name', 200)
    if (!given) read.note('emptyName', 'generic_name')
    const generic_name = given || brand_name || `Medicine ${id.slice(0, 8)}`
    const dosage = read.number('dosage_quantity')
    if (dosage !== null && dosage <= 0) read.note('strength', 'dosage_quantity', dosage)
    const unit = read.text('dosage_units') ?? ''
    const known_unit = DOSE_UNITS.find((one) => one.toLowerCase() === unit.toLowerCase())
    if (known_unit !== unit) read.note(unit ? 'value' : 'empty', 'dosage_units', unit)
    if (!known_unit && unit) read.keep('dosage_units', unit)
    const barcode = read.text('barcode')
    const isFree =
      barcode !== null &&
      /^\S{1,64}$/.test(barcode) &&
      (stamps.is_deleted || !isTaken('barcode', barcode.replace(/^0+/, ''), id))
    if (barcode && !isFree) {
      read.note('barcode', 'barcode', barcode)
      read.keep('barcode', barcode)
    }
    const wanted = read.number('min_stock_level')
    if (wanted === null) read.note('empty', 'min_stock_level')
    if (wanted !== null && wanted < 0) read.note('negative', 'min_stock_level', wanted)
    const least = Math.max(wanted ?? 0, 0)
    const most = read.number('max_stock_level')
    if (most !== null && most < least) {
      read.note('maximum', 'max_stock_level', most)
      read.keep('max_stock_level', most)
    }
    return read.done({
      id,
      barcode: isFree ? barcode : null,
      generic_name,
      brand_name,
      ingredients: ingredientsNamed(generic_name),
      form: read.oneOf('form', DOSAGE_FORMS, 'other', true),
      route: read.oneOf('route', ROUTES, 'other', true),
      dosage_quantity: dosage !== null && dosage > 0 ? dosage : null,
      dosage_units: known_unit ?? 'units',
      manufacturer: read.text('manufacturer'),
      sale_price: readPrice(read, 'sale_price'),
      sale_currency: readCurrency(read, 'sale_currency'),
      min_stock_level: least,
      max_stock_level: most !== null && most < least ? null : most,
      is_controlled: read.flag('is_controlled'),
      requires_refrigeration: read.flag('requires_refrigeration'),
      is_active: read.flag('is_active', true),
      notes: read.text('notes'),
      recorded_by_user_id: read.reference('recorded_by_user_id', 'users', known),
      ...stamps,
      metadata: read.metadata(),
    })
  },
}

/** The source invents these for stock that has no batch number. */
const INVENTED = /^(?:UNTRACKED|RECOVERED)-/

/** Both quantities start at 0: the opening stock is posted to the ledger. */
export const batchesMapping: TableMapping = {
  from: 'drug_batches',
  to: {
    table: 'drug_batches',
    columns: columns({
      uuid: 'drug_id recorded_by_user_id',
      text: 'batch_number supplier_name purchase_currency',
      date: 'expiry_date manufacture_date received_date',
      numeric: 'purchase_price',
      jsonb: 'metadata',
      ...STAMPS,
      boolean: 'is_deleted is_quarantined',
    }),
    incomparable: ['metadata', 'created_at', 'updated_at'],
  },
  references: { drug_id: 'drug_catalogue', recorded_by_user_id: 'users' },
  map(row, known, { isTaken, today }) {
    if (!known('drug_catalogue', row['drug_id'])) return { unplaced: 'no such medicine' }
    const read = reader(row)
    const id = String(row['id'])
    const expiry = read.day('expiry_date')
    if (expiry === null) return { unplaced: 'the batch has no expiry date' }
    const given = read.name('batch_number', 60)
    if (!given) read.note('emptyName', 'batch_number')
    const wanted = given || `Batch ${id.slice(0, 8)}`
    const key = (number: string) => `${String(row['drug_id'])} ${number.toLowerCase()}`
    const batch_number = freeName((one) => isTaken('batch', key(one), id), wanted, 60)
    if (batch_number !== wanted) read.note('sameName', 'batch_number', wanted)
    const made = read.day('manufacture_date')
    if (made !== null && made > expiry) read.note('manufacture', 'manufacture_date', made)
    const received = read.day('received_date')
    if (received === null && row['received_date'] === null) read.note('noTime', 'received_date')
    const isInvented = INVENTED.test(given)
    if (isInvented) read.note('invented', 'batch_number', row['batch_number'])
    return read.done({
      id,
      drug_id: row['drug_id'],
      batch_number,
      expiry_date: expiry,
      manufacture_date: made !== null && made > expiry ? null : made,
      supplier_name: read.text('supplier_name', 200),
      purchase_price: readPrice(read, 'purchase_price'),
      purchase_currency: readCurrency(read, 'purchase_currency'),
      received_date: received ?? read.moment('created_at')?.slice(0, 10) ?? today,
      is_quarantined: isInvented || read.flag('is_quarantined'),
      recorded_by_user_id: read.reference('recorded_by_user_id', 'users', known),
      ...read.stamps(),
      metadata: read.metadata(),
    })
  },
}
