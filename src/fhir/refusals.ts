import type { AppError, Message } from '~/shared/errors'
import { sentence } from '~/shared/sentence'
import { FhirError } from './outcome'

const STATUS = {
  invalid: [422, 'business-rule'],
  unauthenticated: [401, 'login'],
  forbidden: [403, 'forbidden'],
  not_found: [404, 'not-found'],
  conflict: [409, 'conflict'],
  too_many_requests: [429, 'throttled'],
  unavailable: [503, 'transient'],
} as const

const words = (message: Message) => sentence('en', message)

/** A refusal of an operation in FHIR; `expressions` has the element of each field of its input. */
export function explained(
  error: AppError,
  expressions: Readonly<Record<string, string>> = {},
): FhirError {
  const [status, code] = STATUS[error.code]
  const fields = Object.entries(error.fields)
  const headers: Record<string, string> =
    error.retryAfter === undefined ? {} : { 'retry-after': String(error.retryAfter) }
  if (error.code === 'unauthenticated') headers['www-authenticate'] = 'Bearer'
  if (fields.length === 0) return new FhirError(status, code, words(error.text), [], headers)
  return new FhirError(
    status,
    code,
    fields.map(([name, message]) => `${name}: ${words(message)}`).join(' '),
    fields.flatMap(([name]) => expressions[name] ?? []),
    headers,
  )
}
