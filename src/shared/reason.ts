import * as z from 'zod'
import type { MessageKey } from './language'

/** Of reasons for which at least two words are asked. */
const LEAST_LETTERS_IN_WORDS = 10
const LEAST_LETTERS = 3

/** The different words of a text, in any script. A letter that is repeated ("aaaa"), signs and numbers are no words. */
const wordsIn = (text: string) =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).filter(
      (word) => /\p{L}/u.test(word) && new Set(word).size > 1,
    ),
  ).size

/** Whether a text says why something was done: at least one word. */
export const isReason = (text: string) => text.trim().length >= LEAST_LETTERS && wordsIn(text) >= 1

/** Whether a text says it in words: at least two, with ten characters. */
export const isReasonInWords = (text: string) =>
  text.trim().length >= LEAST_LETTERS_IN_WORDS && wordsIn(text) >= 2

const textThat =
  (saysWhy: (text: string) => boolean) =>
  ({ missing, max = 500 }: { missing: MessageKey; max?: number }) =>
    z.string(missing).trim().max(max, 'validation.tooLong').refine(saysWhy, missing)

/** A reason of at least one word. */
export const reasonText = textThat(isReason)

/** A reason in at least two words: for what is grave. */
export const reasonInWords = textThat(isReasonInWords)
