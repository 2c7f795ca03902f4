import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { makeFactories } from '../../../../../test/factories'
import { aRequest, cloneTemplate, test as base } from '../../../../../test/harness'
import { getImport, listRejected, runImport } from '../imports.server'
import { runImports } from '../run.server'
import { newTally } from '../tally'
import { undoImport } from './request.server'
import { runImportUndo as undoChanges } from './undo.server'

/** A database of its own, because an import needs several connections. */
const test = base.extend('whole', { scope: 'file' }, async ({}, { onCleanup }) => {
  const db = await cloneTemplate(`imports_undo_${process.pid}`)
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

const PEOPLE = `First name,Surname,Date of birth,Sex,Phone
Layla,Haddad,1990-05-17,female,0790000001
Omar,Khalil,1985-02-03,male,0790000002
Sara,Nasser,2001-11-30,female,0790000003
`

async function bringPeople(db: Kysely<DB>, clinicId: string, text: string, updates = false) {
  const me = admin(db)
  const { id } = await makeFactories(db).upload(text, { clinic_id: clinicId })
  const { file } = await getImport(me, { id })
  await runImport(me, { id, task: 'import', mapping: file!.mapping, updates })
  await runImports(db)
  const { import: row, changes } = await getImport(me, { id })
  expect(row.status).toBe('finished')
  return { id, me, tally: row.tally!, changes }
}

async function undo(db: Kysely<DB>, id: string) {
  const me = admin(db)
  await undoImport(me, { id })
  await runImports(db)
  const { import: row, changes } = await getImport(me, { id })
  return { status: row.status, tally: row.tally!, changes, left: await listRejected(me, { id }) }
}

const living = (db: Kysely<DB>, clinicId: string) =>
  db
    .selectFrom('patients')
    .select(['given_name', 'phone', 'sex'])
    .where('primary_clinic_id', '=', clinicId)
    .where('is_deleted', '=', false)
    .orderBy('given_name')
    .execute()

test('the undo of an import deletes what it registered, and the same file registers them again', async ({
  whole,
}) => {
  const clinic = await makeFactories(whole).clinic()
  const first = await bringPeople(whole, clinic.id, PEOPLE)
  expect(first).toMatchObject({ tally: { imported: 3 }, changes: 3 })
  expect(await undo(whole, first.id)).toMatchObject({
    status: 'finished',
    tally: { undone: 3, left: [] },
    changes: 0,
  })
  expect(await living(whole, clinic.id)).toEqual([])
  await expect(undoImport(admin(whole), { id: first.id })).rejects.toMatchObject({
    text: { key: 'imports.nothingToUndo' },
  })
  const again = await bringPeople(whole, clinic.id, PEOPLE.replace('0790000001', '0791111111'))
  expect(again.tally).toMatchObject({ imported: 3, repeated: 0, left: [] })
  expect(await living(whole, clinic.id)).toEqual([
    { given_name: 'Layla', phone: '0791111111', sex: 'female' },
    { given_name: 'Omar', phone: '0790000002', sex: 'male' },
    { given_name: 'Sara', phone: '0790000003', sex: 'female' },
  ])
})

test('the undo keeps and names a patient with later changes', async ({ whole }) => {
  const make = makeFactories(whole)
  const clinic = await make.clinic()
  const { id } = await bringPeople(whole, clinic.id, PEOPLE)
  const patient = async (name: string) =>
    (
      await whole
        .selectFrom('patients')
        .select('id')
        .where('primary_clinic_id', '=', clinic.id)
        .where('given_name', '=', name)
        .executeTakeFirstOrThrow()
    ).id
  const [layla, omar] = [await patient('Layla'), await patient('Omar')]
  await make.visit({ patient_id: layla, clinic_id: clinic.id })
  await whole.updateTable('patients').set({ phone: '1' }).where('id', '=', omar).execute()
  const { tally, left } = await undo(whole, id)
  expect(tally).toMatchObject({ undone: 1 })
  expect(left.map(({ reason, cells }) => `${cells[0]} ${reason.key}`).toSorted()).toEqual([
    'Layla Haddad imports.reasons.usedAfterwards',
    'Omar Khalil imports.reasons.changedAfterwards',
  ])
  expect((await living(whole, clinic.id)).map(({ given_name }) => given_name)).toEqual([
    'Layla',
    'Omar',
  ])
})

test('the corrected file again registers no patient twice, whatever the order and the words of its columns', async ({
  whole,
}) => {
  const clinic = await makeFactories(whole).clinic()
  await bringPeople(whole, clinic.id, PEOPLE)
  const corrected = `Sex,Surname,First name,DOB,Phone
Female,Haddad,Layla,17 May 1990,0799999999
Male,Khalil,Omar,3 Feb 1985,0790000002
Female,Nasser,Sara,30 Nov 2001,
`
  const kept = await bringPeople(whole, clinic.id, corrected)
  expect(kept.tally).toMatchObject({ imported: 0 })
  expect(await living(whole, clinic.id)).toHaveLength(3)
  const updated = await bringPeople(whole, clinic.id, corrected, true)
  expect(updated.tally).toMatchObject({ imported: 0, changed: 1, repeated: 2 })
  expect(await living(whole, clinic.id)).toMatchObject([
    { given_name: 'Layla', phone: '0799999999' },
    { given_name: 'Omar', phone: '0790000002' },
    // an empty cell changes nothing
    { given_name: 'Sara', phone: '0790000003' },
  ])
  expect(await undo(whole, updated.id)).toMatchObject({ tally: { undone: 1, left: [] } })
  expect(await living(whole, clinic.id)).toMatchObject([{ phone: '0790000001' }, {}, {}])
})

test('another person of the same name or number stays another person', async ({ whole }) => {
  const clinic = await makeFactories(whole).clinic()
  await bringPeople(whole, clinic.id, PEOPLE)
  const others = `First name,Surname,Date of birth,Sex
Layla,Haddad,1990-05-18,female
Omar,Khalil,1985-02-03,female
Sara,Nasser,2001,female
`
  expect((await bringPeople(whole, clinic.id, others)).tally).toMatchObject({ imported: 3 })
})

const MEDICINES = `Generic name,Strength,Form,Notes
Zinc,20 mg,Tablet,new
Iron,65 mg,Tablet,new
Folic acid,5 mg,Tablet,new
`

test('medicines: new ones are deleted, changed ones get their values back, used ones stay', async ({
  whole,
}) => {
  const me = admin(whole)
  const make = makeFactories(whole)
  const iron = await make.drug({
    generic_name: 'Iron',
    brand_name: null,
    form: 'tablet',
    route: 'oral',
    dosage_quantity: 65,
    dosage_units: 'mg',
    notes: 'old',
  })
  const { id } = await make.upload(MEDICINES, { list: 'medicines', clinic_id: null })
  const { file } = await getImport(me, { id })
  await runImport(me, { id, task: 'import', mapping: file!.mapping, updates: true })
  await runImports(whole)
  expect((await getImport(me, { id })).import.tally).toMatchObject({ imported: 2, changed: 1 })
  const folic = await whole
    .selectFrom('drug_catalogue')
    .select('id')
    .where('generic_name', '=', 'Folic acid')
    .executeTakeFirstOrThrow()
  await make.batch({ drug_id: folic.id })
  const { tally, left } = await undo(whole, id)
  expect(tally).toMatchObject({ undone: 2 })
  expect(left).toMatchObject([{ cells: ['Folic acid', 'drug_catalogue', folic.id] }])
  const { rows } = await sql<{ generic_name: string; notes: string }>`
    select generic_name, notes from drug_catalogue where not is_deleted order by 1`.execute(whole)
  expect(rows).toEqual([
    { generic_name: 'Folic acid', notes: 'new' },
    { generic_name: 'Iron', notes: 'old' },
  ])
  expect(iron.notes).toBe('old')
})

test('an undo that was interrupted goes on, and its result names all that it undid and left', async ({
  whole,
}) => {
  const me = admin(whole)
  const clinic = await makeFactories(whole).clinic()
  const people = Array.from({ length: 510 }, (_, at) => `P${at},Many,1990-05-17,female`)
  const { id } = await bringPeople(
    whole,
    clinic.id,
    `First name,Surname,Date of birth,Sex\n${people.join('\n')}\n`,
  )
  await sql`update patients set phone = '1', updated_at = now()
    where primary_clinic_id = ${clinic.id} and length(given_name) < 4`.execute(whole)
  await undoImport(me, { id })
  await whole.updateTable('imports').set({ status: 'running' }).where('id', '=', id).execute()
  const stop = new AbortController()
  await expect(
    undoChanges({ ...me, db: whole }, id, newTally('people.csv'), {
      signal: stop.signal,
      onProgress: () => Promise.resolve(stop.abort()),
    }),
  ).rejects.toThrow()
  await runImports(whole)
  const { import: row } = await getImport(me, { id })
  expect(row).toMatchObject({
    status: 'finished',
    tally: { undone: 410, left: [{ key: 'imports.reasons.changedAfterwards', count: 100 }] },
  })
  expect(await listRejected(me, { id })).toHaveLength(100)
  expect(await living(whole, clinic.id)).toHaveLength(100)
})

test('medicines and their stock are both taken back: the stock first, then the medicines', async ({
  whole,
}) => {
  const me = admin(whole)
  const make = makeFactories(whole)
  const clinic = await make.clinic()
  const bring = async (list: 'medicines' | 'stock', text: string) => {
    const clinic_id = list === 'stock' ? clinic.id : null
    const { id } = await make.upload(text, { list, clinic_id })
    const { file } = await getImport(me, { id })
    await runImport(me, { id, task: 'import', mapping: file!.mapping })
    await runImports(whole)
    expect((await getImport(me, { id })).import.tally).toMatchObject({ imported: 2 })
    return id
  }
  const medicines = await bring(
    'medicines',
    'Generic name,Strength,Form\nCopper,2 mg,Tablet\nSelenium,1 mg,Tablet\n',
  )
  const stock = await bring(
    'stock',
    'Generic name,Strength,Batch,Expiry,Quantity\nCopper,2 mg,C1,2099-06-30,5\nSelenium,1 mg,S1,2099-06-30,7\n',
  )
  // a medicine of which something was dispensed is in use
  await sql`select post_stock(${clinic.id}, b.drug_id, b.id, 'adjustment', -1, 'adjustment', ${uuidv7()}, null, null,
    clinic_day(now())) from drug_batches b where b.batch_number = 'S1'`.execute(whole)
  expect((await undo(whole, stock)).left).toMatchObject([
    { cells: expect.arrayContaining(['Selenium S1']) as string[] },
  ])
  expect((await undo(whole, medicines)).left).toMatchObject([
    { cells: expect.arrayContaining(['Selenium']) as string[] },
  ])
})

test('a list with a row twice can be imported again after its undo', async ({ whole }) => {
  const clinic = await makeFactories(whole).clinic()
  const twice = `${PEOPLE}Layla,Haddad,1990-05-17,female,0790000001\n`
  const first = await bringPeople(whole, clinic.id, twice)
  expect(first.tally).toMatchObject({ imported: 3, repeated: 1 })
  await undo(whole, first.id)
  expect((await bringPeople(whole, clinic.id, twice)).tally).toMatchObject(first.tally)
})
