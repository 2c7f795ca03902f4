import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { patientBanner } from '~/features/care/banner/banner.server'
import { childGrowth } from '~/features/care/vitals/growth/growth.server'
import { listVitals, saveVital } from '~/features/care/vitals/vitals.server'
import { relatedPersonsOfPatient } from '~/features/people/related/related-persons.server'
import { correctionOn } from '~/fields/birth'
import { addDays, clinicTimeZone, dayIn } from '~/shared/zone'
import { brokenRule, test } from '../../../../test/harness'
import { createPatient, getPatient, savePatient } from './patients.server'

const today = () => dayIn(new Date(), clinicTimeZone())
const born = (weeks: number, day: string) => ({
  day,
  precision: 'day' as const,
  weeksAtBirth: weeks,
})

test('the age is corrected to 40 weeks until two years, and only of a child born before 37 weeks', () => {
  expect(correctionOn(born(32, '2026-01-01'), '2026-03-01')).toBe(56)
  expect(correctionOn(born(36, '2026-01-01'), '2027-12-31')).toBe(28)
  expect(correctionOn(born(36, '2026-01-01'), '2028-01-01')).toBe(0)
  expect(correctionOn(born(37, '2026-01-01'), '2026-03-01')).toBe(0)
  expect(correctionOn({ day: '2026-01-01', precision: 'day' }, '2026-03-01')).toBe(0)
})

test('a newborn is registered from the record of the mother: linked once, with the weeks at birth', async ({
  asUser,
  make,
}) => {
  const clinic = await make.clinic()
  const mother = await make.patient({ sex: 'female', primary_clinic_id: clinic.id })
  const me = asUser(await make.user({ role: 'registrar' }), {
    [clinic.id]: ['can_register_patients'],
  })
  const newborn = {
    id: uuidv7(),
    primary_clinic_id: clinic.id,
    given_name: 'Nour',
    sex: 'male',
    date_of_birth: today(),
    weeks_at_birth: 31,
    mother_id: mother.id,
  }
  const saved = await createPatient(me, newborn)
  expect(await createPatient(me, newborn)).toEqual(saved)
  const related = async (patientId: string) =>
    (await relatedPersonsOfPatient(me, { patientId })).map(({ relationship, other }) => [
      relationship,
      other?.id,
    ])
  expect(await related(newborn.id)).toEqual([['mother', mother.id]])
  expect(await related(mother.id)).toEqual([['child', newborn.id]])
  expect(await patientBanner(me, { patientId: newborn.id })).toMatchObject({ weeks_at_birth: 31 })

  // a change without the weeks keeps them; null removes them
  const changed = await savePatient(me, { ...saved, surname: 'Haddad' })
  const read = async () => (await getPatient(me, { id: newborn.id })).patient.weeks_at_birth
  expect(await read()).toBe(31)
  await savePatient(me, { ...changed, weeks_at_birth: null })
  expect(await read()).toBeNull()
})

test('the mother must be known to the user, and the weeks be possible', async ({
  as,
  make,
  db,
}) => {
  const clinic = await make.clinic()
  const me = as('registrar', { [clinic.id]: ['can_register_patients'] })
  const create = (values: object) =>
    createPatient(me, {
      id: uuidv7(),
      primary_clinic_id: clinic.id,
      given_name: 'Nour',
      sex: 'male',
      date_of_birth: today(),
      ...values,
    })
  const { id: mother_id } = await make.patient({ sex: 'female' })
  await expect(create({ mother_id })).rejects.toMatchObject({
    fields: { mother_id: { key: 'patients.notFound' } },
  })
  const man = await make.patient({ sex: 'male', primary_clinic_id: clinic.id })
  await expect(create({ mother_id: man.id })).rejects.toMatchObject({
    fields: { mother_id: { key: 'relatedPersons.recorded_male' } },
  })
  for (const [weeks_at_birth, key] of [
    [19, 'validation.tooSmall'],
    [46, 'validation.tooLarge'],
    [30.5, 'validation.whole'],
  ] as const)
    await expect(create({ weeks_at_birth })).rejects.toMatchObject({
      fields: { weeks_at_birth: { key } },
    })
  const wrong = { id: uuidv7(), weeks_at_birth: 12 }
  expect(await brokenRule(db, db.insertInto('patients').values(wrong))).toBe(
    'patients_weeks_at_birth_check',
  )
})

test('growth of a child born at 30 weeks is read at the corrected age, and says so', async ({
  as,
  make,
}) => {
  const me = as('admin')
  const chartOf = async (values: object, day: string) => {
    const child = await make.patient({ sex: 'male', date_of_birth: '2024-01-01', ...values })
    await make.vital({
      patient_id: child.id,
      timestamp: new Date(`${day}T12:00:00Z`),
      weight_kg: 7,
      height_cm: null,
      temperature_celsius: null,
    })
    const { charts, ...rest } = await childGrowth(me, { patientId: child.id })
    return { ...rest, points: charts[0]?.points.map(({ days, z }) => [days, z]) }
  }
  const term = await chartOf({}, '2024-06-29')
  expect(term).toMatchObject({
    isCorrected: false,
    beforeTerm: 0,
    points: [[180, expect.any(Number)]],
  })
  const preterm = await chartOf({ weeks_at_birth: 30 }, '2024-06-29')
  expect(preterm).toMatchObject({ isCorrected: true, points: [[110, expect.any(Number)]] })
  expect(preterm.points![0]![1]!).toBeGreaterThan(term.points![0]![1]! + 0.5)
  // before the day of term the standard has nothing, and from two years nothing is corrected
  expect(await chartOf({ weeks_at_birth: 30 }, '2024-02-01')).toMatchObject({
    reason: 'noMeasurement',
    isCorrected: true,
    beforeTerm: 1,
  })
  expect(await chartOf({ weeks_at_birth: 30 }, '2026-01-02')).toMatchObject({
    isCorrected: false,
    points: [[732, expect.any(Number)]],
  })
})

test('0.8 kg is usual of a newborn of 26 weeks; 8 kg is doubted as of every newborn', async ({
  as,
  make,
}) => {
  const me = as('admin')
  const birth = addDays(today(), -1)
  const weigh = async (weeks_at_birth: number | null, weight_kg: number) => {
    const child = await make.patient({ sex: 'male', date_of_birth: birth, weeks_at_birth })
    const vital = {
      id: uuidv7(),
      patient_id: child.id,
      timestamp: new Date(),
      weight_kg,
      check_plausible: true,
    }
    const asked = await saveVital(me, vital).then(
      () => false,
      ({ fields = {} }: { fields?: object }) => 'weight_kg' in fields,
    )
    await make.vital({ patient_id: child.id, weight_kg, temperature_celsius: null })
    const { rows } = await listVitals(me, { patientId: child.id })
    return [asked, rows[0]!.marks.weight_kg?.reason.key]
  }
  const doubted = [true, 'vitals.reason.implausible']
  expect(await weigh(null, 0.8)).toEqual(doubted)
  expect(await weigh(26, 0.8)).toEqual([false, undefined])
  expect(await weigh(26, 8)).toEqual(doubted)
})
