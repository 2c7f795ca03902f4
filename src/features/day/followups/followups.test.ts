// One clinic with its programs serves every test of follow-up: longer than most files.
import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { DB } from '~/db/types'
import { mergePatients, unmergePatients } from '~/features/people/patients/duplicates/merge.server'
import { savePatient, getPatient } from '~/features/people/patients/patients.server'
import {
  endEnrollment,
  enrollInProgram,
  programsOfPatient,
  saveEnrollment,
  setDeath,
} from '~/features/care/programs/programs.server'
import { settleFollowUps } from '~/features/care/programs/stale.server'
import { addDays, clinicTimeZone, momentAt, clinicToday } from '~/shared/zone'
import type { Context } from '~/server/operation'
import type { Permission } from '~/shared/permissions'
import { auditOf, brokenRule, test as base } from '../../../../test/harness'
import { counterCall, recordCall } from './calls.server'
import {
  calledFollowUps,
  countFollowUps,
  followUpsOfPatient,
  listFollowUps,
} from './followups.server'
import { listSchedules, saveSchedule } from './schedules.server'

const nurse: Permission[] = ['can_view_history', 'can_edit_records']
const on = (day: string, time = '09:00') => new Date(`${day}T${time}:00Z`)
const ago = (days: number) => addDays(clinicToday(), -days)

const test = base
  .extend('clinic', async ({ make }) => await make.clinic())
  .extend('me', async ({ make, asUser, clinic }) =>
    asUser(await make.user(), { [clinic.id]: nurse }),
  )

const idsOf = async (ctx: Context, input: object = {}) =>
  (await listFollowUps(ctx, input)).rows.map(({ patient_id }) => patient_id)
const call = (patient_id: string, more: object = {}) => ({
  id: uuidv7(),
  patient_id,
  program: 'hypertension',
  result: 'remind_to_call_later' as const,
  ...more,
})
/** A visit with a blood pressure. */
async function visited(
  make: { visit: Function; vital: Function },
  patient_id: string,
  clinic_id: string,
  day: string,
  pressure: [number, number] = [150, 95],
) {
  const visit = await make.visit({ patient_id, clinic_id, check_in_timestamp: on(day) })
  await make.vital({
    patient_id,
    visit_id: visit.id,
    timestamp: on(day),
    systolic_bp: pressure[0],
    diastolic_bp: pressure[1],
  })
}

describe('the overdue list', () => {
  test('shows high risk first, then an agreed day that passed, then the fewest days', async ({
    make,
    me,
    clinic,
  }) => {
    const of = async (days: number) =>
      (await make.enrollment({ clinic_id: clinic.id, enrolled_on: ago(days) })).patient_id
    const [long, short, agreed, risk, soon] = [
      await of(90),
      await of(40),
      await of(80),
      await of(100),
      await of(25),
    ]
    await visited(make, risk, clinic.id, ago(70), [185, 90])
    await make.followUpCall({
      patient_id: agreed,
      clinic_id: clinic.id,
      called_at: on(ago(5)),
      result: 'agreed_to_visit',
      remind_on: null,
      agreed_on: ago(1),
    })
    expect(await idsOf(me)).toEqual([risk, agreed, short, long])
    expect(await idsOf(me, { list: 'due' })).toEqual([soon])
    expect(await idsOf(me, { highRisk: true })).toEqual([risk])
    expect(await idsOf(me, { result: 'none' })).toEqual([risk, short, long])
    expect(await idsOf(me, { result: 'agreed_to_visit' })).toEqual([agreed])
    expect(await idsOf(me, { phone: 'yes' })).toEqual([])
    expect(await idsOf(me, { program: 'diabetes' })).toEqual([])
    expect(await countFollowUps(me, {})).toEqual({ count: 4 })
    expect((await listFollowUps(me, {})).rows[0]).toMatchObject({
      program: 'hypertension',
      due_on: ago(40),
      care: { is_high_risk: true, pressure: '185/90', last_visit_on: ago(70), steps: ['visit'] },
    })
  })

  test('goes on where a page ends, without a patient twice', async ({ make, me, clinic, db }) => {
    const wanted: string[] = []
    for (let days = 40; days < 100; days += 1)
      wanted.push(
        (await make.enrollment({ clinic_id: clinic.id, enrolled_on: ago(days) })).patient_id,
      )
    await db
      .updateTable('patients')
      .set({ phone: '٠٩٤٤ ١٢٣ ٤٥٦' })
      .where('id', '=', wanted[3]!)
      .execute()
    const first = await listFollowUps(me, {})
    const second = await listFollowUps(me, { after: first.next })
    expect([...first.rows, ...second.rows].map(({ patient_id }) => patient_id)).toEqual(wanted)
    expect(second.next).toBeNull()
    expect(await idsOf(me, { phone: 'yes' })).toEqual([wanted[3]])
  })

  test('has one row for a patient of several programs, with all of them, and counts the patient once', async ({
    make,
    me,
    asUser,
    clinic,
  }) => {
    const enrolled = (program: string, days: number, patient_id?: string) =>
      make.enrollment({ clinic_id: clinic.id, program, enrolled_on: ago(days), patient_id })
    const { patient_id } = await enrolled('hypertension', 150)
    await enrolled('diabetes', 140, patient_id)
    await enrolled('hiv', 130, patient_id)
    const other = (await enrolled('hypertension', 300)).patient_id
    const { rows, next } = await listFollowUps(me, {})
    expect(rows.map((row) => row.patient_id)).toEqual([patient_id, other])
    const programs = [rows[0]!, ...rows[0]!.others].map(({ program }) => program)
    expect([programs.toSorted(), rows[1]!.others, next]).toEqual([
      ['diabetes', 'hiv', 'hypertension'],
      [],
      null,
    ])
    expect(rows[0]!.others[0]).toMatchObject({ care: { steps: ['visit'], clinic: clinic.name } })
    expect(await countFollowUps(me, {})).toEqual({ count: 2 })
    // narrowed to one program, the row begins with it and still has the others
    for (const program of programs)
      expect((await listFollowUps(me, { program })).rows[0]).toMatchObject({
        patient_id,
        program,
        others: [{}, {}],
      })
    // the desk learns of no other program
    const desk = asUser(await make.user({ role: 'registrar' }), {
      [clinic.id]: ['can_register_patients'],
    })
    const [row] = (await listFollowUps(desk, {})).rows
    expect(row).toMatchObject({ patient_id, care: null, others: [] })
  })

  test('lists HIV and mental health only to users who read the history', async ({
    make,
    me,
    asUser,
    clinic,
  }) => {
    const of = async (program: string) =>
      (await make.enrollment({ clinic_id: clinic.id, program, enrolled_on: ago(150) })).patient_id
    const [hiv, mind, lungs] = [await of('hiv'), await of('mental-health'), await of('asthma-copd')]
    expect((await idsOf(me)).toSorted()).toEqual([hiv, mind, lungs].toSorted())
    const desk = asUser(await make.user({ role: 'registrar' }), {
      [clinic.id]: ['can_register_patients'],
    })
    expect(await idsOf(desk)).toEqual([lungs])
    expect(await idsOf(desk, { program: 'hiv' })).toEqual([])
    expect(await countFollowUps(desk, {})).toEqual({ count: 1 })
    await expect(recordCall(desk, { ...call(hiv), program: 'hiv' })).rejects.toMatchObject({
      code: 'conflict',
    })
  })

  test('shows other clinics nothing, and the desk the name, the phone and the date', async ({
    make,
    asUser,
    clinic,
  }) => {
    const { patient_id } = await make.enrollment({ clinic_id: clinic.id })
    const other = await make.clinic()
    expect(await idsOf(asUser(await make.user(), { [other.id]: nurse }))).toEqual([])
    const desk = asUser(await make.user({ role: 'registrar' }), {
      [clinic.id]: ['can_register_patients'],
    })
    const { rows } = await listFollowUps(desk, {})
    expect(rows).toMatchObject([{ patient_id, surname: expect.any(String), care: null }])
    await expect(followUpsOfPatient(desk, { patientId: patient_id })).rejects.toMatchObject({
      code: 'forbidden',
    })
    const nobody = asUser(await make.user(), { [clinic.id]: ['can_dispense_medications'] })
    await expect(listFollowUps(nobody, {})).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('a call', () => {
  test('with a reminder, an agreed day or a removal takes the patient off the list', async ({
    make,
    me,
    clinic,
    db,
  }) => {
    const patients = await Promise.all(
      [40, 41, 42].map(() => make.enrollment({ clinic_id: clinic.id })),
    )
    const [later, agreed, removed] = patients.map(({ patient_id }) => patient_id)
    await recordCall(me, call(later!, { no_answer: true }))
    await recordCall(
      me,
      call(agreed!, { result: 'agreed_to_visit', agreed_on: addDays(clinicToday(), 3) }),
    )
    await recordCall(
      me,
      call(removed!, { result: 'removed_from_overdue_list', reason: 'wrong_number' }),
    )
    expect(await idsOf(me)).toEqual([])
    const items = await db
      .selectFrom('follow_up_items')
      .select(['patient_id', 'status', 'hidden_until'])
      .where('patient_id', 'in', [later!, agreed!, removed!])
      .execute()
    const of = (id?: string) => items.find(({ patient_id }) => patient_id === id)
    expect(of(later)).toMatchObject({ status: 'open', hidden_until: addDays(clinicToday(), 7) })
    expect(of(agreed)).toMatchObject({ status: 'open', hidden_until: addDays(clinicToday(), 4) })
    expect(of(removed)).toMatchObject({ status: 'removed', hidden_until: null })
    await expect(recordCall(me, call(later!))).rejects.toMatchObject({
      code: 'conflict',
      text: { key: 'followups.notListed' },
    })
  })

  test.for([
    [{ result: 'agreed_to_visit' }, 'agreed_on', 'validation.required'],
    [{ result: 'agreed_to_visit', agreed_on: '2020-01-01' }, 'agreed_on', 'followups.beforeCall'],
    [{ remind_on: '2020-01-01' }, 'remind_on', 'followups.afterCall'],
    // years away: the patient would leave the list for as long
    [{ remind_on: '2999-01-01' }, 'remind_on', 'dates.appointmentImpossible'],
    [
      { remind_on: '2999-01-01', called_at: on(ago(1)) },
      'remind_on',
      'dates.appointmentImpossible',
    ],
    [
      { result: 'agreed_to_visit', agreed_on: ago(-400), confirmed: [] },
      'agreed_on',
      'dates.farAhead',
    ],
    [{ result: 'removed_from_overdue_list' }, 'reason', 'validation.required'],
    [{ result: 'removed_from_overdue_list', reason: 'died' }, 'died_on', 'validation.required'],
    [{ called_at: '2999-01-01T00:00:00Z' }, 'called_at', 'validation.wrongType'],
  ] as const)('%j is refused at %s', async ([more, field, key], { make, me, clinic }) => {
    const { patient_id } = await make.enrollment({ clinic_id: clinic.id })
    await expect(recordCall(me, call(patient_id, more) as never)).rejects.toMatchObject({
      code: 'invalid',
      fields: { [field]: { key } },
    })
  })

  test('sent again with another program, after its answer was lost, is recorded for that one too', async ({
    make,
    me,
    clinic,
    db,
  }) => {
    const { patient_id } = await make.enrollment({ clinic_id: clinic.id, enrolled_on: ago(90) })
    const enrolled_on = ago(150)
    await make.enrollment({ clinic_id: clinic.id, program: 'diabetes', enrolled_on, patient_id })
    const given = call(patient_id, { result: 'agreed_to_visit', agreed_on: ago(-3) })
    await recordCall(me, given)
    const also = [{ id: uuidv7(), program: 'diabetes' }]
    await recordCall(me, { ...given, also })
    const calls = await db
      .selectFrom('follow_up_calls')
      .select(['id', 'program'])
      .where('patient_id', '=', patient_id)
      .orderBy('program', 'desc')
      .execute()
    expect(calls).toEqual([
      { id: given.id, program: 'hypertension' },
      { id: also[0]!.id, program: 'diabetes' },
    ])
  })

  test('about several programs takes the patient off the list for each, and is in the trail of each', async ({
    make,
    me,
    clinic,
    db,
  }) => {
    const { patient_id } = await make.enrollment({ clinic_id: clinic.id, enrolled_on: ago(90) })
    const enrolled_on = ago(150)
    await make.enrollment({ clinic_id: clinic.id, program: 'diabetes', enrolled_on, patient_id })
    await make.enrollment({ clinic_id: clinic.id, program: 'asthma-copd', enrolled_on, patient_id })
    const also = [{ id: uuidv7(), program: 'diabetes' }]
    const twice = [...also, { id: uuidv7(), program: 'hypertension' }]
    await expect(recordCall(me, call(patient_id, { also: twice }))).rejects.toMatchObject({
      fields: { also: { key: 'validation.option' } },
    })
    const notListed = [...also, { id: uuidv7(), program: 'tuberculosis' }]
    await expect(recordCall(me, call(patient_id, { also: notListed }))).rejects.toMatchObject({
      code: 'conflict',
    })
    expect((await listFollowUps(me, {})).rows[0]?.others).toHaveLength(2)
    const given = call(patient_id, {
      also,
      result: 'agreed_to_visit',
      agreed_on: ago(-3),
    })
    await recordCall(me, given)
    // an answer that was lost, and the same request again
    await recordCall(me, given)
    expect((await listFollowUps(me, {})).rows).toMatchObject([
      { patient_id, program: 'asthma-copd', others: [] },
    ])
    const calls = await db
      .selectFrom('follow_up_calls')
      .select(['id', 'program', 'result'])
      .where('patient_id', '=', patient_id)
      .orderBy('program', 'desc')
      .execute()
    const result = 'agreed_to_visit'
    expect(calls).toEqual([
      { id: given.id, program: 'hypertension', result },
      { id: also[0]!.id, program: 'diabetes', result },
    ])
    for (const { id } of calls) expect(await auditOf(db, id)).toHaveLength(1)
  })

  test('books the agreed day, which becomes the date', async ({ make, me, clinic }) => {
    const { patient_id } = await make.enrollment({ clinic_id: clinic.id })
    const day = addDays(clinicToday(), 5)
    const appointment = { id: uuidv7(), time: '10:30' }
    await recordCall(
      me,
      call(patient_id, { result: 'agreed_to_visit', agreed_on: day, appointment }),
    )
    const { items } = await followUpsOfPatient(me, { patientId: patient_id })
    expect(items).toMatchObject([{ status: 'open', due_on: day, appointment_id: appointment.id }])
    expect(await idsOf(me, { list: 'due' })).toEqual([patient_id])
  })

  test('asks before it books a time at which the patient has another appointment', async ({
    make,
    me,
    clinic,
    db,
  }) => {
    // the appointment that was made last was missed, an older one is to come
    const { patient_id } = await make.enrollment({ clinic_id: clinic.id })
    const agreed_on = addDays(clinicToday(), 5)
    const given = call(patient_id, {
      result: 'agreed_to_visit',
      agreed_on,
      appointment: { id: uuidv7(), time: '10:30' },
    })
    const timestamp = momentAt(`${agreed_on}T10:15`, clinicTimeZone())!
    const elsewhere = await make.clinic()
    const theirs = { patient_id, clinic_id: elsewhere.id, duration: 30 }
    const at = (day: string) => momentAt(`${day}T09:00`, clinicTimeZone())!
    await make.appointment({ ...theirs, timestamp, created_at: at(ago(40)) })
    await make.appointment({ ...theirs, timestamp: at(ago(35)), created_at: at(ago(38)) })
    await expect(recordCall(me, { ...given, confirmed: [] })).rejects.toMatchObject({
      text: { key: 'asked.against_record' },
      fields: { time: { key: 'appointments.takenAt', values: { count: 1 } } },
    })
    const { appointment_id } = await recordCall(me, { ...given, confirmed: ['against_record'] })
    const booked = await db
      .selectFrom('appointments')
      .select('id')
      .where('patient_id', '=', patient_id)
      .where('clinic_id', '=', clinic.id)
      .execute()
    expect(booked).toEqual([{ id: appointment_id }])
  })

  test('that says that the patient died needs the right to edit records, and ends all programs', async ({
    make,
    me,
    asUser,
    clinic,
  }) => {
    const { patient_id } = await make.enrollment({ clinic_id: clinic.id })
    await make.enrollment({ patient_id, clinic_id: clinic.id, program: 'diabetes' })
    const died = { result: 'removed_from_overdue_list', reason: 'died', died_on: ago(3) } as const
    const desk = asUser(await make.user({ role: 'registrar' }), {
      [clinic.id]: ['can_register_patients'],
    })
    const other = await make.enrollment({ clinic_id: clinic.id })
    await expect(recordCall(desk, call(other.patient_id, died))).rejects.toMatchObject({
      code: 'forbidden',
    })
    await recordCall(me, call(patient_id, died))
    const rows = await programsOfPatient(me, { patientId: patient_id })
    expect(rows).toMatchObject([
      { ended_on: ago(3), end_reason: 'died' },
      { ended_on: ago(3), end_reason: 'died' },
    ])
    expect((await getPatient(me, { id: patient_id })).patient.died_on).toBe(ago(3))
  })

  test('is never changed; taken back once, it counts no more and the patient is listed again', async ({
    make,
    me,
    clinic,
    db,
  }) => {
    const { patient_id } = await make.enrollment({ clinic_id: clinic.id })
    const made = call(patient_id, { result: 'removed_from_overdue_list', reason: 'refused' })
    await recordCall(me, made)
    // a repeated request records nothing more
    await recordCall(me, made)
    expect(await idsOf(me)).toEqual([])
    expect((await calledFollowUps(me, {})).rows).toMatchObject([{ id: made.id }])
    const counter = { id: uuidv7(), call_id: made.id }
    await counterCall(me, counter)
    await counterCall(me, counter)
    expect(await idsOf(me)).toEqual([patient_id])
    expect((await calledFollowUps(me, {})).rows).toEqual([])
    await expect(counterCall(me, { id: uuidv7(), call_id: made.id })).rejects.toMatchObject({
      code: 'conflict',
    })
    const entries = await db
      .selectFrom('audit_log')
      .select(['action', 'patient_id', 'record_id', 'changes'])
      .where('table_name', '=', 'follow_up_calls')
      .orderBy('id')
      .execute()
    expect(entries).toMatchObject(
      (
        [
          ['followups.call', [null, made.result]],
          ['followups.counter', [made.result, null]],
        ] as const
      ).map(([action, result]) => ({
        action,
        patient_id,
        record_id: made.id,
        changes: { result },
      })),
    )
    for (const statement of [
      db.updateTable('follow_up_calls').set({ notes: 'x' }),
      db.deleteFrom('follow_up_calls'),
    ]) {
      await sql`savepoint refused`.execute(db)
      await expect(statement.execute()).rejects.toThrow(/permission denied|never changed|append/)
      await sql`rollback to savepoint refused`.execute(db)
    }
  })

  test.for([
    [0, true],
    [1, true],
    [15, true],
    [16, false],
  ] as const)(
    'a visit on day %i after the first call is a return: %s',
    async ([day, isReturn], { make, me, clinic }) => {
      const { patient_id } = await make.enrollment({ clinic_id: clinic.id, enrolled_on: ago(80) })
      // on the last day of a month, and on the first of the next
      const first = '2026-08-31' < ago(20) ? ago(20) : '2026-08-31'
      await recordCall(me, call(patient_id, { called_at: on(first) }))
      await recordCall(me, call(patient_id, { called_at: on(addDays(first, 1)) }))
      await visited(make, patient_id, clinic.id, addDays(first, day))
      const { rows } = await calledFollowUps(me, { month: first.slice(0, 7) })
      const counted = rows.filter(({ counts }) => counts)
      expect(counted).toMatchObject([
        { patient_id, returned_on: isReturn ? addDays(first, day) : null },
      ])
    },
  )

  test('of another user is offered for reversal to users who edit records', async ({
    make,
    me,
    clinic,
    asUser,
  }) => {
    const reader = asUser(await make.user(), { [clinic.id]: ['can_view_history'] })
    const { patient_id } = await make.enrollment({ clinic_id: clinic.id })
    const made = call(patient_id)
    await recordCall(me, made)
    const offered = async (who: Context) =>
      (await calledFollowUps(who, {})).rows.map(({ mayReverse }) => mayReverse)
    expect(await offered(me)).toEqual([true])
    expect(await offered(reader)).toEqual([false])
    const counter = { id: uuidv7(), call_id: made.id }
    await expect(counterCall(reader, counter)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('of a month is listed also after the first, which alone counts, and can be reversed', async ({
    make,
    me,
    clinic,
  }) => {
    const { patient_id } = await make.enrollment({
      clinic_id: clinic.id,
      enrolled_on: '2026-01-01',
    })
    const [first, later] = [
      call(patient_id, { called_at: on('2026-08-30') }),
      call(patient_id, { called_at: on('2026-08-31') }),
    ]
    await recordCall(me, first)
    await recordCall(me, later)
    await visited(make, patient_id, clinic.id, '2026-08-31')
    const listed = async () =>
      (await calledFollowUps(me, { month: '2026-08' })).rows.map(({ id, counts, returned_on }) => ({
        id,
        counts,
        returned_on,
      }))
    const counted = { counts: true, returned_on: '2026-08-31' }
    expect(await listed()).toEqual([
      { id: later.id, counts: false, returned_on: null },
      { id: first.id, ...counted },
    ])
    await counterCall(me, { id: uuidv7(), call_id: first.id })
    expect(await listed()).toEqual([{ id: later.id, ...counted }])
    await counterCall(me, { id: uuidv7(), call_id: later.id })
    expect(await listed()).toEqual([])
  })

  test('of a month is counted in that month, to its last minute where the clinic is', async ({
    make,
    me,
    clinic,
  }) => {
    const { patient_id } = await make.enrollment({
      clinic_id: clinic.id,
      enrolled_on: '2026-01-01',
    })
    await make.followUpCall({
      patient_id,
      clinic_id: clinic.id,
      called_at: new Date('2026-02-28T23:59:00Z'),
    })
    await make.followUpCall({
      patient_id,
      clinic_id: clinic.id,
      called_at: new Date('2026-03-01T00:00:00Z'),
    })
    const months = ['2026-01', '2026-02', '2026-03', '2026-04'].map(async (month) =>
      (await calledFollowUps(me, { month })).rows.map(({ called_at }) => called_at.toISOString()),
    )
    expect(await Promise.all(months)).toEqual([
      [],
      ['2026-02-28T23:59:00.000Z'],
      ['2026-03-01T00:00:00.000Z'],
      [],
    ])
  })
})

describe('an enrolment by hand', () => {
  const given = (patient_id: string, clinic_id: string) => ({
    id: uuidv7(),
    patient_id,
    program: 'diabetes',
    clinic_id,
    enrolled_on: '2026-03-01',
  })

  test('ends by an outcome of its program; one of another program is refused beside the field', async ({
    make,
    me,
    clinic,
    db,
  }) => {
    const { patient_id } = await make.visit({ clinic_id: clinic.id })
    const of = (program: string) =>
      enrollInProgram(me, { ...given(patient_id, clinic.id), program })
    const [tb, htn] = [await of('tuberculosis'), await of('hypertension')]
    const ended = { ended_on: '2026-04-01', end_reason: 'failed' as const }
    await expect(endEnrollment(me, { id: htn.id, ...ended })).rejects.toMatchObject({
      fields: { end_reason: { key: 'programs.otherOutcome' } },
    })
    await endEnrollment(me, { id: tb.id, ...ended })
    // what was accepted before still is
    await endEnrollment(me, { id: htn.id, ended_on: '2026-04-01', end_reason: 'moved' })
    const rows = await db
      .selectFrom('program_enrollments')
      .select(['program', 'end_reason'])
      .where('patient_id', '=', patient_id)
      .orderBy('program')
      .execute()
    expect(rows).toEqual([
      { program: 'hypertension', end_reason: 'moved' },
      { program: 'tuberculosis', end_reason: 'failed' },
    ])
    const stale = await saveEnrollment(me, {
      id: htn.id,
      last_modified: (await programsOfPatient(me, { patientId: patient_id })).find(
        ({ id }) => id === htn.id,
      )!.last_modified,
      patient_id,
      clinic_id: clinic.id,
      enrolled_on: '2026-03-01',
      ...ended,
    }).catch((error: unknown) => error)
    expect(stale).toMatchObject({ fields: { end_reason: { key: 'programs.otherOutcome' } } })
  })

  test('is recorded, corrected, ended and opened again', async ({ make, me, clinic, db }) => {
    const { patient_id } = await make.visit({ clinic_id: clinic.id })
    const other = await make.clinic()
    const saved = await enrollInProgram(me, given(patient_id, clinic.id))
    const read = async () => (await programsOfPatient(me, { patientId: patient_id }))[0]!
    expect(await read()).toMatchObject({ enrolled_on: '2026-03-01', is_by_record: false })
    const change = async (more: object) => {
      const { id, last_modified, enrolled_on, clinic_id } = await read()
      return saveEnrollment(me, { id, last_modified, patient_id, enrolled_on, clinic_id, ...more })
    }
    await change({ enrolled_on: '2026-02-01', review_days: 60 })
    expect(await read()).toMatchObject({ enrolled_on: '2026-02-01', review_days: 60 })
    await expect(change({ clinic_id: other.id })).rejects.toMatchObject({ code: 'forbidden' })
    await endEnrollment(me, { id: saved.id, ended_on: '2026-04-01', end_reason: 'moved' })
    expect(await read()).toMatchObject({ ended_on: '2026-04-01', end_reason: 'moved' })
    await expect(
      endEnrollment(me, { id: saved.id, ended_on: '2026-05-01', end_reason: 'moved' }),
    ).rejects.toMatchObject({ code: 'conflict' })
    await change({ ended_on: null })
    expect(await read()).toMatchObject({ ended_on: null, end_reason: null })
    expect((await auditOf(db, saved.id)).map(({ action }) => action)).toEqual([
      'programs.enroll',
      'programs.save',
      'programs.end',
      'programs.save',
    ])
  })

  test.for([
    [{ enrolled_on: '2999-01-01' }, 'enrolled_on', 'validation.inFuture'],
    [{ enrolled_on: '1980-01-01' }, 'enrolled_on', 'programs.beforeBirth'],
    [{ program: 'dentistry' }, 'program', 'validation.option'],
    [{ lmp: '2026-02-01' }, 'lmp', 'programs.onlyPregnancy'],
    [{ program: 'pregnancy', lmp: '2025-02-01' }, 'lmp', 'programs.lmpRange'],
  ] as const)('%j is refused at %s', async ([more, field, key], { make, me, clinic }) => {
    const { patient_id } = await make.visit({ clinic_id: clinic.id })
    await expect(
      enrollInProgram(me, { ...given(patient_id, clinic.id), ...more }),
    ).rejects.toMatchObject({ code: 'invalid', fields: { [field]: { key } } })
  })

  test('a second of the same time is refused, also by the database', async ({
    make,
    me,
    clinic,
    db,
  }) => {
    const { patient_id } = await make.visit({ clinic_id: clinic.id })
    await enrollInProgram(me, given(patient_id, clinic.id))
    await expect(
      enrollInProgram(me, { ...given(patient_id, clinic.id), enrolled_on: '2026-05-01' }),
    ).rejects.toMatchObject({ fields: { enrolled_on: { key: 'programs.overlaps' } } })
    const row = { ...given(patient_id, clinic.id), enrolled_on: '2026-05-01' }
    expect(await brokenRule(db, db.insertInto('program_enrollments').values(row))).toBe(
      'program_enrollments_open',
    )
  })

  test('a corrected day of an enrolment by a diagnosis stays when records change', async ({
    make,
    me,
    clinic,
  }) => {
    const visit = await make.visit({ clinic_id: clinic.id, check_in_timestamp: on('2026-03-01') })
    const { patient_id } = visit
    await make.problem({ patient_id, visit_id: visit.id })
    const [row] = await programsOfPatient(me, { patientId: patient_id })
    await saveEnrollment(me, {
      id: row!.id,
      last_modified: row!.last_modified,
      patient_id,
      clinic_id: clinic.id,
      enrolled_on: '2026-01-15',
    })
    await make.problem({ patient_id, created_at: on('2026-02-01') })
    expect(await programsOfPatient(me, { patientId: patient_id })).toMatchObject([
      { id: row!.id, enrolled_on: '2026-01-15' },
    ])
  })
})

test('a death is recorded by setDeath or in the editor, and taken back by both', async ({
  make,
  me,
  clinic,
}) => {
  const { patient_id } = await make.enrollment({ clinic_id: clinic.id })
  const ends = async () =>
    (await programsOfPatient(me, { patientId: patient_id })).map(({ end_reason }) => end_reason)
  await setDeath(me, { id: patient_id, died_on: ago(2) })
  expect(await ends()).toEqual(['died'])
  await setDeath(me, { id: patient_id, died_on: null })
  expect(await ends()).toEqual([null])
  const edit = async (died_on: string | null) => {
    const { patient } = await getPatient(me, { id: patient_id })
    await savePatient(me, { id: patient_id, last_modified: patient.last_modified, died_on })
  }
  await edit(ago(1))
  expect(await ends()).toEqual(['died'])
  await edit(null)
  expect(await ends()).toEqual([null])
  await expect(setDeath(me, { id: patient_id, died_on: '1980-01-01' })).rejects.toMatchObject({
    fields: { died_on: { key: 'patients.diedBeforeBirth' } },
  })
})

test('after a merge the calls, enrolments and dates are the winner’s, and go back', async ({
  make,
  me,
  as,
  clinic,
  db,
}) => {
  const root = as('super_admin')
  const winner = await make.patient({ primary_clinic_id: clinic.id })
  const { patient_id: loser } = await make.enrollment({ clinic_id: clinic.id })
  const made = call(loser)
  await recordCall(me, made)
  const { mergeId } = await mergePatients(root, {
    id: uuidv7(),
    winnerId: winner.id,
    loserId: loser,
  })
  expect((await followUpsOfPatient(me, { patientId: winner.id })).calls).toMatchObject([
    { id: made.id },
  ])
  expect((await calledFollowUps(me, {})).rows).toMatchObject([{ patient_id: winner.id }])
  expect(await programsOfPatient(me, { patientId: winner.id })).toHaveLength(1)
  await unmergePatients(root, { mergeId })
  await settleFollowUps({ db })
  expect((await followUpsOfPatient(me, { patientId: loser })).calls).toMatchObject([
    { id: made.id },
  ])
  expect(await programsOfPatient(me, { patientId: winner.id })).toEqual([])
})

test('a schedule is changed by an admin, and the dates follow', async ({
  make,
  me,
  as,
  clinic,
}) => {
  const { patient_id } = await make.enrollment({ clinic_id: clinic.id, enrolled_on: ago(40) })
  expect(await idsOf(me)).toEqual([patient_id])
  const root = as('admin')
  const read = async () =>
    (await listSchedules(root, {})).find(({ code }) => code === 'htn-review')!
  const save = async (more: object) =>
    saveSchedule(root, {
      code: 'htn-review',
      last_modified: (await read()).last_modified,
      due_before: 7,
      grace: 0,
      lost_months: 12,
      steps: { visit: 60 },
      ...more,
    })
  await save({})
  expect((await read()).steps).toMatchObject([{ days: 60 }])
  expect(await idsOf(me)).toEqual([])
  await save({ steps: { visit: 30 }, grace: 5 })
  expect(await idsOf(me)).toEqual([patient_id])
  await expect(save({ grace: 100 })).rejects.toMatchObject({ fields: { grace: {} } })
  await expect(listSchedules(me, {})).rejects.toMatchObject({ code: 'forbidden' })
})

test('of children’s doses has a version, boosters and HPV to choose; what is new counts from today', async ({
  as,
  db,
}) => {
  const root = as('super_admin')
  const read = async () => (await listSchedules(root, {})).find(({ code }) => code === 'epi')!
  // what the migration stores for an installation with patients
  await db
    .insertInto('follow_up_schedules')
    .values({ code: 'epi', program: 'child-immunization', body: '{"version": "2026-11"}' })
    .execute()
  const codes = async () => (await read()).steps.map(({ code }) => code)
  expect(await codes()).not.toContain('ipv-2')
  const save = async (more: object) =>
    saveSchedule(root, {
      code: 'epi',
      last_modified: (await read()).last_modified,
      due_before: 7,
      grace: 0,
      lost_months: null,
      steps: { 'mr-2': 18 },
      ...more,
    })
  // a program that knows no versions changes none
  await save({})
  expect(await read()).toMatchObject({ version: '2026-11', switched_on: {} })
  await save({ version: 'who-2023', boosters: true, hpv_doses: 1 })
  expect(await read()).toMatchObject({
    version: 'who-2023',
    switched_on: { version: clinicToday(), boosters: clinicToday(), hpv: clinicToday() },
    hpv_doses: 1,
  })
  expect(await codes()).toContain('ipv-2')
  expect((await read()).steps.find(({ code }) => code === 'mr-2')).toMatchObject({ months: 18 })
  await save({ boosters: false, hpv_doses: 0 })
  expect((await read()).switched_on).toEqual({ version: clinicToday() })
  await expect(save({ version: '1999' })).rejects.toMatchObject({ fields: { version: {} } })
})

test('a rebuild from nothing gives the same rows', async ({ make, me, clinic, db }) => {
  const { patient_id } = await make.enrollment({ clinic_id: clinic.id, enrolled_on: ago(120) })
  await visited(make, patient_id, clinic.id, ago(85))
  await visited(make, patient_id, clinic.id, ago(50))
  await recordCall(me, call(patient_id))
  const read = (of: Kysely<DB>) =>
    of
      .selectFrom('follow_up_items')
      .select(['id', 'due_on', 'status', 'status_on', 'visit_id', 'hidden_until', 'is_lead'])
      .where('patient_id', '=', patient_id)
      .orderBy('due_on')
      .execute()
  const before = await read(db)
  expect(before).toHaveLength(3)
  await db.deleteFrom('follow_up_items').where('patient_id', '=', patient_id).execute()
  await db.insertInto('follow_up_stale').values({ patient_id }).execute()
  await settleFollowUps({ db })
  expect(await read(db)).toEqual(before)
})
