import { parse } from 'csv-parse/sync'
import { readXlsx } from 'hucre/xlsx'
import { describe, expect } from 'vitest'
import type { Context } from '~/server/operation'
import { test } from '../../../../../test/harness'
import { streamListFile } from '~/server/list-file.server'
import type { ExportPatients } from './export'
import { exportPatients, patientSheet } from './export.server'

const bytesOf = async (file: ReadableStream<Uint8Array>) =>
  new Uint8Array(await new Response(file).arrayBuffer())
const patientFile = async (ctx: Context, asked: ExportPatients) =>
  streamListFile(await patientSheet(ctx, asked), asked.format)
const download = ['can_view_history', 'can_download_patient_reports'] as const

test('a CSV file has the rows of the list and headings in the language, and opens in Excel as Arabic', async ({
  as,
  make,
}) => {
  const clinic = await make.clinic({ name: 'Hillside' })
  await make.patient({
    given_name: 'محمد',
    surname: 'حداد',
    sex: 'male',
    phone: '+963944',
    hometown: 'Homs, "old"\ntown',
    primary_clinic_id: clinic.id,
    created_at: '2024-03-05T10:00:00Z',
  })
  await make.patient({ given_name: 'Rosa', sex: 'female', primary_clinic_id: clinic.id })

  const bytes = await bytesOf(
    await patientFile(as('admin'), { format: 'csv', language: 'ar', search: 'mohammed' }),
  )
  expect(bytes.slice(0, 3)).toEqual(new Uint8Array([0xef, 0xbb, 0xbf]))
  const rows = parse(new TextDecoder().decode(bytes), { columns: true, bom: true })
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatchObject({
    الاسم: 'محمد',
    الجنس: 'ذكر',
    الهاتف: '+963944',
    'البلدة الأصلية': 'Homs, "old" town',
    العيادات: 'Hillside',
  })
})

test('an Excel file holds the same as text, never as a formula', async ({ as, make }) => {
  await make.patient({
    given_name: '=HYPERLINK("http://x","y")',
    surname: 'Haddad',
    phone: '+963944',
  })
  const book = await readXlsx(
    await bytesOf(await patientFile(as('admin'), { format: 'xlsx', language: 'en' })),
  )
  const [headings, row] = book.sheets[0]!.rows
  expect(headings).toEqual(expect.arrayContaining(['ID', 'Given name', 'Clinics', 'Registered']))
  expect(row).toEqual(expect.arrayContaining(['=HYPERLINK("http://x","y")', 'Haddad', '+963944']))
})

describe('who may take the list away', () => {
  test('those who may download, only from the clinics where they may; every time goes into the trail', async ({
    as,
    make,
    db,
  }) => {
    const [mine, seen] = [await make.clinic(), await make.clinic()]
    await make.patient({ given_name: 'Mine', primary_clinic_id: mine.id })
    await make.patient({ given_name: 'Seen', primary_clinic_id: seen.id })
    const provider = as('provider', { [mine.id]: download, [seen.id]: ['can_view_history'] })

    expect(await exportPatients(provider, { format: 'csv', language: 'en' })).toEqual({ total: 1 })
    const text = new TextDecoder().decode(
      await bytesOf(await patientFile(provider, { format: 'csv', language: 'en' })),
    )
    expect(text).toContain('Mine')
    expect(text).not.toContain('Seen')
    const trail = await db
      .selectFrom('audit_log')
      .select(['action', 'changes'])
      .where('action', '=', 'patients.export')
      .execute()
    expect(trail).toMatchObject([{ changes: { export: [null, { format: 'csv', total: 1 }] } }])
  })

  test('only these users', async ({ as, make }) => {
    const clinic = await make.clinic()
    const asked = { format: 'csv', language: 'en' } as const
    await expect(
      exportPatients(as('registrar', { [clinic.id]: ['can_register_patients'] }), asked),
    ).rejects.toMatchObject({ code: 'forbidden' })
    await expect(
      exportPatients(as('provider', { [clinic.id]: ['can_view_history'] }), asked),
    ).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(
      exportPatients(as('admin'), { ...asked, format: 'pdf' as never }),
    ).rejects.toMatchObject({
      fields: { format: { key: 'validation.option' } },
    })
  })
})
