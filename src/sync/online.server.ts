import { sql } from 'kysely'
import { searchPatients } from '~/features/patients/search.server'
import { newId } from '~/shared/id'
import { type Context, inTransaction } from '~/server/operation'
import { conflict, forbidden, invalid, notFound } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { readRow } from './incoming'
import { isId, type Wire } from './kinds'
import { inScope, scopeOf } from './scope'
import { deleteDecided, saveDecided } from './settle.server'
import { type PushedName, tableNamed, wireColumns, writable } from './tables'

/** What the app asks for while it works online: the rest of the body beside the name of the query or command. */
export type Params = Record<string, unknown>
type Answer = (ctx: Context, params: Params) => Promise<unknown>

/** Reads, by name. Rows have the phone's columns, dates as ISO text and JSON as JSON; only what is in the person's scope. */
export const queries: Record<string, Answer> = {
  get_patients: async (ctx, params) => ({ patients: await rowsOf(ctx, 'patients', params, {}) }),
  async search_patients(ctx, params) {
    const found = await searchPatients(ctx, {
      searchQuery: textOf(params, 'search_query', 'searchQuery', 'search'),
      limit: 50,
    })
    return { patients: await rowsOf(ctx, 'patients', params, { id: found.patients.map(({ id }) => id) }) }
  },
  get_patient: async (ctx, params) => ({
    patient: await oneOf(ctx, 'patients', idOf(params, 'id', 'patient_id')),
    additional_attributes: await rowsOf(
      ctx,
      'patient_additional_attributes',
      {},
      { patient_id: [idOf(params, 'id', 'patient_id')] },
    ),
  }),
  get_visits: async (ctx, params) => ({ visits: await rowsOf(ctx, 'visits', params, ofPatient(params)) }),
  get_visit_events: async (ctx, params) => ({
    events: await rowsOf(ctx, 'events', params, { visit_id: [idOf(params, 'visit_id', 'id')] }),
  }),
  'events.by_form': async (ctx, params) => ({
    events: await rowsOf(ctx, 'events', params, {
      form_id: [idOf(params, 'form_id', 'event_form_id')],
      ...(params['patient_id'] ? ofPatient(params) : {}),
    }),
  }),
  'vitals.list': async (ctx, params) => ({ vitals: await rowsOf(ctx, 'patient_vitals', params, ofPatient(params)) }),
  'problems.list': async (ctx, params) => ({
    problems: await rowsOf(ctx, 'patient_problems', params, ofPatient(params)),
  }),
  'problems.get': async (ctx, params) => ({ problem: await oneOf(ctx, 'patient_problems', idOf(params, 'id')) }),
}

/** Writes, by name, by the rules of a push; but what is refused is said at once. */
export const commands: Record<string, Answer> = {
  register_patient: async (ctx, params) => ({ patient: await save(ctx, 'patients', params) }),
  'visits.create': async (ctx, params) => ({ visit: await save(ctx, 'visits', params) }),
  'events.create': async (ctx, params) => ({ event: await save(ctx, 'events', params) }),
  'events.update': async (ctx, params) => ({ event: await change(ctx, 'events', params) }),
  async 'events.delete'(ctx, params) {
    const { id } = await oneOf(ctx, 'events', idOf(params, 'id', 'event_id'))
    await inTransaction('events.delete', ctx, (inner) => deleteDecided(inner, 'events', String(id), refused))
    return { id }
  },
  'vitals.create': async (ctx, params) => ({ vital: await save(ctx, 'patient_vitals', params) }),
  'problems.create': async (ctx, params) => ({ problem: await save(ctx, 'patient_problems', params) }),
  'problems.update': async (ctx, params) => ({ problem: await change(ctx, 'patient_problems', params) }),
}

const MOST = 200

/** The newest first, 200 at most; `offset` goes on from there. */
async function rowsOf(ctx: Context, name: PushedName, params: Params, where: Record<string, string[]>) {
  const table = tableNamed(name)
  const conditions = Object.entries(where).map(
    ([column, ids]) => sql`and ${sql.ref(`t.${column}`)} = any(${ids}::uuid[])`,
  )
  const { rows } = await sql<{ row: Record<string, Wire> }>`
    select (select row_to_json(w) from (select ${sql.raw(wireColumns(table))}) w) as row from ${sql.table(name)} t
    where not t.is_deleted and ${sql.raw(inScope(table, scopeOf(ctx.actor), ctx.actor.userId))} ${sql.join(conditions, sql` `)}
    order by t.created_at desc, t.id limit ${countOf(params['limit'], MOST)} offset ${countOf(params['offset'], 1e6, 0)}`.execute(
    ctx.db,
  )
  return rows.map(({ row }) => asPlain(name, row))
}

async function oneOf(ctx: Context, name: PushedName, id: string) {
  const [row] = await rowsOf(ctx, name, {}, { id: [id] })
  if (!row) throw notFound('sync.recordNotFound')
  return row
}

const countOf = (value: unknown, most: number, otherwise = most) => {
  const count = Math.trunc(Number(value ?? otherwise))
  return count >= 0 && count <= most ? count : otherwise
}

function asPlain(name: PushedName, row: Record<string, Wire>): Record<string, unknown> {
  const { columns } = tableNamed(name)
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      const kind = columns[column]
      if (value === null || !kind) return [column, value]
      if (kind.isMoment) return [column, new Date(Number(value)).toISOString()]
      return [column, kind.isJson ? (JSON.parse(String(value)) as unknown) : value]
    }),
  )
}

/** A new record. The caller may choose its id, so that a request sent twice makes one. */
async function save(ctx: Context, name: PushedName, params: Params) {
  const now = new Date().toISOString()
  const id = isId(params['id']) ? params['id'].toLowerCase() : newId()
  const mine = 'recorded_by_user_id' in tableNamed(name).columns ? { recorded_by_user_id: ctx.actor.userId } : {}
  const timed = name === 'patient_vitals' ? { timestamp: now } : name === 'visits' ? { check_in_timestamp: now } : {}
  const row = readRow(
    name,
    { created_at: now, updated_at: now, ...mine, ...timed, ...given(name, params), id },
    'created',
  )
  return written(ctx, name, row)
}

/** What is not given, or empty, stays as it is. */
async function change(ctx: Context, name: PushedName, params: Params) {
  const id = idOf(params, 'id', `${name.replace(/^patient_/, '').replace(/s$/, '')}_id`)
  const values = given(name, params)
  await oneOf(ctx, name, id)
  const changed = [...Object.keys(values), 'updated_at']
  const row = readRow(
    name,
    { updated_at: new Date().toISOString(), ...values, id, _changed: changed.join() },
    'updated',
  )
  return written(ctx, name, row)
}

/** At once and for good, as nobody settles it afterwards. */
const refused = (reason: MessageKey) => (reason === 'sync.reason_notPermitted' ? forbidden() : conflict(reason))

async function written(ctx: Context, name: PushedName, row: ReturnType<typeof readRow>) {
  if ('reason' in row) throw invalid({ [row.detail ?? '']: { key: row.reason } })
  await inTransaction(`rpc.${name}`, ctx, (inner) => saveDecided(inner, row, refused))
  return oneOf(ctx, name, row.id)
}

/** The app sends "" for what nobody filled in. */
const given = (name: PushedName, params: Params): Params =>
  Object.fromEntries(
    writable(tableNamed(name))
      .map((column) => [column, params[column]] as const)
      .filter(([, value]) => value !== undefined && value !== null && value !== ''),
  )

const ofPatient = (params: Params) => ({ patient_id: [idOf(params, 'patient_id', 'id')] })

function idOf(params: Params, ...names: string[]): string {
  const id = names.map((name) => params[name]).find(isId)
  if (!id) throw invalid({ [names[0]!]: { key: 'validation.id' } })
  return id
}

const textOf = (params: Params, ...names: string[]) =>
  (names.map((name) => params[name]).find((value) => typeof value === 'string') ?? '').slice(0, 200)
