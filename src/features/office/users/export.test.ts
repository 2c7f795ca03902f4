import { expect } from 'vitest'
import { readXlsx } from 'hucre/xlsx'
import { streamListFile } from '~/server/list-file.server'
import type { Context } from '~/server/operation'
import { test } from '../../../../test/harness'
import { exportUsers, userSheet } from './export.server'
import { type ExportUsers } from './user'

const asked: ExportUsers = { format: 'csv', language: 'en' }
const userFile = (ctx: Context, input: ExportUsers) =>
  streamListFile(userSheet(ctx, input), input.format)
const textOf = async (ctx: Context, input: ExportUsers) => new Response(userFile(ctx, input)).text()
const linesOf = async (ctx: Context, input: ExportUsers) =>
  (await textOf(ctx, input)).trim().split('\r\n')

test('the file holds the users in the list, with role and clinics, in the reader’s language', async ({
  as,
  make,
}) => {
  const [hillside, riverside] = [
    await make.clinic({ name: 'Hillside' }),
    await make.clinic({ name: 'Riverside' }),
  ]
  const amal = await make.user({
    name: 'Amal Haddad',
    email: 'amal@clinic.example',
    clinic_id: hillside.id,
  })
  await make.permission(amal, riverside.id)
  await make.user({ name: 'Zain', role: 'admin', email: 'zain@clinic.example' })

  const [headings, ...lines] = await linesOf(as('admin'), asked)
  expect(headings?.replace('\uFEFF', '')).toBe('ID,Name,E-mail,Role,Clinics,Date added')
  expect(lines.map((line) => line.split(',').slice(1, 5))).toEqual([
    ['Amal Haddad', 'amal@clinic.example', 'Provider', '"Hillside; Riverside"'],
    ['Zain', 'zain@clinic.example', 'Administrator', 'All clinics'],
  ])
  expect((await linesOf(as('admin'), { ...asked, role: 'admin' })).length).toBe(2)
  expect(await textOf(as('admin'), { ...asked, language: 'ar' })).toContain('البريد الإلكتروني')
})

test('a clinic admin gets only the users of their own clinics', async ({ as, make }) => {
  const [mine, theirs] = [await make.clinic(), await make.clinic()]
  await make.user({ name: 'Mine', clinic_id: mine.id })
  await make.user({ name: 'Theirs', clinic_id: theirs.id })
  const admin = as('registrar', { [mine.id]: ['is_clinic_admin', 'can_download_patient_reports'] })

  expect(await exportUsers(admin, asked)).toEqual({ total: 1 })
  expect(await textOf(admin, asked)).not.toContain('Theirs')
})

test('a workbook holds the same', async ({ as, make }) => {
  await make.user({ name: 'أمل حداد' })
  const file = new Response(userFile(as('admin'), { ...asked, format: 'xlsx' }))
  const { sheets } = await readXlsx(new Uint8Array(await file.arrayBuffer()))

  expect(sheets[0]?.rows.map((row) => row[1])).toEqual(['Name', 'أمل حداد'])
})

test('a user who may not download or not see users is refused; the request is in the audit trail', async ({
  as,
  make,
  db,
}) => {
  const clinic = await make.clinic()
  for (const held of [['is_clinic_admin'], ['can_download_patient_reports']] as const) {
    await expect(exportUsers(as('registrar', { [clinic.id]: held }), asked)).rejects.toMatchObject({
      code: 'forbidden',
    })
  }
  await exportUsers(as('admin'), asked)
  const entry = await db
    .selectFrom('audit_log')
    .selectAll()
    .where('action', '=', 'users.export')
    .executeTakeFirst()
  expect(entry?.changes).toEqual({ export: [null, { ...asked, total: 0 }] })
})

test('each wrong value of the request is reported at its field', async ({ as }) => {
  const wrong = {
    format: 'pdf',
    language: 'fr',
    clinicId: 'x',
    role: 'king',
  } as unknown as ExportUsers
  await expect(exportUsers(as('admin'), wrong)).rejects.toMatchObject({
    fields: {
      format: { key: 'validation.option' },
      language: { key: 'validation.option' },
      clinicId: { key: 'validation.id' },
      role: { key: 'validation.option' },
    },
  })
})
