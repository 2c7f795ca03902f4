import { expect } from 'vitest'
import { listVisits } from '~/features/record/visits/visits.server'
import { listVitals } from '~/features/care/vitals/vitals.server'
import { lookUpPatient } from '~/features/record/sharing/emergencies.server'
import { getPatient } from '~/features/people/patients/patients.server'
import { operations } from '~/rpc/operations'
import { lostEntry, writeEntries } from '~/server/access-entry'
import { parse } from '~/server/operation'
import { newId } from '~/shared/id'
import { addDays, clinicTimeZone, dayIn } from '~/shared/zone'
import { fhirOperations } from '../../../../test/fhir-operations'
import { test } from '../../../../test/harness'
import { ExportAccesses } from './accesses'
import {
  accessSheet,
  exportAccesses,
  listAccesses,
  listPatientAccesses,
  recordPrint,
} from './accesses.server'
import { ACCESS_KINDS } from '~/shared/access-kinds'
import { accessKind, operationsOfKind } from './access-kinds'
import { accessWords } from './access-words'

test('who saw a record is one row for what a user did within ten minutes, also what was refused', async ({
  as,
  asUser,
  make,
  db,
}) => {
  const clinic = await make.clinic()
  const patient = await make.patient({ primary_clinic_id: clinic.id, given_name: 'Layla' })
  const [amal, omar] = [await make.user({ name: 'Amal' }), await make.user({ name: 'Omar' })]
  const reader = asUser(amal, { [clinic.id]: ['can_view_history'] })
  await getPatient(reader, { id: patient.id })
  await listVisits(reader, { patientId: patient.id })
  await listVitals(reader, { patientId: patient.id, from: new Date(0) })
  const stranger = asUser(omar, { [newId()]: ['can_view_history'] })
  await expect(listVisits(stranger, { patientId: patient.id })).rejects.toMatchObject({
    code: 'not_found',
  })

  const seen = await listPatientAccesses(as('admin'), { patientId: patient.id })
  const ofAmal = { user: 'Amal', via: 'web', outcome: 'shown', count: 3 }
  expect(seen.rows).toHaveLength(2)
  expect(seen.rows).toContainEqual(
    expect.objectContaining({
      ...ofAmal,
      operations: ['patients.get', 'visits.list', 'vitals.list'],
    }),
  )
  expect(seen.rows).toContainEqual(
    expect.objectContaining({ user: 'Omar', outcome: 'not_found', operations: ['visits.list'] }),
  )
  expect(seen.users.map(({ name }) => name)).toEqual(['Amal', 'Omar'])
  expect(seen.pagination.total).toBe(2)
  const only = { patientId: patient.id, userId: omar.id }
  expect((await listPatientAccesses(as('admin'), only)).rows).toHaveLength(1)
  const before = { patientId: patient.id, to: '2020-01-01' }
  expect((await listPatientAccesses(as('admin'), before)).rows).toEqual([])
  // the reader of this list is in it, too
  expect(
    await db
      .selectFrom('access_log')
      .select('operation')
      .where('operation', '=', 'patients.accesses')
      .execute(),
  ).not.toEqual([])
})

test('an access by a phone names the phone, each phone of a user for itself', async ({
  as,
  asUser,
  make,
  db,
}) => {
  const clinic = await make.clinic()
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const amal = await make.user({ name: 'Amal' })
  const { id: appPasswordId } = await db
    .insertInto('app_passwords')
    .values({ user_id: amal.id, name: 'Ward phone', code_hash: Buffer.alloc(32, 7) })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id: hubPhoneId } = await make.hubPhone(amal, { public_key: Buffer.alloc(32, 0xab) })
  const reader = asUser(amal, { [clinic.id]: ['can_view_history'] })
  for (const phone of [{ appPasswordId }, { hubPhoneId }, {}])
    await getPatient(
      { ...reader, request: { ...reader.request, via: 'phone', ...phone } },
      { id: patient.id },
    )

  const phones = [
    { phone: 'Ward phone', hubKey: null },
    { phone: null, hubKey: 'ab'.repeat(32) },
    { phone: null, hubKey: null },
  ]
  const filter = { patientId: patient.id, userId: amal.id }
  const { rows } = await listAccesses(as('admin'), filter)
  expect(rows).toHaveLength(3)
  expect(rows).toEqual(expect.arrayContaining(phones.map((each) => expect.objectContaining(each))))
  const seen = await listPatientAccesses(as('admin'), filter)
  expect(seen.rows).toHaveLength(3)
  expect(seen.rows).toEqual(
    expect.arrayContaining(phones.map((each) => expect.objectContaining(each))),
  )
  const named: string[] = []
  const sheet = accessSheet(as('admin'), { format: 'csv', language: 'en', ...filter })
  for await (const line of sheet.rows) named.push(line[sheet.headings.indexOf('Phone')] as string)
  expect(named.toSorted()).toEqual(['', 'Key ABAB-ABAB', 'Ward phone'])
})

test('administrators of a clinic that cares for the patient see who saw the record; others do not', async ({
  as,
  make,
}) => {
  const [own, other] = [await make.clinic(), await make.clinic()]
  const patient = await make.patient({ primary_clinic_id: own.id })
  const asked = { patientId: patient.id }
  const admin = as('provider', { [own.id]: ['is_clinic_admin', 'can_view_history'] })
  expect((await listPatientAccesses(admin, asked)).rows).toEqual([])
  for (const [grants, code] of [
    [{ [other.id]: ['is_clinic_admin', 'can_view_history'] }, 'not_found'],
    [{ [own.id]: ['can_view_history'] }, 'forbidden'],
  ] as const)
    await expect(listPatientAccesses(as('provider', grants), asked)).rejects.toMatchObject({ code })
  await expect(listAccesses(admin, {})).rejects.toMatchObject({ code: 'forbidden' })
})

test('each filter narrows the accesses, and the export has the same entries', async ({
  as,
  asUser,
  make,
  db,
}) => {
  const clinic = await make.clinic({ name: 'Hillside' })
  const of = { primary_clinic_id: clinic.id, surname: 'Mansour' }
  const layla = await make.patient({ ...of, given_name: 'Layla' })
  const amal = await make.user({ name: 'Amal', clinic_id: clinic.id })
  const reader = asUser(amal, { [clinic.id]: ['can_view_history'] })
  await getPatient(reader, { id: layla.id })
  await listVisits(reader, { patientId: layla.id })
  await expect(getPatient(reader, { id: newId() })).rejects.toMatchObject({ code: 'not_found' })
  const found = async (filter: Parameters<typeof listAccesses>[1]) =>
    (await listAccesses(as('admin'), filter)).rows.map(({ operation }) => operation).toSorted()

  const admin = as('admin')
  const { rows, names } = await listAccesses(admin, { patientId: layla.id, kind: 'visits' })
  expect(rows).toMatchObject([
    {
      user: 'Amal',
      operation: 'visits.list',
      outcome: 'shown',
      clinic: 'Hillside',
      patientIds: [layla.id],
      patients: 1,
    },
  ])
  expect(names).toEqual({ [layla.id]: 'Layla Mansour' })
  expect(await found({ userId: amal.id })).toEqual(['patients.get', 'patients.get', 'visits.list'])
  expect(await found({ userId: amal.id, outcome: 'not_found' })).toEqual(['patients.get'])
  expect(await found({ clinicId: clinic.id, outcome: 'shown' })).toEqual([
    'patients.get',
    'visits.list',
  ])
  expect(await found({ userId: amal.id, to: '2020-01-01' })).toEqual([])

  const asked = { format: 'csv', language: 'en', userId: amal.id } as const
  expect(await exportAccesses(admin, asked)).toEqual({ total: 3 })
  const lines = []
  for await (const line of accessSheet(admin, parse(ExportAccesses, asked)).rows) lines.push(line)
  expect(lines.map((line) => line.slice(2, 7))).toContainEqual([
    'Amal',
    'Read visits',
    'Shown',
    'Layla Mansour',
    '1',
  ])
  expect(
    await db
      .selectFrom('audit_log')
      .select('action')
      .where('table_name', '=', 'access_log')
      .execute(),
  ).toEqual([{ action: 'audit.exportAccesses' }])
})

test('accesses that were lost on a full disk may be those of any patient, user or clinic: each list says so', async ({
  as,
  asUser,
  make,
  db,
}) => {
  const clinic = await make.clinic()
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const amal = await make.user({ name: 'Amal' })
  const reader = asUser(amal, { [clinic.id]: ['can_view_history'] })
  await getPatient(reader, { id: patient.id })
  const seen = async (filter: object) => {
    const { rows } = await listPatientAccesses(as('admin'), { patientId: patient.id, ...filter })
    return rows.map(({ user, operations, outcome, count }) => [user, operations, outcome, count])
  }
  const opened = ['Amal', ['patients.get'], 'shown', 1]
  expect(await seen({ userId: amal.id })).toEqual([opened])

  await writeEntries(db, [lostEntry(4), lostEntry(3)])
  const lost = [null, ['audit.lost'], 'lost', 7]
  expect(await seen({ userId: amal.id })).toEqual(expect.arrayContaining([opened, lost]))
  const today = dayIn(new Date(), clinicTimeZone())
  expect(await seen({ userId: amal.id, from: addDays(today, 1) })).toEqual([])
  // the entry is written when there is space again: the accesses may be of the days before
  const before = await seen({ userId: amal.id, to: addDays(today, -1) })
  expect(before.map((row) => row.slice(0, 3))).toEqual([lost.slice(0, 3)])

  const admin = as('admin')
  for (const filter of [
    { patientId: patient.id },
    { userId: amal.id, kind: 'record' },
    { clinicId: clinic.id, outcome: 'refused' },
  ] as const) {
    const { rows } = await listAccesses(admin, filter)
    expect(rows.filter(({ outcome }) => outcome === 'lost')).toHaveLength(2)
    const asked = { format: 'csv', language: 'en', ...filter } as const
    const lines = []
    for await (const line of accessSheet(admin, parse(ExportAccesses, asked)).rows) lines.push(line)
    expect(lines.filter((line) => line[4] === 'Not recorded')).toHaveLength(2)
    expect(await exportAccesses(admin, asked)).toMatchObject({ total: lines.length })
  }
})

test('a print is recorded at once, with the patients that the user may see', async ({
  as,
  make,
  db,
}) => {
  const [own, other] = [await make.clinic(), await make.clinic()]
  const known = await make.patient({ primary_clinic_id: own.id })
  const unknown = await make.patient({ primary_clinic_id: other.id })
  const provider = as('provider', { [own.id]: ['can_view_history'] })
  await recordPrint(provider, { patientIds: [known.id, unknown.id] })
  expect(await db.selectFrom('access_log').select(['operation', 'patient_ids']).execute()).toEqual([
    { operation: 'prints.record', patient_ids: [known.id] },
  ])
})

test('each emergency search is recorded, also one that finds no patient', async ({
  as,
  db,
  make,
}) => {
  const provider = as('provider', { [(await make.clinic()).id]: ['can_view_history'] })
  const sought = { given_name: 'Nobody', surname: 'Of Thisname', date_of_birth: '1931-02-03' }
  expect((await lookUpPatient(provider, sought)).patients).toEqual([])
  await lookUpPatient(provider, sought)
  const entry = { operation: 'emergencies.lookUp', outcome: 'shown', patient_ids: [] }
  expect(
    await db.selectFrom('access_log').select(['operation', 'outcome', 'patient_ids']).execute(),
  ).toEqual([entry, entry])
})

test('every operation that shows patients has a message', () => {
  const shown = ACCESS_KINDS.flatMap(operationsOfKind)
  const rpc = (name: string) => name.startsWith('rpc.') || name === 'sync.pull'
  const known = (name: string) => rpc(name) || operations.has(name) || fhirOperations.has(name)
  expect(shown.filter((name) => !known(name))).toEqual([])
  expect(new Set(shown).size).toBe(shown.length)
  expect(accessKind('patients.get')).toBe('record')
  expect(accessWords('patients.delete')).toBe('audit.action_patients_delete')
  expect(accessWords('rpc.visits.create')).toBe('accesses.sentByPhone')
})
