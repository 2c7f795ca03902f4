import { describe, expect } from 'vitest'
import type { makeFactories } from '../../../../test/factories'
import { test } from '../../../../test/harness'
import { newId } from '~/shared/id'
import type { Permission } from '~/shared/permissions'
import { loadPatientFacts } from '~/features/medicines/safety/facts.server'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import { childGrowth } from '~/features/care/vitals/growth/growth.server'
import { deleteVital, listVitals, saveVital } from '~/features/care/vitals/vitals.server'
import { saveEvent } from './event-answers.server'
import { deleteEvent, getEvent } from './events.server'

const treating: Permission[] = ['can_view_history', 'can_edit_records', 'can_delete_records']
type Make = ReturnType<typeof makeFactories>

const number = (id: string, unit: string | null, vital?: string, more: object = {}) => ({
  id,
  name: id,
  description: '',
  required: false,
  fieldType: 'free-text',
  inputType: 'number',
  length: 'short',
  ...(unit && { units: [unit] }),
  ...((vital || Object.keys(more).length > 0) && { rules: { ...(vital && { vital }), ...more } }),
})
const fields = [
  number('weight', 'lb', 'weight_kg'),
  number('fever', '°C', 'temperature_celsius'),
  number('first', 'mmHg'),
  number('second', 'mmHg'),
  number('mean', 'mmHg', 'systolic_bp', {
    compute: { function: 'mean', fields: ['first', 'second'], formula: '', days: 0, decimals: 1 },
  }),
  number('diastolic', 'mmHg', 'diastolic_bp'),
  number('parity', null),
]
const answers = (given: Record<string, unknown>) =>
  Object.entries(given).map(([fieldId, value]) => ({ fieldId, value }))

async function scene(
  make: Make,
  patient: object = {},
  form_fields: object[] = fields,
  translations: object[] = [],
) {
  const { id: patient_id } = await make.patient({
    sex: 'male',
    date_of_birth: '1980-01-01',
    ...patient,
  })
  const visit = await make.visit({ patient_id })
  const form = await make.eventForm({
    form_fields: JSON.stringify(form_fields),
    translations: JSON.stringify(translations),
  })
  return {
    visit,
    patient_id,
    event: { id: newId(), patient_id, visit_id: visit.id, form_id: form.id },
  }
}

describe('vital signs in a form', () => {
  test('are recorded with the form: converted, marked, by its author, and seen by the dose check', async ({
    make,
    asUser,
    db,
  }) => {
    const { visit, patient_id, event } = await scene(make)
    const user = await make.user()
    const me = asUser(user, { [visit.clinic_id]: treating })
    const given = answers({ weight: 154, fever: 39.6, first: 181, second: 186, parity: 2 })
    const saved = await saveEvent(me, { ...event, answers: given })
    // a repeated request makes no second row
    await saveEvent(me, { ...event, answers: given })
    const { rows } = await listVitals(me, { patientId: patient_id })
    expect(rows).toMatchObject([
      {
        visit_id: visit.id,
        form_event_id: event.id,
        weight_kg: 69.853,
        temperature_celsius: 39.6,
        systolic_bp: 184,
        diastolic_bp: null,
        height_cm: null,
        recorded_by: user.name,
        entered: { weight_kg: { unit: 'lb', value: 154 } },
        marks: { temperature_celsius: { level: 'abnormal' }, systolic_bp: { level: 'critical' } },
      },
    ])
    expect((await loadPatientFacts(db, patient_id)).weight).toMatchObject({ kg: 69.853 })

    const changed = await saveEvent(me, {
      ...event,
      last_modified: saved.last_modified,
      answers: answers({ weight: 160 }),
    })
    expect((await listVitals(me, { patientId: patient_id })).rows).toMatchObject([
      { id: rows[0]!.id, weight_kg: 72.575, temperature_celsius: 39.6 },
    ])
    const none = { weight: null, fever: null, first: null, second: null }
    const emptied = await saveEvent(me, {
      ...event,
      last_modified: changed.last_modified,
      answers: answers(none),
    })
    expect((await listVitals(me, { patientId: patient_id })).rows).toEqual([])
    await saveEvent(me, {
      ...event,
      last_modified: emptied.last_modified,
      answers: answers({ fever: 37 }),
    })
    expect((await listVitals(me, { patientId: patient_id })).rows).toMatchObject([
      { id: rows[0]!.id, weight_kg: null, temperature_celsius: 37 },
    ])
  })

  test('are corrected and deleted in the form alone, and restored with it', async ({
    as,
    make,
    asUser,
  }) => {
    const { visit, patient_id, event } = await scene(make)
    const me = asUser(await make.user(), { [visit.clinic_id]: treating })
    await saveEvent(me, { ...event, answers: answers({ fever: 38.5 }) })
    const [row] = (await listVitals(me, { patientId: patient_id })).rows
    const { id, last_modified, timestamp } = row!
    const refused = { code: 'conflict', text: { key: 'vitals.ofForm' } }
    await expect(
      saveVital(me, { id, last_modified, timestamp, patient_id, temperature_celsius: 37 }),
    ).rejects.toMatchObject(refused)
    await expect(deleteVital(me, { id })).rejects.toMatchObject(refused)
    const { deletionId } = await deleteEvent(me, { id: event.id })
    expect((await listVitals(me, { patientId: patient_id })).rows).toEqual([])
    await restoreDeletion(as('admin'), { id: deletionId })
    expect((await listVitals(me, { patientId: patient_id })).rows).toMatchObject([{ id }])
  })

  test('are refused at their question when impossible, and asked about when hardly possible', async ({
    make,
    asUser,
  }) => {
    const { visit, patient_id, event } = await scene(
      make,
      { date_of_birth: new Date(Date.now() - 366 * 86_400_000).toISOString().slice(0, 10) },
      [
        number('weight', 'kg', 'weight_kg'),
        number('low', 'mmHg', 'diastolic_bp'),
        number('high', 'mmHg', 'systolic_bp'),
      ],
    )
    const me = asUser(await make.user(), { [visit.clinic_id]: treating })
    await expect(
      saveEvent(me, { ...event, answers: answers({ weight: 700 }) }),
    ).rejects.toMatchObject({
      code: 'invalid',
      fields: { weight: { key: 'validation.tooLarge', values: { max: 650 } } },
    })
    await expect(
      saveEvent(me, { ...event, answers: answers({ low: 120, high: 80 }) }),
    ).rejects.toMatchObject({ fields: { low: { key: 'vitals.diastolicBelow' } } })
    const heavy = { ...event, answers: answers({ weight: 98 }) }
    await expect(saveEvent(me, { ...heavy, check_plausible: true })).rejects.toMatchObject({
      fields: { weight: { key: 'vitals.doubtful' } },
    })
    expect((await listVitals(me, { patientId: patient_id })).rows).toEqual([])
    await saveEvent(me, heavy)
    const { charts } = await childGrowth(me, { patientId: patient_id })
    expect(charts[0]?.points).toMatchObject([{ value: 98, implausible: true }])
    // confirmed at its question: stored with the answer, and not asked again
    const other = { ...event, id: newId(), answers: answers({ weight: 88 }), check_plausible: true }
    await expect(saveEvent(me, { ...other, confirmed: ['low'] })).rejects.toMatchObject({
      fields: { weight: { key: 'vitals.doubtful' } },
    })
    const saved = await saveEvent(me, { ...other, confirmed: ['weight'] })
    await saveEvent(me, {
      ...other,
      last_modified: saved.last_modified,
      answers: answers({ weight: 88, high: 90 }),
    })
    const { rows } = await listVitals(me, { patientId: patient_id })
    expect(rows.map(({ weight_kg, systolic_bp }) => [weight_kg, systolic_bp])).toContainEqual([
      88, 90,
    ])
  })

  test('of a phone stay answers: no row is made of what no screen could ask about, until a user changes them', async ({
    make,
    asUser,
  }) => {
    const { visit, patient_id, event } = await scene(make)
    const me = asUser(await make.user(), {
      [visit.clinic_id]: [...treating, 'can_edit_other_provider_event'],
    })
    const answer = (fieldId: string, value: string) => ({
      fieldId,
      name: fieldId,
      fieldType: 'free-text',
      inputType: 'number',
      value,
    })
    const stored = [answer('weight', '154'), answer('parity', '1')]
    const { last_modified } = await make.event({
      ...event,
      form_version: 1,
      form_data: JSON.stringify(stored),
    })
    expect((await listVitals(me, { patientId: patient_id })).rows).toEqual([])
    const next = await saveEvent(me, { ...event, last_modified, answers: answers({ parity: 2 }) })
    expect((await listVitals(me, { patientId: patient_id })).rows).toEqual([])
    await saveEvent(me, {
      ...event,
      last_modified: next.last_modified,
      answers: answers({ fever: 38 }),
    })
    expect((await listVitals(me, { patientId: patient_id })).rows).toMatchObject([
      { weight_kg: 69.853, temperature_celsius: 38 },
    ])
  })

  test('are those of the day of the form: none after the death, and a late change is not of today', async ({
    make,
    asUser,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const day = (number: number) => new Date(`2026-03-${number}T09:00:00Z`)
    const { visit, patient_id, event } = await scene(make, { died_on: '2026-03-12' })
    const later = await make.visit({ patient_id, check_in_timestamp: day(13) })
    const died = { fields: { visit_id: { key: 'patients.hasDied' } } }
    const given = { ...event, answers: answers({ parity: 2, weight: 154 }) }
    for (const visit_id of [visit.id, later.id])
      await expect(saveEvent(me, { ...given, visit_id })).rejects.toMatchObject(died)
    const before = await make.visit({ patient_id, check_in_timestamp: day(12) })
    await saveEvent(me, { ...given, visit_id: before.id })

    // a phone's form without a visit
    const changed = async (created_at: Date) => {
      const of = { id: newId(), patient_id, form_id: event.form_id, visit_id: null }
      const { last_modified } = await make.event({ ...of, form_version: 1, created_at })
      return saveEvent(me, { ...of, last_modified, answers: answers({ weight: 132 }) })
    }
    await changed(day(11))
    await expect(changed(day(14))).rejects.toMatchObject({
      fields: { patient_id: { key: 'patients.hasDied' } },
    })
    const { rows } = await listVitals(me, { patientId: patient_id })
    expect(rows.map(({ timestamp }) => timestamp)).toEqual([day(12), day(11)])
  })
})

describe('the notes of a form', () => {
  const note = (id: string, urgency: string, limit: number, content: string) => ({
    id,
    name: '',
    description: '',
    required: false,
    fieldType: 'text',
    size: 'md',
    content,
    rules: {
      urgency,
      showIf: { match: 'all', tests: [{ fieldId: 'fever', comparison: 'atLeast', value: limit }] },
    },
  })

  test('are shown with the answers later, most urgent first, in the language of the reader', async ({
    make,
    asUser,
  }) => {
    const { visit, event } = await scene(
      make,
      {},
      [
        number('fever', '°C'),
        note('warm', 'advice', 38, 'Drink'),
        note('hot', 'emergency', 40, 'Cool now'),
        note('never', 'urgent', 44, 'Never'),
      ],
      [{ fieldId: 'hot', name: { es: 'Enfríe ahora' }, description: {}, options: {} }],
    )
    const me = asUser(await make.user(), { [visit.clinic_id]: treating })
    await saveEvent(me, { ...event, answers: answers({ fever: 40.5 }) })
    const spanish = { ...me, actor: { ...me.actor, language: 'es' as const } }
    const { notes } = await getEvent(spanish, { id: event.id })
    expect(notes).toMatchObject([
      { content: 'Enfríe ahora', rules: { urgency: 'emergency' } },
      { content: 'Drink', rules: { urgency: 'advice' } },
    ])
  })
})
