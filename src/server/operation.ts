// The kernel of every operation in one place, checks, rights, retries and the entry in the log: longer than most files.
import { type Kysely, sql } from 'kysely'
import * as z from 'zod'
import { asObject } from '~/shared/object'
import { errorCode } from '~/db/error-code'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import type { AccessKind } from '~/shared/access-kinds'
import type { Actor } from '~/shared/actor'
import { AppError, forbidden, invalid, passwordToReplace, unauthenticated } from '~/shared/errors'
import { firstErrors } from '~/shared/problems'
import { withCleanTexts } from '~/shared/typed-text'
import { namedClinicId, keepingRefusals, type Read, recordNow, recordRead } from './access-log'
import { explainDatabaseError } from './constraints'
import { refuseOnFullDisk } from './disk.server'
import { findInputFlaw } from './flaw'
import { isAnythingIn } from './found'
import { asPageUser } from './page-user'
import { alsoNaming, type LoggedQuery, readQuestion } from './question'
import { onReplica, rememberWrite } from './replica.server'

/** How the request arrived. */
export type Via = 'web' | 'trpc' | 'phone' | 'command' | 'system' | 'fhir'

/** What an operation knows of its request; passed on, never read from anywhere else. */
export type RequestFacts = {
  id: string
  via: Via
  /** The client's address, as far as proxies can be trusted; "" for a command. */
  address: string
  headers: Headers
  /** The server renders a page: its operations only read. */
  isPage?: boolean
  /** The user of a session that this way in does not accept: it is locked, for example. */
  sessionUserId?: string
  /** The session opens once its user has replaced the password, which another user set or asked to be replaced. */
  mustReplacePassword?: boolean
  /** The app password that a phone signed in with, if it has one. */
  appPasswordId?: string | null
  /** The phone, if the request came through the hub. */
  hubPhoneId?: string
  /** The phone, if neither of these names it: the chain of its pulls. */
  chainId?: string
}

export type Context = {
  db: Kysely<DB>
  actor: Actor
  request: RequestFacts
  /** Within an operation: only the operation that was called is in the access log. */
  isInner?: true
  /** Of operations within an import: the action that the trail records instead of their own. */
  signedAs?: string
}

/** The context of an operation that is open to users who have not signed in. */
export type OpenContext = Omit<Context, 'actor'> & { actor: Actor | null }

/**
 * An access rule for the rows that an operation names: loads them, checks them, and hands them to `run`. The rules are
 * made in `src/policy/on.server.ts`.
 */
export type On<I, Rows> = {
  /** Whether the actor may meet the rule for some row. If not, the call is `forbidden` before any row is read. */
  permits: (actor: Actor, input: I) => boolean
  /** Throws `not_found` for a row that the actor may not see, `forbidden` for one that the actor may only see. */
  rows: (ctx: Context, input: I) => Promise<Rows>
}

/**
 * What a read says about live updates. Together the two name every table with change notifications that its SQL reads
 * (test/live.test.ts).
 */
type Reads = {
  /** Tables whose changes reload the screens that show the answer. */
  reads?: readonly (keyof DB)[]
  /** Tables read only for names, rights or counts. Their changes reload no screen. */
  looksUp?: readonly (keyof DB)[]
  /** `run` may read from a replica that has the user's own writes. `on` and `allow` read from the primary. */
  mayLag?: true
  /** Screens call it by POST: its input is long, or holds personal data, which does not belong in addresses. */
  byPost?: true
}

/**
 * The patients that an answer says something about, for the access log (test/access-log.test.ts). Without it, they are
 * the patients of the rows that `on` checked and of an answer that is one row. A write that states it is an export, a
 * print or a search: it is recorded before the response. A read that states it is about patients, also if it shows none
 * by name: then its entry has those that its input names, or nobody. Null if this call is about no patients.
 */
type Shows<C, S extends z.ZodType, R> = {
  /** What screens and filters of the access log call the access. */
  access?: AccessKind
  shows?: (answer: R, call: { ctx: C; input: z.output<S> }) => Shown | Promise<Shown>
  /** What the input names in a form that `readQuestion` does not read. */
  names?: (answer: R) => Partial<LoggedQuery>
  /** Whether an answer that shows nobody says that there is something. By default by its total, or its lists. */
  finds?: (answer: R) => boolean
}
type Shown = readonly (string | null | undefined)[] | null

type Body<C, S extends z.ZodType> = {
  input: S
  /** Slow work that needs no transaction; runs before the transaction of a write begins, and before `allow`. */
  before?: (ctx: C, input: z.output<S>) => Promise<void>
  /** Where the transaction of a write waits its turn, before it takes a connection of the database. */
  inTurn?: InTurn
}

type InTurn = <R>(ctx: OpenContext, work: () => Promise<R>) => Promise<R>

/** An operation that names no row, or whose rule is about the actor: lists, and rows filtered in the SQL of `run`. */
type ByActor<C, S extends z.ZodType, R> = Body<C, S> &
  Shows<C, S, R> & {
    on?: undefined
    allow: (ctx: C, input: z.output<S>) => boolean | Promise<boolean>
    run: (ctx: C, input: z.output<S>) => Promise<R>
  }

/** An operation about rows: `on` says who may call it and checks the rows; `allow` can only restrict it further. */
type ByRows<C, S extends z.ZodType, R, Rows> = Body<C, S> &
  Shows<C, S, R> & {
    on: On<z.output<S>, Rows>
    allow?: (ctx: C, input: z.output<S>) => boolean | Promise<boolean>
    run: (ctx: C, input: z.output<S>, rows: Rows) => Promise<R>
  }

type Name = `${string}.${string}`
type Kind = 'query' | 'mutation'

export type OperationFacts<S extends z.ZodType = z.ZodType, N = Name, K = Kind> = {
  name: N
  kind: K
  open: boolean
  input: S
  access?: AccessKind
} & Reads
// A method's parameters are compared both ways, so that a list of operations can hold every one of them.
export type Operation<I, R, S extends z.ZodType = z.ZodType, N = Name, K = Kind> = {
  (ctx: OpenContext, raw: I): Promise<R>
} & {
  facts: OperationFacts<S, N, K>
}
// oxlint-disable-next-line typescript/no-explicit-any -- the inputs differ from operation to operation
export type AnyOperation = Operation<any, unknown>
type Made<S extends z.ZodType, R, N, K> = Operation<z.input<S>, R, S, N, K>

/**
 * The input of a screen's call. Of a save: every field that the schema would otherwise fill with null or a default, as
 * a screen that left one out would erase its stored value. Fields whose absence means "unchanged" may be left out.
 */
export type Complete<S extends z.ZodType> =
  z.output<S> extends { last_modified?: unknown }
    ? { [K in keyof z.output<S>]: K extends keyof z.input<S> ? z.input<S>[K] : never }
    : z.input<S>

/** `allow` of an operation that every signed-in user may call. */
export const signedIn = () => true
/** `input` of an operation that needs none. */
export const NoInput = z.looseObject({}).nullish()

/**
 * A read. Checks the input, then the access rule, then runs, for every caller: a screen, tRPC, a
 * phone, a command or a test. States `on` (the rule for the rows that it names) or `allow` (who may
 * call it); without either it does not compile.
 */
export function query<N extends Name, S extends z.ZodType, R, Rows>(
  name: N,
  spec: ByRows<Context, S, R, Rows> & Reads,
): Made<S, R, N, 'query'>
export function query<N extends Name, S extends z.ZodType, R>(
  name: N,
  spec: ByActor<Context, S, R> & Reads,
): Made<S, R, N, 'query'>
export function query<N extends Name, S extends z.ZodType, R, Rows>(
  name: N,
  spec: Spec<S, R, Rows> & Reads,
) {
  return operation<S, R, N, 'query'>(
    spec,
    { name, kind: 'query', open: false, input: spec.input, ...pickReads(spec) },
    async (ctx, raw) =>
      guarded(asSignedIn(ctx), parse(spec.input, raw ?? {}), spec, { name, keep: keepRead }),
  )
}

/** A read that needs no sign-in. */
export const openQuery = <N extends Name, S extends z.ZodType, R>(
  name: N,
  spec: ByActor<OpenContext, S, R>,
) =>
  operation<S, R, N, 'query'>(
    spec,
    { name, kind: 'query', open: true, input: spec.input },
    async (ctx, raw) => guarded(ctx, parse(spec.input, raw ?? {}), spec),
  )

/**
 * A write: as `query`, in one transaction with the check of the rows. Table triggers write the changes into the audit
 * trail under this name. The raw input is never written: passwords and codes stay out of the trail.
 */
export function mutation<N extends Name, S extends z.ZodType, R, Rows>(
  name: N,
  spec: ByRows<Context, S, R, Rows>,
): Made<S, R, N, 'mutation'>
export function mutation<N extends Name, S extends z.ZodType, R>(
  name: N,
  spec: ByActor<Context, S, R>,
): Made<S, R, N, 'mutation'>
export function mutation<N extends Name, S extends z.ZodType, R, Rows>(
  name: N,
  spec: Spec<S, R, Rows>,
) {
  return operation<S, R, N, 'mutation'>(
    spec,
    { name, kind: 'mutation', open: false, input: spec.input },
    async (ctx, raw) => written(name, asPageUser(asSignedIn(ctx)), raw, spec),
  )
}

/** A write that needs no sign-in. */
export const openMutation = <N extends Name, S extends z.ZodType, R>(
  name: N,
  spec: ByActor<OpenContext, S, R>,
) =>
  operation<S, R, N, 'mutation'>(
    spec,
    { name, kind: 'mutation', open: true, input: spec.input },
    async (ctx, raw) => written(name, ctx, raw, spec),
  )

function operation<S extends z.ZodType, R, N extends Name, K extends Kind>(
  spec: { access?: AccessKind },
  facts: OperationFacts<S, N, K>,
  call: (ctx: OpenContext, raw: z.input<S>) => Promise<R>,
) {
  const explained = (ctx: OpenContext, raw: z.input<S>) =>
    call(ctx, raw).catch((error: unknown) => {
      throw explainDatabaseError(error)
    })
  const recorded = (ctx: OpenContext, raw: z.input<S>) =>
    ctx.isInner ? call(ctx, raw) : keepingRefusals(ctx, facts.name, raw, () => explained(ctx, raw))
  const made = Object.assign(recorded, { facts: { ...facts, access: spec.access } }) as Made<
    S,
    R,
    N,
    K
  >
  specs.set(made, spec as Rules)
  return made
}

type Rules = Runnable<Context, unknown, unknown>
const specs = new WeakMap<AnyOperation, Rules>()

/** What guards an operation, for the proof that each guard is tested (test/mutants.test.ts). */
export const operationRules = (made: AnyOperation): Rules => specs.get(made)!

/** The context of a user. Throws why there is none: no valid session, or a password that must be replaced first. */
export function asSignedIn(ctx: OpenContext): Context {
  if (ctx.actor) return ctx as Context
  throw ctx.request.mustReplacePassword ? passwordToReplace() : unauthenticated()
}

const pickReads = ({ reads, looksUp, byPost }: Reads): Reads => ({ reads, looksUp, byPost })

type Spec<S extends z.ZodType, R, Rows> = ByActor<Context, S, R> | ByRows<Context, S, R, Rows>
/** An operation as the kernel runs it, whatever its kind. */
type Runnable<C, I, R> = {
  access?: AccessKind
  on?: On<I, unknown>
  allow?: (ctx: C, input: I) => boolean | Promise<boolean>
  before?: (ctx: C, input: I) => Promise<void>
  inTurn?: InTurn
  mayLag?: true
  run: (ctx: C, input: I, rows: never) => Promise<R>
  shows?: (answer: R, call: { ctx: C; input: I }) => Shown | Promise<Shown>
  names?: (answer: R) => Partial<LoggedQuery>
  finds?: (answer: R) => boolean
}

async function written<C extends OpenContext, S extends z.ZodType, R>(
  name: Name,
  given: C,
  raw: unknown,
  spec: { input: S } & Runnable<C, z.output<S>, R>,
): Promise<R> {
  // emergency access is for reading: no write may rest on it
  const ctx = given.actor?.emergency
    ? { ...given, actor: { ...given.actor, emergency: undefined } }
    : given
  const input = parse(spec.input, raw ?? {}, withCleanTexts)
  await spec.before?.(ctx, input)
  const write = () =>
    inTransaction(name, ctx, (inner) =>
      guarded(inner, input, spec, spec.shows && { name, keep: keepShown }),
    )
  return spec.inTurn ? spec.inTurn(ctx, write) : write()
}

/** How the access log records what an answer shows. */
type Recorded = { name: Name; keep: typeof keepRead }

async function guarded<C extends OpenContext, I, R>(
  ctx: C,
  input: I,
  spec: Runnable<C, I, R>,
  recorded?: Recorded,
): Promise<R> {
  const { on, allow, run } = spec
  if (on && !on.permits(ctx.actor!, input)) throw forbidden()
  if (allow && !(await allow(ctx, input))) throw forbidden()
  let rows: unknown
  try {
    const inner: C = { ...ctx, isInner: true }
    rows = await on?.rows(inner as OpenContext as Context, input)
    const answer = await (spec.mayLag
      ? onReplica(ctx, (db) => run({ ...inner, db }, input, rows as never)) // of the operation's own rule
      : run(inner, input, rows as never)) // as above
    if (recorded && !ctx.isInner)
      await recorded.keep(recorded.name, ctx, { input, spec, rows, answer })
    return answer
  } catch (error) {
    const explained = explainDatabaseError(error)
    // that a record is in the way of the answer is an answer, too
    if (recorded?.keep === keepRead && !ctx.isInner && isAbout(explained))
      await keepRead(recorded.name, ctx, {
        input,
        spec: { on, run, finds: () => true },
        rows,
        answer: undefined,
      })
    throw explained
  }
}

const isAbout = (error: unknown) =>
  error instanceof AppError && (error.code === 'conflict' || error.code === 'invalid')

type Answered<C, I, R> = { input: I; spec: Runnable<C, I, R>; rows: unknown; answer: R }

/** Records a read: the patients that it shows, and those that its input names. */
async function keepRead<C extends OpenContext, I, R>(
  name: Name,
  ctx: C,
  answered: Answered<C, I, R>,
) {
  const { input, spec, rows, answer } = answered
  const shown = await shownBy(ctx, answered)
  const isOfPatients = spec.shows ? shown !== null : shown !== null && shown.length > 0
  const question = alsoNaming(readQuestion(input), spec.names?.(answer) ?? {})
  const checked = new Set(spec.shows ? [] : checkedIds(rows, answer))
  const read: Read = {
    operation: name,
    clinicId: clinicAsked(ctx, answered),
    shown: isOfPatients ? shown : null,
    question: { ...question, ids: question.ids.filter((id) => !checked.has(id)) },
    isFound: spec.finds ? spec.finds(answer) : isAnythingIn(answer),
  }
  await recordRead(ctx, read)
}

/** Records an export, a print or a search before the response, in its transaction. */
async function keepShown<C extends OpenContext, I, R>(
  name: Name,
  ctx: C,
  answered: Answered<C, I, R>,
) {
  const patientIds = (await shownBy(ctx, answered)) ?? []
  await recordNow(ctx, { operation: name, patientIds, clinicId: clinicAsked(ctx, answered) })
}

async function shownBy<C extends OpenContext, I, R>(
  ctx: C,
  { input, spec: { shows }, rows, answer }: Answered<C, I, R>,
): Promise<string[] | null> {
  const shown = shows ? await shows(answer, { ctx, input }) : shownPatientIds(rows, answer)
  return shown && [...new Set(shown.filter((id) => typeof id === 'string'))]
}

const clinicAsked = <C extends OpenContext, I, R>(ctx: C, { input, rows }: Answered<C, I, R>) =>
  namedClinicId(input) ?? namedClinicId(Object(rows).existing) ?? ctx.actor!.clinicId

/** Ids of rows whose patients are known: those that the access rule checked, and an answer that is one row. */
function checkedIds(rows: unknown, answer: unknown): string[] {
  const { id, patient_id } = asObject(answer)
  const checked = Object.values(asObject(rows)).map((row) => asObject(row)['id'])
  return [...checked, patient_id && id].filter((each) => typeof each === 'string')
}

type OfPatient = { patient?: { id?: string }; existing?: { patient_id?: string } }

/** The patients of the rows that an access rule checked, and of an answer that is one row. */
function shownPatientIds(rows: unknown, answer: unknown): Shown {
  const { patient, existing } = Object(rows) as OfPatient
  const { patient_id } = Object(answer) as { patient_id?: string }
  return [patient?.id, existing?.patient_id, patient_id]
}

/** Checks the input of a caller, as `clean` leaves it. Throws `invalid` with a message for each field. */
export function parse<S extends z.ZodType>(schema: S, raw: unknown, clean = asSent): z.output<S> {
  const flaw = findInputFlaw(raw)
  if (flaw)
    throw invalid({
      '': { key: flaw === 'characters' ? 'validation.characters' : 'validation.wrongType' },
    })
  const result = schema.safeParse(clean(raw))
  if (!result.success) throw invalid(firstErrors(result.error))
  return result.data
}

const asSent = (input: unknown) => input

/** Deadlocks and serialization failures: nothing was written, so a retry is safe. */
const MAY_SUCCEED_LATER = new Set(['40001', '40P01'])
const TRIES = 3

/** Writes without which nobody reads (signing in, opening a record): they may use the reserve of the disk. */
const SMALL = /^(sessions\.|sync\.signIn$|fhir\.token$|openings\.start$|emergencies\.start$)/

export async function inTransaction<C extends OpenContext, R>(
  action: string,
  ctx: C,
  work: (ctx: C) => Promise<R>,
): Promise<R> {
  if (ctx.db.isTransaction) return inSavepoint(action, ctx, work)
  await refuseOnFullDisk({ isSmall: SMALL.test(action) })
  for (let attempt = 1; ; attempt += 1) {
    try {
      const result = await ctx.db.transaction().execute(async (db) => {
        await signAudit(db, action, ctx)
        return work({ ...ctx, db })
      })
      await rememberWrite(ctx)
      return result
    } catch (error) {
      if (attempt === TRIES || !MAY_SUCCEED_LATER.has(errorCode(error)))
        throw explainDatabaseError(error)
    }
  }
}

/** Called within another write: an error rolls back this step alone. */
async function inSavepoint<C extends OpenContext, R>(
  action: string,
  ctx: C,
  work: (ctx: C) => Promise<R>,
): Promise<R> {
  await sql`savepoint operation`.execute(ctx.db)
  try {
    await signAudit(ctx.db, ctx.signedAs ?? action, ctx)
    const result = await work(ctx)
    await sql`release savepoint operation`.execute(ctx.db)
    return result
  } catch (error) {
    await sql`rollback to savepoint operation`.execute(ctx.db)
    throw explainDatabaseError(error)
  }
}

/** Sets what the audit triggers record of this transaction: the operation, the user and the request. */
export const signAudit = (db: Kysely<DB>, action: string, { actor, request }: OpenContext) =>
  sql`${asPrepared()} select set_config('sanad.action', ${action}, true),
    set_config('sanad.user_id', ${actor?.userId ?? ''}, true),
    set_config('sanad.via', ${request.via}, true), set_config('sanad.request_id', ${request.id}, true)`.execute(
    db,
  )
