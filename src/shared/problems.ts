import type * as z from 'zod'
import type { Message } from './errors'
import type { MessageKey } from './language'

/** What is wrong with each field, by its path, as sentences of the message files. */
export function problems(error: z.ZodError): Record<string, Message> {
  const found: Record<string, Message> = {}
  for (const issue of error.issues) {
    const path = issue.path.join('.')
    // the first complaint about a field is the one to mend first
    found[path] ??= { key: keyOf(issue), values: valuesOf(issue) }
  }
  return found
}

const keyOf = (issue: z.core.$ZodIssue) =>
  /^[a-z]\w*(\.\w+)+$/i.test(issue.message)
    ? (issue.message as MessageKey)
    : ('validation.wrongType' as const)

function valuesOf(issue: z.core.$ZodIssue): Message['values'] {
  if (issue.code === 'too_big') return { max: Number(issue.maximum) }
  if (issue.code === 'too_small') return { min: Number(issue.minimum) }
  return undefined
}
