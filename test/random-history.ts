import fc from 'fast-check'
import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { DB } from '~/db/types'
import { newReferralNumber } from '~/features/care/referrals/referral-number'

/** The one form: its fields hold a diagnosis, sugars and contacts. */
export const FORM = '01900000-0000-7000-8000-0000000f0001'
const CODES = ['I10', 'E11.9', 'J06', 'A09', 'B54', 'b50.9', 'T63', 'S01', 'Z00', '']

/** Days from 1 October 2026, most of them near the edges of months, and minutes near midnight somewhere. */
const instant = fc
  .tuple(
    fc.oneof(
      { weight: 1, arbitrary: fc.integer({ min: -420, max: 45 }) },
      { weight: 3, arbitrary: fc.constantFrom(-31, -1, 0, 1, 14, 15, 30, 31) },
    ),
    fc.constantFrom(0, 1, 240, 299, 300, 660, 780, 1259, 1260, 1319, 1320, 1439),
  )
  .map(([day, minute]) => new Date(Date.UTC(2026, 9, 1) + (day * 1440 + minute) * 60_000))
const dayOf = (at: Date) => at.toISOString().slice(0, 10)

const DELETED = [
  'visits',
  'patient_problems',
  'patient_vitals',
  'events',
  'program_enrollments',
  'patient_immunizations',
  'appointments',
  'prescriptions',
  'prescription_items',
  'stock_shortfalls',
] as const

const few = <T>(each: fc.Arbitrary<T>, maxLength: number) => fc.array(each, { maxLength })
const patientNo = fc.nat(3)
const visitNo = fc.option(fc.nat(9), { nil: null })

/** What happened to four patients in two clinics, near the edges of days and months. */
export const history = fc.record({
  patients: fc.array(
    fc.record({
      sex: fc.constantFrom('male', 'Female', 'hombre', 'x', null),
      date_of_birth: fc.constantFrom('2024-02-29', '2021-10-31', '2021-09-30', '1980-05-17', null),
      phone: fc.constantFrom('0912345678', '٠٩١٢٣٤٥٦٧٨', '१२३४५६७८', '1234567', null),
      died_on: fc.constantFrom(null, null, null, '2026-10-31', '2026-11-01', '2026-09-30'),
      created_at: instant,
      clinic: fc.nat(1),
    }),
    { minLength: 4, maxLength: 4 },
  ),
  visits: fc.array(
    fc.record({
      patient: patientNo,
      clinic: fc.nat(1),
      at: instant,
      is_revisit: fc.constantFrom(null, null, null, true, false),
      hasProvider: fc.boolean(),
    }),
    { minLength: 10, maxLength: 10 },
  ),
  problems: few(
    fc.record({
      patient: patientNo,
      visit: visitNo,
      code: fc.constantFrom(...CODES.filter(Boolean)),
      status: fc.constantFrom('confirmed', 'provisional', 'refuted'),
      at: instant,
    }),
    10,
  ),
  vitals: few(
    fc.record({
      patient: patientNo,
      visit: visitNo,
      systolic: fc.constantFrom(120, 139, 140, 180, null),
      weight: fc.constantFrom(9.5, 61.25, null),
      diastolic: fc.constantFrom(79, 89, 90, 110),
      at: instant,
    }),
    12,
  ),
  events: few(
    fc.record({
      patient: patientNo,
      visit: visitNo,
      code: fc.option(fc.constantFrom(...CODES), { nil: null }),
      fasting: fc.constantFrom(null, '110', '126', '210'),
      hba1c: fc.constantFrom(null, '6.9', '7', '9.5'),
      contact: fc.boolean(),
      at: instant,
    }),
    8,
  ),
  enrollments: few(
    fc.record({
      patient: patientNo,
      program: fc.constantFrom('hypertension', 'diabetes', 'pregnancy'),
      clinic: fc.nat(1),
      at: instant,
      days: fc.constantFrom(null, null, 30, 300),
      review_days: fc.constantFrom(null, 60),
    }),
    6,
  ),
  doses: few(
    fc.record({
      patient: patientNo,
      visit: visitNo,
      clinic: fc.nat(1),
      vaccine: fc.constantFrom('penta', 'mr'),
      number: fc.constantFrom(null, 1, 2, 3),
      at: instant.filter((at) => at < new Date('2026-11-01')),
    }),
    5,
  ),
  appointments: few(
    fc.record({
      patient: patientNo,
      at: instant,
      created_at: instant,
      status: fc.constantFrom('pending', 'confirmed', 'cancelled', 'completed'),
      waits: fc.array(fc.constantFrom(-5, 0, 12.5, 47), { maxLength: 2 }),
    }),
    6,
  ),
  prescribed: few(
    fc.record({
      patient: patientNo,
      visit: visitNo,
      clinic: fc.nat(1),
      at: instant,
      items: fc.array(
        fc.record({
          drug: fc.nat(2),
          quantity: fc.constantFrom(5, 10, 30),
          status: fc.constantFrom('active', 'active', 'cancelled'),
        }),
        { maxLength: 2 },
      ),
    }),
    5,
  ),
  dispensed: few(
    fc.record({
      patient: patientNo,
      clinic: fc.nat(1),
      drug: fc.nat(2),
      at: instant,
      quantity: fc.constantFrom(5, 7.5, 30),
      days: fc.constantFrom(null, 10, 15),
    }),
    5,
  ),
  receipts: few(
    fc.record({
      batch: fc.nat(3),
      clinic: fc.nat(1),
      at: instant,
      quantity: fc.constantFrom(50, 100),
    }),
    5,
  ),
  movements: few(
    fc.record({
      receipt: fc.nat(4),
      at: instant,
      type: fc.constantFrom('dispensed', 'expired', 'damaged', 'adjustment', 'returned'),
      quantity: fc.constantFrom(10, 22.5, 'rest' as const),
    }),
    8,
  ),
  quarantines: few(fc.record({ batch: fc.nat(3), at: instant, isQuarantined: fc.boolean() }), 3),
  shortfalls: few(
    fc.record({
      clinic: fc.nat(1),
      drug: fc.nat(2),
      at: instant,
      settled: fc.constantFrom(null, 1, 40),
    }),
    3,
  ),
  referrals: few(
    fc.record({
      patient: patientNo,
      visit: visitNo,
      at: instant,
      urgency: fc.constantFrom('routine', 'urgent'),
    }),
    3,
  ),
  calls: few(
    fc.record({
      patient: patientNo,
      program: fc.constantFrom('hypertension', 'diabetes'),
      clinic: fc.nat(1),
      at: instant,
      isRemoved: fc.boolean(),
      isCountered: fc.boolean(),
    }),
    6,
  ),
  /** whose record is merged into whose */
  merged: fc.constantFrom<number[][]>(
    [],
    [],
    [[1, 0]],
    [
      [2, 1],
      [1, 0],
    ],
  ),
  /** every so many rows of a table are deleted */
  deleted: few(fc.tuple(fc.constantFrom(...DELETED), fc.integer({ min: 2, max: 4 })), 2),
})
type History = typeof history extends fc.Arbitrary<infer T> ? T : never

/** What histories share: the clinics, a provider, three medicines and four batches. */
type Shared = {
  clinics: string[]
  provider: string
  drugs: string[]
  batches: { id: string; drug_id: string }[]
}

export async function writeHistory(db: Kysely<DB>, history: History, shared: Shared) {
  const { clinics, provider } = shared
  const ids = history.patients.map(() => uuidv7())
  const of = (patient: number) => ids[patient]!
  const visits = history.visits.map((visit) => ({ ...visit, id: uuidv7() }))
  /** A row of a visit is of the visit's patient. */
  const placed = (patient: number, visit: number | null) =>
    visit === null
      ? { patient_id: of(patient), visit_id: null }
      : { patient_id: of(visits[visit]!.patient), visit_id: visits[visit]!.id }
  const insert = async (table: keyof DB, rows: object[]) => {
    if (rows.length > 0)
      await db
        .insertInto(table as 'visits')
        .values(rows as never)
        .execute()
  }
  await insert(
    'patients',
    history.patients.map(({ clinic, died_on: _, ...patient }, at) => ({
      ...patient,
      id: ids[at],
      given_name: 'A',
      primary_clinic_id: clinics[clinic],
    })),
  )
  await insert(
    'visits',
    visits.map(({ id, patient, clinic, at, is_revisit, hasProvider }) => ({
      id,
      patient_id: of(patient),
      clinic_id: clinics[clinic],
      check_in_timestamp: at,
      is_revisit,
      provider_id: hasProvider ? provider : null,
    })),
  )
  await insert(
    'patient_problems',
    history.problems.map(({ patient, visit, code, status, at }, n) => ({
      id: uuidv7(),
      metadata: markOf(n),
      ...placed(patient, visit),
      problem_code_system: 'icd10',
      problem_code: code,
      problem_label: 'x',
      verification_status: status,
      created_at: at,
    })),
  )
  await insert(
    'patient_vitals',
    history.vitals.map(({ patient, visit, systolic, diastolic, weight, at }, n) => ({
      id: uuidv7(),
      metadata: markOf(n),
      ...placed(patient, visit),
      timestamp: at,
      systolic_bp: systolic,
      diastolic_bp: diastolic,
      weight_kg: weight,
    })),
  )
  await insert(
    'events',
    history.events.map(({ patient, visit, code, fasting, hba1c, contact, at }) => ({
      id: uuidv7(),
      ...placed(patient, visit),
      form_id: FORM,
      created_at: at,
      form_data: JSON.stringify(
        Object.entries({
          dx: code === null ? null : [{ code, desc: 'x' }],
          fasting,
          hba1c,
          contact: contact ? 'yes' : null,
        })
          .filter(([, value]) => value !== null)
          .map(([fieldId, value]) => ({ fieldId, name: fieldId, value })),
      ),
    })),
  )
  const seen = new Set<string>()
  await insert(
    'program_enrollments',
    history.enrollments.flatMap(({ patient, program, clinic, at, days, review_days }) => {
      if (seen.has(`${patient} ${program}`)) return []
      seen.add(`${patient} ${program}`)
      const ended = days === null ? null : dayOf(new Date(at.getTime() + days * 86_400_000))
      return {
        id: uuidv7(),
        patient_id: of(patient),
        program,
        clinic_id: clinics[clinic],
        enrolled_on: dayOf(at),
        ended_on: ended,
        end_reason: ended && 'moved',
        lmp: program === 'pregnancy' ? dayOf(at) : null,
        review_days,
      }
    }),
  )
  await insert(
    'patient_immunizations',
    history.doses.map(({ patient, visit, clinic, vaccine, number, at }) => ({
      id: uuidv7(),
      ...placed(patient, visit),
      clinic_id: clinics[clinic],
      vaccine,
      dose_number: number,
      given_on: dayOf(at),
    })),
  )
  const appointments = history.appointments.map((each) => ({ ...each, id: uuidv7() }))
  await insert(
    'appointments',
    appointments.map(({ id, patient, at, created_at, status }) => ({
      id,
      patient_id: of(patient),
      clinic_id: clinics[0],
      timestamp: at,
      created_at,
      status,
    })),
  )
  await insert(
    'appointment_departments',
    appointments.flatMap(({ id, at, waits }) =>
      waits.map((minutes, position) => ({
        appointment_id: id,
        // after those that the appointment itself has
        position: position + 10,
        clinic_id: clinics[0],
        status: 'completed',
        waiting_since: at,
        called_at: new Date(at.getTime() + minutes * 60_000),
      })),
    ),
  )
  const prescriptions = history.prescribed.map((each) => ({ ...each, id: uuidv7() }))
  await insert(
    'prescriptions',
    prescriptions.map(({ id, patient, visit, clinic, at }) => ({
      id,
      ...placed(patient, visit),
      pickup_clinic_id: clinics[clinic],
      prescribed_at: at,
    })),
  )
  await insert(
    'prescription_items',
    prescriptions.flatMap(({ id, patient, visit, clinic, items }) =>
      items.map(({ drug, quantity, status }) => ({
        id: uuidv7(),
        prescription_id: id,
        patient_id: placed(patient, visit).patient_id,
        clinic_id: clinics[clinic],
        drug_id: shared.drugs[drug],
        quantity_prescribed: quantity,
        item_status: status,
      })),
    ),
  )
  const given = history.dispensed.map((each) => ({ ...each, id: uuidv7() }))
  await insert(
    'dispensing_records',
    given.map(({ id, patient, clinic, drug, at, quantity, days }) => ({
      id,
      patient_id: of(patient),
      clinic_id: clinics[clinic],
      drug_id: shared.drugs[drug],
      dispensed_at: at,
      quantity_dispensed: quantity,
      days_supply: days,
    })),
  )
  await stock(db, history, shared)
  await insert(
    'stock_shortfalls',
    history.shortfalls.map(({ clinic, drug, at, settled }) => ({
      clinic_id: clinics[clinic],
      drug_id: shared.drugs[drug],
      quantity: 3.5,
      reference_id: uuidv7(),
      occurred_at: at,
      ...(settled !== null && {
        settlement: 'explained',
        settled_reason: 'x',
        settled_at: new Date(at.getTime() + settled * 86_400_000),
      }),
    })),
  )
  await insert(
    'referrals',
    history.referrals.map(({ patient, visit, at, urgency }, index) => ({
      id: uuidv7(),
      number: newReferralNumber(),
      to_name: `Hospital ${index}`,
      reason: 'x',
      ...placed(patient, visit),
      sent_at: at,
      urgency,
    })),
  )
  const calls = history.calls.map((call) => ({ ...call, id: uuidv7() }))
  const called = ({ patient, program, clinic, at, isRemoved }: (typeof calls)[number]) => ({
    patient_id: of(patient),
    program,
    schedule_code: 'review',
    step: 'review',
    due_on: dayOf(at),
    clinic_id: clinics[clinic],
    called_at: at,
    ...(isRemoved
      ? { result: 'removed_from_overdue_list', reason: 'other', agreed_on: null }
      : { result: 'agreed_to_visit', reason: null, agreed_on: dayOf(at) }),
  })
  await insert(
    'follow_up_calls',
    calls.map((call) => ({ id: call.id, counters_id: null, ...called(call) })),
  )
  await insert(
    'follow_up_calls',
    calls.flatMap((call) =>
      call.isCountered ? [{ id: uuidv7(), counters_id: call.id, ...called(call) }] : [],
    ),
  )
  await merges(db, ids, history)
  for (const [table, every] of history.deleted)
    await sql`update ${sql.table(table)} set is_deleted = true where id in (
      select id from (select id, row_number() over (order by id) as at from ${sql.table(table)}
        where not is_deleted) rows where at % ${every} = 0)`.execute(db)
  await deaths(db, ids, history)
}

/** Receipts, and what was moved of them; quarantines stand in the audit trail. */
async function stock(db: Kysely<DB>, history: History, { clinics, batches }: Shared) {
  const balances = new Map<string, number>()
  const move = async (
    { batch, clinic, at }: { batch: number; clinic: number; at: Date },
    transaction_type: string,
    quantity: number,
  ) => {
    const place = `${batch} ${clinic}`
    balances.set(place, (balances.get(place) ?? 0) + quantity)
    await db
      .insertInto('inventory_transactions')
      .values({
        clinic_id: clinics[clinic]!,
        drug_id: batches[batch]!.drug_id,
        batch_id: batches[batch]!.id,
        transaction_type,
        quantity,
        day: dayOf(at),
        reference_type: ['dispensed', 'returned'].includes(transaction_type)
          ? 'dispensing'
          : 'receipt',
        reference_id: uuidv7(),
        is_reported: true,
      })
      .execute()
  }
  for (const receipt of history.receipts) await move(receipt, 'received', receipt.quantity)
  for (const { receipt: index, at, type, quantity } of history.movements) {
    const receipt = history.receipts[index]
    const left = receipt ? balances.get(`${receipt.batch} ${receipt.clinic}`)! : 0
    const wanted = quantity === 'rest' ? left : quantity
    if (!receipt || wanted <= 0 || wanted > left) continue
    await move({ ...receipt, at }, type, type === 'returned' ? wanted : -wanted)
  }
  const changes = history.quarantines.toSorted((a, b) => a.at.getTime() - b.at.getTime())
  for (const { batch, at, isQuarantined } of changes)
    await db
      .insertInto('audit_log')
      .values({
        at,
        action: 'update',
        via: 'web',
        request_id: 'test',
        table_name: 'drug_batches',
        record_id: batches[batch]!.id,
        changes: JSON.stringify({ is_quarantined: [!isQuarantined, isQuarantined] }),
      })
      .execute()
}

/** As `patients.merge` does it. */
async function merges(db: Kysely<DB>, ids: string[], { merged }: History) {
  for (const [loser, winner] of merged) {
    await sql`select move_patient_rows(${ids[loser!]}::uuid, ${ids[winner!]}::uuid)`.execute(db)
    await db
      .insertInto('patient_merges')
      .values({
        id: uuidv7(),
        loser_id: ids[loser!]!,
        winner_id: ids[winner!]!,
        moved: '[]',
        kept: '[]',
        links: '{}',
        changed: '{}',
        replaced: '[]',
      })
      .execute()
  }
}

/** After the rest: a patient who has died gets no appointments. */
async function deaths(db: Kysely<DB>, ids: string[], history: History) {
  for (const [at, { died_on }] of history.patients.entries())
    if (died_on)
      await db.updateTable('patients').set({ died_on }).where('id', '=', ids[at]!).execute()
}

/** Some are taken from a document of another clinic. */
const markOf = (n: number) => (n % 4 === 3 ? JSON.stringify({ document: { entries: [] } }) : '{}')
