import { AppError, type ErrorCode, type Message, Unexpected } from '~/shared/errors'
import { HttpFailure } from '~/shared/httpFailure'

const wrong: Message = { key: 'errors.wrong' }

type Explained = { title: Message; text: Message; code?: ErrorCode }

/** What may be said about something that was thrown: a refusal's own sentence, never a bug's. */
export function explain(error: unknown): Explained {
  if (error instanceof AppError) return { title: error.text, text: error.text, code: error.code }
  if (error instanceof HttpFailure) {
    return { title: wrong, text: { key: 'errors.http', values: { code: String(error.status) } } }
  }
  if (error instanceof Unexpected) return { title: wrong, text: { key: 'errors.http', values: { code: '500' } } }
  // what browsers throw when a request did not get through: Chrome, Firefox, Safari
  if (error instanceof TypeError && /fetch|network|load failed/i.test(error.message)) {
    return { title: wrong, text: { key: 'errors.unreachable' } }
  }
  return { title: wrong, text: wrong }
}

/** The number that leads to the line in the server's log. */
export function requestIdOf(error: unknown): string | null {
  const { requestId } = (error ?? {}) as { requestId?: string | null }
  return requestId ?? null
}
