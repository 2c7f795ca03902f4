import { type Kysely, sql } from 'kysely'
import * as z from 'zod'
import type { DB } from '~/db/types'
import type { Actor } from '~/shared/actor'
import { forbidden, invalid, unauthenticated } from '~/shared/errors'
import { problems } from '~/shared/problems'
import { explain } from './constraints'
import { flawOf } from './flaw'

/** The way in. */
export type Via = 'web' | 'trpc' | 'phone' | 'command' | 'system'

/** What an operation knows of the request that asked for it: passed on, never read from anywhere else. */
export type RequestFacts = {
  id: string
  via: Via
  /** The client's address as far as we may believe it; "" for a command. */
  address: string
  headers: Headers
}

export type Context = { db: Kysely<DB>; actor: Actor; request: RequestFacts }

/** Of an operation that is open to people who have not signed in. */
export type OpenContext = Omit<Context, 'actor'> & { actor: Actor | null }

type Spec<C, S extends z.ZodType, R> = {
  input: S
  /** May look at the database; rules about single rows belong in the `where` of `run`, so that "not yours" is "not found". */
  allow: (ctx: C, input: z.output<S>) => boolean | Promise<boolean>
  run: (ctx: C, input: z.output<S>) => Promise<R>
  /** Of a write: slow work that needs no transaction, before it begins. */
  before?: (ctx: C, input: z.output<S>) => Promise<void>
}

export type OperationFacts<S extends z.ZodType = z.ZodType> = {
  name: `${string}.${string}`
  kind: 'query' | 'mutation'
  open: boolean
  input: S
}
// A method's parameters are compared both ways, so that a list of operations can hold every one of them.
export type Operation<I, R, S extends z.ZodType = z.ZodType> = {
  (ctx: OpenContext, raw: I): Promise<R>
} & {
  facts: OperationFacts<S>
}
// oxlint-disable-next-line typescript/no-explicit-any -- the inputs differ from operation to operation
export type AnyOperation = Operation<any, unknown>

type Name = OperationFacts['name']

/** `allow` of an operation that every signed-in person may use. */
export const signedIn = () => true
/** `input` of an operation that needs none. */
export const Nothing = z.looseObject({}).nullish()

/** A read. Parses, authorizes, runs: the same three steps whether the caller is a screen, tRPC, a phone, a command or a test. */
export const query = <S extends z.ZodType, R>(name: Name, spec: Spec<Context, S, R>) =>
  operation<S, R>({ name, kind: 'query', open: false, input: spec.input }, async (ctx, raw) =>
    guarded(asSignedIn(ctx), raw, spec),
  )

/** A read that needs no sign-in. */
export const openQuery = <S extends z.ZodType, R>(name: Name, spec: Spec<OpenContext, S, R>) =>
  operation<S, R>({ name, kind: 'query', open: true, input: spec.input }, (ctx, raw) =>
    guarded(ctx, raw, spec),
  )

/**
 * A write. As `query`, in one transaction; the tables' own triggers write who changed what, under this name, into the
 * audit trail. Never the raw input: passwords and codes stay out of it.
 */
export const mutation = <S extends z.ZodType, R>(name: Name, spec: Spec<Context, S, R>) =>
  operation<S, R>({ name, kind: 'mutation', open: false, input: spec.input }, async (ctx, raw) =>
    inTransaction(name, asSignedIn(ctx), (inner) => guarded(inner, raw, spec)),
  )

/** A write that needs no sign-in. */
export const openMutation = <S extends z.ZodType, R>(name: Name, spec: Spec<OpenContext, S, R>) =>
  operation<S, R>({ name, kind: 'mutation', open: true, input: spec.input }, async (ctx, raw) =>
    inTransaction(name, ctx, (inner) => guarded(inner, raw, spec)),
  )

const operation = <S extends z.ZodType, R>(
  facts: OperationFacts<S>,
  call: (ctx: OpenContext, raw: z.input<S>) => Promise<R>,
) => Object.assign(call, { facts }) as Operation<z.input<S>, R, S>

function asSignedIn(ctx: OpenContext): Context {
  if (!ctx.actor) throw unauthenticated()
  return ctx as Context
}

async function guarded<C, S extends z.ZodType, R>(
  ctx: C,
  raw: unknown,
  spec: Spec<C, S, R>,
): Promise<R> {
  // a program may leave out an input of which it gives nothing
  const input = parse(spec.input, raw ?? {})
  if (!(await spec.allow(ctx, input))) throw forbidden()
  return spec.run(ctx, input).catch((error: unknown) => {
    throw explain(error)
  })
}

/** Checks what a caller sent. Throws `invalid` with a sentence for each field. */
export function parse<S extends z.ZodType>(schema: S, raw: unknown): z.output<S> {
  const flaw = flawOf(raw)
  if (flaw)
    throw invalid({
      '': { key: flaw === 'characters' ? 'validation.characters' : 'validation.wrongType' },
    })
  const result = schema.safeParse(raw)
  if (!result.success) throw invalid(problems(result.error))
  return result.data
}

/** Deadlocks and serialization failures: nothing happened, so trying again is safe. */
const MAY_SUCCEED_LATER = new Set(['40001', '40P01'])
const TRIES = 3

export async function inTransaction<C extends OpenContext, R>(
  action: string,
  ctx: C,
  work: (ctx: C) => Promise<R>,
): Promise<R> {
  if (ctx.db.isTransaction) return inSavepoint(action, ctx, work)
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ctx.db.transaction().execute(async (db) => {
        await signAudit(db, action, ctx)
        return work({ ...ctx, db })
      })
    } catch (error) {
      if (attempt === TRIES || !MAY_SUCCEED_LATER.has((error as { code?: string }).code ?? ''))
        throw explain(error)
    }
  }
}

/** Called from within another write: a refusal takes back this step alone. */
async function inSavepoint<C extends OpenContext, R>(
  action: string,
  ctx: C,
  work: (ctx: C) => Promise<R>,
): Promise<R> {
  await sql`savepoint operation`.execute(ctx.db)
  try {
    await signAudit(ctx.db, action, ctx)
    const result = await work(ctx)
    await sql`release savepoint operation`.execute(ctx.db)
    return result
  } catch (error) {
    await sql`rollback to savepoint operation`.execute(ctx.db)
    throw explain(error)
  }
}

/** Tells the audit triggers in whose name this transaction writes. */
export const signAudit = (db: Kysely<DB>, action: string, { actor, request }: OpenContext) =>
  sql`select set_config('sanad.action', ${action}, true), set_config('sanad.user_id', ${actor?.userId ?? ''}, true),
    set_config('sanad.via', ${request.via}, true), set_config('sanad.request_id', ${request.id}, true)`.execute(
    db,
  )
