import type { Check } from './rule'

/** The rules of the tables, beside the comparison with allergies. */
export const CHECKS: readonly Check[] = []
