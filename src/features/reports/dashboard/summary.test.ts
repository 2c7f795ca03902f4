import { readFileSync } from 'node:fs'
import type { Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect, onTestFinished } from 'vitest'
import { trail } from '~/db/roles.server'
import type { DB } from '~/db/types'
import type { Context } from '~/server/operation'
import { test } from '../../../../test/harness'
import { getAppointment } from '~/features/day/appointments/appointments.server'
import { setAppointmentStatus } from '~/features/day/appointments/status.server'
import { listPatients } from '~/features/people/patients/search/search.server'
import { finishStep, startStep } from '~/features/day/queue/turns.server'
import {
  getRegistrationForm,
  saveRegistrationForm,
} from '~/features/people/registration/registration-forms.server'
import {
  dismissNotice,
  getChecklist,
  recallNotice,
  summaryCare,
  summaryTrends,
} from './administration.server'
import { FIRST_STEP_NAMES } from './summary'
import { summaryStock } from './stock-summary.server'
import { summaryDay, summaryStats } from './summary.server'

const DAY = 86_400_000
const dayFrom = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10)
const at = (clinic: { id: string }, ...held: string[]) => ({ [clinic.id]: held as never })

describe('the numbers', () => {
  test('count everything for an administrator, and the user’s own clinics for everyone else', async ({
    as,
    make,
  }) => {
    const [mine, theirs] = [await make.clinic(), await make.clinic()]
    for (const clinic of [mine, theirs]) {
      const patient = await make.patient({ primary_clinic_id: clinic.id })
      await make.visit({ patient_id: patient.id, clinic_id: clinic.id })
      await make.user({ clinic_id: clinic.id })
    }
    const own = at(mine, 'can_register_patients', 'can_view_history')

    expect(await summaryStats(as('admin'), null)).toMatchObject({
      clinicUsers: 2,
      totalPatients: 2,
      totalVisits: 2,
    })
    expect(await summaryStats(as('provider', own), null)).toMatchObject({
      clinicUsers: 1,
      totalPatients: 1,
      totalVisits: 1,
    })
  })

  test('count the visits of other clinics where they were opened', async ({ as, make, db }) => {
    const [mine, theirs] = [await make.clinic(), await make.clinic()]
    const [shared, linked, foreign] = [
      await make.patient(),
      await make.patient(),
      await make.patient(),
    ]
    await make.visit({ patient_id: shared.id, clinic_id: mine.id })
    for (const { id } of [shared, linked, foreign])
      await make.visit({ patient_id: id, clinic_id: theirs.id })
    const link = { patient_id: linked.id, clinic_id: mine.id, source: 'explicit' }
    await db.insertInto('patient_links').values(link).execute()

    const provider = as('provider', at(mine, 'can_register_patients', 'can_view_history'))
    expect(await summaryStats(provider, null)).toMatchObject({ totalPatients: 2, totalVisits: 1 })
    await make.opening({ patient_id: shared.id, clinic_id: mine.id })
    expect(await summaryStats(provider, null)).toMatchObject({ totalPatients: 2, totalVisits: 2 })
    // a visit that was moved stays open to the clinic that recorded it
    const moved = await make.visit({ patient_id: shared.id, clinic_id: mine.id })
    await db
      .updateTable('visits')
      .set({ clinic_id: theirs.id })
      .where('id', '=', moved.id)
      .execute()
    expect(await summaryStats(provider, null)).toMatchObject({ totalVisits: 3 })
    const ofBoth = { ...at(mine, 'can_view_history'), ...at(theirs, 'can_view_history') }
    expect(await summaryStats(as('provider', ofBoth), null)).toMatchObject({
      totalPatients: 3,
      totalVisits: 5,
    })
  })

  test('a registrar sees numbers of patients, not of visits, forms or users', async ({
    as,
    make,
  }) => {
    const clinic = await make.clinic()
    await make.patient({ primary_clinic_id: clinic.id })

    expect(await summaryStats(as('registrar', at(clinic, 'can_register_patients')), null)).toEqual({
      clinicUsers: null,
      totalPatients: 1,
      totalVisits: null,
      totalForms: null,
    })
  })

  test('forms for every clinic count, those of others do not', async ({ as, make, db }) => {
    const [mine, theirs] = [await make.clinic(), await make.clinic()]
    for (const clinic_ids of [[], [mine.id], [theirs.id]]) await anEventForm(db, clinic_ids)

    expect(await summaryStats(as('provider', at(mine, 'can_view_history')), null)).toMatchObject({
      totalForms: 2,
    })
  })

  test('a user without a clinic sees no numbers', async ({ as }) => {
    await expect(summaryStats(as('provider'), null)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(summaryDay(as('provider'), null)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(summaryStock(as('provider'), null)).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('today', () => {
  test('appointments are counted by status, only in the user’s own clinics and on this day', async ({
    as,
    make,
    db,
  }) => {
    const [mine, theirs] = [await make.clinic(), await make.clinic()]
    await anAppointment(db, { clinic_id: mine.id, status: 'pending' })
    await anAppointment(db, { clinic_id: mine.id, status: 'pending' })
    await anAppointment(db, { clinic_id: mine.id, status: 'completed' })
    await anAppointment(db, {
      clinic_id: mine.id,
      status: 'pending',
      timestamp: new Date(Date.now() + 3 * DAY),
    })
    await anAppointment(db, { clinic_id: theirs.id, status: 'pending' })

    const today = await summaryDay(as('registrar', at(mine, 'can_register_patients')), null)
    expect(today).toMatchObject({
      appointments: { pending: 2, completed: 1 },
      visited: null,
      registered: 4,
    })
  })

  test('a waiting patient does not count as seen; one received, measured or visited without a queue does', async ({
    asUser,
    make,
  }) => {
    const clinic = await make.clinic()
    const rights = at(clinic, 'can_register_patients', 'can_view_history', 'can_edit_records')
    const me = asUser(await make.user(), rights)
    const comes = async () => {
      const { id } = await make.appointment({ clinic_id: clinic.id })
      await setAppointmentStatus(me, { id, status: 'checked_in' })
      return id
    }
    const seen = async () => {
      const { visited, today } = await summaryDay(me, null)
      // the list behind the number
      const listed = await listPatients(me, { visitedFrom: today, visitedTo: today, seen: 'only' })
      expect(listed.pagination.total).toBe(visited)
      return visited
    }
    const [first, second] = [await comes(), await comes()]
    expect(await seen()).toBe(0)
    await startStep(me, { appointmentId: first, position: 0 })
    expect(await seen()).toBe(1)
    const { current_visit_id, patient_id } = await getAppointment(me, { id: second })
    await make.vital({ patient_id, visit_id: current_visit_id })
    expect(await seen()).toBe(2)
    await finishStep(me, { appointmentId: first, position: 0 })
    await make.visit({ clinic_id: clinic.id })
    expect(await seen()).toBe(3)
  })

  test('who waits is named with the place and since when, the longest first', async ({
    as,
    make,
    db,
  }) => {
    const clinic = await make.clinic({ name: 'Hillside' })
    const room = await make.department({ clinic_id: clinic.id, name: 'Triage' })
    const first = await anAppointment(db, { clinic_id: clinic.id, status: 'checked_in' }, 'Amal')
    const second = await anAppointment(
      db,
      {
        clinic_id: clinic.id,
        status: 'checked_in',
        departments: JSON.stringify([{ id: room.id, name: 'Triage', status: 'checked_in' }]),
      },
      'Bassam',
    )

    const today = await summaryDay(as('registrar', at(clinic, 'can_register_patients')), null)
    expect(today.waitingCount).toBe(2)
    expect(
      today.waiting.map(({ id, given_name, department, clinic }) => [
        id,
        given_name,
        department,
        clinic,
      ]),
    ).toEqual([
      [first.id, 'Amal', null, 'Hillside'],
      [second.id, 'Bassam', 'Triage', 'Hillside'],
    ])
    expect(today.waiting[0]?.waiting_since).toBeInstanceOf(Date)
    const elsewhere = at(await make.clinic(), 'can_register_patients')
    expect(await summaryDay(as('registrar', elsewhere), null)).toMatchObject({
      waitingCount: 0,
      waiting: [],
    })
  })
})

describe('stock', () => {
  test('stock below its minimum or expiring within 90 days is listed for the user’s own clinics', async ({
    as,
    make,
    db,
  }) => {
    const [mine, theirs] = [await make.clinic(), await make.clinic()]
    const scarce = await aDrug(db, 'Amoxicillin', 100)
    const plenty = await aDrug(db, 'Ibuprofen', 10)
    await onShelf(db, mine.id, scarce, { quantity: 30, expiry: dayFrom(400) })
    await onShelf(db, mine.id, plenty, { quantity: 500, expiry: dayFrom(30) })
    await onShelf(db, mine.id, plenty, { quantity: 5, expiry: dayFrom(-3) })
    await onShelf(db, theirs.id, scarce, { quantity: 1, expiry: dayFrom(10) })

    const stock = await summaryStock(as('registrar', at(mine, 'can_register_patients')), null)
    expect(stock).toMatchObject({
      lowCount: 1,
      low: [{ drug: 'Amoxicillin', usable: 30, least: 100 }],
      expiringCount: 2,
      expiredCount: 1,
    })
    expect(stock.expiring.map(({ drug, quantity }) => [drug, quantity])).toEqual([
      ['Ibuprofen', 5],
      ['Ibuprofen', 500],
    ])
  })

  test('what is expired or quarantined is no stock', async ({ as, make, db }) => {
    const clinic = await make.clinic()
    const drug = await aDrug(db, 'Amoxicillin', 10)
    await onShelf(db, clinic.id, drug, { quantity: 50, expiry: dayFrom(-1) })
    await onShelf(db, clinic.id, drug, { quantity: 50, expiry: dayFrom(400), is_quarantined: true })

    expect(await summaryStock(as('admin'), null)).toMatchObject({
      low: [{ drug: 'Amoxicillin', usable: 0 }],
    })
  })
})

test('the trend has a row for each of thirty days, for administrators', async ({ as, make }) => {
  await make.visit({ check_in_timestamp: new Date(Date.now() - 2 * DAY) })
  const days = await summaryTrends(as('admin'), null)

  expect(days).toHaveLength(30)
  expect(days.at(-1)).toEqual({ day: dayFrom(0), registered: 1, visits: 0 })
  expect(days.at(-3)).toEqual({ day: dayFrom(-2), registered: 0, visits: 1 })
  await expect(summaryTrends(as('provider'), null)).rejects.toMatchObject({ code: 'forbidden' })
})

describe('what has to be put right', () => {
  test('administrators alone see the last backup, and a failed one', async ({ as, db, make }) => {
    expect(await summaryCare(as('admin'), null)).toMatchObject({
      backups: { lastBackupAt: null, lastFailureAt: null },
    })
    const finished_at = new Date('2026-01-05T02:00:00Z')
    await db
      .insertInto('backups')
      .values({
        id: uuidv7(),
        kind: 'daily',
        status: 'finished',
        file_name: 'a',
        bytes: 1,
        finished_at,
      })
      .execute()

    expect(await summaryCare(as('admin'), null)).toMatchObject({
      backups: { lastBackupAt: finished_at },
    })
    const clinic = await make.clinic()
    const registrar = as('registrar', at(clinic, 'can_register_patients'))
    expect(await summaryCare(registrar, null)).toEqual({
      backups: null,
      refusedRows: 0,
      lostValues: 0,
      movedIn: 0,
      askedLater: { count: 0, unasked: 0 },
      frequentEmergencies: [],
      disk: null,
      checks: null,
      isTrailUnprotected: false,
    })
  })

  test('administrators alone read that the database user of Sanad could rewrite the audit trail', async ({
    as,
    make,
  }) => {
    const registrar = as('registrar', at(await make.clinic(), 'can_register_patients'))
    expect(await summaryCare(as('admin'), null)).toMatchObject({ isTrailUnprotected: false })
    trail.isUnprotected = true
    onTestFinished(() => {
      trail.isUnprotected = false
    })
    expect(await summaryCare(as('admin'), null)).toMatchObject({ isTrailUnprotected: true })
    expect(await summaryCare(registrar, null)).toMatchObject({ isTrailUnprotected: false })
  })

  test('refused rows of phones are counted for users who resolve them and for their senders', async ({
    as,
    asUser,
    make,
    db,
  }) => {
    const clinic = await make.clinic()
    const author = await make.user()
    const sent = {
      user_id: author.id,
      clinic_id: clinic.id,
      table_name: 'patients',
      row_id: uuidv7(),
    }
    await db
      .insertInto('sync_quarantine')
      .values({ ...sent, operation: 'save', row: '{}', reason: 'forbidden' })
      .execute()
    await db
      .insertInto('sync_conflicts')
      .values({ ...sent, column_name: 'phone', phone_value: '"1"', server_value: '"2"' })
      .execute()

    const both = { refusedRows: 1, lostValues: 1 }
    expect(await summaryCare(as('super_admin'), null)).toMatchObject(both)
    expect(await summaryCare(as('provider', at(clinic, 'is_clinic_admin')), null)).toMatchObject(
      both,
    )
    expect(
      await summaryCare(asUser(author, at(await make.clinic(), 'can_view_history')), null),
    ).toMatchObject(both)
    const elsewhere = at(await make.clinic(), 'is_clinic_admin')
    expect(await summaryCare(as('provider', elsewhere), null)).toMatchObject({
      refusedRows: 0,
      lostValues: 0,
    })
  })
})

describe('the first day', () => {
  test('the list checks its own items and disappears when all are done', async ({
    as,
    make,
    db,
  }) => {
    const before = await getChecklist(as('super_admin'), null)
    expect(before?.filter(({ isDone }) => isDone)).toEqual([])

    await make.user()
    await make.user()
    await aDrug(db, 'Amoxicillin', 1)
    await anEventForm(db, [])
    expect(
      (await getChecklist(as('admin'), null))?.map(({ name, isDone }) => [name, isDone]),
    ).toEqual([
      ['departments', false],
      ['staff', true],
      ['registrationForm', false],
      ['eventForms', true],
      ['drugs', true],
      ['patients', false],
      ['backup', false],
    ])
    await make.department()
    await make.patient()
    await db
      .insertInto('backups')
      .values({
        id: uuidv7(),
        kind: 'daily',
        status: 'finished',
        file_name: 'a',
        bytes: 1,
        finished_at: new Date(),
      })
      .execute()

    await saveRegistrationForm(as('admin'), {
      ...(await getRegistrationForm(as('admin'), null)),
      name: 'Ours',
    })
    expect(await getChecklist(as('admin'), null)).toBeNull()
    const steps = await getChecklist(as('super_admin'), null)
    expect(steps?.map(({ name }) => name)).toEqual(FIRST_STEP_NAMES)
    // the guide lists them after setting up, with the clinics and the departments
    const guide = readFileSync('docs/guide/first-day.md', 'utf8')
    expect(guide.match(/^\d+\. /gm)).toHaveLength(FIRST_STEP_NAMES.length + 1)
  })

  test('a user who hides it does so for themselves, and can show it again', async ({
    asUser,
    make,
  }) => {
    const [amal, omar] = [await make.user({ role: 'admin' }), await make.user({ role: 'admin' })]
    await dismissNotice(asUser(amal), { notice: 'first-day' })
    await dismissNotice(asUser(amal), { notice: 'first-day' })

    expect(await getChecklist(asUser(amal), null)).toBeNull()
    expect(await getChecklist(asUser(omar), null)).not.toBeNull()
    await recallNotice(asUser(amal), { notice: 'first-day' })
    expect(await getChecklist(asUser(amal), null)).not.toBeNull()
  })

  test('a notice that does not exist cannot be waved away, nor any by others than administrators', async ({
    as,
  }) => {
    await expect(dismissNotice(as('admin'), { notice: 'rent' as never })).rejects.toMatchObject({
      fields: { notice: { key: 'validation.option' } },
    })
    await expect(dismissNotice(as('provider'), { notice: 'first-day' })).rejects.toMatchObject({
      code: 'forbidden',
    })
  })
})

test('the whole dashboard is eight statements', async ({ as }) => {
  const statements: string[] = []
  const ctx = counting(as('super_admin'), statements)
  for (const part of [
    summaryStats,
    summaryDay,
    summaryStock,
    summaryTrends,
    summaryCare,
    getChecklist,
  ])
    await part(ctx, null)

  expect(statements).toHaveLength(8)
})

/** The same database, which notes each statement it is given. */
function counting(ctx: Context, statements: string[]): Context {
  const db = ctx.db.withPlugin({
    transformQuery: ({ node, queryId }) => {
      statements.push(`${node.kind} ${queryId.queryId}`)
      return node
    },
    transformResult: async ({ result }) => result,
  })
  return { ...ctx, db: db as Kysely<DB> }
}

async function anAppointment(
  db: Kysely<DB>,
  values: { clinic_id: string; status: string; timestamp?: Date; departments?: string },
  givenName = 'Layla',
) {
  const id = uuidv7()
  const patient = {
    id: uuidv7(),
    given_name: givenName,
    surname: 'Mansour',
    primary_clinic_id: values.clinic_id,
  }
  await db.insertInto('patients').values(patient).execute()
  return db
    .insertInto('appointments')
    .values({ id, patient_id: patient.id, timestamp: new Date(), ...values })
    .returning('id')
    .executeTakeFirstOrThrow()
}

const anEventForm = (db: Kysely<DB>, clinic_ids: string[]) =>
  db.insertInto('event_forms').values({ id: uuidv7(), name: 'Triage', clinic_ids }).execute()

async function aDrug(db: Kysely<DB>, generic_name: string, min_stock_level: number) {
  const { id } = await db
    .insertInto('drug_catalogue')
    .values({
      id: uuidv7(),
      generic_name,
      form: 'tablet',
      route: 'oral',
      dosage_units: 'mg',
      min_stock_level,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

type Shelf = { quantity: number; expiry: string; is_quarantined?: boolean }

async function onShelf(
  db: Kysely<DB>,
  clinicId: string,
  drugId: string,
  { quantity, expiry, is_quarantined }: Shelf,
) {
  const batch = uuidv7()
  const batch_number = batch.slice(-12)
  await db
    .insertInto('drug_batches')
    .values({
      id: batch,
      drug_id: drugId,
      batch_number,
      expiry_date: expiry,
      received_date: dayFrom(-500),
      is_quarantined,
    })
    .execute()
  const movement = {
    clinic_id: clinicId,
    drug_id: drugId,
    batch_id: batch,
    quantity,
    day: dayFrom(-400),
  }
  const reference = { reference_type: 'receipt', reference_id: uuidv7(), occurred_at: new Date() }
  await db
    .insertInto('inventory_transactions')
    .values({ ...movement, ...reference, transaction_type: 'received' })
    .execute()
}
