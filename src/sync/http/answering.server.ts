import { isTooLarge } from '~/server/body'
import { clientInfo } from '~/server/http-client.server'
import { toShow } from '~/server/serve.server'
import { AppError, httpStatus } from '~/shared/errors'
import { sentence } from '~/shared/sentence'

const uncached = { 'cache-control': 'no-store' }

/**
 * Tells a phone what went wrong, without a key `message`. A bug goes to the log, and only its
 * number to the phone.
 */
export async function answerPhone(
  request: Request,
  answer: () => Promise<Response>,
): Promise<Response> {
  try {
    return await answer()
  } catch (error) {
    if (isTooLarge(error)) throw error
    // nothing went wrong: who asked has left
    if (error === request.signal.reason) throw error
    const { requestId } = clientInfo(request)
    const shown = toShow(error, requestId)
    if (!(shown instanceof AppError))
      return Response.json({ error: shown.message, requestId }, { status: 500, headers: uncached })
    const headers = {
      ...uncached,
      ...(shown.retryAfter && { 'retry-after': String(shown.retryAfter) }),
    }
    const fields = Object.fromEntries(
      Object.entries(shown.fields).map(([name, text]) => [name, sentence('en', text)]),
    )
    return Response.json(
      { error: sentence('en', shown.text), fields },
      { status: httpStatus[shown.code], headers },
    )
  }
}
