import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { loadActiveAllergies } from '~/features/care/allergies/allergies.server'
import { titleColumns } from '~/records/strength'
import { pickBatches, stockedBatches } from '~/features/medicines/inventory/ledger/movements.server'
import { readBirthPrecision, patientName } from '~/features/people/patients/patient'
import { loadPrescriptionItems } from '~/features/medicines/prescriptions/items.server'
import {
  asPrescription,
  searchCondition,
  selectPrescriptions,
} from '~/features/medicines/prescriptions/listing.server'
import { storedDose } from '~/features/medicines/prescriptions/writing/dose'
import { identifiersColumn } from '~/features/people/patients/card/identifiers.server'
import { dueQuantity, remainingQuantity } from '~/features/medicines/prescriptions/prescription'
import {
  checkFor,
  structuredDoses,
} from '~/features/medicines/prescriptions/check/safety-check.server'
import { loadOverrides } from '~/features/medicines/safety/overrides.server'
import { historyWhere } from '~/policy/sql.server'
import { contactColumns, LABEL_CONTACT } from '~/records/clinic'
import { query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { inPermittedClinics, sentBy } from '~/server/scope'
import { patientOfRow, patientsOfRows } from '~/server/shown'
import { mayAnywhere, mayIn } from '~/shared/actor'
import { notFound } from '~/shared/errors'
import { addDays, clinicTimeZone, dayIn, startOfDay, clinicToday } from '~/shared/zone'
import { ListQueue, ListRecords, PrescriptionToDispense } from './dispensing'
import { labelCautions } from './label-cautions'

/**
 * Ready to pick up: nothing was dispensed yet, or only a part of what is due. A refill waits until
 * it is requested.
 */
const WAITING = sql<boolean>`(status in ('pending', 'prepared') or status = 'partially-picked-up' and exists (
  select from prescription_items i where i.prescription_id = prescriptions.id and not i.is_deleted
    and i.item_status in ('active', 'partially_dispensed')
    and (i.quantity_dispensed = 0 or i.quantity_dispensed % i.quantity_prescribed <> 0)))`

/**
 * Prescriptions waiting to be dispensed in the caller's clinics: most urgent first, then longest
 * waiting.
 */
export const listDispensingQueue = query('dispensing.queue', {
  access: 'dispensing',
  reads: ['prescription_items', 'prescriptions', 'safety_overrides'],
  looksUp: ['clinics', 'drug_catalogue', 'patients', 'users'],
  input: ListQueue,
  allow: ({ actor }) => mayAnywhere(actor, 'can_dispense_medications'),
  async run({ db, actor }, { clinicId, status, search, page }) {
    const matchesSearch = search ? await searchCondition(db, search) : null
    const prescriptions = selectPrescriptions(db)
      .where(
        inPermittedClinics(actor, 'prescriptions.pickup_clinic_id', 'can_dispense_medications'),
      )
      .where(status ? sql<boolean>`status = ${status}` : WAITING)
      .$if(clinicId !== undefined, (q) => q.where('prescriptions.pickup_clinic_id', '=', clinicId!))
      .$if(matchesSearch !== null, (q) => q.where(matchesSearch!))
    const { rows, pagination } = await loadListPage(
      prescriptions
        .select(
          sql<boolean>`exists (select from safety_overrides o where o.prescription_id = prescriptions.id
            and o.stage = 'arrived' and o.reviewed_at is null and not o.is_deleted)`.as(
            'has_unseen',
          ),
        )
        .orderBy(sql`array_position(array['emergency', 'high', 'normal', 'low'], priority)`)
        .orderBy('prescribed_at')
        .orderBy('prescriptions.id'),
      prescriptions,
      page,
    )
    return {
      /** `has_unseen`: an unreviewed warning was found later, for example after a new allergy. */
      rows: rows.map(({ has_unseen, ...row }) => ({ ...asPrescription(row), has_unseen })),
      pagination,
    }
  },
  shows: patientsOfRows,
})
export type Queued = Awaited<ReturnType<typeof listDispensingQueue>>['rows'][number]

/**
 * Everything to dispense one prescription: items with what is due and suggested batches, allergies,
 * warnings, records.
 */
export const getToDispense = query('dispensing.get', {
  access: 'dispensing',
  reads: [
    'clinic_inventory',
    'dispensing_records',
    'drug_batches',
    'drug_catalogue',
    'medicine_decisions',
    'patient_allergies',
    'patient_medicines',
    'patient_pregnancies',
    'program_enrollments',
    'patient_problems',
    'prescription_items',
    'prescriptions',
    'safety_overrides',
    'safety_rules_off',
  ],
  looksUp: [
    'app_config',
    'clinics',
    'event_forms',
    'events',
    'patient_vitals',
    'patients',
    'report_bindings',
    'users',
    'visits',
  ],
  input: PrescriptionToDispense,
  allow: ({ actor }) => mayAnywhere(actor, 'can_dispense_medications'),
  async run({ db, actor }, { id }) {
    const row = await selectPrescriptions(db)
      .select(['patients.date_of_birth', 'patients.sex', 'patients.metadata as patient_metadata'])
      .select(['patients.external_patient_id'])
      .where('prescriptions.id', '=', id)
      .where(
        inPermittedClinics(actor, 'prescriptions.pickup_clinic_id', 'can_dispense_medications'),
      )
      .executeTakeFirst()
    if (!row) throw notFound('prescriptions.notFound')
    const { date_of_birth, sex, patient_metadata, external_patient_id, ...prescription } = row
    const items = (await loadPrescriptionItems(db, [id])).get(id) ?? []
    const [allergies, overrides] = [
      await loadActiveAllergies(db, row.patient_id),
      await loadOverrides(db, id, actor),
    ]
    const drugIds = items
      .filter(({ item_status }) => item_status !== 'cancelled')
      .map(({ drug_id }) => drug_id)
    const proposed = []
    for (const item of items) {
      // a prescription has few items, and each reads its own batches
      proposed.push({
        ...(await withBatches(db, item, row.pickup_clinic_id!)),
        earliest: await findEarliestSupplyDay(db, row.patient_id, item),
      })
    }
    return {
      ...asPrescription(prescription),
      date_of_birth,
      external_patient_id,
      birth_precision: readBirthPrecision(patient_metadata),
      sex,
      items: proposed,
      allergies,
      overrides,
      ...(await checkFor(db, {
        patientId: row.patient_id,
        drugIds,
        prescriptionId: id,
        doses: structuredDoses(items),
      })),
      records: (
        await selectDispensingRecords(db)
          .where('i.prescription_id', '=', id)
          .orderBy('r.dispensed_at', 'desc')
          .orderBy('r.id', 'desc')
          .limit(500)
          .execute()
      ).map((record) => ({ ...withDose(record), cautions: labelCautions(record) })),
    }
  },
  shows: patientOfRow,
})
export type ToDispense = Awaited<ReturnType<typeof getToDispense>>
export type ItemToDispense = ToDispense['items'][number]

type Item =
  Awaited<ReturnType<typeof loadPrescriptionItems>> extends Map<string, (infer I)[]> ? I : never

async function withBatches(db: Kysely<DB>, item: Item, clinicId: string) {
  const [due, left] = [dueQuantity(item), remainingQuantity(item)]
  const medicine = { clinicId, drugId: item.drug_id }
  const picking =
    due > 0
      ? await pickBatches(db, { ...medicine, quantity: due, now: new Date(), holdFor: item.id })
      : null
  const batches = due > 0 ? await stockedBatches(db, clinicId, item.drug_id, item.id) : []
  return { ...item, due, left, picking, batches }
}

type Controlled = Pick<
  Item,
  'drug_id' | 'is_controlled' | 'quantity_prescribed' | 'quantity_dispensed'
>
/**
 * The first day on which a controlled medicine may be dispensed again: the patient's last supply
 * of before the end of `day`, of any prescription, is used up. Null if that day has come by then, no days' supply was
 * recorded, or the current fill is only partly dispensed.
 */
export async function findEarliestSupplyDay(
  db: Kysely<DB>,
  patientId: string,
  item: Controlled,
  day: string = clinicToday(),
): Promise<string | null> {
  // a record of a phone whose clock is ahead counts today
  const before = day < clinicToday() ? startOfDay(addDays(day, 1)) : null
  const isPartlyFilled =
    Math.round(item.quantity_dispensed * 1000) % Math.round(item.quantity_prescribed * 1000) !== 0
  if (!item.is_controlled || isPartlyFilled) return null
  const { rows } = await sql<{ until: Date | null }>`
    select max(r.dispensed_at + make_interval(days => least(floor(r.days_supply), 3650)::int)) as until
    from dispensing_records r where r.patient_id = ${patientId} and r.drug_id = ${item.drug_id} and not r.is_deleted
      and r.days_supply >= 1 and r.quantity_dispensed > 0
      and (${before}::timestamptz is null or r.dispensed_at < ${before}::timestamptz)
      and not exists (select from dispensing_records back where back.reverses_id = r.id
        and not back.is_deleted)`.execute(db)
  const until = rows[0]?.until
  const earliest = until ? dayIn(until, clinicTimeZone()) : null
  return earliest && earliest > day ? earliest : null
}

/**
 * Dispensing records, newest first: in the clinics where the actor dispenses, and of patients whose
 * history the actor may read.
 */
export const listRecords = query('dispensing.records', {
  access: 'dispensing',
  reads: ['dispensing_records'],
  looksUp: ['clinics', 'drug_batches', 'drug_catalogue', 'patients', 'prescription_items', 'users'],
  input: ListRecords,
  allow: ({ actor }) => mayAnywhere(actor, 'can_dispense_medications', 'can_view_history'),
  async run({ db, actor }, { clinicId, patientId, page }) {
    const isVisible = sql<boolean>`(${inPermittedClinics(actor, 'r.clinic_id', 'can_dispense_medications')}
      or ${historyWhere(actor, 'r')})`
    const found = selectDispensingRecords(db)
      .where(isVisible)
      .$if(clinicId !== undefined, (q) => q.where('r.clinic_id', '=', clinicId!))
      .$if(patientId !== undefined, (q) => q.where('r.patient_id', '=', patientId!))
    const { rows, pagination } = await loadListPage(
      found
        .innerJoin('patients as p', 'p.id', 'r.patient_id')
        .select(['p.given_name', 'p.surname', identifiersColumn('p').as('identifiers')])
        .orderBy('r.dispensed_at', 'desc')
        .orderBy('r.id', 'desc'),
      found,
      page,
    )
    return {
      rows: rows.map(({ given_name, surname, ...record }) => ({
        ...withDose(record),
        patient: patientName({ given_name, surname }),
        mayReverse:
          record.quantity_dispensed > 0 &&
          mayIn(actor, 'can_dispense_medications', record.clinic_id),
      })),
      pagination,
    }
  },
  shows: patientsOfRows,
})
export type ListedRecord = Awaited<ReturnType<typeof listRecords>>['rows'][number]

const withDose = <R extends { dose: unknown; dosage_instructions: string | null }>(record: R) => ({
  ...record,
  dose: storedDose(record.dose, record.dosage_instructions),
})

/** All dispensing records, with names; `reversed_at` is set if a counter-entry reversed the record. */
const selectDispensingRecords = (db: Kysely<DB>) =>
  db
    .selectFrom('dispensing_records as r')
    .innerJoin('drug_catalogue as d', 'd.id', 'r.drug_id')
    .innerJoin('clinics as c', 'c.id', 'r.clinic_id')
    .leftJoin('prescription_items as i', 'i.id', 'r.prescription_item_id')
    .leftJoin('drug_batches as b', 'b.id', 'r.batch_id')
    .leftJoin('users as u', 'u.id', 'r.dispensed_by')
    .leftJoin('dispensing_records as back', (join) =>
      join.onRef('back.reverses_id', '=', 'r.id').on('back.is_deleted', '=', false),
    )
    .where('r.is_deleted', '=', false)
    .select([
      'r.id',
      'r.drug_id',
      'r.clinic_id',
      'r.patient_id',
      'r.prescription_item_id',
      'i.prescription_id',
    ])
    .select([
      'r.quantity_dispensed',
      'r.days_supply',
      'r.dosage_instructions',
      'r.dose',
      'r.dispensed_at',
      'r.reverses_id',
      'r.entered_on',
      'u.name as entered_by',
    ])
    .select(['r.reason', ...titleColumns('d'), 'd.form', 'd.route', 'd.ingredients'])
    .select([
      'b.batch_number',
      'b.expiry_date',
      'u.name as dispensed_by',
      sentBy('r', 'dispensed_by'),
      'c.name as clinic',
      ...contactColumns('c', LABEL_CONTACT),
    ])
    .select(['back.dispensed_at as reversed_at'])
export type DispensingRecord = ToDispense['records'][number]
