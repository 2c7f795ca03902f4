import { cancelToCome } from '~/features/rules/transitions/day.server'
import { type Kysely, sql } from 'kysely'
import type * as z from 'zod'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import { birthFrom } from '~/fields/birth'
import { checkAnswers, type CheckedAnswers } from '~/features/people/registration/given-answers'
import { firstForm } from '~/features/people/registration/registration-forms.server'
import { BASE_COLUMNS, patientRecord } from '~/records/patient'
import { type Relative, relationFault } from '~/records/related-person'
import { requireClinic, requireNamedPatient } from '~/policy/require.server'
import { editPatient, knowPatient, mayMoveFrom } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { type Context, mutation, query } from '~/server/operation'
import { saveRecord } from '~/server/record'
import { can, mayAnywhere, mayIn } from '~/shared/actor'
import { AppError, forbidden, invalid, notFound } from '~/shared/errors'
import { newId } from '~/shared/id'
import { clinicToday } from '~/shared/zone'
import { loadAttributes, changedAnswers, writeAnswers } from './answers.server'
import {
  patientBirth,
  CreatePatient,
  isBeforeBirth,
  type Metadata,
  PatientId,
  SavePatient,
  withBirthPrecision,
  withIdentifiers,
} from './patient'
import { askAboutLife } from './lifetime/lifetime.server'
import { answersByName } from './patient-answers'

/**
 * The version of a patient includes the answers: a phone may write an answer without touching the
 * patient.
 */
const version = sql<Date>`greatest(patients.last_modified,
  (select max(a.last_modified) from patient_additional_attributes a where a.patient_id = patients.id))`

/**
 * The identity of a patient, with the answers to all present and former fields of the form by
 * attribute name.
 */
export const getPatient = query('patients.get', {
  access: 'record',
  reads: ['patient_additional_attributes', 'patients'],
  input: PatientId,
  allow: ({ actor }) => can(actor, 'read_patient'),
  async run({ db, actor }, { id }) {
    const patient = await db
      .selectFrom('patients')
      .modifyFront(asPrepared())
      .select([
        'id',
        ...patientRecord.names,
        'created_at',
        'updated_at',
        version.as('last_modified'),
      ])
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .where(patientsWhere(knowPatient, actor))
      .executeTakeFirst()
    if (!patient) throw notFound('patients.notFound')
    const attributes = await loadAttributes(db, id)
    const byName = Object.fromEntries(
      attributes.map(({ attribute, metadata, ...values }) => [
        attribute,
        { ...values, metadata: metadata as Metadata },
      ]),
    )
    const { additional_data, metadata, ...columns } = patient
    return {
      patient: {
        ...columns,
        additional_data: additional_data as Metadata,
        metadata: metadata as Metadata,
        additional_attributes: byName,
      },
    }
  },
  shows: ({ patient }) => [patient.id],
})
export type Patient = Awaited<ReturnType<typeof getPatient>>['patient']

/** Registers a patient in a clinic. */
export const createPatient = mutation('patients.create', {
  input: CreatePatient,
  allow: (ctx, patient) => mayRegister(ctx, patient.primary_clinic_id),
  run: register,
})

/** Registers a patient, or changes the given values of a patient. */
export const savePatient = mutation('patients.save', {
  input: SavePatient,
  allow: (ctx, { last_modified, primary_clinic_id }) =>
    last_modified
      ? can(ctx.actor, 'update_patient') &&
        mayAnywhere(ctx.actor, 'can_register_patients', 'can_edit_records')
      : !primary_clinic_id || mayRegister(ctx, primary_clinic_id),
  async run(ctx, { last_modified, primary_clinic_id, ...patient }) {
    if (last_modified) return change(ctx, { last_modified, primary_clinic_id, ...patient })
    if (!primary_clinic_id)
      throw invalid({ primary_clinic_id: { key: 'registration.clinicRequired' } })
    return register(ctx, { primary_clinic_id, ...patient })
  },
})

const mayRegister = ({ actor }: Context, clinicId: string) =>
  can(actor, 'create_patient') && mayIn(actor, 'can_register_patients', clinicId)

async function register(
  ctx: Context,
  {
    id,
    primary_clinic_id,
    died_on,
    language,
    weeks_at_birth,
    mother_id,
    identifiers,
    ...given
  }: z.output<typeof CreatePatient>,
) {
  const existing = await lock(ctx, id)
  if (existing && !existing.is_known) throw notFound('patients.notFound')
  await requireClinic(ctx.db, primary_clinic_id, 'primary_clinic_id', { open: true })
  const form = await firstForm(ctx.db)
  const { columns, answers } = checkAnswers(form.fields, given, { isNew: true })
  const values = {
    ...withBirth(columns, {}, identifiers),
    primary_clinic_id,
    ...(died_on && { died_on }),
    ...(language && { language }),
    ...(weeks_at_birth && { weeks_at_birth }),
    last_modified_by: ctx.actor.userId,
  }
  requirePossibleDeath({ died_on: null, date_of_birth: null, metadata: {}, ...values })
  await saveRecord(ctx, 'patients', { id, ...values }, 'patients.notFound')
  await writeAnswers(
    ctx.db,
    id,
    changedAnswers(answers, existing ? await loadAttributes(ctx.db, id) : []),
  )
  const child = { sex: null, birth: patientBirth({ date_of_birth: null, metadata: {}, ...values }) }
  if (mother_id) await linkMother(ctx, id, child, mother_id)
  return saved(ctx.db, id)
}

/** A newborn is linked to the mother, whose record must be the user's to see; a repeated request links once. */
async function linkMother(ctx: Context, patientId: string, child: Relative, motherId: string) {
  const mother = await requireNamedPatient(ctx, motherId, 'mother_id')
  const fault = relationFault('mother', child, { sex: mother.sex, birth: patientBirth(mother) })
  if (fault) throw invalid({ mother_id: { key: fault } })
  const link = {
    patient_id: patientId,
    relationship: 'mother',
    related_patient_id: motherId,
  }
  const linked = await ctx.db
    .selectFrom('related_persons')
    .select('id')
    .where('patient_id', '=', patientId)
    .where('related_patient_id', '=', motherId)
    .executeTakeFirst()
  if (!linked)
    await ctx.db
      .insertInto('related_persons')
      .values({ id: newId(), ...link })
      .execute()
}

type Change = Omit<z.output<typeof SavePatient>, 'last_modified'> & { last_modified: Date }

async function change(
  ctx: Context,
  {
    id,
    last_modified,
    primary_clinic_id,
    died_on,
    language,
    weeks_at_birth,
    cancel_appointments,
    confirmed,
    identifiers,
    ...given
  }: Change,
) {
  const before = await lock(ctx, id)
  if (!before?.is_known) throw notFound('patients.notFound')
  if (!before.is_changeable) throw forbidden()
  if (primary_clinic_id && primary_clinic_id !== before.primary_clinic_id) {
    const mayMove =
      mayIn(ctx.actor, 'can_register_patients', primary_clinic_id) &&
      mayMoveFrom(ctx.actor, before.primary_clinic_id)
    if (!mayMove) throw forbidden()
    await requireClinic(ctx.db, primary_clinic_id, 'primary_clinic_id', { open: true })
  }
  const form = await firstForm(ctx.db)
  const attributes = await loadAttributes(ctx.db, id)
  const storedAnswers = answersByName(form.fields, before, attributes, 'UTC')
  const { columns, answers } = checkAnswers(form.fields, given, {
    isNew: false,
    kept: storedAnswers,
  })

  const values: Record<string, unknown> = {
    ...withBirth(columns, before.metadata, identifiers),
    ...(primary_clinic_id && { primary_clinic_id }),
    ...(died_on !== undefined && { died_on }),
    ...(language !== undefined && { language }),
    ...(weeks_at_birth !== undefined && { weeks_at_birth }),
  }
  const now = { ...before, ...values }
  requirePossibleDeath(now)
  await askAboutLife(ctx, { id, before, now }, confirmed)
  const changed = changedAnswers(answers, attributes)
  const isNothing = Object.entries(values).every(([name, value]) =>
    same(before[name as keyof typeof before], value),
  )
  // a repeated request whose response was lost
  if (isNothing && changed.length === 0) return { id, last_modified: before.version }

  if (
    before.version.getTime() !== last_modified.getTime() &&
    before.last_modified.getTime() <= last_modified.getTime()
  ) {
    // only an answer changed, which saveRecord does not detect
    throw new AppError('conflict', { key: 'errors.staleByOther' })
  }
  const read =
    before.version.getTime() === last_modified.getTime() ? before.last_modified : last_modified
  await saveRecord(
    ctx,
    'patients',
    { id, last_modified: read, ...values, last_modified_by: ctx.actor.userId },
    'patients.notFound',
  )
  await writeAnswers(ctx.db, id, changed)
  if (died_on && cancel_appointments) await cancelToCome(ctx, id)
  return saved(ctx.db, id)
}

/** The date of death is not before the earliest possible date of birth, and not in the future. */
function requirePossibleDeath(patient: {
  died_on: string | null
  date_of_birth: string | null
  metadata: unknown
}) {
  const { died_on } = patient
  if (!died_on) return
  if (isBeforeBirth(patient, died_on))
    throw invalid({ died_on: { key: 'patients.diedBeforeBirth' } })
  if (died_on > clinicToday()) throw invalid({ died_on: { key: 'validation.inFuture' } })
}

/** Locks the patient until the end of the transaction. */
const lock = ({ db, actor }: Context, id: string) =>
  db
    .selectFrom('patients')
    .modifyFront(asPrepared())
    .select([
      'id',
      ...BASE_COLUMNS,
      'died_on',
      'language',
      'weeks_at_birth',
      'metadata',
      'primary_clinic_id',
      'last_modified',
      version.as('version'),
    ])
    .select([
      sql<boolean>`not is_deleted and ${patientsWhere(knowPatient, actor)}`.as('is_known'),
      sql<boolean>`${patientsWhere(editPatient, actor)}`.as('is_changeable'),
    ])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

const saved = (db: Kysely<DB>, id: string) =>
  db
    .selectFrom('patients')
    .modifyFront(asPrepared())
    .select(['id', version.as('last_modified')])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

/** Converts the text of a date of birth to the stored day and its precision, which is in the metadata. */
function withBirth(
  { date_of_birth, ...columns }: CheckedAnswers['columns'],
  metadata: unknown,
  identifiers?: readonly object[],
) {
  const keptMetadata = withIdentifiers(metadata, identifiers)
  if (date_of_birth === undefined)
    return identifiers === undefined ? columns : { ...columns, metadata: keptMetadata }
  // the schema returns text with the same meaning on every day, so today's date does not matter
  const birth = date_of_birth === null ? null : birthFrom(date_of_birth, '')
  return {
    ...columns,
    date_of_birth: birth?.day ?? null,
    metadata: withBirthPrecision(keptMetadata, birth?.precision ?? 'day'),
  }
}

const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
