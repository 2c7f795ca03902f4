import { sql } from 'kysely'
import type { Definition } from '~/forms/checked-definition'
import { type Context, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { notFound } from '~/shared/errors'
import { CompareVersions, FormVersion, ListFormVersions } from './event-form'
import { toDefinition, questionsOf, readForm, readsForms } from './event-forms.server'
import { diffFormVersions } from './version-diff'

/** The versions of a form, newest first, with who saved them and how many answers each has. */
export const listVersions = query('eventForms.versions', {
  reads: ['event_forms', 'events'],
  looksUp: ['users'],
  input: ListFormVersions,
  allow: readsForms,
  async run(ctx, { id, page }) {
    await readForm(ctx, id)
    const versions = ctx.db.selectFrom('event_form_versions as versions').where('form_id', '=', id)
    return loadListPage(
      versions
        .leftJoin('users', 'users.id', 'versions.saved_by')
        .select([
          'version',
          'versions.name',
          'saved_at',
          'users.name as saved_by',
          questionsOf.as('fields'),
          sql<number>`(select count(*) from events where events.form_id = versions.form_id
          and events.form_version = versions.version and not events.is_deleted)`.as('answers'),
        ])
        .orderBy('version', 'desc'),
      versions,
      page,
    )
  },
})

/** The definition of one version. */
export const getVersion = query('eventForms.version', {
  reads: ['event_forms'],
  looksUp: ['events'],
  input: FormVersion,
  allow: readsForms,
  async run(ctx, { id, version }) {
    await readForm(ctx, id)
    return loadFormVersion(ctx, id, version)
  },
})

/** The changes between two versions, in the order of the newer. */
export const compareVersions = query('eventForms.diff', {
  reads: ['event_forms'],
  looksUp: ['events'],
  input: CompareVersions,
  allow: readsForms,
  async run(ctx, { id, from, to }) {
    await readForm(ctx, id)
    const [older, newer] = await Promise.all([
      loadFormVersion(ctx, id, from),
      loadFormVersion(ctx, id, to),
    ])
    return diffFormVersions(older, newer)
  },
})

/** One version, even if the form is in the trash: its answers are still shown. Throws `not_found`. */
export async function loadFormVersion(
  { db }: Pick<Context, 'db'>,
  formId: string,
  version: number,
): Promise<Definition> {
  const row = await db
    .selectFrom('event_form_versions')
    .select(['name', 'description', 'language', 'form_fields', 'translations'])
    .where('form_id', '=', formId)
    .where('version', '=', version)
    .executeTakeFirst()
  if (!row) throw notFound('eventForms.notFound')
  return toDefinition(row)
}
