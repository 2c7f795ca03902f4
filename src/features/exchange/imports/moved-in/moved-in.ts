import * as z from 'zod'
import { ListInput } from '~/shared/record'
import type { Rule } from '../former-rules'

/** The rules whose rows a clinician looks at after a move. */
export type ReviewedRule = Extract<
  Rule,
  | 'unknownStatus'
  | 'unknownSeverity'
  | 'unknownCodeSystem'
  | 'codeAlone'
  | 'withdrawn'
  | 'unknownPriority'
  | 'unknownSex'
>

export const ListMovedIn = ListInput.omit({ search: true }).extend({
  state: z.enum(['open', 'done', 'all'], 'validation.option').default('open'),
})
export const SettleMovedIn = z.object({
  id: z.uuid('validation.id'),
  /** False opens the entry again. */
  done: z.boolean('validation.wrongType').default(true),
})
