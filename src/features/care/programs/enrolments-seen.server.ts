import { type RawBuilder, sql } from 'kysely'
import { clinicsMeetingRule, readHistory } from '~/policy/rules'
import { rowsWhere } from '~/policy/sql.server'
import type { Actor } from '~/shared/actor'

/**
 * Keeps the enrolments (alias `row`) that a reader of the patient's history sees: those that the user's
 * clinics recorded or opened, and those of the user's clinics, whichever recorded them.
 */
export function enrolmentsWhere(actor: Actor, row: string): RawBuilder<boolean> {
  const clinics = clinicsMeetingRule(readHistory, actor)
  const own = clinics === 'all' ? [] : clinics
  const clinic = sql.ref(`${row}.clinic_id`)
  return sql<boolean>`(${rowsWhere(actor, row)} or ${clinic} = any(${own}::uuid[]))`
}
