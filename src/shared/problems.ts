import type * as z from 'zod'
import type { Message } from './errors'
import type { MessageKey } from './language'

/** The first error of each field, by its path, as messages. */
export function firstErrors(error: z.ZodError): Record<string, Message> {
  const found: Record<string, Message> = {}
  for (const issue of error.issues) {
    const path = issue.path.join('.')
    found[path] ??= { key: issueMessageKey(issue), values: issueValues(issue) }
  }
  return found
}

const issueMessageKey = (issue: z.core.$ZodIssue) =>
  /^[a-z]\w*(\.\w+)+$/i.test(issue.message)
    ? (issue.message as MessageKey)
    : ('validation.wrongType' as const)

function issueValues(issue: z.core.$ZodIssue): Message['values'] {
  if (issue.code === 'too_big') return { max: Number(issue.maximum) }
  if (issue.code === 'too_small') return { min: Number(issue.minimum) }
  if (issue.code === 'custom') return issue.params
  return undefined
}
