import { cleanLine } from './typed-text'

/** A question without an answer, as it is stored. */
export const isNoAnswer = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)

/** The same of what was typed or sent: a text of blanks is no answer, either. */
export const isNothing = (value: unknown): boolean =>
  isNoAnswer(value) || (typeof value === 'string' && cleanLine(value) === '')
