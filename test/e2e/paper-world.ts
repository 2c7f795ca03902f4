import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { newReferralNumber } from '~/features/care/referrals/referral-number'
import { newId } from '~/shared/id'
import { makeFactories } from '../factories'

/** How much is recorded: lines in each text, rows in each list. */
export type Size = { lines: number; rows: number }
export const SIZES = {
  short: { lines: 1, rows: 0 },
  middle: { lines: 40, rows: 8 },
  long: { lines: 120, rows: 60 },
} as const satisfies Record<string, Size>

export const DAY = '2026-01-05'
const at = new Date(`${DAY}T09:00:00Z`)

/** "HX007": found on paper whatever the language of the text around it. */
export const marks = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}${String(index + 1).padStart(3, '0')}`)
/** Wider than paper, as a list pasted without spaces is. */
const WIDE_WORD = 'wheezing'.repeat(28)
/** Each line in both scripts. */
const textOf = (name: string, lines: number) =>
  [
    ...marks(name, lines).map((mark) => `ليلًا ${mark} cough`),
    ...(lines > 1 ? [WIDE_WORD] : []),
  ].join('\n')
/** The first of several has a wide word. */
const withWideWord = (text: string, index: number) => (index === 0 ? `${text} ${WIDE_WORD}` : text)

/** Of a day: the most columns of a shipped report. */
export const HOURS = 24

/** A reason has at most 1,000 letters. */
export const linesOfReason = (lines: number) => Math.min(lines, 20)
const OVERRIDDEN = {
  key: 'duplicate',
  kind: 'duplicate',
  drugId: 'zinc',
  drug: 'Zinc',
  ingredient: 'zinc',
  other: 'Zinc',
}

/** A patient with a record of this size, and what else a clinic prints. */
export async function makeRecord(db: Kysely<DB>, clinicId: string, { lines, rows }: Size) {
  const make = makeFactories(db)
  const insert = (table: keyof DB, all: object[]) =>
    all.length === 0
      ? null
      : db
          .insertInto(table)
          .values(all as never)
          .execute()
  const user = await db.selectFrom('users').select('id').executeTakeFirstOrThrow()
  const patient = await make.patient({ surname: 'Mansour', primary_clinic_id: clinicId })
  const visit = await make.visit({
    patient_id: patient.id,
    clinic_id: clinicId,
    reason: textOf('RE', lines),
    check_in_timestamp: at,
  })
  const of = { patient_id: patient.id, recorded_clinic_id: clinicId }
  const ofVisit = { ...of, visit_id: visit.id }
  const form = await make.eventForm({
    name: 'Check-up',
    form_fields: JSON.stringify(
      ['history', 'plan'].map((id) => ({
        id,
        name: id,
        description: '',
        required: false,
        fieldType: 'free-text',
        inputType: 'textarea',
        length: 'long',
      })),
    ),
  })
  const event = await make.event({
    ...ofVisit,
    form_id: form.id,
    answers: { history: textOf('HX', lines), plan: 'PL001' },
    created_at: at,
  })
  const rowsOf = <Row extends object>(name: string, row: (mark: string, index: number) => Row) =>
    marks(name, rows).map((mark, index) => ({ id: newId(), ...row(mark, index) }))
  await insert(
    'patient_problems',
    rowsOf('PR', (problem_label) => ({
      ...ofVisit,
      problem_code_system: 'icd10',
      problem_code: 'I10',
      problem_label,
    })),
  )
  await insert(
    'patient_allergies',
    rowsOf('AL', (substance, index) => ({
      ...of,
      substance: withWideWord(substance, index).slice(0, 200),
      substance_kind: 'other',
    })),
  )
  await insert(
    'patient_immunizations',
    rowsOf('LT', (lot) => ({ ...ofVisit, vaccine: 'td', given_on: DAY, lot })),
  )
  await insert(
    'patient_medicines',
    rowsOf('TK', (dose) => ({ ...of, name: 'Herb', source: 'pharmacy', dose })),
  )
  const prescription = await make.prescription({
    ...of,
    visit_id: visit.id,
    pickup_clinic_id: clinicId,
    provider_id: user.id,
    prescribed_at: at,
    notes: textOf('NO', lines),
  })
  const drugs = rowsOf('MD', (generic_name) => ({
    generic_name,
    // none: warnings about the same substance would fill the pages
    ingredients: [],
    form: 'capsule',
    route: 'oral',
    dosage_quantity: 500,
    dosage_units: 'mg',
  }))
  await insert('drug_catalogue', drugs)
  await insert(
    'prescription_items',
    drugs.map(({ id: drug_id }, position) => ({
      id: newId(),
      ...of,
      prescription_id: prescription.id,
      clinic_id: clinicId,
      drug_id,
      position,
      quantity_prescribed: 10,
      // long in the second row: a page begins and ends within it
      dosage_instructions: position === 1 ? textOf('DI', lines) : 'One in the morning',
    })),
  )
  const drug = await make.drug({ generic_name: 'Paracetamol', ingredients: [] })
  const item = await make.prescriptionItem(prescription, {
    drug_id: drug.id,
    recorded_clinic_id: clinicId,
    position: 100,
    dosage_instructions: 'One at noon',
  })
  const record = await db
    .insertInto('dispensing_records')
    .values({
      id: newId(),
      ...of,
      clinic_id: clinicId,
      drug_id: drug.id,
      prescription_item_id: item.id,
      quantity_dispensed: 10,
      dosage_instructions: textOf('LB', lines),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const referral = await make.referral({
    ...ofVisit,
    number: newReferralNumber(),
    reason: textOf('RF', lines),
    sent_at: at,
  })
  const message = await make.message({
    patient_id: patient.id,
    clinic_id: clinicId,
    body: marks('MB', lines).join(' come\n'),
    created_at: at,
  })
  const appointment = await make.appointment({
    patient_id: patient.id,
    clinic_id: clinicId,
    timestamp: at,
  })
  // a register, a day and a shelf of their own, of as many patients and movements
  const place = await make.clinic()
  const others = rowsOf('NM', (surname) => ({
    given_name: 'Layla',
    surname,
    sex: 'female',
    date_of_birth: '1990-05-17',
    primary_clinic_id: place.id,
  }))
  await insert('patients', others)
  await insert(
    'visits',
    others.map(({ id }) => ({
      id: newId(),
      patient_id: id,
      clinic_id: place.id,
      check_in_timestamp: at,
    })),
  )
  const [first] = others
  if (first) {
    const { id } = await db
      .selectFrom('visits')
      .select('id')
      .where('patient_id', '=', first.id)
      .executeTakeFirstOrThrow()
    await insert(
      'patient_problems',
      marks('DG', lines).map((label, index) => ({
        id: newId(),
        patient_id: first.id,
        visit_id: id,
        problem_code_system: 'icd10',
        // the register has a code of a visit once
        problem_code: `I10.${index}`,
        problem_label: withWideWord(label, index),
      })),
    )
  }
  await insert(
    'program_enrollments',
    others.map(({ id }) => ({
      id: newId(),
      patient_id: id,
      clinic_id: place.id,
      recorded_clinic_id: place.id,
      program: 'hypertension',
      enrolled_on: DAY,
    })),
  )
  await insert(
    'appointments',
    others.map(({ id }) => ({
      id: newId(),
      patient_id: id,
      clinic_id: place.id,
      timestamp: at,
      reason: 'checkup',
    })),
  )
  await insert(
    'safety_overrides',
    others.map(({ id }, index) => ({
      id: newId(),
      patient_id: id,
      clinic_id: place.id,
      drug_id: drug.id,
      stage: 'prescribing',
      kind: 'duplicate',
      warning: JSON.stringify(OVERRIDDEN),
      reason: index === 0 ? textOf('OR', linesOfReason(lines)) : 'The dose is being raised',
      overridden_at: at,
    })),
  )
  const batch = await make.batch()
  await insert(
    'inventory_transactions',
    rowsOf('BC', (reason) => ({
      clinic_id: place.id,
      drug_id: batch.drug_id,
      batch_id: batch.id,
      transaction_type: 'received',
      quantity: 1,
      reason,
      reference_type: 'receipt',
      reference_id: newId(),
      day: DAY,
    })).map(({ id: _, ...row }) => row),
  )
  const report = await make.report({
    page: 'A4 portrait',
    axes: {
      hour: marks('HR', HOURS).map((name, hour) => ({
        id: name.toLowerCase(),
        names: { en: name },
        where: ['visit.hour', 'is', hour],
      })),
    },
    sections: [
      {
        id: 'hours',
        names: { en: 'By hour' },
        measure: 'visits',
        columns: { axis: 'hour', total: true },
        rows: [{ id: 'all', names: { en: 'RX002 visits' } }],
      },
      {
        id: 'attendance',
        names: { en: 'Attendance' },
        rows: [...marks('RW', rows), 'RX001'].map((name) => ({
          id: name.toLowerCase(),
          names: { en: `${name} visits`, ar: `الزيارات ${name}` },
          measure: 'visits',
        })),
      },
    ],
  })
  return {
    patientId: patient.id,
    visitId: visit.id,
    eventId: event.id,
    prescriptionId: prescription.id,
    recordId: record.id,
    referralId: referral.id,
    messageId: message.id,
    appointmentId: appointment.id,
    placeId: place.id,
    drugId: batch.drug_id,
    reportCode: report.code,
  }
}
export type PaperRecord = Awaited<ReturnType<typeof makeRecord>>
