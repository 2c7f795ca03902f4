import * as z from 'zod'

/**
 * How urgent an arrival is, most urgent first: red, yellow and green of the Interagency Integrated Triage Tool
 * (docs/rules.md, "Urgency").
 */
export const URGENCIES = ['emergency', 'priority', 'routine'] as const
export type Urgency = (typeof URGENCIES)[number]

/** Those that are chosen beside a button that checks in as routine. */
export const URGENT = ['emergency', 'priority'] as const satisfies readonly Urgency[]

export const UrgencyInput = z.enum(URGENCIES, 'validation.option')

/** 0 is the most urgent. A word that is not known is as urgent as routine. */
export function urgencyRank(word: string | null | undefined): number {
  const at = URGENCIES.findIndex((urgency) => urgency === word)
  return at < 0 ? URGENCIES.length - 1 : at
}

/** The known word; routine for any other. */
export const parseUrgency = (word: string | null | undefined): Urgency =>
  URGENCIES[urgencyRank(word)]!

/** The more urgent of two: nothing lowers an urgency by itself. */
export const moreUrgent = (a: Urgency, b: Urgency | null | undefined): Urgency =>
  urgencyRank(b) < urgencyRank(a) ? parseUrgency(b) : a
