import type { OpenContext } from '~/server/operation'
import { currentSettings } from '~/server/settings.server'
import { AppError, httpStatus } from '~/shared/errors'
import { TOKEN_PATH } from './smart'
import { issueToken, TokenRequest } from './token.server'

/** The address of this server as programs know it: the one that is set, else that of the request. */
export async function readPublicOrigin({ db }: OpenContext, request: Request): Promise<string> {
  const { publicOrigin } = await currentSettings(db)
  return publicOrigin || new URL(request.url).origin
}

const answered = (status: number, body: object, headers: Record<string, string> = {}) =>
  Response.json(body, {
    status,
    headers: { 'cache-control': 'no-store', pragma: 'no-cache', ...headers },
  })

const refusedWith = (status: number, error: string, description: string) =>
  answered(status, { error, error_description: description })

/** `POST /api/auth/token`: the token endpoint of SMART Backend Services, with the errors of RFC 6749. */
export async function respondToken(ctx: OpenContext, request: Request): Promise<Response> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/x-www-form-urlencoded\b/i.test(type))
    return refusedWith(400, 'invalid_request', 'Send application/x-www-form-urlencoded.')
  const sent = [...new URLSearchParams(await request.text())]
  const form = Object.fromEntries(sent)
  if (Object.keys(form).length < sent.length)
    return refusedWith(400, 'invalid_request', 'A parameter is there twice.')
  const input = TokenRequest.safeParse({
    ...form,
    audience: (await readPublicOrigin(ctx, request)) + TOKEN_PATH,
  })
  if (!input.success) return refusedWith(400, 'invalid_request', 'A parameter is too long.')
  try {
    const outcome = await issueToken(ctx, input.data)
    if (!outcome.ok) {
      const status = outcome.error === 'invalid_client' ? 401 : 400
      return refusedWith(status, outcome.error, outcome.description)
    }
    const { access_token, expires_in, scope } = outcome
    return answered(200, { access_token, token_type: 'bearer', expires_in, scope })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code !== 'too_many_requests' && error.code !== 'unavailable')
      return refusedWith(400, 'invalid_request', 'A parameter is not valid.')
    const body = { error: 'temporarily_unavailable', error_description: 'Try again later.' }
    const retryAfter = String(error.retryAfter ?? 30)
    return answered(httpStatus[error.code], body, { 'retry-after': retryAfter })
  }
}
