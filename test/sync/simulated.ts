import { hash } from 'node:crypto'
import { type ControlledTransaction, type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { settleConflict } from '~/features/office/devices/conflicts.server'
import { applyRefused, rejectRefused } from '~/features/office/devices/quarantine.server'
import type { Context } from '~/server/operation'
import { actorById } from '~/server/session.server'
import { PERMISSIONS } from '~/shared/permissions'
import { FORCED_PULL, pull } from '~/sync/pull/pull.server'
import { toChangeSource } from '~/sync/push/change-source.server'
import { push } from '~/sync/push/push.server'
import { releaseWaiting } from '~/sync/push/release.server'
import { BESIDE } from '~/sync/schema/tables'
import { makeFactories } from '../factories'
import { aRequest } from '../harness'
import type { Recorded } from '../simulator/history'
import {
  entriesIn,
  keyOf,
  MAP,
  type Name,
  NEWER,
  OF_APP,
  type RowRef,
  stored,
  TABLES,
  TYPED,
  UNSHOWN,
  type Values,
  type Way,
} from '../simulator/state'
import type { Call } from '../simulator/trace'
import { ADMIN } from '../simulator/world'
import type { TableBackup } from './table-backup'

/** The columns that the simulator has, but for times. */
const SIMULATED: Record<Name, readonly string[]> = {
  patients: [...TYPED.patients, ...UNSHOWN, 'primary_clinic_id', MAP.column],
  visits: [...TYPED.visits, 'patient_id', 'clinic_id'],
  patient_vitals: [...TYPED.patient_vitals, 'patient_id', 'visit_id', OF_APP],
  patient_problems: [...TYPED.patient_problems, 'patient_id', 'visit_id', OF_APP],
}

/** The other columns of a phone. */
const OTHERS: Record<Name, Values> = {
  patients: {
    given_name: 'Layla',
    surname: '',
    date_of_birth: '1990-05-17',
    sex: 'female',
    citizenship: '',
    phone: '',
    additional_data: '{}',
    photo_url: null,
    government_id: '',
    external_patient_id: '',
    metadata: '{}',
    last_modified_by: null,
  },
  visits: { provider_id: null, check_in_timestamp: 1, metadata: '{}' },
  patient_vitals: {
    timestamp: 1,
    systolic_bp: null,
    diastolic_bp: null,
    height_cm: null,
    weight_kg: null,
    bmi: null,
    waist_circumference_cm: null,
    heart_rate: null,
    pulse_rate: null,
    oxygen_saturation: null,
    respiratory_rate: null,
    temperature_celsius: null,
    pain_level: null,
    metadata: '{}',
    event_id: null,
  },
  patient_problems: {
    problem_code_system: 'icd10',
    problem_code: 'I10',
    clinical_status: 'active',
    verification_status: 'confirmed',
    severity_score: null,
    onset_date: null,
    end_date: null,
    metadata: '{}',
  },
}

/** The same values, in a row that the web makes. */
const first = sql`to_timestamp(0.001)`
const NEW_ON_WEB: Record<Name, object> = {
  patients: { given_name: 'Layla', date_of_birth: '1990-05-17', sex: 'female' },
  visits: { check_in_timestamp: first },
  patient_vitals: { timestamp: first },
  patient_problems: {
    problem_code_system: 'icd10',
    problem_code: 'I10',
    clinical_status: 'active',
    verification_status: 'confirmed',
  },
}

type Row = Record<string, unknown> & { id: string }

/** Asks a real server what the simulated one was asked, and compares the answers. */
export class RealServer {
  /** The real number of each pull. */
  readonly #pulls = new Map<number, number>()
  readonly #running = new Map<number, ControlledTransaction<DB>>()

  readonly #history: Recorded

  constructor(
    readonly db: Kysely<DB>,
    readonly backup: TableBackup,
    readonly seed: number,
    history: Recorded,
  ) {
    this.#history = this.#own(history)
  }

  /** With ids of this seed's own: histories share a database. */
  #own<T>(value: T): T {
    const prefix = this.seed.toString(16).padStart(8, '0')
    return JSON.parse(
      JSON.stringify(value).replaceAll('00000000-0000-7000', `${prefix}-0000-7000`),
    ) as T
  }

  #isOwn = (id: string) => id === this.#own(id.replace(/^.{8}/, '00000000'))

  async play(): Promise<string | undefined> {
    await this.#prepare()
    for (const [at, call] of this.#history.trace.entries()) {
      const found = await this.#call(call)
      if (found) return `call ${at}: ${found}`
    }
    return this.#compare()
  }

  async #prepare() {
    await this.backup.forgetRestores()
    const { clinics, users } = this.#history
    await this.#changeForm([])
    const make = makeFactories(this.db)
    for (const id of clinics) await make.clinic({ id })
    for (const [id, { role, grants }] of users) {
      const user = await make.user({ id, role })
      for (const [clinic, held] of Object.entries(grants)) await make.permission(user, clinic, held)
    }
  }

  /** Makes the call; answers where the two servers differ. */
  async #call(call: Call): Promise<string | undefined> {
    switch (call.kind) {
      case 'begin': {
        const transaction = await this.db.startTransaction().execute()
        await sql`select pg_current_xact_id()`.execute(transaction)
        this.#running.set(call.xid, transaction)
        return undefined
      }
      case 'commit':
        await this.#running.get(call.xid)!.commit().execute()
        this.#running.delete(call.xid)
        return undefined
      case 'save':
        return this.#save(call.row, call.values, call.xid)
      case 'delete': {
        const { table, id } = call.row
        await sql`select soft_delete(${table}, ${id}, 'x', null)`.execute(this.db)
        return undefined
      }
      case 'undo':
        await sql`select undo_deletion(id, null) from deletions
          where table_name = ${call.root.table} and record_id = ${call.root.id}
            and restored_at is null`.execute(this.db)
        return undefined
      case 'give':
        await sql`update sync_chains set given_state_at = clock_timestamp()
          where id = (select chain_id from sync_pulls where id = ${this.#numberOf(call.pullId)})`.execute(
          this.db,
        )
        return undefined
      case 'form':
        return this.#changeForm(call.hidden)
      case 'grant':
        return this.#grant(call)
      case 'pull':
        return this.#pull(call)
      case 'push':
        return this.#push(call)
      case 'conflict':
        return this.#conflict(call)
      case 'refusal':
        return this.#refusal(call)
      case 'release':
        await releaseWaiting(this.db)
        return undefined
      case 'backup':
        await this.backup.make()
        return undefined
      case 'restore':
        for (const running of this.#running.values()) await running.rollback().execute()
        this.#running.clear()
        await this.backup.restore()
        return undefined
    }
  }

  async #context(userId: string, appPassword?: string, way: Way = 'public'): Promise<Context> {
    const actor = (await actorById(this.db, userId))!
    const appPasswordId = appPassword && (await this.#appPassword(userId, appPassword))
    const hubPhoneId =
      way === 'hub' ? await this.#hubPhone(userId, appPassword!, appPasswordId!) : undefined
    return { db: this.db, actor, request: { ...aRequest('phone'), appPasswordId, hubPhoneId } }
  }

  /** One for each user of each phone. */
  async #hubPhone(userId: string, appPassword: string, appPasswordId: string) {
    const client = `${this.seed} ${appPassword.replace(/^\S+ /, '')}`
    const { rows } = await sql<{ id: string }>`
      insert into hub_phones (client_id, user_id, app_password_id, public_key)
      values (${client}, ${userId}, ${appPasswordId}, ${Buffer.alloc(32)})
      on conflict (client_id, user_id) do update set app_password_id = excluded.app_password_id
      returning id`.execute(this.db)
    return rows[0]!.id
  }

  async #appPassword(userId: string, name: string) {
    const { rows } = await sql<{ id: string }>`
      insert into app_passwords (user_id, name, code_hash)
      values (${userId}, ${name}, ${hash('sha256', name, 'buffer')})
      on conflict (code_hash) do update set name = excluded.name returning id`.execute(this.db)
    return rows[0]!.id
  }

  async #save({ table, id }: RowRef, values: Values, xid: number) {
    const db = this.#running.get(xid) ?? this.db
    const columns = Object.fromEntries(
      Object.entries(values).map(([column, value]) => [
        column,
        column.endsWith('_at') ? sql`to_timestamp(${Number(value)}::float8 / 1000)` : value,
      ]),
    )
    const { rows } = await sql`select from ${sql.table(table)} where id = ${id}`.execute(db)
    if (rows.length > 0)
      await db
        .updateTable(table)
        .set(columns as never)
        .where('id', '=', id)
        .execute()
    else {
      await db
        .insertInto(table)
        .values({ id, ...NEW_ON_WEB[table], ...columns } as never)
        .execute()
    }
    return undefined
  }

  async #changeForm(hidden: readonly string[]) {
    await sql`update registration_forms set fields = (
      select jsonb_agg(f || jsonb_build_object('visible', f ->> 'column' <> all(${hidden}::text[])))
      from jsonb_array_elements(fields) f)`.execute(this.db)
    return undefined
  }

  async #grant({ userId, clinicId, held }: Extract<Call, { kind: 'grant' }>) {
    const row = Object.fromEntries(PERMISSIONS.map((each) => [each, held.includes(each)]))
    await this.db
      .insertInto('user_clinic_permissions')
      .values({ user_id: userId, clinic_id: clinicId, ...row })
      .onConflict((each) => each.columns(['user_id', 'clinic_id']).doUpdateSet(row))
      .execute()
    return undefined
  }

  async #pull({ userId, appPassword, way, lastPulledAt, pulled }: Extract<Call, { kind: 'pull' }>) {
    const number = this.#numberOf(lastPulledAt)
    const isHub = way === 'hub'
    const spool = await pull(
      await this.#context(userId, appPassword, way),
      { lastPulledAt: number, schemaVersion: 9, upgraded: [], namesFollowed: isHub },
      new AbortController().signal,
      isHub ? FORCED_PULL : undefined,
    )
    const { changes, timestamp } = JSON.parse(await new Response(spool.body()).text()) as {
      changes: Record<Name, { created: Row[]; updated: Row[]; deleted: string[] }>
      timestamp: number
    }
    this.#pulls.set(pulled.timestamp, timestamp)
    const here = TABLES.flatMap((table) => {
      const { created, updated, deleted } = changes[table]
      const rows = [...created, ...updated]
        .filter(({ id }) => this.#isOwn(id))
        .map((row) => described(table, row, row['is_deleted'] === true))
      return [
        ...rows,
        ...deleted.filter(this.#isOwn).map((id) => `removes ${keyOf({ table, id })}`),
      ]
    })
    const there = [
      ...pulled.rows.map(({ table, id, values, isDeleted }) =>
        described(table, { ...values, id }, isDeleted),
      ),
      ...pulled.deleted.map((row) => `removes ${keyOf(row)}`),
    ]
    return difference(`pull of ${appPassword}`, here, there)
  }

  #numberOf = (simulated: number) => this.#pulls.get(simulated) ?? simulated

  async #push(call: Extract<Call, { kind: 'push' }>) {
    const body = Object.fromEntries(
      Object.entries(call.body).map(([table, { created, updated, deleted }]) => {
        const whole = (rows: object[]) =>
          rows.map((row) => ({ ...OTHERS[table as Name], deleted_at: null, ...row }))
        return [table, { created: whole(created), updated: whole(updated), deleted }]
      }),
    )
    const { conflicts, refused } = await push(
      await this.#context(call.userId, call.appPassword, call.way),
      this.#numberOf(call.pullId),
      toChangeSource(body),
      { isUpload: call.isUpload },
    )
    return difference(
      `push by user ${call.userId}`,
      [`${conflicts} conflicts, ${refused} refused`],
      [`${call.conflicts} conflicts, ${call.refused} refused`],
    )
  }

  async #conflict({ entry, takes }: Extract<Call, { kind: 'conflict' }>) {
    const { rows } = await sql<{ id: string }>`select id from sync_conflicts
      where row_id = ${entry.id} and column_name = ${entry.column} and settled_at is null
        and coalesce(phone_value, 'null') = ${JSON.stringify(entry.phone)}::jsonb
      order by received_at limit 1`.execute(this.db)
    if (!rows[0]) return `no conflict of ${keyOf(entry)} ${entry.column}`
    const ctx = await this.#context(this.#own(ADMIN))
    await settleConflict(ctx, { id: rows[0].id, take: takes ? 'phone' : 'server' })
    return undefined
  }

  async #refusal({ entry, isApplied }: Extract<Call, { kind: 'refusal' }>) {
    const { rows } = await sql<{ id: string; row: string }>`select id, row from sync_quarantine
      where row_id = ${entry.id} and user_id = ${entry.userId} and operation = ${entry.operation}
        and settled_at is null order by received_at`.execute(this.db)
    const marks = TYPED[entry.table].map((column) => entry.raw[column])
    const version = rows.find(({ row }) => {
      const sent = JSON.parse(row) as Row
      return TYPED[entry.table].every((column, at) => sent[column] === marks[at])
    })
    if (!version) return `${keyOf(entry)} is not in quarantine`
    const ctx = await this.#context(this.#own(ADMIN))
    if (!isApplied) await rejectRefused(ctx, { id: version.id })
    else await applyRefused(ctx, { id: version.id, values: {} })
    return undefined
  }

  /** The rows at the end of the history. */
  async #compare() {
    const here = []
    for (const table of TABLES) {
      const { rows } = await sql<Row>`select * from ${sql.table(table)}`.execute(this.db)
      const own = rows.filter(({ id }) => this.#isOwn(id))
      here.push(...own.map((row) => described(table, row, row['is_deleted'] === true)))
    }
    const there = this.#history.rows.map(({ table, id, values, isDeleted }) =>
      described(table, { ...values, id }, isDeleted),
    )
    return difference('the rows at the end', here, there)
  }
}

const textOf = (column: string, value: unknown) =>
  column === MAP.column
    ? stored(column, typeof value === 'string' ? value : JSON.stringify(value))
    : value

/** A phone has it as a column, and the server beside the columns. */
function newerOf(row: Row | Values, column: string): unknown {
  const beside = row[BESIDE] ?? {}
  const entries = typeof beside === 'string' ? entriesIn(beside) : (beside as Values)
  return row[column] ?? entries[column] ?? null
}

const described = (table: Name, row: Row | (Values & { id: string }), isDeleted: boolean) => {
  // a column of text holds "" as null
  const values: unknown[] = SIMULATED[table].map((column) => textOf(column, row[column]) || null)
  if (table === 'patients') values.push(...NEWER.map((column) => newerOf(row, column)))
  return `${keyOf({ table, id: row.id })} ${JSON.stringify(values)}${isDeleted ? ' hidden' : ''}`
}

function difference(what: string, real: readonly string[], simulated: readonly string[]) {
  const only = (some: readonly string[], others: readonly string[]) =>
    some.filter((each) => !others.includes(each)).map((each) => `    ${each}`)
  const [here, there] = [only(real, simulated), only(simulated, real)]
  if (here.length + there.length === 0) return undefined
  return [`${what}:`, '  only real:', ...here, '  only simulated:', ...there].join('\n')
}
