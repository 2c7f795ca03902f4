import type { MessageKey } from '~/shared/language'
import table from './unsafe-notations.json'

const IDS = ['u', 'iu', 'qd', 'qod', 'od', 'micro', 'naked', 'trailing', 'cc', 'tiw'] as const
type Id = (typeof IDS)[number]

const rules = table.rows.map(({ id, pattern }) => ({
  id: id as Id,
  pattern: new RegExp(pattern, 'u'),
}))

/** Notations in free text that have been misread, each with what to write instead. */
export const unsafeNotations = (text: string): MessageKey[] =>
  rules.filter(({ pattern }) => pattern.test(text)).map(({ id }): MessageKey => `dose.unsafe_${id}`)
