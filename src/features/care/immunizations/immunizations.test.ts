import { v7 as uuidv7 } from 'uuid'
import { describe, expect, test as plain } from 'vitest'
import { brokenRule, test } from '../../../../test/harness'
import { parseIngredients } from '~/features/medicines/safety/rules/ingredients'
import { listTimeline } from '~/features/record/timeline/timeline.server'
import type { Permission } from '~/shared/permissions'
import { addDays, clinicTimeZone, dayIn } from '~/shared/zone'
import { VACCINES } from '~/shared/vaccines'
import { vaccineFacts } from './immunization'
import {
  notComparedWithVaccines,
  weakenedBy,
} from '~/features/medicines/safety/sources/live-vaccines'
import live from '~/features/medicines/safety/tables/live-vaccines.json'
import { immunizationPlan, immunizationsOfPatient, saveImmunization } from './immunizations.server'

const treating: Permission[] = ['can_view_history', 'can_edit_records']
const aDose = {
  vaccine: 'penta' as const,
  given_on: '2026-02-03',
  dose_number: 1,
  lot: null,
  clinic_id: null,
  notes: null,
}

plain('what speaks against a live vaccine has the names that the checks compare', () => {
  const { vaccines, weakening, byDose, corticosteroids } = live
  expect(vaccines.filter((vaccine) => !VACCINES.some((one) => one === vaccine))).toEqual([])
  const lists = [...weakening, byDose, corticosteroids]
  const names = lists.flatMap((list) => list.names)
  expect(names.filter((name) => parseIngredients(name)[0]?.name !== name)).toEqual([])
  expect(new Set(names).size).toBe(names.length)
  const drops = { drugId: 'a', name: 'drops', ingredients: ['prednisolone'] }
  expect(weakenedBy([{ ...drops, route: 'ophthalmic' }])).toBeNull()
  expect(weakenedBy([drops])).toEqual({ key: 'immunizations.steroid', medicine: 'drops' })
  const named = (name: string, route: string | null = null) => [
    { drugId: name, name, ingredients: [name], route },
  ]
  const quiet = ['tacrolimus ointment', 'betamethasone cream', 'hydroxychloroquine']
  expect(quiet.flatMap((name) => weakenedBy(named(name)) ?? [])).toEqual([])
  for (const [name, key] of [
    ['deflazacort', 'steroid'],
    ['Decadron', 'steroid'],
    ['Imuran', 'weakenedByDose'],
    ['hydroxycarbamide', 'weakenedByDose'],
    ['tofacitinib', 'weakened'],
    ['asparaginase', 'weakened'],
  ] as const)
    expect([name, weakenedBy(named(name))?.key]).toEqual([name, `immunizations.${key}`])
  // into the spine or a joint
  expect(weakenedBy(named('methotrexate', 'other'))).not.toBeNull()
  const unknown = ['chemotherapy', 'Meticorten', 'amoxicillin', 'Zorbadol cream']
  expect(notComparedWithVaccines(unknown.flatMap((name) => named(name)))).toBe(
    'chemotherapy · Meticorten',
  )
})

plain('every vaccine has an ATC code, and all but vitamin A a CVX code', () => {
  expect(Object.keys(vaccineFacts)).toEqual(VACCINES)
  for (const vaccine of VACCINES) {
    const { atc, cvx, doses } = vaccineFacts[vaccine]
    expect(atc).toMatch(/^(J07[A-CX][A-Z](\d\d)?|A11CA01)$/)
    expect(cvx ?? vaccine).toMatch(/^(\d{2,3}|vita)$/)
    expect(doses.toSorted((a, b) => a - b)).toEqual(doses)
  }
  const listsOf = (vaccine: (typeof VACCINES)[number]) => {
    const { cvx = [], cvxAlso = [], atc, atcAlso = [], snomed = [] } = vaccineFacts[vaccine]
    return { cvx: [cvx, cvxAlso].flat(), atcs: [atc, ...atcAlso], atcAlso, snomed }
  }
  const twice = (codes: string[]) => codes.filter((code, at) => codes.indexOf(code) !== at)
  expect(twice(VACCINES.flatMap((vaccine) => listsOf(vaccine).cvx))).toEqual([])
  expect(twice(VACCINES.flatMap((vaccine) => listsOf(vaccine).snomed))).toEqual([])
  expect(twice(VACCINES.flatMap((vaccine) => [...new Set(listsOf(vaccine).atcs)]))).toEqual([
    'J07AM51',
  ])
  for (const { atcs, atcAlso, snomed } of VACCINES.map(listsOf)) {
    expect(snomed.filter((code) => !/^[1-9]\d{5,17}$/.test(code) || !isVerhoeff(code))).toEqual([])
    // products of the class that the vaccine leaves with
    expect(atcAlso.filter((code) => !code.startsWith(atcs[0]!.slice(0, 5)))).toEqual([])
  }
})

/** The last digit of an identifier of SNOMED CT is a check digit (Verhoeff). */
function isVerhoeff(code: string) {
  const times = (a: number, b: number) =>
    a < 5 ? ((a + b) % 5) + (b < 5 ? 0 : 5) : ((a - b + 5) % 5) + (b < 5 ? 5 : 0)
  const permuted = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]
  let check = 0
  for (const [at, digit] of [...code].toReversed().entries()) {
    let value = Number(digit)
    for (let step = at % 8; step > 0; step -= 1) value = permuted[value]!
    check = times(check, value)
  }
  return check === 0
}

describe('an immunization', () => {
  test('is recorded, corrected and listed, newest first, with the clinic that gave it', async ({
    asUser,
    make,
  }) => {
    const visit = await make.visit()
    const { patient_id, clinic_id } = visit
    const me = asUser(await make.user(), { [clinic_id]: treating })
    const dose = { ...aDose, id: uuidv7(), patient_id, visit_id: visit.id, clinic_id }
    const saved = await saveImmunization(me, dose)
    expect(await saveImmunization(me, dose)).toEqual(saved)
    await saveImmunization(me, {
      ...aDose,
      id: uuidv7(),
      patient_id,
      visit_id: null,
      vaccine: 'bcg',
      given_on: '2025-12-01',
    })
    await saveImmunization(me, { ...dose, dose_number: 2, lot: 'A-7', ...saved })
    const list = await immunizationsOfPatient(me, { patientId: patient_id })
    expect(list).toMatchObject([
      { vaccine: 'penta', dose_number: 2, lot: 'A-7', clinic_id, recorded_by: me.actor.name },
      { vaccine: 'bcg', clinic: null },
    ])
    expect(list[0]!.clinic).toBeTruthy()
  })

  test('of the same day twice is asked about by screens, and stored by others', async ({
    as,
    asUser,
    make,
  }) => {
    const { patient_id } = await make.visit()
    const me = asUser(await make.user({ role: 'admin' }))
    const dose = { ...aDose, patient_id, visit_id: null }
    await saveImmunization(me, { ...dose, id: uuidv7(), check_repeated: true })
    const second = { ...dose, id: uuidv7(), dose_number: null }
    await expect(saveImmunization(me, { ...second, check_repeated: true })).rejects.toMatchObject({
      text: { key: 'immunizations.alreadyRecorded' },
    })
    await saveImmunization(me, {
      ...dose,
      id: uuidv7(),
      given_on: '2026-03-03',
      check_repeated: true,
    })
    await saveImmunization(me, second)
    expect(await immunizationsOfPatient(as('admin'), { patientId: patient_id })).toHaveLength(3)
  })

  test('is in the timeline at the day on which it was given', async ({ as, make }) => {
    const { id, patient_id } = await make.immunization({ given_on: '2020-05-06', vaccine: 'mr' })
    const { rows } = await listTimeline(as('admin'), { patientId: patient_id })
    expect(rows).toMatchObject([
      {
        id,
        kind: 'patient_immunizations',
        immunization: { vaccine: 'mr', given_on: '2020-05-06' },
      },
    ])
  })

  test('can have its date corrected to a day after the day on which it was recorded', async ({
    as,
    make,
    owner,
  }) => {
    const { id, patient_id } = await make.immunization({ given_on: '2019-01-02' })
    const past = new Date('2019-01-03')
    await owner
      .updateTable('patient_immunizations')
      .set({ created_at: past, updated_at: past })
      .where('id', '=', id)
      .execute()
    const [row] = await immunizationsOfPatient(as('admin'), { patientId: patient_id })
    await saveImmunization(as('admin'), {
      ...aDose,
      id,
      patient_id,
      visit_id: null,
      last_modified: row!.last_modified,
    })
  })

  test('is hidden from a clinic that did not record it, and not to be recorded by users who only read', async ({
    as,
    make,
  }) => {
    const patient = await make.patient()
    const [here, there] = [
      await make.visit({ patient_id: patient.id }),
      await make.visit({ patient_id: patient.id }),
    ]
    await make.immunization({ patient_id: patient.id, visit_id: there.id })
    const me = as('provider', { [here.clinic_id]: treating })
    expect(await immunizationsOfPatient(me, { patientId: patient.id })).toEqual([])
    const reader = as('provider', { [here.clinic_id]: ['can_view_history'] })
    const dose = { ...aDose, id: uuidv7(), patient_id: patient.id, visit_id: null }
    await expect(saveImmunization(reader, dose)).rejects.toMatchObject({ code: 'forbidden' })
    // its doses would count in the reports of a clinic that did not give them
    await expect(
      saveImmunization(me, { ...dose, clinic_id: there.clinic_id }),
    ).rejects.toMatchObject({ fields: { clinic_id: { key: 'immunizations.otherClinic' } } })
  })

  test('says each problem beside its field; the database keeps the days possible', async ({
    as,
    make,
    db,
  }) => {
    const { id: patient_id } = await make.patient({ date_of_birth: '2026-01-05' })
    const save = (values: object) =>
      saveImmunization(as('admin'), {
        ...aDose,
        id: uuidv7(),
        patient_id,
        visit_id: null,
        ...values,
      })
    await expect(
      save({ vaccine: 'water', given_on: 'soon', dose_number: 1.5 }),
    ).rejects.toMatchObject({
      fields: {
        vaccine: { key: 'validation.option' },
        given_on: { key: 'validation.date' },
        dose_number: { key: 'vitals.whole' },
      },
    })
    const tomorrow = addDays(dayIn(new Date(), clinicTimeZone()), 1)
    await expect(save({ given_on: tomorrow })).rejects.toMatchObject({
      fields: { given_on: { key: 'validation.inFuture' } },
    })
    await expect(save({ given_on: '2026-01-04' })).rejects.toMatchObject({
      fields: { given_on: { key: 'immunizations.beforeBirth' } },
    })
    const wrong = { id: uuidv7(), patient_id, vaccine: 'bcg', given_on: '2190-01-01' }
    expect(await brokenRule(db, db.insertInto('patient_immunizations').values(wrong))).toBe(
      'patient_immunizations_given_check',
    )
  })
})

describe('what counts by the schedule', () => {
  const today = dayIn(new Date(), clinicTimeZone())
  const ago = (days: number) => addDays(today, -days)

  test('a dose that does not count is asked about on a screen; whichever way it arrived it is marked', async ({
    asUser,
    make,
  }) => {
    const { id: patient_id } = await make.patient({ date_of_birth: ago(60) })
    const me = asUser(await make.user({ role: 'admin' }))
    const save = (given_on: string, more: object = {}) =>
      saveImmunization(me, {
        ...aDose,
        id: uuidv7(),
        patient_id,
        visit_id: null,
        given_on,
        check_counted: true,
        ...more,
      })
    await expect(save(ago(19))).rejects.toMatchObject({
      text: { key: 'immunizations.asks_too_young', values: { day: ago(18) } },
    })
    await save(ago(18))
    await expect(save(ago(18))).rejects.toMatchObject({
      text: { key: 'immunizations.asks_same_day' },
    })
    await expect(save(ago(1), { vaccine: 'dtp' })).rejects.toMatchObject({
      text: {
        key: 'immunizations.asks_too_soon',
        values: { last: ago(18), day: addDays(today, 10) },
      },
    })
    // as a phone, an import or a program stores it
    await make.immunization({ patient_id, vaccine: 'hexa', given_on: ago(1) })
    const [hexa, penta] = await immunizationsOfPatient(me, { patientId: patient_id })
    expect(penta!.not_counted).toEqual([])
    expect(hexa!.not_counted.map(({ part, why }) => `${part} ${why}`).toSorted()).toEqual([
      'dtp too_soon',
      'hepb too_soon',
      'hib too_soon',
    ])
    // a correction of the same dose is not compared with itself
    await save(ago(17), {
      id: penta!.id,
      last_modified: penta!.last_modified,
    })
  })

  test('a live vaccine of today is asked about with what weakens the immune system', async ({
    asUser,
    make,
  }) => {
    const clinic = await make.clinic()
    const { id: patient_id } = await make.patient({ date_of_birth: ago(9000) })
    await make.visit({ patient_id, clinic_id: clinic.id })
    const me = asUser(await make.user(), { [clinic.id]: treating })
    const save = (vaccine: 'mmr' | 'td' | 'opv', more: object = {}) =>
      saveImmunization(me, {
        ...aDose,
        id: uuidv7(),
        patient_id,
        visit_id: null,
        vaccine,
        dose_number: null,
        given_on: today,
        check_medicines: true,
        ...more,
      })
    const taken = (name: string, until: string | null = null) =>
      make.medicine({ patient_id, name, ingredients: [name], until })
    await taken('amoxicillin')
    const first = { id: uuidv7() }
    const saved = await save('opv', first)
    await taken('prednisolone')
    await expect(save('mmr')).rejects.toMatchObject({
      text: { key: 'immunizations.steroid', values: { medicine: 'prednisolone' } },
    })
    await taken('methotrexate')
    await expect(save('mmr')).rejects.toMatchObject({
      text: { key: 'immunizations.weakenedByDose', values: { medicine: 'methotrexate' } },
    })
    // months after an infusion; of tocilizumab the months are over
    await taken('tocilizumab', ago(120))
    await taken('rituximab', ago(120))
    await expect(save('mmr')).rejects.toMatchObject({
      text: { key: 'immunizations.weakened', values: { medicine: 'rituximab' } },
    })
    // what is on no list is asked about by itself
    await taken('Zorbadol')
    const more = { check_medicines: undefined, check_unknown: true }
    await expect(save('mmr', more)).rejects.toMatchObject({
      text: { key: 'immunizations.medicineUnknown', values: { medicine: 'Zorbadol' } },
    })
    // not live, given earlier, recorded before the medicine, or meant
    await save('td')
    await save('mmr', { given_on: ago(400) })
    await save('opv', { ...first, ...saved, notes: 'left arm' })
    await save('mmr', { check_medicines: undefined })
  })

  test('the plan says what is due today and next, by the doses of all clinics', async ({
    as,
    asUser,
    make,
  }) => {
    const clinic = await make.clinic()
    const { id: patientId } = await make.patient({ date_of_birth: ago(45) })
    const visit = await make.visit({ patient_id: patientId, clinic_id: clinic.id })
    const me = asUser(await make.user(), { [clinic.id]: treating })
    const steps = (of: { step: string }[]) => of.map(({ step }) => step).toSorted()
    const before = await immunizationPlan(me, { patientId })
    expect(steps(before.now)).toEqual(['bcg', 'opv-1', 'pcv-1', 'penta-1', 'rota-1'])
    expect(before).toMatchObject({ next: { steps: [{ step: 'ipv-1' }] }, hidden: 0 })
    const elsewhere = await make.visit({ patient_id: patientId })
    for (const vaccine of ['penta', 'opv', 'pcv', 'rota'])
      await make.immunization({
        patient_id: patientId,
        visit_id: elsewhere.id,
        vaccine,
        given_on: ago(2),
      })
    await make.immunization({
      patient_id: patientId,
      visit_id: visit.id,
      vaccine: 'bcg',
      given_on: ago(2),
    })
    const after = await immunizationPlan(me, { patientId })
    expect(after).toMatchObject({ now: [], hidden: 4, next: { day: ago(-26) } })
    expect(steps(after.next!.steps)).toEqual(['opv-2', 'pcv-2', 'penta-2', 'rota-2'])
    const unborn = await make.patient({ date_of_birth: null })
    expect(await immunizationPlan(as('admin'), { patientId: unborn.id })).toMatchObject({
      born: null,
      now: [],
      next: null,
    })
  })
})
