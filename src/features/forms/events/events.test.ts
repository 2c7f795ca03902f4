import { describe, expect } from 'vitest'
import { newId } from '~/shared/id'
import type { Permission } from '~/shared/permissions'
import { auditOf, test } from '../../../../test/harness'
import { recording } from '../../../../test/statements'
import type { makeFactories } from '../../../../test/factories'
import { setEditable } from '~/features/forms/event-forms/event-forms.server'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import { deleteVisit } from '~/features/record/visits/visits.server'
import { listTimeline } from '~/features/record/timeline/timeline.server'
import { loadFormMedicines } from '~/features/medicines/prescriptions/check/form-medicines.server'
import { saveEvent } from './event-answers.server'
import {
  deleteEvent,
  eventsOfVisits,
  getEvent,
  listEvents,
  listSnapshots,
  newEvent,
} from './events.server'

const treating: Permission[] = ['can_view_history', 'can_edit_records']
type Make = ReturnType<typeof makeFactories>

const option = (value: string, label: string) => ({ id: value, value, label })
const asked = (id: string, more: object = {}) => ({
  id,
  name: id,
  description: '',
  required: false,
  fieldType: 'free-text',
  inputType: 'text',
  length: 'short',
  ...more,
})
const fields = [
  asked('Complaint', { required: true }),
  asked('Weight', { inputType: 'number', rules: { limits: { min: 0.5, max: 300 } } }),
  asked('Smoker', {
    fieldType: 'binary',
    inputType: 'radio',
    options: [option('yes', 'Yes'), option('no', 'No')],
    length: undefined,
  }),
]

async function aVisit(make: Make, more: object = {}) {
  const visit = await make.visit({ check_in_timestamp: new Date('2026-03-01T09:00:00Z') })
  const form = await make.eventForm({ form_fields: JSON.stringify(fields), ...more })
  const event = { id: newId(), patient_id: visit.patient_id, visit_id: visit.id, form_id: form.id }
  return { visit, form, event }
}
const answers = (given: Record<string, unknown>) =>
  Object.entries(given).map(([fieldId, value]) => ({ fieldId, value }))

describe('a filled-in form', () => {
  test('is kept as phones write it, read in the reader’s language, corrected and kept in history', async ({
    make,
    asUser,
    db,
  }) => {
    const { visit, event, form } = await aVisit(make, {
      translations: JSON.stringify([
        {
          fieldId: 'Smoker',
          name: { ar: 'مدخن' },
          description: {},
          options: { yes: { ar: 'نعم' } },
        },
      ]),
    })
    const user = await make.user()
    const me = asUser(user, { [visit.clinic_id]: treating })
    const given = answers({ Complaint: ' Cough ', Weight: 71.5, Smoker: 'yes' })
    const first = await saveEvent(me, { ...event, answers: given })
    expect(await saveEvent(me, { ...event, answers: given })).toEqual(first)

    const row = await db
      .selectFrom('events')
      .selectAll()
      .where('id', '=', event.id)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      event_type: form.name,
      form_version: 1,
      recorded_by_user_id: user.id,
    })
    expect(row.form_data).toEqual([
      {
        fieldId: 'Complaint',
        name: 'Complaint',
        inputType: 'text',
        fieldType: 'free-text',
        value: 'Cough',
      },
      {
        fieldId: 'Weight',
        name: 'Weight',
        inputType: 'number',
        fieldType: 'free-text',
        value: '71.5',
      },
      { fieldId: 'Smoker', name: 'Smoker', inputType: 'radio', fieldType: 'binary', value: 'yes' },
    ])

    const second = await saveEvent(me, {
      ...event,
      last_modified: first.last_modified,
      answers: answers({ Weight: null, Smoker: 'no' }),
    })
    // the answer to that request was lost, and it comes again
    expect(
      await saveEvent(me, {
        ...event,
        last_modified: first.last_modified,
        answers: answers({ Weight: null, Smoker: 'no' }),
      }),
    ).toEqual(second)
    const arabic = { ...me, actor: { ...me.actor, language: 'ar' as const } }
    expect(await getEvent(arabic, { id: event.id })).toMatchObject({
      answers: { Complaint: 'Cough', Smoker: 'no' },
      fields: [{ name: 'Complaint' }, { name: 'مدخن' }],
      recorded_by: user.name,
      mayChange: true,
      mayDelete: false,
    })
    expect((await auditOf(db, event.id)).map(({ action }) => action)).toEqual([
      'events.save',
      'events.save',
    ])
  })

  test('is refused when nothing was answered at all, though nothing had to be', async ({
    make,
    asUser,
  }) => {
    const { event } = await aVisit(make)
    const admin = asUser(await make.user({ role: 'admin' }))
    const base = {
      description: '',
      required: false,
      fieldType: 'free-text',
      inputType: 'text',
      length: 'short',
    }
    const { id: form_id } = await make.eventForm({
      form_fields: JSON.stringify([{ ...base, id: 'note', name: 'Note' }]),
    })
    const save = (given: { fieldId: string; value: unknown }[]) =>
      saveEvent(admin, { ...event, form_id, answers: given })
    const refused = { code: 'invalid', text: { key: 'events.nothingAnswered' } }
    await expect(save([])).rejects.toMatchObject(refused)
    await expect(save([{ fieldId: 'note', value: ' ' }])).rejects.toMatchObject(refused)
    await expect(save([{ fieldId: 'note', value: 'Cough' }])).resolves.toMatchObject({
      id: event.id,
    })
  })

  test('is refused with an error beside each question, and nothing is kept', async ({
    make,
    as,
    db,
  }) => {
    const { event } = await aVisit(make)
    const save = (given: Record<string, unknown>, more: object = {}) =>
      saveEvent(as('admin'), { ...event, answers: answers(given), ...more })
    await expect(save({ Weight: 0.1, Smoker: '<b>yes</b>' })).rejects.toMatchObject({
      fields: {
        Complaint: { key: 'validation.required' },
        Weight: { key: 'validation.tooSmall', values: { min: 0.5 } },
        Smoker: { key: 'validation.option' },
      },
    })
    await expect(save({ Complaint: 'Cough', Height: 170 })).rejects.toMatchObject({
      fields: { answers: { key: 'answers.unknown', values: { field: 'Height' } } },
    })
    await expect(
      saveEvent(as('admin'), {
        ...event,
        answers: [...answers({ Complaint: 'a' }), ...answers({ Complaint: 'b' })],
      }),
    ).rejects.toMatchObject({ fields: { Complaint: { key: 'answers.twice' } } })
    await expect(save(JSON.parse('{"__proto__": {"isAdmin": true}}'))).rejects.toMatchObject({
      fields: { answers: { key: 'answers.unknown' } },
    })
    await expect(save({ Complaint: 'x'.repeat(1_000_000) })).rejects.toMatchObject({
      fields: { Complaint: { key: 'validation.tooLong' } },
    })
    await expect(save({ Complaint: 'Cough' }, { visit_id: null })).rejects.toMatchObject({
      fields: { visit_id: { key: 'events.visitNeeded' } },
    })
    await expect(save({ Complaint: 'Cough' }, { form_id: newId() })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(save({ Complaint: 'Cough' }, { form_version: 7 })).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(await db.selectFrom('events').select('id').execute()).toEqual([])
  })

  test('is not overwritten by a save of an older version', async ({ make, asUser }) => {
    const { event, visit } = await aVisit(make)
    const everything: Permission[] = [...treating, 'can_edit_other_provider_event']
    const [one, other] = [await make.user({ name: 'Rana' }), await make.user()]
    const save = (user: typeof one, more: object, given: object) =>
      saveEvent(asUser(user, { [visit.clinic_id]: everything }), {
        ...event,
        ...more,
        answers: answers({ ...given }),
      })
    const { last_modified } = await save(one, {}, { Complaint: 'Cough' })
    await save(one, { last_modified }, { Complaint: 'Fever' })
    await expect(save(other, { last_modified }, { Complaint: 'Rash' })).rejects.toMatchObject({
      code: 'conflict',
      text: { key: 'errors.stale', values: { who: 'Rana' } },
      fields: {},
    })
  })

  test('keeps the version that it was given on, whatever becomes of the form', async ({
    make,
    asUser,
    db,
  }) => {
    const { event, form } = await aVisit(make)
    const admin = asUser(await make.user({ role: 'admin' }))
    const { last_modified } = await saveEvent(admin, {
      ...event,
      answers: answers({ Complaint: 'Cough', Weight: 70 }),
    })
    await db
      .updateTable('event_forms')
      .set({ form_fields: JSON.stringify([asked('Complaint')]), name: 'Renamed' })
      .where('id', '=', form.id)
      .execute()
    expect(await getEvent(admin, { id: event.id })).toMatchObject({
      title: form.name,
      form_version: 1,
      answers: { Weight: 70 },
      others: [],
    })
    // a user who opened the old version may still save and correct it
    await saveEvent(admin, { ...event, last_modified, answers: answers({ Weight: 71 }) })
    const late = {
      ...event,
      id: newId(),
      form_version: 1,
      answers: answers({ Complaint: 'Late', Weight: 72 }),
    }
    await saveEvent(admin, late)
    expect(await getEvent(admin, { id: late.id })).toMatchObject({
      form_version: 1,
      answers: { Weight: 72 },
    })
    await expect(
      saveEvent(admin, {
        ...event,
        id: newId(),
        answers: answers({ Complaint: 'New', Weight: 70 }),
      }),
    ).rejects.toMatchObject({ fields: { answers: { key: 'answers.unknown' } } })
  })

  test('of a phone is read, even of an unknown form; an unknown answer is shown by its own name', async ({
    make,
    as,
  }) => {
    const { form } = await aVisit(make)
    const known = await make.event({
      form_id: form.id,
      answers: { Complaint: 'Cough', Mood: 'Good', Weight: '٧٠' },
    })
    expect(await getEvent(as('admin'), { id: known.id })).toMatchObject({
      form_version: 1,
      answers: { Complaint: 'Cough', Weight: 70 },
      others: [{ name: 'Mood', value: 'Good' }],
    })
    const unknown = await make.event({
      form_id: null,
      event_type: 'Old form',
      answers: { Mood: 'Good' },
    })
    expect(await getEvent(as('admin'), { id: unknown.id })).toMatchObject({
      title: 'Old form',
      answers: {},
      others: [{ name: 'Mood', value: 'Good' }],
    })
  })
})

describe('who may do what with answers', () => {
  test('history is needed to read, and the records of the clinic to write', async ({
    make,
    as,
    asUser,
  }) => {
    const { event, visit } = await aVisit(make)
    const user = await make.user()
    const grants = (...held: Permission[]) => ({ [visit.clinic_id]: held })
    const save = (...held: Permission[]) =>
      saveEvent(asUser(user, grants(...held)), {
        ...event,
        id: newId(),
        answers: answers({ Complaint: 'Cough' }),
      })
    await expect(save('can_view_history')).rejects.toMatchObject({ code: 'forbidden' })
    await expect(save('can_edit_records')).rejects.toMatchObject({ code: 'not_found' })
    const { id } = await save(...treating)
    const registrar = as('registrar', grants('can_register_patients'))
    await expect(getEvent(registrar, { id })).rejects.toMatchObject({ code: 'forbidden' })
    await expect(listEvents(registrar, { patientId: visit.patient_id })).rejects.toMatchObject({
      code: 'forbidden',
    })
    const elsewhere = as('provider', { [(await make.clinic()).id]: treating })
    await expect(getEvent(elsewhere, { id })).rejects.toMatchObject({ code: 'not_found' })
    await expect(
      newEvent(elsewhere, { visitId: visit.id, formId: event.form_id }),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('of another user needs a separate right, and a form may forbid changes to its answers', async ({
    make,
    asUser,
    as,
  }) => {
    const { event, visit, form } = await aVisit(make)
    const [mine, other] = [await make.user(), await make.user()]
    const as_ = (user: typeof mine, ...more: Permission[]) =>
      asUser(user, { [visit.clinic_id]: [...treating, ...more] })
    const { last_modified } = await saveEvent(as_(mine), {
      ...event,
      answers: answers({ Complaint: 'Cough' }),
    })
    const change = { ...event, last_modified, answers: answers({ Complaint: 'Fever' }) }
    await expect(saveEvent(as_(other), change)).rejects.toMatchObject({
      code: 'forbidden',
      text: { key: 'events.ofAnotherUser' },
    })
    expect(await getEvent(as_(other), { id: event.id })).toMatchObject({ mayChange: false })
    const saved = await saveEvent(as_(other, 'can_edit_other_provider_event'), change)

    await setEditable(as('admin'), { id: form.id, on: false })
    await expect(
      saveEvent(as_(mine), {
        ...change,
        last_modified: saved.last_modified,
        answers: answers({ Complaint: 'Rash' }),
      }),
    ).rejects.toMatchObject({ code: 'conflict', text: { key: 'events.notEditable' } })
    expect(await getEvent(as_(mine), { id: event.id })).toMatchObject({ mayChange: false })
  })

  test('a form of another clinic is not filled in, and an event moves to no other visit', async ({
    make,
    asUser,
  }) => {
    const { event, visit, form } = await aVisit(make)
    const theirs = await make.eventForm({ clinic_ids: [(await make.clinic()).id] })
    const admin = asUser(await make.user({ role: 'admin' }))
    const refused = { code: 'conflict', text: { key: 'events.formOfOtherClinics' } }
    await expect(newEvent(admin, { visitId: visit.id, formId: theirs.id })).rejects.toMatchObject(
      refused,
    )
    await expect(
      saveEvent(admin, { ...event, form_id: theirs.id, answers: [] }),
    ).rejects.toMatchObject(refused)
    const { last_modified } = await saveEvent(admin, {
      ...event,
      answers: answers({ Complaint: 'Cough' }),
    })
    const second = await make.visit({ patient_id: visit.patient_id })
    await expect(
      saveEvent(admin, { ...event, last_modified, visit_id: second.id, answers: [] }),
    ).rejects.toMatchObject({ code: 'not_found' })
    expect(form.clinic_ids).toEqual([])
  })
})

describe('the answers of a patient', () => {
  test('are listed newest first, by form, and with their visits', async ({ make, as }) => {
    const { visit, form } = await aVisit(make)
    const of = { patient_id: visit.patient_id, visit_id: visit.id }
    const old = await make.event({ ...of, form_id: form.id, created_at: new Date('2026-01-01') })
    const recent = await make.event({
      ...of,
      created_at: new Date('2026-02-01'),
      answers: { Mood: 'Good' },
    })
    await make.event()
    const me = as('provider', { [visit.clinic_id]: ['can_view_history'] })
    const { rows, pagination } = await listEvents(me, { patientId: visit.patient_id })
    expect(rows.map(({ id }) => id)).toEqual([recent.id, old.id])
    expect(pagination.total).toBe(2)
    const filtered = await listEvents(me, { patientId: visit.patient_id, formId: form.id })
    expect(filtered.rows.map(({ id }) => id)).toEqual([old.id])
    expect((await eventsOfVisits(me.db, [visit.id], 'en')).map(({ id }) => id)).toEqual([
      old.id,
      recent.id,
    ])
  })

  test('to a form that describes the current status: the newest is shown, and the next one begins with it', async ({
    make,
    as,
  }) => {
    const { visit, form } = await aVisit(make, { is_snapshot_form: true })
    const of = { patient_id: visit.patient_id, visit_id: visit.id, form_id: form.id }
    await make.event({ ...of, created_at: new Date('2026-01-01'), answers: { Complaint: 'Old' } })
    const newest = await make.event({
      ...of,
      created_at: new Date('2026-02-01'),
      answers: { Complaint: 'New' },
    })
    await make.event({ ...of, form_id: undefined })
    const me = as('provider', { [visit.clinic_id]: treating })
    expect(await listSnapshots(me, { patientId: visit.patient_id })).toMatchObject([
      { id: newest.id },
    ])
    expect(await newEvent(me, { visitId: visit.id, formId: form.id })).toMatchObject({
      answers: { Complaint: 'New' },
      answeredAt: visit.check_in_timestamp,
      subject: { sex: 'female', birth: '1990-05-17', precision: 'day', day: '2026-03-01' },
      form_version: 1,
    })
  })

  test('count on the day of their visit, also if they were typed later from paper', async ({
    make,
    as,
  }) => {
    const patient = await make.patient()
    const clinic = await make.clinic()
    const form = await make.eventForm({
      form_fields: JSON.stringify([asked('Housing')]),
      is_snapshot_form: true,
    })
    const of = { patient_id: patient.id, form_id: form.id }
    const visitOn = (day: string) =>
      make.visit({
        patient_id: patient.id,
        clinic_id: clinic.id,
        check_in_timestamp: new Date(`${day}T09:00:00Z`),
      })
    const [october, november] = [await visitOn('2026-10-01'), await visitOn('2026-11-20')]
    const typed = (at: string) => new Date(`${at}T10:00:00Z`)
    const house = await make.event({
      ...of,
      visit_id: november.id,
      created_at: typed('2026-11-20'),
      answers: { Housing: 'House' },
    })
    const tent = await make.event({
      ...of,
      visit_id: october.id,
      created_at: typed('2026-11-28'),
      form_data: JSON.stringify([
        {
          fieldId: 'Housing',
          name: 'Housing',
          inputType: 'text',
          fieldType: 'medicine',
          value: [{ id: 'm', name: 'Tent' }],
        },
      ]),
    })
    const me = as('provider', { [clinic.id]: treating })
    const patientId = patient.id
    expect(await listSnapshots(me, { patientId })).toMatchObject([
      { id: house.id, happened_at: november.check_in_timestamp },
    ])
    const started = async (visitId: string) => {
      const start = await newEvent(me, { visitId, formId: form.id })
      return [start.answeredAt]
    }
    const today = await visitOn('2026-11-28')
    expect(await started(today.id)).toEqual([november.check_in_timestamp])
    // the paper of October does not begin with what was said in November
    expect(await started(october.id)).toEqual([october.check_in_timestamp])
    expect((await listEvents(me, { patientId })).rows.map(({ id }) => id)).toEqual([
      house.id,
      tent.id,
    ])
    const timeline = await listTimeline(me, { patientId })
    expect(timeline.rows.flatMap(({ event, at }) => (event ? [[event.id, at]] : []))).toEqual([
      // typed on the day of the visit: at its own time
      [house.id, house.created_at],
      [tent.id, october.check_in_timestamp],
    ])
    expect(await loadFormMedicines(me.db, patientId)).toMatchObject([
      { name: 'Tent', at: october.check_in_timestamp },
    ])
  })

  test('go to the trash with their files, and with their visit; undoing brings back exactly that', async ({
    make,
    as,
  }) => {
    const { visit } = await aVisit(make)
    const of = { patient_id: visit.patient_id, visit_id: visit.id }
    const [one, other] = [await make.event(of), await make.event(of)]
    await make.eventFile(one)
    const admin = as('admin')
    const left = async () =>
      (await listEvents(admin, { patientId: visit.patient_id })).rows.map(({ id }) => id)
    const { deletionId } = await deleteEvent(admin, { id: one.id })
    expect(await left()).toEqual([other.id])
    const second = await deleteVisit(admin, { id: visit.id })
    expect(await left()).toEqual([])
    await restoreDeletion(admin, { id: second.deletionId })
    expect(await left()).toEqual([other.id])
    await restoreDeletion(admin, { id: deletionId })
    expect(new Set(await left())).toEqual(new Set([one.id, other.id]))
    expect((await getEvent(admin, { id: one.id })).files).toHaveLength(1)
    const treatingOnly = as('provider', { [visit.clinic_id]: treating })
    await expect(deleteEvent(treatingOnly, { id: one.id })).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  test('of an archived clinic are read and not changed', async ({ make, asUser, db }) => {
    const { visit, event } = await aVisit(make)
    const admin = asUser(await make.user({ role: 'admin' }))
    const { last_modified } = await saveEvent(admin, {
      ...event,
      answers: answers({ Complaint: 'Cough' }),
    })
    await db
      .updateTable('clinics')
      .set({ is_archived: true })
      .where('id', '=', visit.clinic_id)
      .execute()
    await expect(
      saveEvent(admin, { ...event, last_modified, answers: answers({ Complaint: 'Fever' }) }),
    ).rejects.toMatchObject({ text: { key: 'clinics.archivedReadOnly' } })
    expect(await getEvent(admin, { id: event.id })).toMatchObject({ mayChange: false })
  })
})

test('a change to an event loads it once, locked', async ({ asUser, make }) => {
  const { visit, event } = await aVisit(make)
  const me = asUser(await make.user(), { [visit.clinic_id]: treating })
  const fever = { ...event, answers: answers({ Complaint: 'Fever' }) }
  const { last_modified } = await saveEvent(me, fever)
  const { ctx, statements } = recording(me)
  await saveEvent(ctx, { ...event, last_modified, answers: answers({ Complaint: 'Cough' }) })
  const loads = statements.filter((text) => /^\s*select .* from "events"/s.test(text))
  expect(loads).toEqual([expect.stringContaining('for update')])
})

test('a decimal and a contradiction are refused on the screen, and stored and marked from a program', async ({
  make,
  asUser,
}) => {
  const { event, visit } = await aVisit(make, {
    form_fields: JSON.stringify([
      asked('Pregnancies', { inputType: 'number', rules: { whole: true } }),
      asked('Signs', {
        fieldType: 'options',
        inputType: 'select',
        multi: true,
        length: undefined,
        options: [option('fever', 'Fever'), option('none', 'None of these')],
        rules: { exclusive: ['none'] },
      }),
    ]),
  })
  const ctx = asUser(await make.user(), { [visit.clinic_id]: treating })
  const given = answers({ Pregnancies: 2.5, Signs: ['fever', 'none'] })
  await expect(
    saveEvent(ctx, { ...event, answers: given, check_plausible: true }),
  ).rejects.toMatchObject({
    fields: {
      Pregnancies: { key: 'vitals.whole' },
      Signs: { key: 'answers.excludesOthers' },
    },
  })
  await saveEvent(ctx, { ...event, answers: given })
  expect((await getEvent(ctx, { id: event.id })).answers).toEqual({
    Pregnancies: 2.5,
    Signs: ['fever', 'none'],
  })
})
