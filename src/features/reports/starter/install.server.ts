import { type Kysely, sql } from 'kysely'
import { v5 } from 'uuid'
import type { DB } from '~/db/types'
import { bindInstalledForms } from '~/features/forms/event-forms/starter-bindings.server'
import { STARTER_REPORTS, type StarterReport } from './starter-reports'

/** A shipped definition has the same id in every installation, derived from its code. */
const NAMESPACE = '0b7a2d7e-2a59-4f0e-9d0c-9f6f5a2c6e11'

/** `kept`: users changed the definition, so it stays although a newer one is shipped. */
type Installed = { code: string; state: 'installed' | 'updated' | 'kept' }

/**
 * Inserts the shipped definitions, and updates those that no user has changed. A deleted definition
 * stays deleted. Runs at each start; writes nothing if nothing differs.
 */
export async function installStarterReports(
  db: Kysely<DB>,
  reports: readonly StarterReport[] = STARTER_REPORTS,
): Promise<Installed[]> {
  const rows = await db
    .selectFrom('report_definitions')
    .innerJoin('report_definition_versions as written', (join) =>
      join
        .onRef('written.definition_id', '=', 'report_definitions.id')
        .onRef('written.version', '=', 'report_definitions.version'),
    )
    .select(['id', 'code', 'report_definitions.version', 'starter_version', 'is_deleted'])
    .select(sql<boolean>`written.saved_by is null`.as('isUnchanged'))
    .where(
      'code',
      'in',
      reports.map(({ definition }) => definition.code),
    )
    .orderBy('is_deleted')
    .execute()
  const done: Installed[] = []
  for (const { version, definition } of reports) {
    const { code } = definition
    const row = rows.find((each) => each.code === code)
    const body = JSON.stringify(definition)
    if (!row) {
      await db
        .insertInto('report_definitions')
        .values({ id: v5(code, NAMESPACE), code, body, starter_version: version })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      done.push({ code, state: 'installed' })
    } else if (!row.is_deleted && row.starter_version !== null && row.starter_version < version) {
      if (row.isUnchanged)
        await db
          .updateTable('report_definitions')
          .set({ body, starter_version: version, updated_at: new Date() })
          .where('id', '=', row.id)
          // not changed by a user, or by another process that starts, in the meantime
          .where('version', '=', row.version)
          .execute()
      done.push({ code, state: row.isUnchanged ? 'updated' : 'kept' })
    }
  }
  // at each start: a version of Sanad may name concepts that no report counts
  await bindInstalledForms(db)
  return done
}

/** Installs at a start. Returns lines to print: which definitions of the clinic are older than the shipped ones. */
export async function startReports(db: Kysely<DB>): Promise<string[]> {
  const done = await installStarterReports(db)
  return done.flatMap(({ code, state }) =>
    state === 'kept'
      ? [`The report ${code} was changed here and stays so. Sanad now ships a newer version of it.`]
      : [],
  )
}
