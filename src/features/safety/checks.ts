import { doseCheck, doseTable } from './doses'
import { checkAge, checkConditions, checkKidneys, checkPregnancy, PATIENT_TABLES } from './patient-rules'
import type { Check, RuleTable } from './rule'

/** The rules of the tables, beside the comparison with allergies. */
export const CHECKS: readonly Check[] = [checkAge, checkPregnancy, checkKidneys, checkConditions, doseCheck]

/** The same tables, as the screen of rules lists them: one line each. */
export const RULE_TABLES: readonly RuleTable[] = [...PATIENT_TABLES, doseTable]
