import { readJsonBody } from '~/server/body'
import type { OpenContext } from '~/server/operation'
import { findRequestActor } from '~/server/session.server'
import { AppError, httpStatus } from '~/shared/errors'
import { sentence } from '~/shared/sentence'
import { type Refused, SignIn } from './session'
import { signIn } from './sessions.server'
import { loadUser } from './viewer.server'

const uncached = { 'cache-control': 'no-store' }

/**
 * `POST /api/auth/sign-in`: e-mail and password, and the code of a second factor if there is one.
 * Answers with the user and a Bearer token, and sets no cookie. The body has no key `message`:
 * phones read that as a failure.
 */
export async function respondSignIn(ctx: OpenContext, request: Request): Promise<Response> {
  const body = (await readJsonBody(request)) as Parameters<typeof signIn>[1] | null | undefined
  if (!body || typeof body !== 'object')
    return Response.json({ error: 'The body is not JSON' }, { status: 400 })
  if (!SignIn.safeParse(body).success) return signInRefused()
  try {
    const outcome = await signIn(ctx, body)
    if (!outcome.ok || !outcome.userId) return signInRefused(outcome)
    return Response.json(
      { user: await loadUser(ctx.db, outcome.userId), token: outcome.token },
      { headers: uncached },
    )
  } catch (error) {
    if (!(error instanceof AppError) || error.retryAfter === undefined) throw error
    const headers = { ...uncached, 'retry-after': String(error.retryAfter) }
    const text = error.code === 'unavailable' ? sentence('en', error.text) : 'Too many attempts'
    return Response.json({ error: text }, { status: httpStatus[error.code], headers })
  }
}

/** 401, in the words that phones have always had; a right password that phones no longer use has its own sentence. */
export function signInRefused(outcome?: { ok: true } | Refused): Response {
  const reason = outcome?.ok === false ? outcome.fields['password'] : undefined
  const isOver = reason?.key === 'sessions.passwordOver'
  const error = isOver ? sentence('en', reason) : 'Invalid credentials'
  return Response.json({ error }, { status: 401, headers: uncached })
}

/**
 * `POST /api/auth/is-valid-token`: of a cookie, whether screens open with it; of a Bearer token,
 * whether anything does.
 */
export async function respondIsValidToken({
  db,
  request: { headers },
}: OpenContext): Promise<Response> {
  const isValid =
    (await findRequestActor(db, { headers }, headers.has('authorization') ? 'phone' : 'web')) !==
    null
  return Response.json({ isValid }, { headers: uncached })
}
