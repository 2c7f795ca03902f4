import type { MessageKey } from '~/shared/language'
import type { EventFormField } from './definition'

/** What is wrong with a stored answer that the web would not have taken: phones know no rules. */
type AnswerFlaw = 'notWhole' | 'excludesOthers'
export const FLAW_ERROR: Record<AnswerFlaw, MessageKey> = {
  notWhole: 'vitals.whole',
  excludesOthers: 'answers.excludesOthers',
}

/** A decimal in a question for whole numbers, or an option such as "None of these" beside another one. */
export function answerFlaw(field: EventFormField, answer: unknown): AnswerFlaw | null {
  if (field.rules?.whole && typeof answer === 'number' && !Number.isInteger(answer))
    return 'notWhole'
  if (!Array.isArray(answer) || answer.length < 2) return null
  const alone = exclusiveValues(field)
  return answer.some((value) => alone.has(value)) ? 'excludesOthers' : null
}

/** The values of the options that exclude every other option. */
function exclusiveValues(field: EventFormField): ReadonlySet<unknown> {
  const ids = field.rules?.exclusive
  if (!ids || !('options' in field)) return new Set()
  return new Set(field.options.filter(({ id }) => ids.includes(id)).map(({ value }) => value))
}

/**
 * The choices after a change by the user: the option chosen last decides. "None of these" clears the others, and
 * another option clears "None of these".
 */
export function settledChoices(field: EventFormField, before: unknown, next: unknown): unknown {
  if (!Array.isArray(next)) return next
  const alone = exclusiveValues(field)
  if (alone.size === 0) return next
  const known: readonly unknown[] = Array.isArray(before) ? before : []
  const added = next.filter((value) => !known.includes(value))
  const newest = added.at(-1)
  if (newest === undefined) return next
  return alone.has(newest) ? [newest] : next.filter((value) => !alone.has(value))
}
