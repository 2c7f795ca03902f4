import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { makeFactories } from '../../../../../test/factories'
import { aRequest, cloneTemplate, test as base } from '../../../../../test/harness'
import { getImport, listRejected, runImport } from '../imports.server'
import { runImports } from '../run.server'
import { undoImport } from '../undo/request.server'

/** A database of its own, because an import needs several connections. */
const test = base.extend('whole', { scope: 'file' }, async ({}, { onCleanup }) => {
  const db = await cloneTemplate(`imports_stock_${process.pid}`)
  onCleanup(() => db.destroy())
  return db
})

const admin = (db: Kysely<DB>) => ({
  db,
  request: aRequest(),
  actor: {
    userId: uuidv7(),
    name: 'Admin',
    role: 'admin' as const,
    language: 'en' as const,
    clinicId: null,
    grants: {},
  },
})

type Given = { formats?: Record<string, 'point' | 'comma'> }

async function bring(db: Kysely<DB>, clinicId: string, text: string, given: Given = {}) {
  const me = admin(db)
  const { id } = await makeFactories(db).upload(text, { list: 'stock', clinic_id: clinicId })
  const { file } = await getImport(me, { id })
  await runImport(me, {
    id,
    task: 'import',
    mapping: file!.mapping,
    date_format: 'DD/MM/YYYY',
    ...given,
  })
  await runImports(db)
  const { import: row } = await getImport(me, { id })
  expect(row.status).toBe('finished')
  return { id, tally: row.tally!, mapping: file!.mapping, rejected: await listRejected(me, { id }) }
}

const stockOf = async (db: Kysely<DB>, clinicId: string) => {
  const { rows } = await sql<object>`
    select d.generic_name as name, i.batch_number as batch, i.batch_expiry_date as expiry,
      i.quantity_available as quantity
    from clinic_inventory i join drug_catalogue d on d.id = i.drug_id
    where i.clinic_id = ${clinicId} and i.quantity_available > 0 order by 1, 2`.execute(db)
  return rows
}

const medicine = { brand_name: null, route: 'oral', dosage_units: 'mg', per_unit: null }

test('the stock of a clinic goes in batch by batch, and the same file again adds nothing', async ({
  whole,
}) => {
  const make = makeFactories(whole)
  const clinic = await make.clinic()
  const zinc = { ...medicine, generic_name: 'Zinc', form: 'tablet', dosage_quantity: 20 }
  await make.drug(zinc)
  const amoxicillin = { ...medicine, generic_name: 'Amoxicillin', form: 'capsule' }
  await make.drug({ ...amoxicillin, dosage_quantity: 250 })
  await make.drug({ ...amoxicillin, dosage_quantity: 500, barcode: '96385074' })
  const list = `Item name,Lot No.,Exp date,Qty on hand,Barcode
Zinc 20 mg tablets,Z1,31/12/2029,400,
Amoxicillin 500mg caps,A1,06/2029,"1,5",
,A2,Jun 2020,30,96385074
Amoxicillin,A3,01/01/2030,5,
Aspirin 100 mg tablet,X1,01/01/2030,5,
Zinc 20 mg tablets,1.2E+10,01/01/2030,5,
Zinc 20 mg tablets,Z2,soon,5,
Zinc 20 mg tablets,Z3,01/01/2030,-4,
`.replace('Qty on hand', 'Quantity on hand')
  const first = await bring(whole, clinic.id, list)
  expect(first.mapping).toEqual({
    'Item name': 'generic_name',
    'Lot No.': 'batch_number',
    'Exp date': 'expiry_date',
    'Quantity on hand': 'quantity',
    Barcode: 'barcode',
  })
  expect(first.tally).toMatchObject({ imported: 3 })
  expect(first.rejected.map(({ line, reason }) => [line, reason.key])).toEqual([
    [5, 'imports.reasons.severalMedicines'],
    [6, 'imports.reasons.noMedicine'],
    [7, 'imports.reasons.shortened'],
    [8, 'imports.reasons.date'],
    [9, 'validation.tooSmall'],
  ])
  const stock = [
    { name: 'Amoxicillin', batch: 'A1', expiry: '2029-06-30', quantity: 1.5 },
    // expired stock that is found at the start is entered as what it is
    { name: 'Amoxicillin', batch: 'A2', expiry: '2020-06-30', quantity: 30 },
    { name: 'Zinc', batch: 'Z1', expiry: '2029-12-31', quantity: 400 },
  ]
  expect(await stockOf(whole, clinic.id)).toEqual(stock)
  expect((await bring(whole, clinic.id, list)).tally).toMatchObject({ imported: 0, repeated: 3 })
  expect((await bring(whole, clinic.id, list.replace(',400,', ',380,'))).tally).toMatchObject({
    imported: 0,
    repeated: 2,
    left: [{ key: 'imports.reasons.batchHere' }],
  })
  expect(await stockOf(whole, clinic.id)).toEqual(stock)

  await undoImport(admin(whole), { id: first.id })
  await runImports(whole)
  expect(await stockOf(whole, clinic.id)).toEqual([])
  // the corrected file goes in after the undo
  const corrected = await bring(whole, clinic.id, list.replace(',400,', ',380,'))
  expect(corrected.tally).toMatchObject({ imported: 3 })
  expect(await stockOf(whole, clinic.id)).toMatchObject([{}, {}, { batch: 'Z1', quantity: 380 }])

  // so does one with another expiry date
  await undoImport(admin(whole), { id: corrected.id })
  await runImports(whole)
  const later = list.replace(',06/2029,', ',07/2029,')
  expect(later).not.toBe(list)
  expect((await bring(whole, clinic.id, later)).tally).toMatchObject({ imported: 3 })
  expect(await stockOf(whole, clinic.id)).toMatchObject([{ expiry: '2029-07-31' }, {}, {}])
})

test('a batch of which something was used stays, and another expiry date is rejected', async ({
  whole,
}) => {
  const make = makeFactories(whole)
  const clinic = await make.clinic()
  const iron = await make.drug({
    ...medicine,
    generic_name: 'Iron',
    form: 'tablet',
    dosage_quantity: 65,
  })
  const list = 'Name,Batch,Expiry,Quantity\nIron,I1,01/01/2030,50\nIron,I2,01/01/2030,50\n'
  const { id } = await bring(whole, clinic.id, list)
  const { id: batchId } = await whole
    .selectFrom('drug_batches')
    .select('id')
    .where('batch_number', '=', 'I1')
    .executeTakeFirstOrThrow()
  await sql`select post_stock(${clinic.id}, ${iron.id}, ${batchId}, 'damaged', -1, 'write_off',
    ${uuidv7()}, 'broken', null, current_date)`.execute(whole)
  expect((await bring(whole, clinic.id, list.replaceAll('2030', '2031'))).rejected).toMatchObject([
    { reason: { key: 'batches.otherExpiry' } },
    {},
  ])
  await undoImport(admin(whole), { id })
  await runImports(whole)
  expect(await stockOf(whole, clinic.id)).toMatchObject([{ batch: 'I1', quantity: 49 }])
  expect(await listRejected(admin(whole), { id })).toMatchObject([
    { cells: ['Iron I1', 'drug_batches', batchId] },
  ])
})

test('numbers of a column are read with a point or a comma, as all of its cells say or the user does', async ({
  whole,
}) => {
  const make = makeFactories(whole)
  const clinic = await make.clinic()
  await make.drug({ ...medicine, generic_name: 'Salbutamol', form: 'tablet', dosage_quantity: 2 })
  const list = (quantities: readonly string[], prices: readonly string[], batch: string) =>
    `Item;Lot;Expiry;Quantity;Price\n${quantities
      .map((quantity, at) => `Salbutamol;${batch}${at};2029-12-31;${quantity};${prices[at]}`)
      .join('\n')}\n`
  // the price has a comma in one row: 1.500 of its column are thousands
  const certain = await bring(
    whole,
    clinic.id,
    list(['12', '7.5'], ['2,75', '1.500'], 'N').replaceAll('Price', 'Purchase price'),
  )
  expect(certain.tally).toMatchObject({ imported: 2 })
  expect(await quantitiesAndPrices(whole, clinic.id)).toEqual([
    { batch: 'N0', quantity: 12, price: 2.75 },
    { batch: 'N1', quantity: 7.5, price: 1500 },
  ])
  const unclear = list(['1.500', '20'], ['1', '1'], 'Q')
  const words = list(['some', '3'], ['1', 'n/k'], 'W').replaceAll('Price', 'Purchase price')
  const { rejected } = await bring(whole, clinic.id, words)
  expect(rejected.map(({ reason }) => reason)).toEqual([
    { key: 'imports.reasons.number', values: { value: 'some', column: 'Quantity' } },
    { key: 'imports.reasons.number', values: { value: 'n/k', column: 'Purchase price' } },
  ])
  await expect(bring(whole, clinic.id, unclear)).rejects.toMatchObject({
    fields: {
      'formats.Quantity': { key: 'imports.numberFormatAsks', values: { column: 'Quantity' } },
    },
  })
  await bring(whole, clinic.id, unclear, { formats: { Quantity: 'comma' } })
  expect((await quantitiesAndPrices(whole, clinic.id)).slice(2)).toMatchObject([
    { batch: 'Q0', quantity: 1500 },
    { batch: 'Q1', quantity: 20 },
  ])
})

const quantitiesAndPrices = async (db: Kysely<DB>, clinicId: string) => {
  const { rows } = await sql<object>`
    select b.batch_number as batch, i.quantity_available as quantity, b.purchase_price as price
    from clinic_inventory i join drug_batches b on b.id = i.batch_id
    where i.clinic_id = ${clinicId} order by 1`.execute(db)
  return rows
}

test('the first rows show which medicine of the catalogue and which batch each one means', async ({
  whole,
}) => {
  const make = makeFactories(whole)
  const clinic = await make.clinic()
  await make.drug({ ...medicine, generic_name: 'Iron', form: 'tablet', dosage_quantity: 65 })
  const { id } = await make.upload(
    'Item name,Lot No.,Exp date,Quantity on hand\nIron 65 mg tablets,I1,31/12/2029,40\nUnlisted 5 mg,U1,31/12/2029,4\n',
    { list: 'stock', clinic_id: clinic.id },
  )
  const { file } = await getImport(admin(whole), { id })
  expect(file!.preview).toMatchObject([
    {
      line: 2,
      values: {
        generic_name: 'Iron',
        form: 'tablet',
        dosage_quantity: 65,
        batch_number: 'I1',
        expiry_date: '2029-12-31',
        quantity: 40,
      },
      problem: null,
    },
    {
      line: 3,
      values: null,
      problem: { key: 'imports.reasons.noMedicine' },
      written: { generic_name: 'Unlisted 5 mg', batch_number: 'U1', quantity: '4' },
    },
  ])
})

test('each medicine that is not in the catalogue is named', async ({ whole }) => {
  const clinic = await makeFactories(whole).clinic()
  const names = ['Unlisted A', 'Unlisted B', 'Unlisted A', 'Unlisted C']
  const rows = names.map((name, at) => `${name},L${at},2029-12-31,4`).join('\n')
  const { tally } = await bring(
    whole,
    clinic.id,
    `Item name,Lot No.,Exp date,Quantity on hand\n${rows}\n`,
  )
  expect(tally.rejected).toEqual([
    {
      key: 'imports.reasons.noMedicine',
      values: { value: 'Unlisted A' },
      count: 4,
      further: ['Unlisted B', 'Unlisted C'],
    },
  ])
})
