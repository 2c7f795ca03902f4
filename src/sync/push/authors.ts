import type { Wire } from '../schema/kinds'
import type { PushedName } from '../schema/tables'

/** The columns that name who recorded, prescribed or dispensed; these tables have `sent_by_user_id`. */
const AUTHORS: Partial<Record<PushedName, readonly string[]>> = {
  events: ['recorded_by_user_id'],
  patient_vitals: ['recorded_by_user_id'],
  patient_problems: ['recorded_by_user_id'],
  prescriptions: ['provider_id'],
  prescription_items: ['recorded_by_user_id'],
  dispensing_records: ['dispensed_by', 'recorded_by_user_id'],
}

export const authorColumns = (table: PushedName): readonly string[] => AUTHORS[table] ?? []

type Values = Readonly<Record<string, Wire>>

/** The authors that a row names and its stored version does not. */
export const newAuthors = (table: PushedName, after: Values, before: Values | null): string[] =>
  authorColumns(table)
    .filter((column) => after[column] && after[column] !== before?.[column])
    .map((column) => String(after[column]))
