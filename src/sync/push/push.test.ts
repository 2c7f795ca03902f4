import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { grantApplication } from '~/db/roles.server'
import { prepareJobs } from '~/server/jobs.server'
import type { Context } from '~/server/operation'
import { makeFactories } from '../../../test/factories'
import { cloneTemplate, test, urlsOf } from '../../../test/harness'
import { recording } from '../../../test/statements'
import { toChangeSource } from './change-source.server'
import { push as pushSource } from './push.server'

const push = (ctx: Context, pullId: number, changes: unknown) =>
  pushSource(ctx, pullId, toChangeSource(changes))

/** A database with the queue of jobs, which a server makes when it first starts. */
const withJobs = test.extend('own', async ({}, { onCleanup }) => {
  const name = `push_${crypto.randomUUID().replaceAll('-', '')}`
  const db = await cloneTemplate(name)
  onCleanup(() => db.destroy())
  await prepareJobs(urlsOf(name).ownerUrl)
  await grantApplication(urlsOf(name))
  return db
})

withJobs('only a push that brings medicines requests their check', async ({ own, asUser }) => {
  const make = makeFactories(own)
  const ctx = { ...asUser(await make.user({ role: 'admin' })), db: own }
  const { patient_id, id: visit_id } = await make.visit()
  const form = await make.eventForm()
  const pushEvent = (...answers: object[]) =>
    push(ctx, 0, {
      events: {
        created: [
          {
            id: uuidv7(),
            patient_id,
            visit_id,
            form_id: form.id,
            event_type: 'Consultation',
            form_data: JSON.stringify(answers),
            recorded_by_user_id: ctx.actor.userId,
            metadata: '{}',
            is_deleted: false,
            deleted_at: null,
            created_at: Date.now(),
            updated_at: Date.now(),
          },
        ],
        updated: [],
        deleted: [],
      },
    })
  const requested = async () =>
    (await sql<{ key: string }>`select key from graphile_worker.jobs`.execute(own)).rows

  const weight = { fieldId: 'w', name: 'weight', fieldType: 'free-text', value: 70 }
  expect(await pushEvent(weight)).toEqual({ rows: 1, conflicts: 0, refused: 0 })
  expect(await requested()).toEqual([])

  const medicine = {
    fieldId: 'm',
    name: 'medicine',
    fieldType: 'medicine',
    value: [{ id: uuidv7(), name: 'Amoxicillin' }],
  }
  expect(await pushEvent(medicine)).toEqual({ rows: 1, conflicts: 0, refused: 0 })
  expect(await requested()).toEqual([{ key: 'check_medicines' }])
})

test('new rows are looked up in one statement for all tables, what decides about them in one for each', async ({
  asUser,
  make,
}) => {
  const me = asUser(await make.user({ role: 'admin' }))
  const { patient_id, id: visit_id } = await make.visit()
  const form = await make.eventForm()
  const common = {
    metadata: '{}',
    is_deleted: false,
    deleted_at: null,
    created_at: Date.now(),
    updated_at: Date.now(),
  }
  const author = { patient_id, visit_id, recorded_by_user_id: me.actor.userId }
  const event = { form_id: form.id, event_type: 'Consultation', form_data: '[]' }
  const created = (row: object) => ({
    created: [{ id: uuidv7(), ...author, ...common, ...row }],
    updated: [],
    deleted: [],
  })
  const { ctx, statements } = recording(me)
  const outcome = await push(ctx, 0, {
    events: created(event),
    patient_vitals: created({ timestamp: Date.now(), heart_rate: 70 }),
  })
  expect(outcome).toEqual({ rows: 2, conflicts: 0, refused: 0 })
  const reads = (table: string) =>
    statements.filter((text) =>
      new RegExp(`^(/\\* kept \\*/)?\\s*select .*from "?${table}"?\\s`, 's').test(text),
    )
  expect(reads('events')).toEqual(reads('patient_vitals'))
  expect(reads('events')).toHaveLength(1)
  expect(reads('patients')).toHaveLength(3)
  expect(reads('patients')).toEqual(reads('visits'))
  expect(reads('sync_quarantine')).toHaveLength(1)
})

test('a small push takes savepoints only once the database has refused a row of it', async ({
  db,
  asUser,
  make,
}) => {
  const me = asUser(await make.user({ role: 'admin' }))
  const { patient_id, id: visit_id } = await make.visit()
  const problem = (code_system: string) => ({
    id: uuidv7(),
    patient_id,
    visit_id,
    problem_code_system: code_system,
    problem_code: 'x',
    problem_label: 'x',
    clinical_status: 'active',
    verification_status: 'confirmed',
    metadata: '{}',
    is_deleted: false,
    deleted_at: null,
    created_at: Date.now(),
    updated_at: Date.now(),
  })
  const pushOf = async (...created: object[]) => {
    const { ctx, statements } = recording(me)
    const outcome = await push(ctx, 0, { patient_problems: { created, updated: [], deleted: [] } })
    return { outcome, savepoints: statements.filter((text) => text === 'savepoint bisect').length }
  }
  expect(await pushOf(problem('icd10'), problem('icd10'))).toEqual({
    outcome: { rows: 2, conflicts: 0, refused: 0 },
    savepoints: 0,
  })

  const good = problem('icd10')
  const bad = problem('icd99')
  // for both rows, then for each
  expect(await pushOf(good, bad)).toEqual({
    outcome: { rows: 2, conflicts: 0, refused: 1 },
    savepoints: 3,
  })
  const stored = await db
    .selectFrom('patient_problems')
    .select('id')
    .where('id', 'in', [good.id, bad.id])
    .execute()
  expect(stored).toEqual([{ id: good.id }])
  const mine = await sql<object>`
    select (select jsonb_agg(jsonb_build_array(row_id, reason)) from sync_quarantine
        where user_id = ${me.actor.userId}) as waiting,
      (select jsonb_agg(jsonb_build_array(rows, refused) order by id) from sync_pushes
        where user_id = ${me.actor.userId}) as pushes`.execute(db)
  expect(mine.rows[0]).toEqual({
    waiting: [[bad.id, 'sync.reason_rule']],
    pushes: [
      [2, 0],
      [2, 1],
    ],
  })
})

test('a phone’s arrival is routine and never refused; its edits leave the urgency and the language', async ({
  asUser,
  make,
  db,
}) => {
  const clinic = await make.clinic()
  const me = asUser(await make.user({ role: 'provider', clinic_id: clinic.id }), {
    [clinic.id]: ['can_register_patients', 'can_edit_records', 'can_view_history'],
  })
  const patient = await make.patient({ primary_clinic_id: clinic.id, language: 'ar' })
  const at = Date.now()
  const common = { metadata: '{}', is_deleted: false, deleted_at: null, created_at: at }
  const appointment = {
    id: uuidv7(),
    patient_id: patient.id,
    clinic_id: clinic.id,
    provider_id: null,
    user_id: me.actor.userId,
    current_visit_id: '',
    fulfilled_visit_id: null,
    timestamp: at,
    duration: 30,
    reason: 'checkup',
    notes: '',
    is_walk_in: true,
    departments: '[]',
    status: 'checked_in',
    ...common,
    updated_at: at,
  }
  const nothing = { created: [], updated: [], deleted: [] }
  const done = { conflicts: 0, refused: 0 }
  expect(await push(me, 0, { appointments: { ...nothing, created: [appointment] } })).toMatchObject(
    done,
  )
  const stored = () =>
    db
      .selectFrom('appointments')
      .select(['urgency', 'notes'])
      .where('id', '=', appointment.id)
      .executeTakeFirst()
  expect(await stored()).toEqual({ urgency: 'routine', notes: '' })
  await db
    .updateTable('appointments')
    .set({ urgency: 'emergency' })
    .where('id', '=', appointment.id)
    .execute()
  const change = { _status: 'updated', _changed: 'notes,updated_at', updated_at: at + 1000 }
  const edited = { ...appointment, ...change, notes: 'by phone' }
  await push(me, 0, { appointments: { ...nothing, updated: [edited] } })
  expect(await stored()).toEqual({ urgency: 'emergency', notes: 'by phone' })
  await push(me, 0, {
    patients: {
      ...nothing,
      updated: [
        {
          id: patient.id,
          given_name: 'Layla',
          surname: 'Saab',
          date_of_birth: '1990-05-17',
          sex: 'female',
          primary_clinic_id: clinic.id,
          ...common,
          updated_at: at + 1000,
        },
      ],
    },
  })
  expect(
    await db
      .selectFrom('patients')
      .select('language')
      .where('id', '=', patient.id)
      .executeTakeFirst(),
  ).toEqual({ language: 'ar' })
})
