import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { mutation, NoInput, query } from '~/server/operation'
import { isAdmin, isSuperAdmin, mayAnywhere } from '~/shared/actor'
import { notFound } from '~/shared/errors'
import { newId } from '~/shared/id'
import { RULE_TABLES } from './rules/checks'
import { SwitchRule } from './rules'
import { ruleName, type RulesOff } from './rules/rule'
import { OTHER_LISTS } from './sources/other-lists'

const switchedOff = (db: Kysely<DB>) =>
  db
    .selectFrom('safety_rules_off')
    .where('switched_on_at', 'is', null)
    .where('safety_rules_off.is_deleted', '=', false)

/** The rules that are switched off now, as `table:rule`. */
export async function rulesOff(db: Kysely<DB>): Promise<RulesOff> {
  const rows = await switchedOff(db).select(['rule_table', 'rule']).execute()
  return new Set(rows.map(({ rule_table, rule }) => `${rule_table}:${rule}`))
}

/**
 * Every table of clinical rules with its version, sources and rows, and which rows are switched
 * off, with the user and the reason; the other clinical lists with their sources.
 */
export const listRules = query('safety.rules', {
  reads: ['safety_rules_off'],
  looksUp: ['users'],
  input: NoInput,
  allow: ({ actor }) =>
    isAdmin(actor) ||
    mayAnywhere(actor, 'is_clinic_admin', 'can_prescribe_medications', 'can_dispense_medications'),
  async run({ db, actor }) {
    const rows = await switchedOff(db)
      .leftJoin('users', 'users.id', 'switched_off_by')
      .select(['rule_table', 'rule', 'reason', 'switched_off_at as at', 'users.name as by'])
      .execute()
    const off = new Map(rows.map(({ rule_table, rule, ...row }) => [`${rule_table}:${rule}`, row]))
    return {
      maySwitch: isSuperAdmin(actor),
      otherLists: OTHER_LISTS,
      tables: RULE_TABLES.map(({ table, version, source, rows: tableRows }) => ({
        table,
        version,
        source,
        rows: tableRows.map((row) => ({ ...row, off: off.get(ruleName(table, row.id)) ?? null })),
      })),
    }
  },
})
export type ListedRules = Awaited<ReturnType<typeof listRules>>
export type ListedTable = ListedRules['tables'][number]
export type ListedRule = ListedTable['rows'][number]

/**
 * Off for everybody who prescribes or dispenses here, until it is switched on again. A rule that is
 * off already stays so.
 */
export const switchRule = mutation('safety.switchRule', {
  input: SwitchRule,
  allow: ({ actor }) => isSuperAdmin(actor),
  async run({ db, actor }, { id = newId(), table, rule, isOn, reason }) {
    const known = RULE_TABLES.find((one) => one.table === table)?.rows.some(
      (row) => row.id === rule,
    )
    if (!known) throw notFound('safety.rules.notFound')
    if (isOn) {
      await db
        .updateTable('safety_rules_off')
        .set({ switched_on_by: actor.userId, switched_on_at: new Date(), updated_at: new Date() })
        .where('rule_table', '=', table)
        .where('rule', '=', rule)
        .where('switched_on_at', 'is', null)
        .where('is_deleted', '=', false)
        .execute()
    } else {
      await db
        .insertInto('safety_rules_off')
        .values({ id, rule_table: table, rule, reason, switched_off_by: actor.userId })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    }
    return { table, rule, isOn }
  },
})
