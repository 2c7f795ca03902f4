import { crossReactionTable } from './cross-reactions'
import { doseTable } from './doses'
import { checkDuplicates, duplicateTable } from './duplicates'
import { checkInteractions, interactionTable } from './interactions'
import { checkMonitoring, monitoringTable } from './monitoring'
import {
  checkAge,
  checkConditions,
  checkKidneys,
  checkPregnancy,
  PATIENT_TABLES,
} from './patient-rules'
import type { Check, RuleTable } from './rule'

/** The rules of the tables, beside the comparison with allergies and of doses. */
export const CHECKS: readonly Check[] = [
  checkInteractions,
  checkDuplicates,
  checkAge,
  checkPregnancy,
  checkKidneys,
  checkConditions,
  checkMonitoring,
]

/** The same tables, as the screen of rules lists them: one line each. */
export const RULE_TABLES: readonly RuleTable[] = [
  interactionTable,
  duplicateTable,
  crossReactionTable,
  ...PATIENT_TABLES,
  doseTable,
  monitoringTable,
]
