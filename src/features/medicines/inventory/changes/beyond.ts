import type { Message } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'

/** The quantity that a save of an earlier day took beyond the recorded stock; 0 if its answer says nothing of it. */
export const beyondIn = (answer: unknown): number =>
  typeof answer === 'object' && answer !== null && 'beyond' in answer ? Number(answer.beyond) : 0

/** What is said after a save: that it is done, or which part of it is listed instead of deducted. */
export const doneWith = (done: MessageKey, beyond: number): MessageKey | Message =>
  beyond > 0 ? { key: 'inventory.takenBeyond', values: { quantity: beyond } } : done
