import { sql } from 'kysely'
import { parseStored } from '~/db/stored-json'
import { requestCheck } from '~/features/medicines/safety/arrivals.server'
import { newId, isId } from '~/shared/id'
import { type Context, inTransaction } from '~/server/operation'
import { notFound } from '~/shared/errors'
import {
  OfForm,
  PatientParams,
  OfRow,
  OfVisit,
  PageOf,
  type Params,
  SearchOf,
  shaped,
  unknownCall,
} from './call'
import { type Wire } from '../schema/kinds'
import { findPatients, patientForm } from './online-patients.server'
import { asEdit, given, isEmptyObject, finalRefusal, rowFrom } from './online-row'
import { visitFor } from './online-visit.server'
import { registerPatient } from './register.server'
import { personScopeSql, personScope } from '../schema/scope'
import { deleteDecided, saveDecided } from '../push/settle.server'
import { BESIDE, type PushedName, tableNamed, wireColumns } from '../schema/tables'

/** `shown`: the patients of the rows that a call has read. `isNotFound`: its answer says that there is none. */
export type OnlineContext = Context & { shown?: Set<string>; isNotFound?: boolean }
type Answer = (ctx: OnlineContext, params: Params) => Promise<unknown>

/**
 * Reads of the app's online mode. Each answer is the bare value that the app reads: rows with the
 * phone's columns, moments as ISO text and JSON columns as JSON, and only what the user may see.
 */
export const queries: Record<string, Answer> = {
  async get_patients(ctx, params) {
    const page = shaped(PageOf, params)
    return {
      data: await loadOnlineRows(ctx, 'patients', {}, page),
      total: await countPatients(ctx),
      ...page,
    }
  },
  async search_patients(ctx, params) {
    const { filters, ...page } = shaped(SearchOf, params)
    const ids = await findPatients(ctx, filters)
    const onPage = ids.slice(page.offset, page.offset + page.limit)
    const rows = new Map(
      (await loadOnlineRows(ctx, 'patients', { id: onPage })).map((row) => [row['id'], row]),
    )
    return { data: onPage.flatMap((id) => rows.get(id) ?? []), total: ids.length, ...page }
  },
  async get_patient(ctx, params) {
    const { patient_id } = shaped(PatientParams, params)
    const [patient] = await loadOnlineRows(ctx, 'patients', { id: [patient_id] })
    // the app reads `error` as "there is no such patient"
    if (!patient) {
      ctx.isNotFound = true
      return { fields: [], values: {}, error: 'Patient not found' }
    }
    return patientForm(
      ctx,
      patient,
      await loadOnlineRows(ctx, 'patient_additional_attributes', { patient_id: [patient_id] }),
    )
  },
  async get_visits(ctx, params) {
    const { patient_id } = shaped(PatientParams, params)
    return { data: await loadOnlineRows(ctx, 'visits', { patient_id: [patient_id] }) }
  },
  async get_visit_events(ctx, params) {
    const { patient_id, visit_id } = shaped(OfVisit, params)
    return {
      data: await loadOnlineRows(ctx, 'events', {
        patient_id: [patient_id],
        visit_id: [visit_id],
      }),
    }
  },
  'events.by_form'(ctx, params) {
    const { patient_id, form_id } = shaped(OfForm, params)
    return loadOnlineRows(ctx, 'events', { patient_id: [patient_id], form_id: [form_id] })
  },
  'vitals.list'(ctx, params) {
    const { patient_id } = shaped(PatientParams, params)
    return loadOnlineRows(ctx, 'patient_vitals', { patient_id: [patient_id] })
  },
  'problems.list'(ctx, params) {
    const { patient_id } = shaped(PatientParams, params)
    return loadOnlineRows(ctx, 'patient_problems', { patient_id: [patient_id] })
  },
  async 'problems.get'(ctx, params) {
    const { id } = shaped(OfRow, params)
    const [problem] = await loadOnlineRows(ctx, 'patient_problems', { id: [id] })
    if (!problem) ctx.isNotFound = true
    return problem ?? null
  },
}

/**
 * Writes of the app's online mode, by the rules of a push; a refusal is answered as an error and
 * stores nothing.
 */
export const commands: Record<string, Answer> = {
  register_patient: (ctx, params) => registerPatient(ctx, params),
  'visits.create': async (ctx, params) => ({
    success: true,
    id: await create(ctx, 'visits', params),
  }),
  'vitals.create': async (ctx, params) => ({
    success: true,
    id: await create(ctx, 'patient_vitals', params),
  }),
  'problems.create': async (ctx, params) => ({
    success: true,
    id: await create(ctx, 'patient_problems', params),
  }),
  async 'events.create'(ctx, params) {
    const id = await create(ctx, 'events', params)
    return { success: true, id, visit_id: (await loadOnlineRow(ctx, 'events', id))['visit_id'] }
  },
  'events.update': (ctx, params) => change(ctx, 'events', params),
  'problems.update': (ctx, params) => change(ctx, 'patient_problems', params),
  async 'events.delete'(ctx, params) {
    const { id } = shaped(OfRow, params)
    await loadOnlineRow(ctx, 'events', id)
    await inTransaction('events.delete', ctx, (inner) =>
      deleteDecided(inner, 'events', id, finalRefusal),
    )
    return { success: true }
  },
}

type Page = { limit: number; offset: number }

/** The newest first. All rows without a page, because the app requests no second page. */
async function loadOnlineRows(
  ctx: OnlineContext,
  name: PushedName,
  where: Record<string, string[]>,
  page?: Page,
) {
  const conditions = Object.entries(where).map(
    ([column, ids]) => sql`and ${sql.ref(`t.${column}`)} = any(${ids}::uuid[])`,
  )
  const part = page ? sql`limit ${page.limit} offset ${page.offset}` : sql``
  const { rows } = await sql<{ row: Record<string, Wire> }>`
    select (select row_to_json(w) from (select ${sql.raw(wireColumns(tableNamed(name)))}) w) as row
    ${visible(ctx, name)} ${sql.join(conditions, sql` `)} order by t.created_at desc, t.id ${part}`.execute(
    ctx.db,
  )
  for (const { row } of rows)
    ctx.shown?.add(String(name === 'patients' ? row['id'] : row['patient_id']))
  return rows.map(({ row }) => asPlain(name, row))
}

const visible = ({ actor }: Context, name: PushedName) =>
  sql`from ${sql.table(name)} t where not t.is_deleted
    and ${sql.raw(personScopeSql(tableNamed(name), personScope(actor), actor.userId))}`

async function countPatients(ctx: Context): Promise<number> {
  const { rows } = await sql<{
    total: number
  }>`select count(*)::integer as total ${visible(ctx, 'patients')}`.execute(ctx.db)
  return rows[0]!.total
}

async function loadOnlineRow(ctx: OnlineContext, name: PushedName, id: string) {
  const [row] = await loadOnlineRows(ctx, name, { id: [id] })
  if (!row) throw notFound('sync.recordNotFound')
  return row
}

function asPlain(name: PushedName, row: Record<string, Wire>): Params {
  const { columns } = tableNamed(name)
  const { [BESIDE]: besides, ...known } = row
  const plain = Object.fromEntries(
    Object.entries(known).map(([column, value]) => {
      const kind = columns[column]
      if (value === null || !kind) return [column, value]
      if (kind.isMoment) return [column, new Date(Number(value)).toISOString()]
      return [column, kind.isJson ? parseStored(String(value)) : value]
    }),
  )
  return { ...(parseStored(String(besides)) as Params), ...plain }
}

/** Returns the sent id, or a new one: the app may leave it to the server. */
async function create(ctx: Context, name: PushedName, params: Params): Promise<string> {
  if ('id' in params && !isId(params['id'])) throw unknownCall()
  const { patient_id } = params
  if (!isId(patient_id)) throw unknownCall()
  const now = new Date().toISOString()
  const id = isId(params['id']) ? params['id'].toLowerCase() : newId()
  const author =
    'recorded_by_user_id' in tableNamed(name).columns
      ? { recorded_by_user_id: ctx.actor.userId }
      : {}
  const sent = { created_at: now, updated_at: now, ...author, ...given(params), patient_id, id }
  // what cannot be read makes no visit
  rowFrom(name, sent)
  await inTransaction(`rpc.${name}`, ctx, async (inner) => {
    const visitId = await visitFor(inner, name, sent)
    const row = rowFrom(name, visitId ? { ...sent, visit_id: visitId } : sent)
    // a repeated request changes nothing; the id of another record is a conflict
    await saveDecided(inner, { ...row, state: 'copy' }, finalRefusal)
  })
  if (name === 'events') await requestCheck(ctx.db)
  return id
}

/**
 * Changes the columns that were sent; "" keeps the stored value, null clears it where phones know a
 * null.
 */
async function change(ctx: OnlineContext, name: PushedName, params: Params) {
  const { id } = shaped(OfRow, params)
  const { columns } = tableNamed(name)
  const kept = (column: string, value: unknown) =>
    value === '' ||
    isEmptyObject(value) ||
    (value === null && columns[column]?.check(null) !== null)
  const values = Object.fromEntries(
    Object.entries(params).filter(([column, value]) => !kept(column, value)),
  )
  const row = rowFrom(name, {
    ...values,
    updated_at: values['updated_at'] ?? new Date().toISOString(),
    id,
  })
  await loadOnlineRow(ctx, name, id)
  await inTransaction(`rpc.${name}`, ctx, (inner) => saveDecided(inner, asEdit(row), finalRefusal))
  if (name === 'events') await requestCheck(ctx.db)
  return loadOnlineRow(ctx, name, id)
}
