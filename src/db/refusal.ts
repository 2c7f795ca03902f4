import { errorCode } from './error-code'
/** A reason not to go on that the person at the terminal can act on: one sentence, printed without a stack trace. */
export class Refusal extends Error {
  constructor(sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.name = 'Refusal'
  }
}

/** Node's and PostgreSQL's ways of saying that the disk is full. */
export const saysDiskFull = (text: string) =>
  /ENOSPC|No space left on device|EDQUOT|Disk quota exceeded/.test(text)

const DISK_CODES = new Set(['53100', 'ENOSPC', 'EDQUOT', 'EROFS'])

/**
 * Whether a write failed because the disk takes nothing more: it is full, or it was mounted read-only after an error.
 * PostgreSQL has a code for the first only, and its words are in the language of the server.
 */
export function isDiskFailure(error: unknown): boolean {
  for (let each = error, depth = 0; each instanceof Error && depth < 10; depth += 1) {
    const code = errorCode(each)
    if (DISK_CODES.has(code)) return true
    const isOfSystem = /^(42501|53|58|XX|E[A-Z]+$)/.test(code)
    if (isOfSystem && /Read-only file system/.test(each.message)) return true
    each = each.cause
  }
  return false
}

export const diskFull = (where: string) =>
  new Refusal(`The disk that holds ${where} is full: free some space on it, then start again.`)
