import { expect } from 'vitest'
import { auditOf, test } from '../../../../test/harness'
import { listConflicts, settleConflict } from './conflicts.server'
import { countWaiting, listPhones } from './devices.server'
import { applyRefused, getRefused, listRefused, rejectRefused } from './quarantine.server'

const world = test.extend('inbox', async ({ make }) => {
  const clinic = await make.clinic()
  const patient = await make.patient({ primary_clinic_id: clinic.id, phone: '555 0199' })
  const author = await make.user({ role: 'registrar' })
  return {
    clinic,
    patient,
    author,
    row: await make.refusedRow(patient, author),
    value: await make.lostValue(patient, author),
  }
})

world('the sender sees the own rows, and resolves none', async ({ inbox, asUser }) => {
  const author = asUser(inbox.author)
  expect((await listRefused(author, {})).rows).toMatchObject([
    { id: inbox.row.id, may_settle: false, reason: 'sync.reason_notPermitted' },
  ])
  expect((await listConflicts(author, {})).rows).toMatchObject([
    { id: inbox.value.id, may_settle: false, kind: 'text' },
  ])
  expect(await getRefused(author, { id: inbox.row.id })).toMatchObject({
    values: [{ column: 'phone', value: '555 0100' }],
  })
  for (const attempt of [
    () => applyRefused(author, { id: inbox.row.id }),
    () => rejectRefused(author, { id: inbox.row.id }),
    () => settleConflict(author, { id: inbox.value.id, take: 'server' }),
  ])
    await expect(attempt()).rejects.toMatchObject({ code: 'not_found' })
  expect(await countWaiting(author, null)).toEqual({ refused: 0, conflicts: 0 })
})

world(
  'ids that a phone sent are shown as names, except patients outside the reader’s access',
  async ({ db, inbox, make, as, asUser }) => {
    const stranger = await make.patient({ primary_clinic_id: (await make.clinic()).id })
    const sent = {
      id: stranger.id,
      clinic_id: inbox.clinic.id,
      patient_id: stranger.id,
      provider_id: inbox.author.id,
    }
    await db
      .updateTable('sync_quarantine')
      .set({ table_name: 'visits', row: JSON.stringify(sent) })
      .where('id', '=', inbox.row.id)
      .execute()
    const seen = { [inbox.clinic.id]: inbox.clinic.name, [inbox.author.id]: inbox.author.name }
    expect((await getRefused(asUser(inbox.author), { id: inbox.row.id })).names).toEqual(seen)
    const name = `${stranger.given_name} ${stranger.surname}`
    expect((await getRefused(as('admin'), { id: inbox.row.id })).names).toEqual({
      ...seen,
      [stranger.id]: name,
    })
  },
)

world('what a phone sent instead of a row is shown as it came', async ({ db, inbox, as }) => {
  const admin = as('admin')
  for (const text of [
    'null',
    '7',
    '"x"',
    '[]',
    '[{"id":1}]',
    'true',
    '{}',
    '{"id":"x","deep":[[1]]}',
  ]) {
    await db
      .updateTable('sync_quarantine')
      .set({ row: text, row_id: null, reason: 'sync.reason_noRow' })
      .where('id', '=', inbox.row.id)
      .execute()
    expect(await getRefused(admin, { id: inbox.row.id })).toMatchObject({ values: [], text })
  }
  await expect(applyRefused(admin, { id: inbox.row.id })).rejects.toMatchObject({
    code: 'conflict',
  })
  await rejectRefused(admin, { id: inbox.row.id })
})

world(
  'a conflict names no patient outside the reader’s access, neither as its subject nor in its values',
  async ({ db, inbox, make, as, asUser }) => {
    const stranger = await make.patient({ primary_clinic_id: (await make.clinic()).id })
    await db
      .updateTable('sync_conflicts')
      .set({ patient_id: stranger.id, phone_value: JSON.stringify(stranger.id) })
      .where('id', '=', inbox.value.id)
      .execute()
    const seen = await listConflicts(asUser(inbox.author), {})
    expect(seen.rows).toMatchObject([{ id: inbox.value.id, patient_id: null, patient: null }])
    expect(seen.names).toEqual({})
    const name = `${stranger.given_name} ${stranger.surname}`
    expect(await listConflicts(as('admin'), {})).toMatchObject({
      rows: [{ patient_id: stranger.id, patient: name }],
      names: { [stranger.id]: name },
    })
  },
)

world(
  'a clinic’s administrator resolves what concerns the own clinic, and sees nothing of others',
  async ({ inbox, as, make }) => {
    const mine = as('provider', {
      [inbox.clinic.id]: ['is_clinic_admin', 'can_edit_records', 'can_view_history'],
    })
    const others = as('provider', { [(await make.clinic()).id]: ['is_clinic_admin'] })
    expect((await listRefused(others, {})).rows).toEqual([])
    expect((await listConflicts(others, {})).rows).toEqual([])
    await expect(applyRefused(others, { id: inbox.row.id })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(
      settleConflict(others, { id: inbox.value.id, take: 'phone' }),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(await countWaiting(mine, null)).toEqual({ refused: 1, conflicts: 1 })
  },
)

world(
  'a refused row is corrected and applied, and the audit trail names the user',
  async ({ db, inbox, make, asUser }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    await applyRefused(admin, { id: inbox.row.id, values: { hometown: 'Tyre' } })
    const patient = await db
      .selectFrom('patients')
      .select(['phone', 'hometown'])
      .where('id', '=', inbox.patient.id)
      .executeTakeFirst()
    expect(patient).toEqual({ phone: '555 0100', hometown: 'Tyre' })
    expect((await auditOf(db, inbox.patient.id)).at(-1)).toMatchObject({
      action: 'quarantine.apply',
      user_id: admin.actor.userId,
    })
    expect((await listRefused(admin, {})).rows).toEqual([])
    expect((await listRefused(admin, { settled: true })).rows).toMatchObject([
      { outcome: 'applied' },
    ])
    await expect(applyRefused(admin, { id: inbox.row.id })).rejects.toMatchObject({
      code: 'not_found',
    })
  },
)

world('what still cannot be applied says why, and goes on waiting', async ({ inbox, as }) => {
  // may settle it, but may not change who the patient is
  const admin = as('provider', { [inbox.clinic.id]: ['is_clinic_admin'] })
  await expect(applyRefused(admin, { id: inbox.row.id })).rejects.toMatchObject({
    code: 'conflict',
    fields: { '': { key: 'sync.reason_notPermitted' } },
  })
  await expect(
    applyRefused(as('admin'), { id: inbox.row.id, values: { date_of_birth: '2026-02-30' } }),
  ).rejects.toMatchObject({
    fields: { 'values.date_of_birth': { key: 'sync.reason_wrongType' } },
  })
})

world(
  'a rejected row stays readable, and the phone receives the stored row',
  async ({ db, inbox, as }) => {
    await rejectRefused(as('admin'), { id: inbox.row.id })
    const kept = await db
      .selectFrom('sync_quarantine')
      .select(['outcome', 'row'])
      .where('id', '=', inbox.row.id)
      .executeTakeFirst()
    expect(kept).toMatchObject({ outcome: 'rejected', row: inbox.row.row })
  },
)

world('of two values a person takes one or writes a third', async ({ db, inbox, make, as }) => {
  const phoneNow = async () =>
    (
      await db
        .selectFrom('patients')
        .select('phone')
        .where('id', '=', inbox.patient.id)
        .executeTakeFirstOrThrow()
    ).phone
  await settleConflict(as('admin'), { id: inbox.value.id, take: 'server' })
  expect(await phoneNow()).toBe('555 0199')
  const second = await make.lostValue(inbox.patient, inbox.author)
  await settleConflict(as('admin'), { id: second.id, take: 'phone' })
  expect(await phoneNow()).toBe('555 0100')
  const third = await make.lostValue(inbox.patient, inbox.author)
  await settleConflict(as('admin'), { id: third.id, take: 'other', value: '555 0111' })
  expect(await phoneNow()).toBe('555 0111')
  const settled = (await listConflicts(as('admin'), { settled: true })).rows.map(
    ({ outcome }) => outcome,
  )
  expect(new Set(settled)).toEqual(new Set(['other', 'phone', 'server']))
})

world('the value of a deleted record is not written into it', async ({ db, inbox, as }) => {
  await db
    .updateTable('sync_conflicts')
    .set({ is_deleted: true })
    .where('id', '=', inbox.value.id)
    .execute()
  await expect(
    settleConflict(as('admin'), { id: inbox.value.id, take: 'phone' }),
  ).rejects.toMatchObject({
    text: { key: 'sync.rowDeleted' },
  })
})

world(
  'a count that follows from dispensing records can only be kept',
  async ({ db, inbox, make, as }) => {
    const prescription = await make.prescription({
      patient_id: inbox.patient.id,
      pickup_clinic_id: inbox.clinic.id,
    })
    const item = await make.prescriptionItem(prescription)
    await db
      .updateTable('sync_conflicts')
      .set({
        table_name: 'prescription_items',
        row_id: item.id,
        column_name: 'quantity_dispensed',
        phone_value: '10',
        server_value: '0',
      })
      .where('id', '=', inbox.value.id)
      .execute()
    const [shown] = (await listConflicts(as('admin'), {})).rows
    expect(shown).toMatchObject({ is_derived: true, phone_value: 10, server_value: 0 })
    await expect(
      settleConflict(as('admin'), { id: inbox.value.id, take: 'phone' }),
    ).rejects.toMatchObject({ text: { key: 'sync.derivedValue' } })
    expect(await settleConflict(as('admin'), { id: inbox.value.id, take: 'server' })).toMatchObject(
      {
        outcome: 'server',
      },
    )
  },
)

world(
  'only those who administer a clinic see its people’s phones',
  async ({ db, inbox, make, as }) => {
    await make.permission(inbox.author, inbox.clinic.id)
    await db
      .insertInto('sync_chains')
      .values({
        user_id: inbox.author.id,
        schema_version: 9,
        rows_pulled: 7,
        last_pull_at: new Date(),
      })
      .execute()
    const admin = as('provider', { [inbox.clinic.id]: ['is_clinic_admin'] })
    expect((await listPhones(admin, {})).rows).toMatchObject([
      { name: inbox.author.name, schema_version: 9, rows_pulled: 7, refused: 0 },
    ])
    expect(
      (await listPhones(as('provider', { [(await make.clinic()).id]: ['is_clinic_admin'] }), {}))
        .rows,
    ).toEqual([])
    await expect(listPhones(as('registrar'), {})).rejects.toMatchObject({ code: 'forbidden' })
  },
)
