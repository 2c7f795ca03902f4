// What is recorded, refused, asked about and marked is one rule of many signs: longer than most for that reason.
import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { Permission } from '~/shared/permissions'
import { auditOf, test } from '../../../../test/harness'
import { recording } from '../../../../test/statements'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import { deleteVital, latestVital, listVitals, saveVital, vitalTrend } from './vitals.server'
import { fromMetric, toMetric } from './vital'

const treating: Permission[] = ['can_view_history', 'can_edit_records']
const at = '2026-03-01T09:00:00Z'
const pressure = { systolic_bp: 121, diastolic_bp: 79 }

describe('recording', () => {
  test('a provider records vital signs in a visit and corrects them; who measured stays', async ({
    asUser,
    make,
    db,
  }) => {
    const visit = await make.visit()
    const [nurse, doctor] = [
      await make.user({ name: 'Nurse' }),
      await make.user({ name: 'Doctor' }),
    ]
    const grants = { [visit.clinic_id]: treating }
    const id = uuidv7()
    const vital = {
      id,
      patient_id: visit.patient_id,
      visit_id: visit.id,
      timestamp: at,
      ...pressure,
      bp_position: 'sitting' as const,
    }
    const saved = await saveVital(asUser(nurse, grants), {
      ...vital,
      weight_kg: 70,
      height_cm: 175,
    })
    await saveVital(asUser(doctor, grants), {
      ...vital,
      systolic_bp: 131,
      weight_kg: 70,
      last_modified: saved.last_modified,
    })

    const { rows, pagination } = await listVitals(asUser(doctor, grants), {
      patientId: visit.patient_id,
    })
    expect(pagination.total).toBe(1)
    expect(rows[0]).toMatchObject({
      id,
      systolic_bp: 131,
      weight_kg: 70,
      height_cm: null,
      bmi: null,
      recorded_by: 'Nurse',
      visit_id: visit.id,
      // measured on an earlier day: who typed it is the recorder
      entered_on: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    })
    expect(rows[0]!.entered_on! > '2026-03-01').toBe(true)
    await saveVital(asUser(doctor, grants), {
      ...vital,
      id: uuidv7(),
      timestamp: new Date().toISOString(),
    })
    const { latest } = await latestVital(asUser(doctor, grants), { patientId: visit.patient_id })
    expect(
      latest.map(({ measure, entered_on, recorded_by }) => [measure, entered_on, recorded_by]),
    ).toEqual(
      expect.arrayContaining([
        ['systolic_bp', null, 'Doctor'],
        ['weight_kg', rows[0]!.entered_on, 'Nurse'],
      ]),
    )
    expect((await auditOf(db, id)).map(({ action, user_id }) => [action, user_id])).toEqual([
      ['vitals.save', nurse.id],
      ['vitals.save', doctor.id],
    ])
  })

  test('a measure, a visit and a position that are "" are none', async ({ asUser, make }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const { id: patient_id } = await make.patient()
    const empty = { visit_id: '', heart_rate: '', bp_position: '' as never }
    await saveVital(me, { id: uuidv7(), patient_id, timestamp: at, ...pressure, ...empty })
    expect((await latestVital(me, { patientId: patient_id })).vital).toMatchObject({
      ...pressure,
      visit_id: null,
      heart_rate: null,
      bp_position: null,
    })
  })

  test('body mass index is computed when weight and height are both there', async ({
    as,
    asUser,
    make,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const { id: patient_id } = await make.patient()
    await saveVital(me, { id: uuidv7(), patient_id, timestamp: at, weight_kg: 70, height_cm: 175 })
    expect((await latestVital(as('admin'), { patientId: patient_id })).vital?.bmi).toBe(22.86)
  })

  test('what is typed in °F, lb and in is stored in metric, and kept as typed', async ({
    as,
    asUser,
    make,
    db,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const { id: patient_id } = await make.patient()
    const id = uuidv7()
    const typed = {
      id,
      patient_id,
      timestamp: at,
      temperature_celsius: 98.6,
      weight_kg: 154.3,
      height_cm: 69,
    }
    const units = { temperature_celsius: '°F', weight_kg: 'lb', height_cm: 'in' } as const
    const { last_modified } = await saveVital(me, { ...typed, units, height_position: 'standing' })
    const [vital] = (await listVitals(as('admin'), { patientId: patient_id })).rows
    expect(vital).toMatchObject({
      temperature_celsius: 37,
      weight_kg: 69.989,
      height_cm: 175.26,
      height_position: 'standing',
      entered: {
        temperature_celsius: { value: 98.6, unit: '°F' },
        weight_kg: { value: 154.3, unit: 'lb' },
      },
    })
    // the same request again, after its answer was lost
    expect(await saveVital(me, { ...typed, units, height_position: 'standing' })).toEqual({
      id,
      last_modified,
    })
    // what a phone keeps in metadata survives a correction
    await db
      .updateTable('patient_vitals')
      .set({ metadata: JSON.stringify({ device: 'cuff 7', entered: {} }) })
      .where('id', '=', id)
      .execute()
    const read = (await listVitals(as('admin'), { patientId: patient_id })).rows[0]!
    await saveVital(me, {
      ...typed,
      ...units,
      temperature_celsius: 37.1,
      weight_kg: null,
      height_cm: null,
      last_modified: read.last_modified,
    })
    const { metadata } = await db
      .selectFrom('patient_vitals')
      .select('metadata')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(metadata).toEqual({ device: 'cuff 7' })
  })

  test('every typed value with one decimal comes back as it was typed', () => {
    for (const [unit, from, to] of [
      ['°F', 680, 1130],
      ['lb', 5, 9000],
      ['in', 80, 1080],
    ] as const) {
      for (let tenths = from; tenths <= to; tenths += 1)
        expect(fromMetric(toMetric(tenths / 10, unit), unit)).toBe(tenths / 10)
    }
    for (let hundredths = 12; hundredths <= 3393; hundredths += 1)
      expect(fromMetric(toMetric(hundredths / 100, 'mg/dL'), 'mg/dL')).toBe(hundredths / 100)
  })

  test('a creatinine is stored in µmol/L; a value of the other unit is refused, not read as this one', async ({
    asUser,
    make,
  }) => {
    const { patient_id, clinic_id } = await make.visit()
    const me = asUser(await make.user(), { [clinic_id]: treating })
    const taken = { id: uuidv7(), patient_id, timestamp: at }
    const units = { creatinine_umol_l: 'mg/dL' } as const
    await expect(saveVital(me, { ...taken, creatinine_umol_l: 1.1 })).rejects.toMatchObject({
      fields: { creatinine_umol_l: { key: 'validation.tooSmall' } },
    })
    await expect(saveVital(me, { ...taken, units, creatinine_umol_l: 97 })).rejects.toMatchObject({
      fields: { creatinine_umol_l: { key: 'validation.tooLarge' } },
    })
    await saveVital(me, { ...taken, units, creatinine_umol_l: 1.1 })
    const { vital } = await latestVital(me, { patientId: patient_id })
    expect(vital).toMatchObject({
      creatinine_umol_l: 97.24,
      entered: { creatinine_umol_l: { unit: 'mg/dL', value: 1.1 } },
    })
  })
})

test('an arm is typed in mm or cm; a hardly possible head is asked about, and stored once confirmed', async ({
  asUser,
  make,
}) => {
  const { patient_id, clinic_id } = await make.visit({
    patient_id: (await make.patient({ sex: 'female', date_of_birth: '2025-06-01' })).id,
  })
  const me = asUser(await make.user(), { [clinic_id]: treating })
  const taken = { patient_id, timestamp: at }
  const units = { arm_circumference_cm: 'mm' } as const
  // 125 in the box for cm, 12.5 in the box for mm
  await expect(
    saveVital(me, { ...taken, id: uuidv7(), arm_circumference_cm: 125 }),
  ).rejects.toMatchObject({ fields: { arm_circumference_cm: { key: 'validation.tooLarge' } } })
  await expect(
    saveVital(me, { ...taken, id: uuidv7(), units, arm_circumference_cm: 12.5 }),
  ).rejects.toMatchObject({ fields: { arm_circumference_cm: { key: 'validation.tooSmall' } } })
  const head = {
    ...taken,
    id: uuidv7(),
    units,
    arm_circumference_cm: 114,
    head_circumference_cm: 64,
  }
  await expect(saveVital(me, { ...head, check_plausible: true })).rejects.toMatchObject({
    fields: { head_circumference_cm: { key: 'vitals.doubtful' } },
  })
  await saveVital(me, {
    ...head,
    check_plausible: true,
    confirmed: ['head_circumference_cm'],
  })
  const { vital } = await latestVital(me, { patientId: patient_id })
  expect(vital).toMatchObject({
    head_circumference_cm: 64,
    arm_circumference_cm: 11.4,
    entered: { arm_circumference_cm: { unit: 'mm', value: 114 } },
    marks: { head_circumference_cm: { level: 'impossible' } },
  })
})

test('a pressure is judged by the pregnancy of its own day, until six weeks after the birth', async ({
  make,
  as,
}) => {
  const { patient_id, clinic_id } = await make.visit()
  const on = (day: string) => new Date(`${day}T10:00:00Z`)
  for (const day of ['2025-03-01', '2025-12-01', '2026-02-01', '2026-06-01']) {
    await make.vital({ patient_id, timestamp: on(day), systolic_bp: 165, diastolic_bp: 95 })
  }
  await make.pregnancy({
    patient_id,
    asked_on: '2025-09-01',
    due_on: '2026-01-10',
    dating: 'weeks',
  })
  await make.pregnancy({
    patient_id,
    asked_on: '2026-01-20',
    state: 'breastfeeding',
    ended_on: '2026-01-08',
  })
  const me = as('provider', { [clinic_id]: ['can_view_history'] })
  const { rows } = await listVitals(me, { patientId: patient_id, page: 1 })
  expect(rows.map(({ marks }) => marks.systolic_bp?.level)).toEqual([
    'abnormal',
    'critical',
    'critical',
    'abnormal',
  ])
})

describe('what is impossible', () => {
  test('is refused beside its field, in the unit it was typed in', async ({ asUser, make }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const { id: patient_id } = await make.patient()
    const save = (values: object) =>
      saveVital(me, { id: uuidv7(), patient_id, timestamp: at, ...values })
    const tooHigh = (max: number) => ({ key: 'validation.tooLarge', values: { max } })
    await expect(
      save({
        systolic_bp: 301,
        diastolic_bp: 9,
        temperature_celsius: 98.6,
        heart_rate: 72.5,
        pain_level: 11,
      }),
    ).rejects.toMatchObject({
      code: 'invalid',
      fields: {
        systolic_bp: tooHigh(300),
        diastolic_bp: { key: 'validation.tooSmall', values: { min: 10 } },
        temperature_celsius: tooHigh(45),
        heart_rate: { key: 'vitals.whole' },
        pain_level: tooHigh(10),
      },
    })
    await expect(
      save({ temperature_celsius: 114, units: { temperature_celsius: '°F' } }),
    ).rejects.toMatchObject({
      fields: { temperature_celsius: tooHigh(113) },
    })
    await expect(save({ systolic_bp: 120, diastolic_bp: 120 })).rejects.toMatchObject({
      fields: { diastolic_bp: { key: 'vitals.diastolicBelow' } },
    })
    await expect(save({})).rejects.toMatchObject({
      fields: { '': { key: 'vitals.nothingMeasured' } },
    })
    for (const timestamp of [new Date('2150-01-01T00:00:00Z'), null, 'yesterday']) {
      await expect(save({ ...pressure, timestamp })).rejects.toMatchObject({
        fields: { timestamp: expect.anything() },
      })
    }
  })

  test('is, as measured before birth, refused by the calendar of the clinic', async ({
    asUser,
    make,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const { id: patient_id } = await make.patient({ date_of_birth: '2026-03-01' })
    const save = (timestamp: string) =>
      saveVital(me, { id: uuidv7(), patient_id, timestamp, weight_kg: 3.4 })
    await expect(save('2026-02-28T23:59:00Z')).rejects.toMatchObject({
      fields: { timestamp: { key: 'vitals.beforeBirth' } },
    })
    await save('2026-03-01T00:00:00Z')
  })

  test('is marked by the most cautious limit where the birth is approximate, and may lie before its middle', async ({
    asUser,
    make,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const { id: patient_id } = await make.patient({
      date_of_birth: '2025-07-01',
      metadata: JSON.stringify({ date_of_birth_precision: 'age' }),
    })
    const timestamp = '2025-06-15T12:00:00Z'
    await saveVital(me, { id: uuidv7(), patient_id, timestamp, temperature_celsius: 38.2 })
    const [vital] = (await listVitals(me, { patientId: patient_id })).rows
    expect(vital?.marks.temperature_celsius).toMatchObject({
      level: 'critical',
      age: 'approximate',
    })
  })

  test('of a child is asked about when weight or height is hardly possible', async ({
    asUser,
    make,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const asked = async (date_of_birth: string, values: object, more: object = {}) => {
      const { id: patient_id } = await make.patient({ date_of_birth, sex: 'male', ...more })
      const vital = { id: uuidv7(), patient_id, timestamp: at, ...values }
      const error: unknown = await saveVital(me, { ...vital, check_plausible: true }).then(
        () => null,
        (refusal: unknown) => refusal,
      )
      // without the question it is stored, as phones and programs send it
      await saveVital(me, error ? vital : { ...vital, id: uuidv7() })
      return Object.keys((error as { fields?: object } | null)?.fields ?? {})
    }
    expect(await asked('2025-07-01', { weight_kg: 75 })).toEqual(['weight_kg'])
    expect(await asked('2021-03-01', { height_cm: 30 })).toEqual(['height_cm'])
    expect(await asked('2025-07-01', { weight_kg: 18.5 }, { sex: null })).toEqual(['weight_kg'])
    expect(await asked('2025-07-01', { weight_kg: 8.4, height_cm: 70 })).toEqual([])
    expect(await asked('2025-07-01', { weight_kg: 8.4 }, { sex: null })).toEqual([])
    // "about 1": possible at one of the ages
    const about = { metadata: JSON.stringify({ date_of_birth_precision: 'age' }) }
    expect(await asked('2025-07-01', { weight_kg: 15 })).toEqual(['weight_kg'])
    expect(await asked('2025-07-01', { weight_kg: 15 }, about)).toEqual([])
  })

  test('of an adult in pounds and inches is asked about, and marked if it came by another way', async ({
    asUser,
    make,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const { id: patient_id } = await make.patient({ date_of_birth: '1980-01-01' })
    const asked = async (values: object) => {
      const vital = { id: uuidv7(), patient_id, timestamp: at, ...values, check_plausible: true }
      const refused: unknown = await saveVital(me, vital).then(
        () => null,
        (error: unknown) => error,
      )
      return Object.keys((refused as { fields?: object } | null)?.fields ?? {})
    }
    expect(await asked({ weight_kg: 154, height_cm: 69 })).toEqual(['height_cm'])
    expect(await asked({ height_cm: 16.9 })).not.toEqual([])
    expect(await asked({ weight_kg: 310 })).toEqual(['weight_kg'])
    // either may be the mistake
    expect(await asked({ weight_kg: 254, height_cm: 105 })).toEqual(['weight_kg', 'height_cm'])
    expect(await asked({ weight_kg: 70, height_cm: 175 })).toEqual([])
    expect(
      await asked({ weight_kg: 154, height_cm: 101, confirmed: ['weight_kg', 'height_cm'] }),
    ).toEqual([])

    await saveVital(me, { id: uuidv7(), patient_id, timestamp: at, weight_kg: 154, height_cm: 69 })
    const { rows } = await listVitals(me, { patientId: patient_id })
    const sent = rows.find(({ height_cm }) => height_cm === 69)
    expect(sent?.marks).toMatchObject({
      height_cm: { level: 'impossible' },
      bmi: { level: 'impossible', reason: { key: 'vitals.reason.unlikely' } },
    })
  })

  test('that nobody has, or no adult, is asked about until it is confirmed', async ({
    asUser,
    make,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const asked = async (date_of_birth: string | null, values: object) => {
      const { id: patient_id } = await make.patient({ date_of_birth })
      const vital = { id: uuidv7(), patient_id, timestamp: at, ...values, check_plausible: true }
      const refused: unknown = await saveVital(me, vital).then(
        () => null,
        (error: unknown) => error,
      )
      return Object.entries((refused as { fields?: object } | null)?.fields ?? {}).map(
        ([name, { key }]: [string, { key: string }]) => `${name} ${key}`,
      )
    }
    const all = {
      heart_rate: 310,
      pulse_rate: 305,
      respiratory_rate: 125,
      oxygen_saturation: 18,
      temperature_celsius: 25.9,
    }
    const names = Object.keys(all)
    // also of a patient whose age nobody knows
    expect(await asked(null, all)).toEqual(names.map((name) => `${name} vitals.doubtfulSign`))
    expect(await asked('1980-01-01', { ...all, confirmed: names })).toEqual([])
    const fast = { pulse_rate: 240, respiratory_rate: 98 }
    expect(await asked('1980-01-01', fast)).toHaveLength(2)
    expect(await asked('2025-07-01', fast)).toEqual([])
    expect(await asked(null, fast)).toEqual([])
    // dangerous, and known of people who lived
    const ill = { pulse_rate: 25, respiratory_rate: 55, oxygen_saturation: 50 }
    const cold = { temperature_celsius: 28, creatinine_umol_l: 2400 }
    expect(await asked('1980-01-01', { ...ill, ...cold })).toEqual([])
    expect(await asked('1980-01-01', { temperature_celsius: 43.9 })).toEqual([])
  })

  test('of an adult is asked about when the weight changed by more than a tenth in three months', async ({
    asUser,
    make,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const { id: patient_id } = await make.patient({ date_of_birth: '1980-01-01' })
    await saveVital(me, {
      id: uuidv7(),
      patient_id,
      timestamp: '2026-01-01T09:00:00Z',
      weight_kg: 70,
    })
    const weighed = (weight_kg: number, timestamp = at) => ({
      id: uuidv7(),
      patient_id,
      timestamp,
      weight_kg,
      check_plausible: true,
    })
    await expect(saveVital(me, weighed(12))).rejects.toMatchObject({
      fields: { weight_kg: { key: 'vitals.doubtfulChange', values: { before: 70, now: 12 } } },
    })
    await saveVital(me, weighed(12, '2026-06-01T09:00:00Z'))
    await saveVital(me, weighed(64))
    // less than a child of ten years can weigh, whatever the last one was
    await expect(saveVital(me, weighed(7, '2026-06-02T09:00:00Z'))).rejects.toMatchObject({
      fields: { weight_kg: { key: 'vitals.doubtful' } },
    })
  })

  test('is asked about until a user confirms it, and again when the value changes', async ({
    asUser,
    make,
    db,
  }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const { id: patient_id } = await make.patient({ date_of_birth: '1980-01-01' })
    const id = uuidv7()
    const save = (weight_kg: number, more: object = {}) =>
      saveVital(me, { id, patient_id, timestamp: at, weight_kg, check_plausible: true, ...more })
    const confirmed = async () =>
      (
        await db
          .selectFrom('patient_vitals')
          .select('metadata')
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
      ).metadata
    await make.vital({ patient_id, weight_kg: 70, timestamp: new Date('2026-02-01T09:00:00Z') })
    const asks = { fields: { weight_kg: { key: 'vitals.doubtfulChange' } } }
    await expect(save(60)).rejects.toMatchObject(asks)
    // what is said of another value confirms nothing
    await expect(save(60, { confirmed: ['height_cm'] })).rejects.toMatchObject(asks)
    const first = await save(60, { confirmed: ['weight_kg'] })
    expect(await confirmed()).toEqual({ confirmed: { weight_kg: 60 } })
    const { last_modified } = await save(60, {
      last_modified: first.last_modified,
      systolic_bp: 120,
    })
    expect(await confirmed()).toEqual({ confirmed: { weight_kg: 60 } })
    await expect(save(50, { last_modified })).rejects.toMatchObject(asks)
    await save(50, { last_modified, check_plausible: false })
    expect(await confirmed()).toEqual({})
  })

  test('that no child of the age can have is marked, and nothing is computed of it', async ({
    as,
    make,
  }) => {
    const { id: patient_id } = await make.patient({ date_of_birth: '2025-07-01', sex: 'male' })
    const marksOf = async (values: object) => {
      const { id } = await make.vital({ patient_id, timestamp: new Date(at), ...values })
      const { rows } = await listVitals(as('admin'), { patientId: patient_id })
      return rows.find((row) => row.id === id)?.marks
    }
    const mark = { level: 'impossible', reason: { key: 'vitals.reason.implausible' } }
    expect(await marksOf({ weight_kg: 75, height_cm: 70, bmi: 153.06 })).toMatchObject({
      weight_kg: mark,
      bmi: mark,
    })
    // a slipped point is no severe wasting
    expect(await marksOf({ weight_kg: 0.84, height_cm: 70, bmi: 1.71 })).toMatchObject({
      weight_kg: mark,
    })
    expect(await marksOf({ weight_kg: 8.4, height_cm: 30 })).toMatchObject({ height_cm: mark })
    expect(await marksOf({ weight_kg: 5, height_cm: 70 })).toMatchObject({
      weight_kg: { level: 'critical', reason: { key: 'vitals.reason.severeWasting' } },
    })
  })

  test('is shown and marked when a phone sent it', async ({ as, make }) => {
    const { patient_id } = await make.vital({ temperature_celsius: 98.6, timestamp: new Date(at) })
    const [vital] = (await listVitals(as('admin'), { patientId: patient_id })).rows
    expect(vital?.temperature_celsius).toBe(98.6)
    expect(vital?.marks.temperature_celsius?.level).toBe('impossible')
  })
})

describe('who may see and write vital signs', () => {
  test('a registrar sees the patient’s identity but no vital signs', async ({ as, make }) => {
    const { patient_id, clinic_id } = await make.visit()
    const registrar = as('registrar', { [clinic_id]: ['can_register_patients'] })
    for (const read of [listVitals, latestVital, vitalTrend]) {
      await expect(read(registrar, { patientId: patient_id })).rejects.toMatchObject({
        code: 'forbidden',
      })
    }
  })

  test('a provider of another clinic finds nothing, not even by naming a visit of their own', async ({
    as,
    make,
  }) => {
    const vital = await make.vital()
    const visit = await make.visit({ patient_id: vital.patient_id })
    const other = await make.visit()
    const me = as('provider', { [other.clinic_id]: [...treating, 'can_delete_records'] })
    const notFound = { code: 'not_found' }
    await expect(listVitals(me, { patientId: visit.patient_id })).rejects.toMatchObject(notFound)
    const vitalOf = { id: uuidv7(), patient_id: visit.patient_id, timestamp: at, ...pressure }
    await expect(saveVital(me, vitalOf)).rejects.toMatchObject(notFound)
    await expect(saveVital(me, { ...vitalOf, visit_id: other.id })).rejects.toMatchObject(notFound)
    await expect(deleteVital(me, { id: vital.id })).rejects.toMatchObject(notFound)
    // nor is a measurement moved to a patient of the own clinic
    await expect(
      saveVital(me, {
        ...vitalOf,
        id: vital.id,
        patient_id: other.patient_id,
        last_modified: vital.last_modified,
      }),
    ).rejects.toMatchObject(notFound)
  })

  test('being linked by hand opens no history', async ({ as, make, db }) => {
    const vital = await make.vital()
    const clinic = await make.clinic()
    await db
      .insertInto('patient_links')
      .values({ patient_id: vital.patient_id, clinic_id: clinic.id, source: 'explicit' })
      .execute()
    const me = as('provider', { [clinic.id]: treating })
    expect((await listVitals(me, { patientId: vital.patient_id })).rows).toEqual([])
  })

  test('reading is not writing, and a record of a visit is written in the clinic of the visit', async ({
    as,
    asUser,
    make,
  }) => {
    const visit = await make.visit()
    const elsewhere = await make.visit({ patient_id: visit.patient_id })
    const vital = { id: uuidv7(), patient_id: visit.patient_id, timestamp: at, ...pressure }
    const reader = as('provider', { [visit.clinic_id]: ['can_view_history'] })
    await expect(saveVital(reader, vital)).rejects.toMatchObject({ code: 'forbidden' })
    const me = asUser(await make.user(), { [visit.clinic_id]: treating })
    await expect(saveVital(me, { ...vital, visit_id: elsewhere.id })).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(saveVital(me, { ...vital, visit_id: uuidv7() })).rejects.toMatchObject({
      code: 'not_found',
      text: { key: 'visits.notFound' },
    })
    await saveVital(me, { ...vital, visit_id: visit.id })
    await expect(deleteVital(me, { id: vital.id })).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('in an archived clinic nothing is written any more', async ({ asUser, make, db }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    const visit = await make.visit()
    await db
      .updateTable('clinics')
      .set({ is_archived: true })
      .where('id', '=', visit.clinic_id)
      .execute()
    await expect(
      saveVital(me, {
        id: uuidv7(),
        patient_id: visit.patient_id,
        visit_id: visit.id,
        timestamp: at,
        ...pressure,
      }),
    ).rejects.toMatchObject({ code: 'conflict', text: { key: 'clinics.archivedReadOnly' } })
  })
})

describe('reading', () => {
  test('a range of time includes its beginning and not its end', async ({ as, make }) => {
    const { id: patient_id } = await make.patient()
    for (const day of [
      '2026-01-31T23:59:59.999Z',
      '2026-02-01T00:00:00Z',
      '2026-02-28T12:00:00Z',
      '2026-03-01T00:00:00Z',
    ]) {
      await make.vital({ patient_id, timestamp: new Date(day) })
    }
    const february = {
      patientId: patient_id,
      from: '2026-02-01T00:00:00Z',
      to: '2026-03-01T00:00:00Z',
    }
    expect((await listVitals(as('admin'), february)).pagination.total).toBe(2)
    expect(
      (await vitalTrend(as('admin'), february)).map(({ timestamp }) => timestamp.getUTCDate()),
    ).toEqual([1, 28])
  })

  test('the latest of each vital sign comes with the one before and its mark', async ({
    as,
    make,
  }) => {
    const { id: patient_id } = await make.patient()
    const older = await make.vital({
      patient_id,
      timestamp: new Date('2025-01-01'),
      weight_kg: 60,
      heart_rate: 70,
    })
    await make.vital({
      patient_id,
      timestamp: new Date('2025-06-01'),
      weight_kg: 63,
      temperature_celsius: 38.4,
    })
    await make.vital({
      patient_id,
      timestamp: new Date('2025-07-01'),
      weight_kg: 99,
      is_deleted: true,
    })
    const { ctx, statements } = recording(as('admin'))
    const { vital, latest } = await latestVital(ctx, { patientId: patient_id })
    // the patient, and the measurements with the answers about pregnancy
    expect(statements).toHaveLength(2)
    expect(vital?.weight_kg).toBe(63)
    const of = (measure: string) => latest.find((each) => each.measure === measure)
    expect(of('weight_kg')).toMatchObject({ value: 63, previous: { value: 60 }, mark: null })
    expect(of('heart_rate')).toMatchObject({
      value: 70,
      timestamp: older.timestamp,
      previous: null,
    })
    expect(of('temperature_celsius')).toMatchObject({
      value: 38.4,
      mark: { level: 'abnormal', reason: { key: 'vitals.reason.fever' } },
    })
    expect(of('systolic_bp')).toBeUndefined()
  })

  test('a patient without measurements has no latest one', async ({ as, make }) => {
    const { id } = await make.patient()
    expect(await latestVital(as('admin'), { patientId: id })).toEqual({ vital: null, latest: [] })
  })
})

test('what was deleted by mistake comes back', async ({ as, make }) => {
  const vital = await make.vital()
  const { deletionId } = await deleteVital(as('admin'), { id: vital.id })
  expect((await listVitals(as('admin'), { patientId: vital.patient_id })).rows).toEqual([])
  await expect(deleteVital(as('admin'), { id: vital.id })).rejects.toMatchObject({
    code: 'not_found',
  })
  await restoreDeletion(as('admin'), { id: deletionId })
  expect((await listVitals(as('admin'), { patientId: vital.patient_id })).rows).toHaveLength(1)
})
