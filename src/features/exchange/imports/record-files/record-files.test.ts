import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { makeFactories } from '../../../../../test/factories'
import { aRequest, cloneTemplate, test as base } from '../../../../../test/harness'
import { getImport, listRejected, runImport } from '../imports.server'
import type { ListName } from '../lists'
import { runImports } from '../run.server'
import { undoImport } from '../undo/request.server'
import { listNewUsers } from './new-users.server'

/** A database of its own, because an import needs several connections. */
const test = base.extend('whole', { scope: 'file' }, async ({}, { onCleanup }) => {
  const db = await cloneTemplate(`imports_records_${process.pid}`)
  onCleanup(() => db.destroy())
  return db
})

const admin = (db: Kysely<DB>, userId = uuidv7()) => ({
  db,
  request: aRequest(),
  actor: {
    userId,
    name: 'Admin',
    role: 'admin' as const,
    language: 'en' as const,
    clinicId: null,
    grants: {},
  },
})

type File = { list: ListName; clinicId?: string | null; text: string; userId?: string }

async function bring(
  db: Kysely<DB>,
  { list, clinicId = null, text, userId }: File,
  given: { task?: 'check' | 'import'; updates?: boolean } = {},
) {
  const me = admin(db, userId)
  const { id } = await makeFactories(db).upload(text, { list, clinic_id: clinicId })
  const { file } = await getImport(me, { id })
  await runImport(me, { id, task: 'import', mapping: file!.mapping, ...given })
  await runImports(db)
  const { import: row } = await getImport(me, { id })
  expect(row).toMatchObject({ status: 'finished', failure: null })
  const rejected = await listRejected(me, { id })
  return {
    id,
    me,
    tally: row.tally!,
    rejected: rejected.map(({ line, reason }) => [line, reason.key]),
  }
}

async function undo(db: Kysely<DB>, id: string, userId?: string) {
  await undoImport(admin(db, userId), { id })
  await runImports(db)
  const { import: row } = await getImport(admin(db), { id })
  expect(row).toMatchObject({ status: 'finished', failure: null })
  return row.tally!
}

const clinicsIn = (db: Kysely<DB>, names: readonly string[]) =>
  db
    .selectFrom('clinics')
    .select(['name', 'phone', 'language'])
    .where('name', 'in', names)
    .where('is_deleted', '=', false)
    .orderBy(sql`lower(name)`)
    .execute()

test('clinics go in by name; a corrected file updates and never doubles, and all of it is undone', async ({
  whole,
}) => {
  const names = ['Alba', 'Bosque']
  const text =
    'Centro,Teléfono,Idioma\nAlba,111,español\nBosque,,\n,222,\nBosque,9.61E+10,\nCima,,klingon\n'
  const trial = await bring(whole, { list: 'clinics', text }, { task: 'check' })
  expect(trial.tally).toMatchObject({ imported: 2 })
  expect(await clinicsIn(whole, names)).toEqual([])
  const first = await bring(whole, { list: 'clinics', text })
  expect(first.rejected).toEqual([
    [4, 'imports.reasons.missing'],
    [5, 'imports.reasons.shortened'],
    [6, 'imports.reasons.noOption'],
  ])
  expect(await clinicsIn(whole, names)).toEqual([
    { name: 'Alba', phone: '111', language: 'es' },
    { name: 'Bosque', phone: null, language: null },
  ])
  const corrected = { list: 'clinics' as const, text: 'Clinic,Phone\nalba,333\nBosque,\n' }
  expect((await bring(whole, corrected)).tally).toMatchObject({
    imported: 0,
    repeated: 1,
    left: [{ key: 'imports.reasons.changedSince', count: 1 }],
  })
  const second = await bring(whole, corrected, { updates: true })
  expect(second.tally).toMatchObject({ imported: 0, changed: 1, repeated: 1 })
  expect(await clinicsIn(whole, ['alba', 'Bosque'])).toMatchObject([
    { name: 'alba', phone: '333', language: 'es' },
    { name: 'Bosque' },
  ])
  expect(await undo(whole, second.id)).toMatchObject({ undone: 1, left: [] })
  expect(await clinicsIn(whole, names)).toMatchObject([{ phone: '111' }, { phone: null }])
  // the first import no longer finds what it wrote: the clinic was changed since
  expect(await undo(whole, first.id)).toMatchObject({
    undone: 1,
    left: [{ key: 'imports.reasons.changedAfterwards' }],
  })
  expect(await clinicsIn(whole, names)).toMatchObject([{ name: 'Alba' }])
})

test('departments go into the clinic that a row names, else into that of the import', async ({
  whole,
}) => {
  const make = makeFactories(whole)
  const [here, there] = [await make.clinic(), await make.clinic()]
  const text = `القسم,العيادة,صيدلية,الرمز
صيدلية,,نعم,PHA
مختبر,${there.name},لا,LAB
أشعة,No such clinic,لا,
أشعة,,ربما,
مخزن,,لا,PHA
`
  const file = { list: 'departments' as const, clinicId: here.id, text }
  const { rejected, id } = await bring(whole, file)
  expect(rejected).toEqual([
    [4, 'imports.reasons.noClinic'],
    [5, 'imports.reasons.yesNo'],
    [6, 'departments.sameCode'],
  ])
  const stored = () =>
    whole
      .selectFrom('clinic_departments')
      .select(['clinic_id', 'code', 'can_dispense_medications'])
      .where('clinic_id', 'in', [here.id, there.id])
      .where('is_deleted', '=', false)
      .orderBy('code')
      .execute()
  expect(await stored()).toEqual([
    { clinic_id: there.id, code: 'LAB', can_dispense_medications: false },
    { clinic_id: here.id, code: 'PHA', can_dispense_medications: true },
  ])
  expect((await bring(whole, file)).tally).toMatchObject({ imported: 0, repeated: 2 })
  expect(await undo(whole, id)).toMatchObject({ undone: 2 })
  expect(await stored()).toEqual([])
})

const usersIn = async (db: Kysely<DB>, clinicId: string) => {
  const { rows } = await sql<object>`
    select u.name, u.email, u.role, u.language, coalesce(p.can_edit_records, false) as edits,
      coalesce(p.can_dispense_medications, false) as dispenses
    from users u left join user_clinic_permissions p
      on p.user_id = u.id and p.clinic_id = ${clinicId} and not p.is_deleted
    where u.clinic_id = ${clinicId} and not u.is_deleted order by u.email`.execute(db)
  return rows
}

test('users go in by e-mail with the rights of their jobs; roles above provider need a super administrator', async ({
  whole,
}) => {
  const make = makeFactories(whole)
  const clinic = await make.clinic()
  const boss = await make.user({ role: 'super_admin' })
  const plain = await make.user({ role: 'admin' })
  const text = `Nombre,Correo,Puesto,Permisos,Idioma
Ana,Ana@records.example,Enfermera,,es
Rami,rami@records.example,طبيب,,Arabic
Nora,nora@records.example,recepcionista,,
Phil,phil@records.example,provider,pharmacist,
Xavi,xavi@records.example,astronaut,,
Yara,,nurse,,
Zoe,zoe@records.example,super admin,,
`
  const file = { list: 'users' as const, clinicId: clinic.id, text }
  const asAdmin = await bring(whole, { ...file, userId: plain.id })
  expect(asAdmin.rejected).toEqual([
    [2, 'imports.reasons.presetAbove'],
    [5, 'imports.reasons.presetAbove'],
    [6, 'imports.reasons.noOption'],
    [7, 'imports.reasons.missing'],
    [8, 'users.roleAbove'],
  ])
  expect(asAdmin.tally).toMatchObject({ imported: 2 })
  const asBoss = await bring(whole, { ...file, userId: boss.id })
  expect(asBoss.tally).toMatchObject({ imported: 3, repeated: 2 })
  const rami = { name: 'Rami', email: 'rami@records.example', role: 'provider', language: 'ar' }
  const staff = [
    {
      name: 'Ana',
      email: 'ana@records.example',
      role: 'provider',
      language: 'es',
      edits: true,
      dispenses: false,
    },
    {
      name: 'Nora',
      email: 'nora@records.example',
      role: 'registrar',
      language: 'en',
      edits: false,
      dispenses: false,
    },
    {
      name: 'Phil',
      email: 'phil@records.example',
      role: 'provider',
      language: 'en',
      edits: false,
      dispenses: true,
    },
    { ...rami, edits: true, dispenses: false },
  ]
  expect(await usersIn(whole, clinic.id)).toEqual(staff)
  expect((await bring(whole, { ...file, userId: boss.id })).tally).toMatchObject({
    imported: 0,
    repeated: 5,
  })
  // an undone import gives the addresses free for the same file
  expect(await undo(whole, asBoss.id, boss.id)).toMatchObject({ undone: 3, left: [] })
  expect(await usersIn(whole, clinic.id)).toMatchObject([{ name: 'Nora' }, { name: 'Rami' }])
  const again = await bring(whole, { ...file, userId: boss.id })
  expect(again.tally).toMatchObject({ imported: 3, repeated: 2 })
  expect(await usersIn(whole, clinic.id)).toEqual(staff)
})

test('the role names of the screens are read in each language, however they are joined', async ({
  whole,
}) => {
  const boss = await makeFactories(whole).user({ role: 'super_admin' })
  const roles = {
    super_admin: [
      'Super administrador',
      'superadministradora',
      'Super-admin',
      'مسؤول أعلى',
      'Super administrator',
    ],
    admin: ['Administrador', 'مسؤول'],
    registrar: ['Registrador', 'Registrar'],
  }
  const users = Object.entries(roles).flatMap(([role, words]) =>
    words.map((word, at) => ({ role, word, email: `${role.replace('_', '')}${at}@roles.example` })),
  )
  const lines = users.map(({ word, email }) => `Sam,${email},${word}`)
  const text = ['Nombre,Correo,Puesto', ...lines].join('\n')
  const clinic = await makeFactories(whole).clinic()
  const { rejected } = await bring(whole, {
    list: 'users',
    clinicId: clinic.id,
    text,
    userId: boss.id,
  })
  expect(rejected).toEqual([])
  const saved = await whole
    .selectFrom('users')
    .select(['email', 'role'])
    .where('email', 'like', '%@roles.example')
    .orderBy('email')
    .execute()
  expect(saved).toEqual(
    users
      .map(({ email, role }) => ({ email, role }))
      .toSorted((one, other) => (one.email < other.email ? -1 : 1)),
  )
})

test('the language of users is called their language, not that of patients', async ({ whole }) => {
  const me = admin(whole)
  const { id } = await makeFactories(whole).upload('Nombre,Correo,Idioma\n', { list: 'users' })
  const { targets } = await getImport(me, { id })
  expect(targets.find(({ name }) => name === 'language')!.label).toEqual({
    en: 'Language',
    ar: 'اللغة',
    es: 'Idioma',
  })
})

test('codes go in with the one reader; the undo gives labels back and keeps codes that problems have', async ({
  whole,
}) => {
  const make = makeFactories(whole)
  const patient = await make.patient()
  const text = `Código;Sistema;Inglés;Español
Z99.81;ICD-10;Oxygen;Oxígeno
J45.9;CIE-10;Asthma;Asma bronquial de prueba
Z99.82;icd10;;
Z99.83;ICD-9;Nothing;
1.00E+50;icd11;Lost;
Z99.84;icd10;Pump;Bomba
`
  const file = { list: 'codes' as const, text }
  const labels = async () => {
    const codes = ['J45.9', 'Z99.81', 'Z99.84']
    const rows = await whole
      .selectFrom('problem_codes')
      .select(['code', 'label_es'])
      .where('system', '=', 'icd10')
      .where('code', 'in', codes)
      .orderBy('code')
      .execute()
    return rows.map(({ code, label_es }) => [code, label_es])
  }
  const [[, asthma] = []] = await labels()
  expect((await bring(whole, file)).tally).toMatchObject({
    imported: 2,
    left: [{ key: 'imports.reasons.codeKept', count: 1 }],
  })
  const { id, tally, rejected } = await bring(whole, file, { updates: true })
  expect(tally).toMatchObject({ imported: 0, changed: 1, repeated: 2 })
  expect(rejected).toEqual([
    [4, 'problems.labelRequired'],
    [5, 'validation.option'],
    [6, 'imports.reasons.shortened'],
  ])
  expect((await labels())[0]).toEqual(['J45.9', 'Asma bronquial de prueba'])
  const importedAt = async () =>
    (
      await whole
        .selectFrom('problem_codes')
        .select('imported_at')
        .where('system', '=', 'icd10')
        .where('code', '=', 'J45.9')
        .executeTakeFirstOrThrow()
    ).imported_at
  expect(await importedAt()).toBeInstanceOf(Date)
  expect(await undo(whole, id)).toMatchObject({ undone: 1 })
  expect((await labels())[0]).toEqual(['J45.9', asthma])
  expect(await importedAt()).toBeNull()
  await expect(
    bring(whole, { list: 'codes', text: 'Code,Name\nZ98.70,Nothing\n' }),
  ).rejects.toMatchObject({ text: { key: 'imports.mapping.systemNeeded' } })
  const more = {
    list: 'codes' as const,
    text: 'Code,System,Name\nZ98.71,icd10,A\nZ98.72,icd10,B\n',
  }
  const second = await bring(whole, more)
  await make.problem({
    patient_id: patient.id,
    problem_code_system: 'icd10',
    problem_code: 'Z98.71',
    problem_label: 'A',
  })
  expect(await undo(whole, second.id)).toMatchObject({
    undone: 1,
    left: [{ key: 'imports.reasons.usedAfterwards', count: 1 }],
  })
})

const userBy = (db: Kysely<DB>, email: string) =>
  db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirstOrThrow()

const heldIn = async (db: Kysely<DB>, userId: string, clinicId: string) => {
  const { rows } = await sql<{ rights: string[] }>`
    select rights_of(p) as rights from user_clinic_permissions p
    where user_id = ${userId} and clinic_id = ${clinicId} and not is_deleted`.execute(db)
  return rows[0]?.rights.toSorted() ?? []
}

test('an undo gives a moved user the permissions back, and no role that the requester cannot give', async ({
  whole,
}) => {
  const make = makeFactories(whole)
  const [here, there] = [await make.clinic(), await make.clinic()]
  const boss = await make.user({ role: 'super_admin' })
  const plain = await make.user({ role: 'admin' })
  const moved = await make.user({ role: 'provider', clinic_id: here.id })
  await make.permission(moved, here.id, ['can_edit_records', 'can_dispense_medications'])
  const lowered = await make.user({ role: 'admin', clinic_id: null })
  const text = `Name,Email,Role,Clinic
${moved.name},${moved.email},provider,${there.name}
${lowered.name},${lowered.email},provider,${here.name}
`
  const file = { list: 'users' as const, clinicId: here.id, text, userId: boss.id }
  const { id, tally } = await bring(whole, file, { updates: true })
  expect(tally).toMatchObject({ changed: 2 })
  expect(await heldIn(whole, moved.id, here.id)).toEqual([])
  expect(await heldIn(whole, moved.id, there.id)).not.toEqual([])
  expect(await undo(whole, id, plain.id)).toMatchObject({
    undone: 1,
    left: [{ key: 'users.roleAbove', count: 1 }],
  })
  expect(await userBy(whole, moved.email)).toMatchObject({ clinic_id: here.id })
  expect(await heldIn(whole, moved.id, here.id)).toEqual([
    'can_dispense_medications',
    'can_edit_records',
  ])
  expect(await heldIn(whole, moved.id, there.id)).toEqual([])
  expect(await userBy(whole, lowered.email)).toMatchObject({ role: 'provider' })
})

test('a refused row restores no user, and a plain administrator restores no administrator', async ({
  whole,
}) => {
  const make = makeFactories(whole)
  const clinic = await make.clinic()
  const boss = await make.user({ role: 'super_admin' })
  const plain = await make.user({ role: 'admin' })
  const text = 'Name,Email,Role\nAda,ada@restored.example,admin\nBea,bea@restored.example,nurse\n'
  const file = { list: 'users' as const, clinicId: clinic.id, text }
  const { id } = await bring(whole, { ...file, userId: boss.id })
  expect(await undo(whole, id, boss.id)).toMatchObject({ undone: 2 })
  const again = await bring(whole, {
    ...file,
    text: 'Name,Email,Role\nAda,ada@restored.example,nurse\nBea,bea@restored.example,admin\n',
    userId: plain.id,
  })
  expect(again.rejected).toEqual([
    [2, 'users.roleAbove'],
    [3, 'users.roleAbove'],
  ])
  expect(await userBy(whole, 'ada@restored.example')).toMatchObject({ is_deleted: true })
  expect(await userBy(whole, 'bea@restored.example')).toMatchObject({ is_deleted: true })
  expect((await bring(whole, { ...file, userId: boss.id })).tally).toMatchObject({ imported: 2 })
})

test('new users read the language of the requester; other permissions are reported; a corrected row counts', async ({
  whole,
}) => {
  const make = makeFactories(whole)
  const clinic = await make.clinic()
  const boss = await make.user({ role: 'super_admin', language: 'ar' })
  const text = `Name,Email,Role,Permissions
Cleo,cleo@rows.example,provider,pharmacist
Dora,dora@rows.example,super admin,nurse
Dora,dora@rows.example,provider,nurse
`
  const file = { list: 'users' as const, clinicId: clinic.id, text, userId: boss.id }
  const first = await bring(whole, file)
  expect(first).toMatchObject({ tally: { imported: 2 }, rejected: [[3, 'users.presetNeeds']] })
  expect(await usersIn(whole, clinic.id)).toMatchObject([
    { name: 'Cleo', language: 'ar', dispenses: true },
    { name: 'Dora', language: 'ar', edits: true },
  ])
  const changed = 'Name,Email,Role,Permissions\nCleo,cleo@rows.example,provider,nurse\n'
  expect((await bring(whole, { ...file, text: changed }, { updates: true })).tally).toMatchObject({
    repeated: 0,
    left: [{ key: 'imports.reasons.permissionsKept', count: 1 }],
  })
  expect(await usersIn(whole, clinic.id)).toMatchObject([{ dispenses: true }, {}])
})

test('an undo keeps clinics that have departments or users since', async ({ whole }) => {
  const make = makeFactories(whole)
  const { id } = await bring(whole, { list: 'clinics', text: 'Clinic\nSauce\nRoble\nPino\n' })
  const clinics = await whole
    .selectFrom('clinics')
    .select(['id', 'name'])
    .where('name', 'in', ['Sauce', 'Roble'])
    .orderBy('name')
    .execute()
  const [roble, sauce] = clinics
  await make.department({ clinic_id: sauce!.id })
  await make.permission(await make.user({ role: 'provider' }), roble!.id, ['can_edit_records'])
  expect(await undo(whole, id)).toMatchObject({
    undone: 1,
    left: [{ key: 'imports.reasons.usedAfterwards', count: 2 }],
  })
  expect(await clinicsIn(whole, ['Sauce', 'Roble', 'Pino'])).toMatchObject([
    { name: 'Roble' },
    { name: 'Sauce' },
  ])
})

test('one-time passwords are for the users that the requester may give one, and all of them count', async ({
  whole,
}) => {
  const make = makeFactories(whole)
  const clinic = await make.clinic()
  const boss = await make.user({ role: 'super_admin' })
  const plain = await make.user({ role: 'admin' })
  const text = 'Name,Email,Role\nAbel,abel@sheet.example,admin\nNurse 0,n0@sheet.example,nurse\n'
  const file = { list: 'users' as const, clinicId: clinic.id, text, userId: boss.id }
  const { id } = await bring(whole, file)
  // as many as two sheets hold, without the time of an import
  await sql`
    with more as (
      insert into users (id, name, email, role, language, clinic_id)
      select gen_random_uuid(), 'Nurse ' || n, 'n' || n || '@sheet.example', 'provider', 'en', ${clinic.id}
      from generate_series(1, 200) n returning id
    )
    insert into import_changes (import_id, table_name, row_id, after)
    select ${id}, 'users', id, '{}' from more`.execute(whole)
  const forPlain = await listNewUsers(admin(whole, plain.id), { id })
  expect(forPlain).toMatchObject({ total: 201 })
  expect(forPlain.users).toHaveLength(200)
  expect(forPlain.users.map(({ name }) => name)).not.toContain('Abel')
  const { actor, ...rest } = admin(whole, boss.id)
  const forBoss = await listNewUsers({ ...rest, actor: { ...actor, role: 'super_admin' } }, { id })
  expect(forBoss).toMatchObject({ total: 202 })
  expect(forBoss.users[0]).toMatchObject({ name: 'Abel' })
})
