import type { Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { aRequest, cloneTemplate, test as base } from '../../../../../test/harness'
import { makeFactories } from '../../../../../test/factories'
import { getImport, listRejected, runImport } from '../imports.server'
import { runImports } from '../run.server'
import { guessMedicines } from './medicine-columns.server'

/** A database of its own, because an import needs several connections. */
const test = base.extend('whole', { scope: 'file' }, async ({}, { onCleanup }) => {
  const db = await cloneTemplate(`imports_medicines_${process.pid}`)
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

type Asked = { task?: 'check' | 'import'; updates?: boolean; uploadId?: string }

/** Uploads a list, takes the guessed columns, and runs the job. */
async function bring(
  db: Kysely<DB>,
  bytes: string | Buffer,
  { task = 'import', ...asked }: Asked = {},
) {
  const me = admin(db)
  const id =
    asked.uploadId ??
    (await makeFactories(db).upload(bytes, { list: 'medicines', clinic_id: null })).id
  const { file, problem } = await getImport(me, { id })
  if (!file) throw new Error(JSON.stringify(problem))
  await runImport(me, { id, task, mapping: file.mapping, updates: asked.updates ?? false })
  await runImports(db)
  const one = await getImport(me, { id })
  const stored = await db
    .selectFrom('drug_catalogue')
    .select(['generic_name', 'brand_name', 'form', 'route', 'dosage_quantity', 'dosage_units'])
    .select(['per_quantity', 'per_unit', 'ingredient_strengths', 'ingredients', 'is_active'])
    .where('is_deleted', '=', false)
    .orderBy('generic_name')
    .execute()
  const { status, tally } = one.import
  return { id, me, status, tally: tally!, stored, preview: file.preview, mapping: file.mapping }
}

const LIST = `Drug Name,Strength,Dosage Form,Route,Manufacturer,MRP
Amoxicillin,500mg,Capsules,Oral use,Cipla,12.5
Amoxicillin,250 mg/5ml,Oral Suspension,PO,Cipla,30
Ceftriaxone,1gm,Inj.,IV,N/A,45
Hydrocortisone,1%,Cream,,GSK,#N/A
Amoxicillin + Clavulanic acid,500 mg + 125 mg,Tab,,GSK,80
Gauze roll,,Dressing,,,5
`

test('a list as pharmacies write it goes in by the import of every list', async ({ whole }) => {
  const { mapping, preview, status, tally, stored, id, me } = await bring(whole, LIST)
  expect(mapping).toEqual({
    'Drug Name': 'generic_name',
    Strength: 'strength',
    'Dosage Form': 'form',
    Route: 'route',
    Manufacturer: 'manufacturer',
    MRP: 'sale_price',
  })
  expect(preview[1]).toMatchObject({
    line: 3,
    values: { generic_name: 'Amoxicillin', dosage_quantity: 250, per_quantity: 5, per_unit: 'mL' },
  })
  // a column that the row does not state is null: the screen writes no "500 mg/undefined"
  expect(preview[0]).toMatchObject({ values: { dosage_quantity: 500, per_unit: null } })
  expect({ status, tally }).toMatchObject({
    status: 'finished',
    tally: { rows: 6, imported: 6, rejected: [] },
  })
  expect(tally.emptied).toMatchObject([{ values: { value: 'N/A' } }, { values: { value: '#N/A' } }])
  expect(stored).toMatchObject([
    {
      generic_name: 'Amoxicillin',
      form: 'capsule',
      route: 'oral',
      dosage_quantity: 500,
      dosage_units: 'mg',
      ingredients: ['amoxicillin'],
      is_active: true,
    },
    { form: 'syrup', route: 'oral', dosage_quantity: 250, per_quantity: 5, per_unit: 'mL' },
    {
      generic_name: 'Amoxicillin + Clavulanic acid',
      form: 'tablet',
      ingredient_strengths: '500 mg + 125 mg',
      ingredients: ['amoxicillin', 'clavulanic acid'],
    },
    { generic_name: 'Ceftriaxone', form: 'injection', route: 'intravenous', dosage_quantity: 1 },
    { generic_name: 'Gauze roll', form: 'other', route: 'other', dosage_quantity: null },
    { generic_name: 'Hydrocortisone', form: 'cream', dosage_quantity: 10, per_unit: 'g' },
  ])
  // the same file again adds nothing
  expect((await bring(whole, LIST)).tally).toMatchObject({ imported: 0, repeated: 6, rejected: [] })
  // a corrected file changes what it recognizes, if it is asked to
  const corrected = LIST.replace('12.5', '13.5').replace('MRP', 'Price')
  expect((await bring(whole, corrected)).tally).toMatchObject({
    imported: 0,
    repeated: 5,
    left: [{ key: 'imports.reasons.changedSince', count: 1 }],
  })
  const again = await bring(whole, corrected, { updates: true })
  expect(again.tally).toMatchObject({ imported: 0, changed: 1, repeated: 5 })
  expect(again.stored).toHaveLength(6)
  expect(await listRejected(me, { id })).toEqual([])
})

test('a check says what would happen and saves nothing', async ({ whole }) => {
  const before = await bring(whole, 'Generic name\nZinc 20 mg tablets\n', { task: 'check' })
  expect(before.tally).toMatchObject({ imported: 1 })
  expect(before.stored.map((drug) => drug.generic_name)).not.toContain('Zinc')
})

test('a catalogue that Excel saved in Arabic is recognized by its words', async ({ whole }) => {
  // windows-1256: "الاسم العلمي;الشكل" and "اسبرين 100 ملغ;أقراص"
  const words = ['الاسم العلمي;الشكل', 'أسبرين 100 ملغ;أقراص', '']
  const bytes = in1256(words.join('\r\n'))
  const upload = await makeFactories(whole).upload(bytes, { list: 'medicines', clinic_id: null })
  const { stored } = await bring(whole, '', { uploadId: upload.id })
  expect(stored).toContainEqual(
    expect.objectContaining({ generic_name: 'أسبرين', form: 'tablet', dosage_quantity: 100 }),
  )
})

test('a barcode that a spreadsheet shortened is rejected with its line, and the others go in', async ({
  whole,
}) => {
  const { tally, id, me } = await bring(
    whole,
    'Name,Barcode\nIron 65 mg tablet,6.28E+12\nFolic acid 5 mg tablet,6281234567890\n',
  )
  expect(tally).toMatchObject({
    imported: 1,
    rejected: [{ key: 'imports.reasons.shortened', count: 1 }],
  })
  expect(await listRejected(me, { id })).toMatchObject([{ line: 2 }])
})

test.each([
  [
    ['Brand Name', 'Generic Name', 'Company'],
    ['brand_name', 'generic_name', 'manufacturer'],
  ],
  [
    ['Medicine Name', 'Composition', 'Form'],
    ['brand_name', 'generic_name', 'form'],
  ],
  [
    ['Nombre genérico', 'Concentración', 'Forma farmacéutica'],
    ['generic_name', 'strength', 'form'],
  ],
  [
    ['الاسم العلمي', 'الاسم التجاري', 'التركيز'],
    ['generic_name', 'brand_name', 'strength'],
  ],
  [
    ['Name (الاسم)', 'Dosage form / الشكل'],
    ['generic_name', 'form'],
  ],
  [
    ['Trade name', 'Price'],
    ['generic_name', 'sale_price'],
  ],
  [
    ['Nome', 'Princípio Ativo', 'Via de Administração', 'Concentração'],
    ['brand_name', 'generic_name', 'route', 'strength'],
  ],
])('the headings %j are recognized', (headers, targets) => {
  expect(Object.values(guessMedicines(headers))).toEqual(targets)
})

/** Arabic in the encoding of older spreadsheets. */
function in1256(text: string): Buffer {
  const table = new TextDecoder('windows-1256').decode(
    Uint8Array.from({ length: 256 }, (_, at) => at),
  )
  return Buffer.from([...text].map((letter) => table.indexOf(letter)))
}
