import { type Kysely, sql } from 'kysely'
import type * as z from 'zod'
import type { DB } from '~/db/types'
import { parseFreeText } from './check/text-lines'
import { loadActiveAllergies } from '~/features/care/allergies/allergies.server'
import { requireLivingOn } from '~/features/people/patients/lifetime/lifetime'
import { readBirthPrecision, isBeforeBirth, patientName } from '~/features/people/patients/patient'
import {
  isMarked,
  settleUnseen,
  loadUnseenWarnings,
} from '~/features/medicines/safety/arrivals.server'
import { loadPatientFacts } from '~/features/medicines/safety/facts.server'
import {
  keepOverrides,
  loadOverrides,
  stillOpen,
  unanswered,
  withMarks,
} from '~/features/medicines/safety/overrides.server'
import { asksSecondPerson } from '~/features/medicines/safety/second/second-person.server'
import { permitsIn, permitsSomewhere } from '~/policy/facts'
import type { RequiredPatient } from '~/policy/on.server'
import { requireClinic, requirePatient, requireProvider } from '~/policy/require.server'
import { deleteHistory, knowPatient, prescribeAt } from '~/policy/rules'
import type { PrescriptionStatus } from '~/records/prescription-status'
import { type Context, mutation, type On, query } from '~/server/operation'
import { deleteRecord, saveRecord } from '~/server/record'
import { patientOfRow } from '~/server/shown'
import { can, mayAnywhere, mayIn } from '~/shared/actor'
import { enteredLater, happened, isOnAnotherDay } from '~/shared/earlier-day'
import { forbidden, invalid, notFound } from '~/shared/errors'
import { impossibleDay } from '~/shared/planned-days'
import { clinicTimeZone, dayIn, momentAt, clinicToday } from '~/shared/zone'
import { askAboutDispensed } from './days.server'
import { asPrescription, isDispensed, selectPrescriptions } from './listing.server'
import { holdFor } from './holds.server'
import { isOtherVersion, loadPrescriptionItems, writeItems } from './items.server'
import {
  type ItemInput,
  isDispensingStatus,
  isUsualStep,
  needsStatusReason,
  PrescriptionId,
  SavePrescription,
} from './prescription'
import { prescribable, prescriptionSeen } from './rights.server'
import { structuredDoses, warningsFor } from './check/safety-check.server'
import { problemNamed, requireProblem } from './writing/problem.server'
import { keepAllergyReason, requireAllergyAnswer } from './check/unasked.server'

/**
 * One prescription with its medicines, what phones wrote as free text, and the warnings that were
 * overridden.
 */
export const getPrescription = query('prescriptions.get', {
  access: 'prescriptions',
  byPost: true,
  input: PrescriptionId,
  allow: ({ actor }) => mayAnywhere(actor, 'can_view_history', 'can_dispense_medications'),
  async run({ db, actor }, { id }) {
    const row = await selectPrescriptions(db)
      .select([
        'prescriptions.items as stored_items',
        'patients.date_of_birth',
        'patients.sex',
        'patients.metadata',
        'problem_id',
      ])
      .where('prescriptions.id', '=', id)
      .where(prescriptionSeen(actor))
      .executeTakeFirst()
    if (!row) throw notFound('prescriptions.notFound')
    const { stored_items, date_of_birth, sex, metadata, problem_id, ...prescription } = row
    const [items, overrides] = [
      await loadPrescriptionItems(db, [id]),
      await loadOverrides(db, id, actor),
    ]
    const arrivedRow = { table: 'prescriptions', id } as const
    return {
      ...asPrescription(prescription),
      problem: problem_id === null ? null : await problemNamed(db, problem_id),
      date_of_birth,
      birth_precision: readBirthPrecision(metadata),
      sex,
      weight: (await loadPatientFacts(db, row.patient_id)).weight,
      allergies: await loadActiveAllergies(db, row.patient_id),
      items: items.get(id) ?? [],
      freeText: parseFreeText(stored_items),
      overrides,
      /**
       * For rows that did not come through a screen: the unseen warnings, and whether the check is
       * still pending.
       */
      unseen: await loadUnseenWarnings(db, arrivedRow),
      isUnchecked: await isMarked(db, arrivedRow),
    }
  },
  shows: patientOfRow,
})
export type Prescription = Awaited<ReturnType<typeof getPrescription>>

type Named = { id: string; patient_id: string; last_modified?: Date | null }
type Existing = Awaited<ReturnType<typeof requireExisting>>

/** The day that was typed, or the moment that a program says; null: now, or as it is stored. */
function writtenAt({ day, prescribed_at }: { day: string | null; prescribed_at: Date | null }) {
  if (prescribed_at && dayIn(prescribed_at, clinicTimeZone()) > clinicToday())
    throw invalid({ prescribed_at: { key: 'validation.inFuture' } })
  // whether a day long ago was meant is asked once the stored day is known
  const then = happened({ day, confirmed: ['old_day'] })
  return then.enteredOn ? then.at : prescribed_at
}

/** A patient for whose prescriptions the actor has write access; with `last_modified`, also the stored prescription. */
export const prescribedPatient: On<
  Named,
  { patient: RequiredPatient; existing: Existing | undefined }
> = {
  permits: (actor) => permitsSomewhere(prescribeAt, actor),
  rows: async (ctx, { id, patient_id, last_modified }) => ({
    patient: await requirePrescriber(ctx, patient_id),
    existing: last_modified ? await requireExisting(ctx, id, patient_id) : undefined,
  }),
}

/**
 * Writes a prescription or changes it, with all its medicines. Where the safety check warns of
 * something that has no reason yet, nothing is saved and the warnings come back: `{ ok: false,
 * warnings, asksSecond }`.
 */
export const savePrescription = mutation('prescriptions.save', {
  input: SavePrescription,
  on: prescribedPatient,
  run: (ctx, input, rows) => writePrescription(ctx, input, rows),
})

/** Writes it for an operation whose rule is `prescribed`, perhaps in place of a current medicine. */
export async function writePrescription(
  ctx: Context,
  input: z.output<typeof SavePrescription>,
  { patient, existing }: { patient: RequiredPatient; existing: Existing | undefined },
  replacedId?: string,
) {
  const { items, overrides, allergies_reason, reason, day, confirmed, problem_id, ...rest } = input
  const { prescribed_at: _at, ...prescription } = rest
  const prescribed_at = writtenAt(input)
  const { id, patient_id, pickup_clinic_id } = prescription
  const written = prescribed_at ?? existing?.prescribed_at ?? new Date()
  if (isOnAnotherDay(existing?.prescribed_at, written)) {
    const [onDay, field] = [dayIn(written, clinicTimeZone()), day ? 'day' : 'prescribed_at']
    requireLivingOn(patient, onDay, existing ? field : 'patient_id')
    if (isBeforeBirth(patient, onDay)) throw invalid({ [field]: { key: 'vitals.beforeBirth' } })
    await askAboutDispensed(ctx.db, existing, { day: onDay, field }, confirmed)
  }
  requirePossibleExpiry(prescription.expiration_date, written, existing?.expiration_date)
  await requireClinic(ctx.db, pickup_clinic_id, 'pickup_clinic_id')
  if (problem_id && problem_id !== existing?.problem_id)
    await requireProblem(ctx, patient_id, problem_id)
  // an unchanged prescriber may have left the clinic since
  const isSame =
    prescription.provider_id === existing?.provider_id &&
    pickup_clinic_id === existing.pickup_clinic_id
  if (!isSame) {
    await requireProvider(ctx.db, prescription.provider_id, {
      id: pickup_clinic_id,
      rule: prescribeAt,
      otherwise: 'prescriptions.providerMayNot',
      actor: ctx.actor,
    })
  }
  const { status: was, is_dispensed } = existing ?? {
    status: 'pending' as const,
    is_dispensed: false,
  }
  requireStatusRight(ctx, was, prescription.status, pickup_clinic_id)
  requireReason({ status: was, is_dispensed }, prescription.status, reason)
  await requireActiveDrugs(ctx.db, id, items)
  await requireNoRefills(ctx.db, id, items)

  const drugIds = items
    .filter(({ item_status }) => item_status !== 'cancelled')
    .map(({ drug_id }) => drug_id)
  const unasked = (await isNewMedicine(ctx.db, id, drugIds))
    ? await requireAllergyAnswer(ctx, patient_id, allergies_reason)
    : null
  const warnings = await warningsFor(ctx.db, {
    patientId: patient_id,
    drugIds,
    prescriptionId: id,
    doses: structuredDoses(items),
    replacedId,
  })
  const fresh = stillOpen(warnings, await loadOverrides(ctx.db, id, ctx.actor), 'prescribing')
  const place = { patientId: patient_id, clinicId: pickup_clinic_id }
  if ((await unanswered(ctx, place, fresh, overrides)).length > 0)
    return {
      ok: false as const,
      warnings: withMarks(fresh, warnings),
      asksSecond: await asksSecondPerson(ctx.db),
    }

  // locked: its items are written after it
  const isStale = await isOtherVersion(ctx.db, input)
  const saved = await saveRecord(
    ctx,
    'prescriptions',
    {
      ...prescription,
      ...(problem_id !== undefined && { problem_id }),
      ...(prescribed_at && { prescribed_at }),
      ...(prescribed_at &&
        isOnAnotherDay(existing?.prescribed_at, prescribed_at) &&
        enteredLater(prescribed_at, ctx.actor.userId, day ? 'day' : 'prescribed_at', confirmed)),
      ...(was !== prescription.status && { status_reason: reason }),
      // of an existing one the database marks the step
      ...(!existing && !isUsualStep(was, prescription.status) && { unusual_from: was }),
      expiration_date: keepOrStartDay(prescription.expiration_date, existing?.expiration_date),
    },
    'prescriptions.notFound',
  )
  await keepFilling(ctx, id)
  await writeItems(ctx.db, { id, patient_id, pickup_clinic_id }, items, {
    actor: ctx.actor,
    isStale,
  })
  if (prescription.status === 'prepared') await holdFor(ctx.db, id, pickup_clinic_id)
  const where = {
    patientId: patient_id,
    clinicId: pickup_clinic_id,
    prescriptionId: id,
    stage: 'prescribing' as const,
  }
  await keepOverrides(ctx, where, fresh, overrides)
  await keepAllergyReason(ctx, where, unasked)
  await settleUnseen(ctx, { table: 'prescriptions', id })
  return { ok: true as const, ...saved, ...(await loadLastModified(ctx.db, id)) }
}

type Listed = Awaited<ReturnType<ReturnType<typeof selectPrescriptions>['executeTakeFirstOrThrow']>>

/** A prescription that the actor reads, and whose records the actor may delete at its clinic. */
const deletable: On<{ id: string }, { row: Listed }> = {
  permits: (actor) => permitsSomewhere(deleteHistory.permissions, actor),
  async rows({ db, actor }, { id }) {
    const row = await selectPrescriptions(db)
      .where('prescriptions.id', '=', id)
      .where(prescriptionSeen(actor))
      .executeTakeFirst()
    if (!row) throw notFound('prescriptions.notFound')
    const isPermitted = row.pickup_clinic_id
      ? permitsIn(deleteHistory.permissions, actor, row.pickup_clinic_id)
      : can(actor, 'delete_all-patient')
    if (!isPermitted) throw forbidden()
    return { row }
  },
}

/** Moves a prescription to the trash, with its items. Its dispensing records are kept. */
export const deletePrescription = mutation('prescriptions.delete', {
  input: PrescriptionId,
  on: deletable,
  async run(ctx, { id }, { row }) {
    const label = `${patientName(row)}, ${dayIn(row.prescribed_at, clinicTimeZone())}`
    return deleteRecord(ctx, 'prescriptions', id, label, 'prescriptions.notFound')
  },
})

/**
 * Throws `not_found` if the actor may not know the patient, `forbidden` if the actor may not
 * prescribe for the patient.
 */
export async function requirePrescriber(ctx: Context, patientId: string) {
  const patient = await requirePatient(ctx, patientId, knowPatient)
  const own = await ctx.db
    .selectFrom('patients')
    .select('id')
    .where('id', '=', patientId)
    .where(prescribable(ctx.actor))
    .executeTakeFirst()
  if (!own) throw forbidden()
  return patient
}

async function requireExisting({ db, actor }: Context, id: string, patientId: string) {
  const existing = await db
    .selectFrom('prescriptions')
    .select([
      'id',
      'patient_id',
      'provider_id',
      'pickup_clinic_id',
      'problem_id',
      'status',
      'prescribed_at',
      'expiration_date',
      isDispensed.as('is_dispensed'),
    ])
    .where('id', '=', id)
    .where('is_deleted', '=', false)
    .where(prescriptionSeen(actor))
    .executeTakeFirst()
  // whose it is never changes
  if (!existing || existing.patient_id !== patientId) throw notFound('prescriptions.notFound')
  return { ...existing, status: existing.status as PrescriptionStatus }
}

/** The pharmacy's statuses need permission to dispense at the pickup clinic. */
export function requireStatusRight(
  { actor }: Pick<Context, 'actor'>,
  was: PrescriptionStatus,
  becomes: PrescriptionStatus,
  clinicId: string | null,
) {
  if (was === becomes || !isDispensingStatus(becomes)) return
  if (!clinicId || !mayIn(actor, 'can_dispense_medications', clinicId)) {
    throw invalid({ status: { key: 'prescriptions.statusNeedsDispensing' } })
  }
}

/**
 * Prevents marking a prescription as picked up by mistake: with nothing dispensed, it needs a
 * reason.
 */
export function requireReason(
  was: { status: PrescriptionStatus; is_dispensed: boolean },
  becomes: PrescriptionStatus,
  reason: string | null,
) {
  if (needsStatusReason(was, becomes) && !reason)
    throw invalid({ reason: { key: 'prescriptions.pickedUpNeedsReason' } })
}

/** Whether one of these medicines is not on the stored prescription yet. */
async function isNewMedicine(db: Kysely<DB>, prescriptionId: string, drugIds: readonly string[]) {
  const stored = (await loadPrescriptionItems(db, [prescriptionId])).get(prescriptionId) ?? []
  return drugIds.some(
    (id) => !stored.some((item) => item.drug_id === id && item.item_status !== 'cancelled'),
  )
}

/** An item that is there already may keep its medicine, whatever became of it since. */
async function requireActiveDrugs(
  db: Kysely<DB>,
  prescriptionId: string,
  items: readonly ItemInput[],
) {
  const rows = await db
    .selectFrom('drug_catalogue as d')
    .select('d.id')
    .where(
      'd.id',
      'in',
      items.map(({ drug_id }) => drug_id),
    )
    .where(({ or, and, eb, exists, selectFrom }) =>
      or([
        and([eb('d.is_active', '=', true), eb('d.is_deleted', '=', false)]),
        exists(
          selectFrom('prescription_items as i')
            .select('i.id')
            .whereRef('i.drug_id', '=', 'd.id')
            .where('i.prescription_id', '=', prescriptionId),
        ),
      ]),
    )
    .execute()
  const usable = new Set(rows.map(({ id }) => id))
  const wrong = items.flatMap(({ drug_id }, at) =>
    usable.has(drug_id)
      ? []
      : [[`items.${at}.drug_id`, { key: 'prescriptions.drugNotFound' as const }] as const],
  )
  if (wrong.length > 0) throw invalid(Object.fromEntries(wrong))
}

/**
 * A controlled medicine is prescribed anew each time. Refills that are there already, by a phone or
 * an import, may stay.
 */
async function requireNoRefills(
  db: Kysely<DB>,
  prescriptionId: string,
  items: readonly ItemInput[],
) {
  const refilled = items.filter(
    ({ refills_authorized, item_status }) => refills_authorized > 0 && item_status !== 'cancelled',
  )
  if (refilled.length === 0) return
  const controlled = await db
    .selectFrom('drug_catalogue')
    .select('id')
    .where('is_controlled', '=', true)
    .where('id', 'in', [...new Set(refilled.map(({ drug_id }) => drug_id))])
    .execute()
  if (controlled.length === 0) return
  const there = (await loadPrescriptionItems(db, [prescriptionId])).get(prescriptionId) ?? []
  const wrong = items.flatMap(({ id, drug_id, refills_authorized }, at) => {
    const before =
      there.find((item) => item.id === id && item.drug_id === drug_id)?.refills_authorized ?? 0
    const isWrong = refills_authorized > before && controlled.some((drug) => drug.id === drug_id)
    return isWrong
      ? [
          [
            `items.${at}.refills_authorized`,
            { key: 'prescriptions.controlledNoRefills' as const },
          ] as const,
        ]
      : []
  })
  if (wrong.length > 0) throw invalid(Object.fromEntries(wrong))
}

/** A prescription does not expire before it is written; a day that a phone sent stays until it is changed. */
function requirePossibleExpiry(day: string | null, written: Date, existing?: Date | null) {
  const zone = clinicTimeZone()
  if (!day || (existing && dayIn(existing, zone) === day)) return
  const key = impossibleDay('prescriptionExpiry', day, dayIn(written, zone))
  if (key) throw invalid({ expiration_date: { key } })
}

/** The moment that a phone chose stays while its day stays. */
function keepOrStartDay(day: string | null, existing?: Date | null): Date | null {
  if (!day) return null
  if (existing && dayIn(existing, clinicTimeZone()) === day) return existing
  return momentAt(`${day}T00:00`, clinicTimeZone())
}

/** Who handed it over, and when, while it counts as picked up. */
export const keepFilling = ({ db, actor }: Context, id: string) =>
  db
    .updateTable('prescriptions')
    .set({
      filled_at: sql`case when status = 'picked-up' then now() end`,
      filled_by: sql`case when status = 'picked-up' then (select id from users where id = ${actor.userId}) end`,
    })
    .where('id', '=', id)
    .where(sql<boolean>`(status = 'picked-up') <> (filled_at is not null)`)
    .execute()

/** Items that were written after the prescription may have moved its version. */
const loadLastModified = (db: Kysely<DB>, id: string) =>
  db
    .selectFrom('prescriptions')
    .select('last_modified')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
