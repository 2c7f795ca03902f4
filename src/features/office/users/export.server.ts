import { qualified } from '~/records/qualified'
import { userRecord } from '~/records/user'
import { auditExport } from '~/server/audit'
import type { ListSheet } from '~/server/list-file.server'
import { type Context, mutation } from '~/server/operation'
import { countTotal } from '~/server/paged'
import { byName } from '~/server/scope'
import { mayAnywhere } from '~/shared/actor'
import type { MessageKey } from '~/shared/language'
import { sentence } from '~/shared/sentence'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { mayReadUsers } from './reach'
import { loadGrants } from './reach.server'
import { ExportUsers } from './user'
import { usersFound } from './users.server'

const BATCH = 500

/** Returns how many users the file would hold, and writes the export into the audit trail. */
export const exportUsers = mutation('users.export', {
  input: ExportUsers,
  allow: ({ actor }) => mayReadUsers(actor) && mayAnywhere(actor, 'can_download_patient_reports'),
  async run(ctx, { format, language, ...filter }) {
    const total = await countTotal(usersFound(ctx.db, ctx.actor, filter))
    await auditExport(ctx, 'users', { format, language, total, ...filter })
    return { total }
  },
})

/** By name. */
export const userSheet = (
  ctx: Context,
  { format: _, language, ...filter }: ExportUsers,
): ListSheet => ({
  title: sentence(language, { key: 'users.title' }),
  headings: ['ID', ...HEADINGS.map((key) => sentence(language, { key }))],
  rows: streamUserRows(ctx, { language, ...filter }),
})

const { fields } = userRecord
const HEADINGS: MessageKey[] = [
  fields.name.label,
  fields.email.label,
  fields.role.label,
  'users.clinics',
  'users.added',
]

async function* streamUserRows(
  { db, actor }: Context,
  { language, ...filter }: Omit<ExportUsers, 'format'>,
): ListSheet['rows'] {
  const zone = clinicTimeZone()
  for (let at = 0; ; at += BATCH) {
    const rows = await usersFound(db, actor, filter)
      .leftJoin('clinics', 'clinics.id', 'users.clinic_id')
      .select([...qualified('users', userRecord.selected), 'users.created_at'])
      .select('clinics.name as clinic')
      .orderBy(byName('users.name'))
      .orderBy('users.id')
      .limit(BATCH)
      .offset(at)
      .execute()
    const grants = await loadGrants(
      db,
      rows.map(({ id }) => id),
    )
    for (const { id, name, email, role, clinic, created_at } of rows) {
      const others = grants.filter(({ userId }) => userId === id).map((grant) => grant.clinic.name)
      const clinics =
        role === 'admin' || role === 'super_admin'
          ? sentence(language, { key: 'users.allClinics' })
          : [...new Set([...(clinic ? [clinic] : []), ...others])].join('; ')
      const named = sentence(language, { key: `roles.${role}` })
      yield [id, name, email, named, clinics, dayIn(created_at, zone)]
    }
    if (rows.length < BATCH) return
  }
}
