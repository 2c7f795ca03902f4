import type { MessageKey } from './language'

/** A sentence of the message files, by its key, with the values of its placeholders. */
export type Message = { key: MessageKey; values?: Record<string, string | number> }

/** The kinds of expected failure, which every transport translates: screens, tRPC, sync, commands. */
export const httpStatus = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_many_requests: 429,
  unavailable: 503,
} as const
export type ErrorCode = keyof typeof httpStatus

/** Seconds until a state of the server may be over that an administrator ends. */
const RETRY_AFTER: Partial<Record<MessageKey, number>> = {
  'errors.diskFull': 60,
  'errors.readOnly': 60,
}

/** A failure that the caller is shown. Anything else that is thrown is a bug. */
export class AppError extends Error {
  constructor(
    readonly code: ErrorCode,
    /** What happened, as a whole. */
    readonly text: Message,
    /** Field path ("name", "departments.0.code") -> what is wrong with it. */
    readonly fields: Readonly<Record<string, Message>> = {},
  ) {
    super(text.key)
    this.name = 'AppError'
  }

  /** Seconds until it is worth trying again, where that is known. */
  get retryAfter(): number | undefined {
    return this.code === 'too_many_requests'
      ? Number(this.text.values?.['seconds'] ?? 1)
      : RETRY_AFTER[this.text.key]
  }
}

/** A bug, as users see it: the request id, under which the log has the details. */
export class Unexpected extends Error {
  constructor(readonly requestId: string) {
    super('Something went wrong!')
    this.name = 'Unexpected'
  }
}

export const invalid = (fields: Record<string, Message>) =>
  new AppError('invalid', { key: 'errors.invalid' }, fields)
export const forbidden = () => new AppError('forbidden', { key: 'errors.forbidden' })
export const unauthenticated = () =>
  new AppError('unauthenticated', { key: 'errors.unauthenticated' })

/** Of a session whose user must replace the password first. */
export const passwordToReplace = () =>
  new AppError('forbidden', { key: 'sessions.passwordToReplace' })
/** The page was rendered for another user than the one who is signed in now. */
export const otherUser = (name: string) =>
  new AppError('conflict', { key: 'errors.otherUser', values: { user: name } })
/** The name of the user who is signed in now; null for other errors. */
export const otherUserName = (error: unknown): string | null =>
  error instanceof AppError && error.text.key === 'errors.otherUser'
    ? String(error.text.values?.['user'] ?? '')
    : null
/** Nothing but a sign-in helps: the session is over, or its user must replace the password first. */
export const needsSignIn = (error: unknown): boolean =>
  error instanceof AppError &&
  (error.code === 'unauthenticated' || error.text.key === 'sessions.passwordToReplace')

/** Also for rows outside the user's scope: otherwise users would learn what exists elsewhere. */
export const notFound = (key: MessageKey) => new AppError('not_found', { key })
export const conflict = (
  key: MessageKey,
  values?: Message['values'],
  fields?: Record<string, Message>,
) => new AppError('conflict', { key, values }, fields)
