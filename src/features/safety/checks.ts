import type { Check, RuleTable } from './rule'

/** The rules of the tables, beside the comparison with allergies. */
export const CHECKS: readonly Check[] = []

/** The same tables, as the screen of rules lists them: one line each. */
export const RULE_TABLES: readonly RuleTable[] = []
