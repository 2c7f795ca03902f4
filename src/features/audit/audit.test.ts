import { sql } from 'kysely'
import { expect } from 'vitest'
import { brokenRule, test } from '../../../test/harness'
import { archiveClinic, saveClinic } from '../clinics/clinics.server'
import { listAudit } from './audit.server'

test('the trail of a clinic tells who changed what, newest first', async ({ asUser, make }) => {
  const amal = asUser(await make.user({ role: 'admin', name: 'Amal' }))
  const id = '01890000-0000-7000-8000-000000000001'
  await saveClinic(amal, { id, name: 'Hillside' })
  await archiveClinic(amal, { id })

  expect(await listAudit(amal, { clinicId: id })).toMatchObject({
    rows: [
      {
        action: 'clinics.archive',
        user: 'Amal',
        clinic: 'Hillside',
        via: 'web',
        changes: { is_archived: [false, true] },
      },
      { action: 'clinics.save', changes: { name: [null, 'Hillside'] } },
    ],
    pagination: { total: 2 },
  })
})

test('the trail names the people and clinics that a change refers to', async ({ asUser, as, make }) => {
  const clinic = await make.clinic({ name: 'Hillside' })
  const user = await make.user({ clinic_id: clinic.id })

  const trail = await listAudit(as('admin'), { recordId: user.id })
  expect(trail.rows[0]?.changes['clinic_id']).toEqual([null, clinic.id])
  expect(trail.names).toEqual({ [clinic.id]: 'Hillside' })
  await expect(listAudit(asUser(user), {})).rejects.toMatchObject({ code: 'forbidden' })
})

test('nobody rewrites the trail, not even with a statement of his own', async ({ make, db }) => {
  await make.clinic()

  for (const statement of [db.updateTable('audit_log').set({ action: 'nothing' }), db.deleteFrom('audit_log')]) {
    await expect(brokenRule(db, statement)).resolves.toBeUndefined()
  }
})

test('nor what was handed out, nor what phones say of themselves', async ({ db }) => {
  for (const statement of [
    db.deleteFrom('dispensing_records'),
    sql`truncate dispensing_records`,
    db.updateTable('event_logs').set({ row: '' }),
    db.deleteFrom('event_logs'),
  ]) {
    await expect(brokenRule(db, { execute: () => statement.execute(db) })).resolves.toBeUndefined()
  }
})

test('a refused write leaves no trace in the trail', async ({ as, make, db }) => {
  await make.clinic({ name: 'Hillside' })
  const before = await db
    .selectFrom('audit_log')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()

  await expect(
    saveClinic(as('admin'), { id: '01890000-0000-7000-8000-000000000001', name: 'Hillside' }),
  ).rejects.toThrow()
  expect(
    await db
      .selectFrom('audit_log')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow(),
  ).toEqual(before)
})
