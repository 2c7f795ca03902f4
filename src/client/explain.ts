import { AppError, type ErrorCode, httpStatus, type Message, Unexpected } from '~/shared/errors'
import { HttpFailure } from '~/shared/httpFailure'

const wrong: Message = { key: 'errors.wrong' }

type Explained = { title: Message; text: Message; code?: ErrorCode }

/** What may be said about something that was thrown: a refusal's own sentence, never a bug's. */
export function explainError(error: unknown): Explained {
  if (error instanceof AppError) return { title: error.text, text: error.text, code: error.code }
  if (error instanceof HttpFailure) {
    return { title: wrong, text: { key: 'errors.http', values: { code: String(error.status) } } }
  }
  if (error instanceof Unexpected)
    return { title: wrong, text: { key: 'errors.http', values: { code: '500' } } }
  if (isUnreachable(error))
    return { title: { key: 'errors.noConnection' }, text: { key: 'errors.unreachable' } }
  return { title: wrong, text: wrong }
}

/** The same beside what the user typed: that it is still there, and what to do now. */
export function explainUnsaved(error: unknown): Message {
  if (!isServersFault(error)) return explainError(error).text
  const code = error instanceof HttpFailure ? error.status : 500
  return {
    key: 'errors.unsaved',
    values: { code: String(code), request: errorRequestId(error) ?? 'none' },
  }
}

/**
 * What browsers throw when a request did not get through (Chrome, Firefox, Safari), and what Vite's
 * loader of styles does.
 */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof TypeError)
    return /fetch|network|load failed|importing a module/i.test(error.message)
  return error instanceof Error && error.message.startsWith('Unable to preload CSS')
}

/** What may well be over in a moment: the server answered, and not as it should have. */
export const isServersFault = (error: unknown) =>
  error instanceof HttpFailure || error instanceof Unexpected

/** A record that is not there for this person, or an address whose id cannot be anybody's. */
export function isNotThere(error: unknown): boolean {
  if (!(error instanceof AppError)) return false
  const messages = Object.values(error.fields)
  const isMangled = messages.length > 0 && messages.every(({ key }) => key === 'validation.id')
  return error.code === 'not_found' || (error.code === 'invalid' && isMangled)
}

/** The HTTP status of a screen that could not be loaded; undefined for a bug. */
export function statusOfScreen(error: unknown): number | undefined {
  if (isNotThere(error)) return httpStatus.not_found
  return error instanceof AppError ? httpStatus[error.code] : undefined
}

/**
 * Errors whose messages the engine writes ("x is not a function"). Not SyntaxError: `JSON.parse`
 * quotes what it read.
 */
const ENGINE_ERRORS = [TypeError, ReferenceError, RangeError]

/**
 * The name of an error that arose in the browser, with its message if the engine wrote it. Other
 * messages may hold what a patient's record says, and stay out; so does the stack. Null for
 * refusals and for errors of the server.
 */
export function browserErrorText(error: unknown): string | null {
  if (!(error instanceof Error) || error instanceof AppError || isServersFault(error)) return null
  const isEngines = ENGINE_ERRORS.some((kind) => error instanceof kind)
  return isEngines ? `${error.name}: ${error.message.slice(0, 200)}` : error.name
}

/** The number that leads to the line in the server's log. */
export function errorRequestId(error: unknown): string | null {
  const { requestId } = (error ?? {}) as { requestId?: string | null }
  return requestId ?? null
}
