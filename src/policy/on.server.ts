import { type Expression, type Selectable, type SqlBool, sql } from 'kysely'
import type { DB } from '~/db/types'
import type { Context, On } from '~/server/operation'
import { type Actor, isAdmin } from '~/shared/actor'
import { forbidden, notFound } from '~/shared/errors'
import { missingIn, type NamedTable } from '~/shared/nouns'
import { permitsIn, permitsSomewhere } from './facts'
import { requireClinic, requireHistoryWrite, requirePatient } from './require.server'
import {
  type ClinicRule,
  editHistory,
  editPatient,
  knowPatient,
  openVisit,
  type PatientRule,
  readHistory,
} from './rules'
import { historyWhere, patientsWhere } from './sql.server'

/**
 * The access rules that an operation can state as `on:`. Each one names the rows by fields of the
 * input, loads and checks them in the operation's transaction, and hands them to `run`. A row that
 * the actor may not see is `not_found`, one that the actor may see but not change is `forbidden`.
 */
export type RequiredPatient = Awaited<ReturnType<typeof requirePatient>>
export type TableRow<T extends keyof DB> = Selectable<DB[T]>

/** Tables of a patient's history. */
type HistoryTable = {
  [T in keyof DB & NamedTable]: DB[T] extends {
    id: unknown
    patient_id: string
    is_deleted: unknown
  }
    ? T
    : never
}[keyof DB & NamedTable]
/** Tables whose rows belong to one clinic. */
type ClinicTable = {
  [T in keyof DB & NamedTable]: DB[T] extends {
    id: unknown
    clinic_id: string
    is_deleted: unknown
  }
    ? T
    : never
}[keyof DB & NamedTable]

type OfPatient = { patientId: string } | { patient_id: string }
type OfClinic = { clinicId: string } | { clinic_id: string }
type OfVisit = { visitId: string } | { visit_id: string }

/** The patient that the input names, by the rule or one of several. */
export const namedPatient = (
  rules: PatientRule | readonly PatientRule[] = knowPatient,
): On<OfPatient, { patient: RequiredPatient }> => ({
  permits: (actor) => permitsSomewhere(rules, actor),
  rows: async (ctx, input) => ({
    patient: await requirePatient(ctx, inputPatientId(input), rules),
  }),
})

/** The patient that the input names, to write a record of no visit into the history. */
export const namedPatientWrite = (
  rule = editHistory,
): On<OfPatient, { patient: RequiredPatient }> => ({
  permits: (actor) => permitsSomewhere(rule, actor),
  rows: async (ctx, input) => ({
    patient: await requireHistoryWrite(ctx, rule, inputPatientId(input)),
  }),
})
const inputPatientId = (input: OfPatient) =>
  'patientId' in input ? input.patientId : input.patient_id

/**
 * The clinic that the input names, by a rule about that clinic. A missing clinic is `invalid` at
 * its field, and so is an archived one if `open`.
 */
export const namedClinic = (rule: ClinicRule, { open = false } = {}): On<OfClinic, object> => ({
  permits: (actor, input) => permitsIn(rule, actor, inputClinicId(input)),
  async rows({ db }, input) {
    await requireClinic(db, inputClinicId(input), 'clinicId' in input ? 'clinicId' : 'clinic_id', {
      open,
    })
    return {}
  },
})

type InClinic = { clinicId?: string | null } | { clinic_id: string }

/**
 * The clinic that the input names, or any if it names none, by a rule about the clinic. The clinic
 * is not read: the SQL of `run` reads only its rows.
 */
export const inClinic = (rule: ClinicRule): On<InClinic, object> => ({
  permits(actor, input) {
    const id = 'clinic_id' in input ? input.clinic_id : input.clinicId
    return id ? permitsIn(rule, actor, id) : permitsSomewhere(rule, actor)
  },
  rows: () => Promise.resolve({}),
})

const inputClinicId = (input: OfClinic) => ('clinicId' in input ? input.clinicId : input.clinic_id)

/** The visit that the input names, with its patient: by a rule about the visit's clinic. */
export const namedVisit = (
  rule: ClinicRule,
): On<OfVisit, { visit: TableRow<'visits'>; patient: RequiredPatient }> => ({
  permits: (actor) => permitsSomewhere(rule, actor),
  async rows(ctx, input) {
    const id = 'visitId' in input ? input.visitId : input.visit_id
    const { existing: visit, patient } = await visitRow(rule).rows(ctx, { id })
    return { visit, patient }
  },
})

/**
 * A stored visit, with its patient: to users who read the patient's history and meet the rule in
 * the visit's clinic.
 */
export const visitRow = (
  rule: ClinicRule,
): On<{ id: string }, { existing: TableRow<'visits'>; patient: RequiredPatient }> => ({
  permits: (actor) => permitsSomewhere(rule, actor),
  async rows(ctx, { id }) {
    const existing = await loadHistoryRow(ctx, 'visits', id)
    const patient = await requirePatient(ctx, existing.patient_id, readHistory)
    if (!permitsIn(rule, ctx.actor, existing.clinic_id)) throw forbidden()
    return { existing, patient }
  },
})

/** `lock`: no other transaction changes the row before this one ends. */
type RowOptions = { lock?: boolean }

/**
 * A stored record of a patient's history, with its patient: to users who read the history and meet
 * the rule in the clinic of the record's visit or, without a visit, in a clinic that cares for the
 * patient.
 */
export const historyRow = <T extends HistoryTable>(
  table: T,
  rule: PatientRule,
  options?: RowOptions,
): On<{ id: string }, { existing: TableRow<T>; patient: RequiredPatient }> => ({
  permits: (actor) => permitsSomewhere(rule, actor),
  async rows(ctx, { id }) {
    const existing = await loadHistoryRow(ctx, table, id, options)
    const { patient_id, visit_id } = existing as OfHistory
    const patient =
      rule === readHistory
        ? await requirePatient(ctx, patient_id, rule)
        : await requireHistoryWrite(ctx, rule, patient_id, visit_id)
    return { existing, patient }
  },
})
type OfHistory = { patient_id: string; visit_id?: string | null }

/**
 * To read one record of a patient's history in one statement: hands `run` the condition that keeps
 * the rows that the actor reads. `run` adds it to its SELECT.
 */
export const historyRead = (
  table: HistoryTable,
): On<{ id: string }, { isReadable: Expression<SqlBool> }> => ({
  permits: (actor) => permitsSomewhere(readHistory, actor),
  rows: ({ actor }) => Promise.resolve({ isReadable: historyWhere(actor, table) }),
})

type HistoryInput = OfHistory & { id: string; last_modified?: Date | null }
/** `repeated`: load the stored row without `last_modified`, too, because a repeated request has none. */
type SaveOptions = RowOptions & { repeated?: boolean }

/**
 * A new record of a patient's history, or with `last_modified` a change to a stored one
 * (`existing`). The rule must hold where the record will belong and where it belongs now; a record
 * never moves to another patient.
 */
export const historySave = <T extends HistoryTable>(
  table: T,
  rule: PatientRule = editHistory,
  { repeated = false, lock }: SaveOptions = {},
): On<HistoryInput, { existing: TableRow<T> | undefined; patient: RequiredPatient }> => ({
  permits: (actor) => permitsSomewhere(rule, actor),
  async rows(ctx, { id, patient_id, visit_id, last_modified }) {
    const patient = await requireHistoryWrite(ctx, rule, patient_id, visit_id)
    if (!last_modified && !repeated) return { existing: undefined, patient }
    const existing = await findRow(ctx, table, id, { lock }, true)
    if (!existing && last_modified) throw notFound(missingIn(table))
    if (!existing) return { existing, patient }
    const now = existing as OfHistory
    if (now.patient_id !== patient_id) throw notFound(missingIn(table))
    if ((now.visit_id ?? null) !== (visit_id ?? null))
      await requireHistoryWrite(ctx, rule, patient_id, now.visit_id)
    return { existing, patient }
  },
})

type VisitInput = {
  id: string
  patient_id: string
  clinic_id: string
  last_modified?: Date | null
}

/**
 * A new visit, or with `last_modified` a change to a stored one. Opening a visit needs only access to the patient's
 * identity: the visit itself opens the history to its clinic.
 */
export const visitSave: On<
  VisitInput,
  { existing: TableRow<'visits'> | undefined; patient: RequiredPatient }
> = {
  permits: (actor, { clinic_id }) => permitsIn(openVisit, actor, clinic_id),
  async rows(ctx, { id, patient_id, clinic_id, last_modified }) {
    const patient = await requirePatient(ctx, patient_id, last_modified ? readHistory : knowPatient)
    await requireClinic(ctx.db, clinic_id, 'clinic_id')
    if (!last_modified) return { existing: undefined, patient }
    const { existing } = await visitRow(openVisit).rows(ctx, { id })
    if (existing.patient_id !== patient_id) throw notFound(missingIn('visits'))
    return { existing, patient }
  },
}

/**
 * A stored family member or contact person, with the patient of either end that the actor may edit. It belongs to the
 * demographics of both.
 */
export const relatedPersonRow: On<
  { id: string },
  { existing: TableRow<'related_persons'>; patient: RequiredPatient }
> = {
  permits: (actor) => permitsSomewhere(editPatient, actor),
  async rows(ctx, { id }) {
    const existing = await ctx.db
      .selectFrom('related_persons')
      .selectAll()
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .executeTakeFirst()
    if (!existing) throw notFound(missingIn('related_persons'))
    const ends = [existing.patient_id, existing.related_patient_id].filter((end) => end !== null)
    const { rows } = await sql<{ id: string; is_editable: boolean }>`
      select id, ${patientsWhere(editPatient, ctx.actor)} as is_editable from patients
      where id = any(${ends}::uuid[]) and not is_deleted and ${patientsWhere(knowPatient, ctx.actor)}
      order by id = ${existing.patient_id} desc`.execute(ctx.db)
    const editable = rows.find(({ is_editable }) => is_editable)
    if (!editable) throw rows.length > 0 ? forbidden() : notFound(missingIn('related_persons'))
    return { existing, patient: await requirePatient(ctx, editable.id, editPatient) }
  },
}

/**
 * A stored row of a clinic: `not_found` to users who do not meet `see` in its clinic, `forbidden`
 * to those who do not meet `change` there.
 */
export const clinicRow = <T extends ClinicTable>(
  table: T,
  { see, change = see }: { see: ClinicRule; change?: ClinicRule },
  options?: RowOptions,
): On<{ id: string }, { existing: TableRow<T> }> => ({
  permits: (actor) => permitsSomewhere(change, actor),
  async rows(ctx, { id }) {
    const existing = await liveRow(ctx, table, id, options)
    const { clinic_id } = existing as { clinic_id: string }
    if (!permitsIn(see, ctx.actor, clinic_id)) throw notFound(missingIn(table))
    if (!permitsIn(change, ctx.actor, clinic_id)) throw forbidden()
    return { existing }
  },
})

/** Both rules: the actor must meet each, and `run` gets the rows of both. */
export const both = <A, B, RowsA extends object, RowsB extends object>(
  first: On<A, RowsA>,
  second: On<B, RowsB>,
): On<A & B, RowsA & RowsB> => ({
  permits: (actor: Actor, input) => first.permits(actor, input) && second.permits(actor, input),
  rows: async (ctx, input) => ({
    ...(await first.rows(ctx, input)),
    ...(await second.rows(ctx, input)),
  }),
})

/** The live row of a patient whose history the actor reads. */
const loadHistoryRow = <T extends HistoryTable>(
  ctx: Context,
  table: T,
  id: string,
  options?: RowOptions,
): Promise<TableRow<T>> => liveRow(ctx, table, id, options, true)

async function liveRow<T extends HistoryTable | ClinicTable>(
  ctx: Context,
  table: T,
  id: string,
  options?: RowOptions,
  isHistory?: boolean,
): Promise<TableRow<T>> {
  const row = await findRow(ctx, table, id, options, isHistory)
  if (!row) throw notFound(missingIn(table))
  return row
}

async function findRow<T extends HistoryTable | ClinicTable>(
  { db, actor }: Context,
  table: T,
  id: string,
  { lock = false }: RowOptions = {},
  isHistory = false,
): Promise<TableRow<T> | undefined> {
  const isRead = isHistory && !isAdmin(actor) ? sql`and ${historyWhere(actor, table)}` : sql``
  const { rows } = await sql<TableRow<T>>`select * from ${sql.table(table)}
    where id = ${id} and not is_deleted ${isRead} ${lock ? sql`for update` : sql``}`.execute(db)
  return rows[0]
}
