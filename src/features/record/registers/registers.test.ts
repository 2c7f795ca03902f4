import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { test } from '../../../../test/harness'
import { makeWorld, writeHistory } from '../../../../test/report-history'
import { runCells } from '~/features/reports/cells/cells.server'
import type { ReportDefinition } from '~/features/reports/cells/definition'
import { readPeriod } from '~/features/reports/cells/period'
import { installStarter } from '~/features/forms/event-forms/starters.server'
import type { Permission } from '~/shared/permissions'
import { addDays, clinicTimeZone, dayIn } from '~/shared/zone'
import { dayRegister, programRegister } from './registers.server'

const reading: Permission[] = ['can_view_history']

describe('the register of a day', () => {
  test('has the visits of the clinic on that day, in their order, with what a paper register asks', async ({
    as,
    make,
  }) => {
    const clinic = await make.clinic()
    const at = (time: string, clinic_id = clinic.id, values: object = {}) =>
      make.visit({ clinic_id, check_in_timestamp: new Date(time), ...values })
    const late = await at('2026-03-10T11:00:00Z')
    const early = await at('2026-03-10T08:00:00Z', clinic.id, { provider_name: 'Dr. Rana' })
    await at('2026-03-11T11:00:00Z')
    await at('2026-03-10T09:00:00Z', (await make.clinic()).id)
    const { patient_id, id: visit_id } = early
    await make.problem({ patient_id, visit_id, problem_label: 'Asthma', problem_code: 'J45.9' })
    await make.problem({ patient_id, visit_id, verification_status: 'refuted' })
    await make.referral({ patient_id, visit_id, to_name: 'City hospital' })
    const prescription = await make.prescription({
      patient_id,
      visit_id,
      pickup_clinic_id: clinic.id,
    })
    await make.prescriptionItem(prescription, {
      drug_id: (await make.drug({ generic_name: 'Salbutamol' })).id,
    })
    const me = as('provider', { [clinic.id]: reading })
    const { rows } = await dayRegister(me, { clinicId: clinic.id, day: '2026-03-10' })
    expect(rows).toMatchObject([
      {
        id: early.id,
        is_return: false,
        provider_name: 'Dr. Rana',
        problems: ['Asthma J45.9'],
        medicines: ['Salbutamol'],
        referred_to: 'City hospital',
      },
      { id: late.id, problems: [], medicines: [], referred_to: null },
    ])
    const other = as('provider', { [(await make.clinic()).id]: reading })
    await expect(
      dayRegister(other, { clinicId: clinic.id, day: '2026-03-10' }),
    ).rejects.toMatchObject({ code: 'forbidden' })
  })
})

test('the register of each day has the diagnoses that the report counts, whichever way they were recorded', async ({
  db,
  as,
  make,
}) => {
  const world = await makeWorld(db)
  await writeHistory(db, world, 'case 2026-10-05 J06; diagnosis 2026-10-06 J20 -')
  // in one visit: a problem that the form names too, one that it alone names, and one that was refuted
  const visit = await make.visit({
    clinic_id: world.clinics['B']!,
    check_in_timestamp: new Date('2026-10-05T09:00Z'),
  })
  const own = { patient_id: visit.patient_id, visit_id: visit.id }
  await make.problem({ ...own, problem_code: 'J06', problem_label: 'J06' })
  await make.problem({ ...own, problem_code: 'I10', verification_status: 'refuted' })
  await make.event({
    ...own,
    form_id: world.forms['diagnosis']!,
    answers: { diagnosis: ['J06', 'A09', 'I10'].map((code) => ({ code, desc: 'x' })) },
  })
  // without a visit: in the patient's clinic, on the day of typing
  const patient = await make.patient({ primary_clinic_id: world.clinics['A']! })
  const outside = {
    patient_id: patient.id,
    visit_id: null,
    created_at: new Date('2026-10-06T09:00Z'),
  }
  await make.problem({ ...outside, problem_code: 'J20', problem_label: 'J20' })
  // what another clinic diagnosed is not of this day
  const metadata = JSON.stringify({ document: { entries: [] } })
  await make.problem({ ...outside, problem_code: 'J06', metadata })
  const clinics = Object.values(world.clinics)
  const definition: ReportDefinition = {
    code: 'cases',
    names: { en: 'Cases' },
    period: 'day',
    groups: Object.fromEntries(
      ['J06', 'A09', 'J20', 'I10'].map((code) => [code, { icd10: [code] }]),
    ),
    sections: [
      {
        id: 'cases',
        names: { en: 'Cases' },
        measure: { count: 'cases', in: 'period' },
        rows: ['J06', 'A09', 'J20', 'I10'].map((id) => ({
          id,
          names: { en: id },
          where: ['case.code', 'inGroup', id],
        })),
      },
    ],
  }
  let seen = 0
  for (const day of ['2026-10-05', '2026-10-06'])
    for (const clinicId of clinics) {
      const { cells } = await runCells(db, {
        definition,
        clinicIds: [clinicId],
        period: readPeriod(day, clinicTimeZone())!,
        zone: clinicTimeZone(),
        manual: new Map(),
        now: new Date('2026-11-20T08:00:00Z'),
      })
      const { rows } = await dayRegister(as('super_admin'), { clinicId, day })
      const lines = rows.flatMap(({ problems }) => problems)
      for (const { row, value } of cells) {
        expect(lines.filter((line) => line.endsWith(row)).length, `${day} ${row}`).toBe(value)
        seen += value ?? 0
      }
    }
  expect(seen).toBe(5)
})

test('a diagnosis is one line of the register: with its code, in words, or as an option of the form', async ({
  as,
  make,
}) => {
  const options = [{ value: 'uri', label: 'Cold' }]
  const form = await make.eventForm({
    form_fields: JSON.stringify([
      { id: 'free', name: 'Diagnosis', fieldType: 'diagnosis', options: [] },
      { id: 'own', name: 'Group', fieldType: 'diagnosis', options },
    ]),
  })
  const visit = await make.visit({ check_in_timestamp: new Date('2026-03-10T09:00Z') })
  const { patient_id, id: visit_id, clinic_id } = visit
  const answered = (answers: object) =>
    make.event({ patient_id, visit_id, form_id: form.id, answers: answers as never })
  const asthma = { patient_id, visit_id, problem_label: 'Asthma', problem_code: 'J45.9' }
  await make.problem(asthma)
  await make.problem(asthma)
  await answered({
    free: [
      { code: '', desc: 'Headache' },
      { code: 'A09', desc: 'Diarrhoea' },
      { code: '', desc: '' },
    ],
    own: ['uri', 'left'],
  })
  await answered({
    free: [
      { code: 'A09', desc: 'Diarrhoea again' },
      { code: 'J459', desc: 'Asthma' },
    ],
  })
  const { rows } = await dayRegister(as('super_admin'), { clinicId: clinic_id, day: '2026-03-10' })
  expect(rows).toHaveLength(1)
  expect(rows[0]!.problems.toSorted()).toEqual([
    'Asthma J45.9',
    'Cold uri',
    'Diarrhoea A09',
    'Headache',
    'left',
  ])
})

describe('the register of a program', () => {
  test('has its open enrolments of the clinic, with the last blood pressure of each month', async ({
    as,
    make,
    db,
  }) => {
    const today = dayIn(new Date(), clinicTimeZone())
    const visit = await make.visit({ check_in_timestamp: new Date() })
    const { patient_id, clinic_id } = visit
    const enroll = (values: object) =>
      db
        .insertInto('program_enrollments')
        .values({
          id: uuidv7(),
          patient_id,
          program: 'hypertension',
          clinic_id,
          enrolled_on: addDays(today, -40),
          ...values,
        })
        .execute()
    await enroll({})
    await enroll({ program: 'diabetes' })
    const ended = await make.visit({ clinic_id })
    await enroll({ patient_id: ended.patient_id, ended_on: today, end_reason: 'moved' })
    const measured = (systolic_bp: number, minutesAgo: number) =>
      make.vital({
        patient_id,
        systolic_bp,
        diastolic_bp: 85,
        timestamp: new Date(Date.now() - minutesAgo * 1000),
      })
    await measured(150, 2)
    await measured(138, 1)
    const admin = as('admin')
    const { rows } = await programRegister(admin, { clinicId: clinic_id, program: 'hypertension' })
    expect(rows).toMatchObject([
      { patient_id, last_visit_on: today, pressures: { [today.slice(0, 7)]: '138/85' } },
    ])
    expect(rows).toHaveLength(1)
    await expect(
      programRegister(admin, { clinicId: clinic_id, program: 'unknown' }),
    ).rejects.toMatchObject({ fields: { program: { key: 'validation.option' } } })
  })

  test('of tuberculosis has sputum by month of treatment, what the form asks, and outcomes of a year', async ({
    as,
    make,
    db,
  }) => {
    const today = dayIn(new Date(), clinicTimeZone())
    const admin = as('super_admin')
    const clinic = await make.clinic()
    const formId = uuidv7()
    await installStarter(admin, {
      key: 'tuberculosis-follow-up',
      id: formId,
      clinic_ids: [clinic.id],
    })
    const bound = await db
      .selectFrom('report_bindings')
      .select(['concept', 'field_id'])
      .where('form_id', '=', formId)
      .execute()
    const filled = async (patient_id: string, daysAgo: number, answers: Record<string, string>) => {
      const visit = await make.visit({
        patient_id,
        clinic_id: clinic.id,
        check_in_timestamp: new Date(`${addDays(today, -daysAgo)}T09:00:00Z`),
      })
      await make.event({
        patient_id,
        visit_id: visit.id,
        form_id: formId,
        answers: Object.fromEntries(
          Object.entries(answers).map(([concept, value]) => [
            bound.find((one) => one.concept === concept)!.field_id!,
            value,
          ]),
        ),
      })
    }
    const enrolled = async (enrolledAgo: number, values: object = {}) =>
      (
        await make.enrollment({
          clinic_id: clinic.id,
          program: 'tuberculosis',
          enrolled_on: addDays(today, -enrolledAgo),
          ...values,
        })
      ).patient_id
    const open = await enrolled(170)
    const failed = await enrolled(200, { ended_on: addDays(today, -20), end_reason: 'failed' })
    await enrolled(500, { ended_on: addDays(today, -400), end_reason: 'cured' })
    await enrolled(90, { ended_on: addDays(today, -80), end_reason: 'mistaken' })
    // the sputum of an earlier treatment is not of this enrolment
    await filled(open, 900, { 'tb.month': '6', 'tb.sputum': 'plus3' })
    await filled(open, 175, { 'tb.month': '0', 'tb.sputum': 'plus2', 'tb.site': 'pulmonary' })
    await filled(open, 112, { 'tb.month': '2', 'tb.sputum': 'plus1' })
    await filled(open, 110, { 'tb.month': '2', 'tb.sputum': 'negative', 'tb.hiv': 'negative' })
    await filled(open, 20, { 'tb.month': '5', 'tb.sputum': 'not_done' })
    const of = { clinicId: clinic.id, program: 'tuberculosis' }
    const { rows } = await programRegister(admin, { ...of, language: 'es' })
    expect(rows).toMatchObject([
      { patient_id: failed, end_reason: 'failed', ended_on: addDays(today, -20), sputum: {} },
      {
        patient_id: open,
        ended_on: null,
        sputum: { 0: '2+', 2: 'Negativo' },
        answers: { 'tb.site': 'Pulmonar', 'tb.hiv': 'Negativo' },
      },
    ])
    expect(rows).toHaveLength(2)
    expect(rows[1]!.sputum).toEqual({ 0: '2+', 2: 'Negativo' })

    // treated again two weeks after it failed: each treatment has its own months
    await filled(failed, 22, { 'tb.month': '5', 'tb.sputum': 'plus3' })
    await filled(failed, 8, { 'tb.month': '0', 'tb.sputum': 'plus1', 'tb.site': 'pulmonary' })
    await make.enrollment({
      patient_id: failed,
      clinic_id: clinic.id,
      program: 'tuberculosis',
      enrolled_on: addDays(today, -6),
    })
    const again = (await programRegister(admin, of)).rows.filter((row) => row.patient_id === failed)
    expect(again.map(({ sputum, answers }) => [sputum, answers['tb.site']])).toEqual([
      [{ 5: '3+' }, undefined],
      [{ 0: '1+' }, 'Pulmonary'],
    ])
  })
})
