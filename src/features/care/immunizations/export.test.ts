import { parse } from 'csv-parse/sync'
import { expect } from 'vitest'
import { test } from '../../../../test/harness'
import { streamListFile } from '~/server/list-file.server'
import type { Context } from '~/server/operation'
import { exportImmunizations, immunizationFile } from './export.server'

const csv = { format: 'csv', language: 'en' } as const
const fileFor = async (ctx: Context, more: object = {}) => {
  const { rows, ...sheet } = await immunizationFile.sheet(ctx, { ...csv, ...more })
  const text = await new Response(streamListFile({ ...sheet, rows }, 'csv')).text()
  return parse(text, { columns: true, bom: true })
}

test('the doses of the patients of the list are a file, in the order of the list', async ({
  as,
  db,
  make,
}) => {
  const clinic = await make.clinic({ name: 'Hillside' })
  const rosa = await make.patient({
    given_name: 'Rosa',
    surname: 'Diaz',
    date_of_birth: '2026-01-02',
    primary_clinic_id: clinic.id,
  })
  const other = await make.patient({ given_name: 'Ana', primary_clinic_id: clinic.id })
  const dose = { patient_id: rosa.id, clinic_id: clinic.id }
  await make.immunization({ ...dose, vaccine: 'penta', given_on: '2026-03-05', lot: '=B-7' })
  await make.immunization({ ...dose, vaccine: 'bcg', given_on: '2026-01-02', dose_number: null })
  await make.immunization({ ...dose, vaccine: 'mr', given_on: '2026-10-02', is_deleted: true })
  await make.immunization({ patient_id: other.id, vaccine: 'td', given_on: '2026-02-01' })

  const admin = as('admin')
  const rows = await fileFor(admin, { search: 'rosa' })
  expect(rows).toMatchObject([
    {
      'Patient ID': rosa.id,
      Patient: 'Rosa Diaz',
      'Date of birth': '2026-01-02',
      Vaccine: 'BCG (tuberculosis)',
      'Dose number': '',
      'Given at': 'Hillside',
    },
    // a spreadsheet does not run it
    { Vaccine: expect.stringContaining('Penta'), 'Dose number': '1', 'Batch number': "'=B-7" },
  ])
  expect(await exportImmunizations(admin, { ...csv, search: 'rosa' })).toEqual({ total: 2 })
  expect((await exportImmunizations(admin, csv)).total).toBe(3)
  const trail = await db
    .selectFrom('audit_log')
    .select('changes')
    .where('action', '=', 'immunizations.export')
    .orderBy('id')
    .execute()
  expect(trail.map(({ changes }) => changes)).toMatchObject([
    { export: [null, { total: 2, search: 'rosa', format: 'csv' }] },
    { export: [null, { total: 3 }] },
  ])
})

test('only doses that the user may read and download are in the file', async ({ as, make }) => {
  const [own, elsewhere] = [await make.clinic(), await make.clinic()]
  const patient = await make.patient({ primary_clinic_id: own.id })
  const dose = { patient_id: patient.id, given_on: '2026-03-05' }
  await make.immunization({ ...dose, recorded_clinic_id: own.id })
  await make.immunization({ ...dose, recorded_clinic_id: elsewhere.id, vaccine: 'bcg' })
  const both = ['can_view_history', 'can_download_patient_reports'] as const
  const nurse = as('provider', { [own.id]: both })
  expect(await fileFor(nurse)).toMatchObject([{ 'Patient ID': patient.id }])
  expect(await exportImmunizations(nurse, csv)).toEqual({ total: 1 })
  expect(
    await fileFor(
      as('provider', { [own.id]: ['can_download_patient_reports'], [elsewhere.id]: both }),
    ),
  ).toEqual([])
  for (const permission of both)
    await expect(
      exportImmunizations(as('provider', { [own.id]: [permission] }), csv),
    ).rejects.toMatchObject({ code: 'forbidden' })
})
