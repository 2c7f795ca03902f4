import { sql } from 'kysely'
import { runCells } from '~/features/reports/cells/cells.server'
import {
  definitionErrors,
  reportDefinition,
  type ReportDefinition,
} from '~/features/reports/cells/definition'
import { readPeriod } from '~/features/reports/cells/period'
import { withMedicines } from '~/features/reports/runs/medicines.server'
import { mutation, query } from '~/server/operation'
import { nobodyByName } from '~/server/shown'
import { loadListPage } from '~/server/paged'
import { deleteRecord, saveRecord } from '~/server/record'
import { type Actor, isAdmin } from '~/shared/actor'
import { invalid, notFound } from '~/shared/errors'
import { ListInput } from '~/shared/record'
import { clinicTimeZone } from '~/shared/zone'
import {
  DefinitionId,
  ListDefinitionVersions,
  PreviewDefinition,
  SaveDefinition,
} from './definitions'
import { diffDefinitions } from './version-diff'

const keepsDefinitions = ({ actor }: { actor: Actor }) => isAdmin(actor)

const rowsOf = sql<number>`(select count(*)::int from
  jsonb_path_query(body, '$.sections[*].rows[*]') as row)`

/** The reports of the clinics, by their English names. */
export const listDefinitions = query('reportDefinitions.list', {
  reads: ['report_definitions'],
  input: ListInput.pick({ page: true }).prefault({}),
  allow: keepsDefinitions,
  async run({ db }, { page }) {
    const live = db.selectFrom('report_definitions').where('is_deleted', '=', false)
    const answer = await loadListPage(
      live
        .select(['id', 'code', 'version', 'starter_version', 'last_modified'])
        .select(sql<Record<string, string>>`body -> 'names'`.as('names'))
        .select(sql<string>`body ->> 'period'`.as('period'))
        .select(rowsOf.as('rows'))
        .orderBy(sql`body -> 'names' ->> 'en' collate names`)
        .orderBy('id'),
      live,
      page,
    )
    return {
      ...answer,
      rows: answer.rows.map((row) => ({ ...row, isStarter: row.starter_version !== null })),
    }
  },
})
export type ListedDefinition = Awaited<ReturnType<typeof listDefinitions>>['rows'][number]

export const getDefinition = query('reportDefinitions.get', {
  reads: ['report_definitions'],
  input: DefinitionId,
  allow: keepsDefinitions,
  async run({ db }, { id }) {
    const row = await db
      .selectFrom('report_definitions')
      .select(['id', 'version', 'starter_version', 'body', 'last_modified'])
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .executeTakeFirst()
    if (!row) throw notFound('reportDefinitions.notFound')
    return row
  },
})
export type StoredDefinition = Awaited<ReturnType<typeof getDefinition>>

/** A changed body is the next version; closed reports keep theirs. Errors are at `body.sections.0.rows.1.where`. */
export const saveDefinition = mutation('reportDefinitions.save', {
  input: SaveDefinition,
  allow: keepsDefinitions,
  run(ctx, { id, last_modified, body }) {
    const definition = checked(body)
    const { code } = definition
    return saveRecord(ctx, 'report_definitions', { id, last_modified, code, body: definition })
  },
})

/** Into the trash. Closed reports are kept, and can be opened again when it is restored. */
export const deleteDefinition = mutation('reportDefinitions.delete', {
  input: DefinitionId,
  allow: keepsDefinitions,
  async run(ctx, { id }) {
    const row = await ctx.db
      .selectFrom('report_definitions')
      .select(sql<string>`body -> 'names' ->> 'en'`.as('name'))
      .where('id', '=', id)
      .executeTakeFirst()
    return deleteRecord(ctx, 'report_definitions', id, row?.name ?? '')
  },
})

/** Newest first, each with what changed since the version before. */
export const listDefinitionVersions = query('reportDefinitions.versions', {
  reads: ['report_definitions'],
  looksUp: ['users'],
  input: ListDefinitionVersions,
  allow: keepsDefinitions,
  async run({ db }, { id, page }) {
    const versions = db
      .selectFrom('report_definition_versions as versions')
      .innerJoin('report_definitions as definition', 'definition.id', 'versions.definition_id')
      .where('definition.id', '=', id)
      .where('definition.is_deleted', '=', false)
    const answer = await loadListPage(
      versions
        .leftJoin('users', 'users.id', 'versions.saved_by')
        .leftJoin('report_definition_versions as before', (join) =>
          join
            .onRef('before.definition_id', '=', 'versions.definition_id')
            .on('before.version', '=', sql<number>`versions.version - 1`),
        )
        .select(['versions.version', 'versions.saved_at', 'users.name as saved_by'])
        .select(['versions.body', 'before.body as body_before'])
        .orderBy('versions.version', 'desc'),
      versions,
      page,
    )
    const rows = answer.rows.map(({ body, body_before, ...row }) => ({
      ...row,
      body,
      changes: body_before ? diffDefinitions(body_before, body) : [],
    }))
    return { ...answer, rows }
  },
})

/** What the report would say: nothing is stored. Values that users enter are empty. */
export const previewDefinition = query('reportDefinitions.preview', {
  access: 'counts',
  byPost: true,
  looksUp: ['clinics'],
  input: PreviewDefinition,
  allow: keepsDefinitions,
  async run({ db }, { body, clinic_ids, period: text }) {
    const asked = checked(body)
    const zone = clinicTimeZone()
    const period = readPeriod(text, zone)
    if (!period || period.kind !== asked.period)
      throw invalid({ period: { key: `reportEditor.periodLike_${asked.period}` } })
    const place = { clinicIds: clinic_ids, period }
    const definition = await withMedicines(db, asked, place)
    const manual = new Map<string, number>()
    const found = await runCells(db, { definition, ...place, zone, manual, now: new Date() })
    return { ...found, definition }
  },
  shows: nobodyByName,
})

/** Throws `invalid` with a sentence for each problem, at its place in `body`. */
function checked(body: unknown): ReportDefinition {
  const errors = definitionErrors(body)
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return reportDefinition.parse(body)
}
