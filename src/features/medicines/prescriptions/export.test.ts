import { readXlsx } from 'hucre/xlsx'
import { expect } from 'vitest'
import { streamListFile } from '~/server/list-file.server'
import type { Context } from '~/server/operation'
import { newId } from '~/shared/id'
import type { Permission } from '~/shared/permissions'
import type { makeFactories } from '../../../../test/factories'
import { test } from '../../../../test/harness'
import { exportPrescriptions, prescriptionSheet } from './export.server'
import type { ExportPrescriptions } from './prescription-listing'
import { savePrescription } from './prescriptions.server'

const asked: ExportPrescriptions = { format: 'csv', language: 'en' }
const fileFor = async (ctx: Context, input: ExportPrescriptions) =>
  new Response(streamListFile(await prescriptionSheet(ctx, input), input.format))
const linesOf = async (ctx: Context, input: ExportPrescriptions) =>
  (await (await fileFor(ctx, input)).text()).trim().split('\r\n').slice(1)

type Scene = {
  make: ReturnType<typeof makeFactories>
  asUser: (
    user: { id: string; name: string; role: string; clinic_id: string | null },
    grants: Record<string, readonly Permission[]>,
  ) => Context
}
/** A prescription of two medicines at Hillside, with cells that spreadsheets would run. */
async function prescribed({ make, asUser }: Scene) {
  const clinic = await make.clinic({ name: 'Hillside' })
  const patient = await make.patient({
    given_name: 'Layla',
    surname: 'Mansour',
    primary_clinic_id: clinic.id,
  })
  await make.noAllergies(patient.id)
  const provider = await make.user({ name: 'Amal', role: 'admin' })
  const drugs = [
    await make.drug({
      generic_name: 'Metformin',
      brand_name: 'Glucophage',
      ingredients: ['metformin'],
      dosage_quantity: 850,
      form: 'tablet',
    }),
    await make.drug({
      generic_name: 'Salbutamol',
      brand_name: null,
      ingredients: ['salbutamol'],
      dosage_quantity: null,
      form: 'inhaler',
    }),
  ]
  const given = {
    id: newId(),
    patient_id: patient.id,
    provider_id: provider.id,
    pickup_clinic_id: clinic.id,
    prescribed_at: new Date('2026-03-01T22:30:00Z'),
    expiration_date: '2026-04-01',
    notes: '=1+1',
    items: drugs.map(({ id }, at) => ({
      id: newId(),
      drug_id: id,
      dosage_instructions: 'Twice a day',
      quantity_prescribed: 20 + at,
    })),
  }
  expect(await savePrescription(asUser(provider, {}), given)).toMatchObject({ ok: true })
  return { clinic, patient, id: given.id }
}

test('the file has a line for each medicine of what the filter shows, and nothing in it is a formula', async ({
  as,
  asUser,
  make,
}) => {
  const { id } = await prescribed({ asUser, make })
  expect(await exportPrescriptions(as('admin'), asked)).toEqual({ total: 2 })
  const start = `${id},2026-03-01 22:30,Layla Mansour,Amal,Hillside,Normal,Pending,2026-04-01,'=1+1`
  expect(await linesOf(as('admin'), asked)).toEqual([
    `${start},Metformin (Glucophage),850 mg,Tablet,Twice a day,20,0,0,Active,`,
    `${start},Salbutamol,,Inhaler,Twice a day,21,0,0,Active,`,
  ])
  for (const filter of [
    { status: 'cancelled' },
    { search: 'ibuprofen' },
    { to: '2026-02-28' },
  ] as const) {
    expect(await linesOf(as('admin'), { ...asked, ...filter })).toEqual([])
  }
  expect(await linesOf(as('admin'), { ...asked, search: 'glucophage' })).toHaveLength(2)
})

test('what a phone wrote as text has its line', async ({ as, asUser, make, db }) => {
  const { id } = await prescribed({ asUser, make })
  await db
    .updateTable('prescription_items')
    .set({ is_deleted: true })
    .where('prescription_id', '=', id)
    .execute()
  await db
    .updateTable('prescriptions')
    .set({ items: JSON.stringify(['Amoxil', 'Rest']) })
    .where('id', '=', id)
    .execute()
  expect(await exportPrescriptions(as('admin'), asked)).toEqual({ total: 1 })
  expect(await linesOf(as('admin'), asked)).toEqual([
    expect.stringContaining(`,'=1+1,"Amoxil; Rest",,`),
  ])
})

test('a workbook holds the same in the language asked for', async ({ as, asUser, make }) => {
  await prescribed({ asUser, make })
  const file = await fileFor(as('admin'), { format: 'xlsx', language: 'ar' })
  const { sheets } = await readXlsx(new Uint8Array(await file.arrayBuffer()))
  expect(sheets[0]?.name).toBe('الوصفات الطبية')
  expect(sheets[0]?.rows.map((row) => row[15])).toEqual(['مرات إعادة الصرف المسموح بها', 0, 0])
})

test('only users who may download get prescriptions of their clinics; the audit trail records it', async ({
  as,
  asUser,
  make,
  db,
}) => {
  const { clinic } = await prescribed({ asUser, make })
  const elsewhere = await make.clinic()
  const both = ['can_view_history', 'can_download_patient_reports'] as const
  for (const held of both) {
    await expect(
      exportPrescriptions(as('registrar', { [clinic.id]: [held] }), asked),
    ).rejects.toMatchObject({
      code: 'forbidden',
    })
  }
  expect(await exportPrescriptions(as('registrar', { [clinic.id]: both }), asked)).toEqual({
    total: 2,
  })
  const split = {
    [clinic.id]: ['can_view_history'],
    [elsewhere.id]: ['can_download_patient_reports'],
  } as const
  expect(await exportPrescriptions(as('registrar', split), asked)).toEqual({ total: 0 })
  expect(await linesOf(as('registrar', split), asked)).toEqual([])
  const entries = await db
    .selectFrom('audit_log')
    .select('action')
    .where('action', '=', 'prescriptions.export')
    .execute()
  expect(entries).toHaveLength(2)
})
