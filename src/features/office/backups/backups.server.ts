import { readdir } from 'node:fs/promises'
import { sql } from 'kysely'
import { verifyOwnAhead } from '~/features/office/sessions/setup/owner.server'
import {
  hasSecondFactor,
  refusedOwner,
} from '~/features/office/sessions/two-factor/second-factor.server'
import { audit } from '~/server/audit'
import { backupSettings } from '~/server/backup-settings'
import { ownFingerprint } from '~/server/instance-key.server'
import { askFor } from '~/server/jobs.server'
import { type Context, mutation, NoInput, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { keyed } from '~/server/secret.server'
import { isAdmin, isSuperAdmin } from '~/shared/actor'
import { AppError, notFound } from '~/shared/errors'
import { BackupFile, BackupId, DownloadBackupInput, ListBackups } from './backup'

const allow = ({ actor }: Context) => isAdmin(actor)

/**
 * Newest first; `isHere`: its file can be downloaded from this machine. With what holds for all of
 * them.
 */
export const listBackups = query('backups.list', {
  reads: ['backups'],
  looksUp: ['users'],
  input: ListBackups,
  allow,
  async run({ db, actor }, { page }) {
    const { folder, kept, passphrase } = backupSettings()
    const { rows, pagination } = await loadListPage(
      db
        .selectFrom('backups')
        .leftJoin('users', 'users.id', 'backups.requested_by')
        .select([
          'backups.id',
          'kind',
          'status',
          'percent',
          'file_name',
          'bytes',
          'is_encrypted',
          'failure',
        ])
        .select(['backups.created_at', 'finished_at', 'users.name as requested_by'])
        .orderBy('backups.created_at', 'desc')
        .orderBy('backups.id'),
      db.selectFrom('backups'),
      page,
    )
    const here = new Set(await namesIn(folder))
    return {
      rows: rows.map((row) => ({
        ...row,
        isHere:
          row.status === 'finished' && row.kind !== 'command' && here.has(row.file_name ?? ''),
      })),
      pagination,
      place: { folder, kept, isEncrypted: passphrase !== undefined, key: ownFingerprint() ?? '' },
      download: isSuperAdmin(actor) ? { needsCode: await hasSecondFactor(db, actor.userId) } : null,
    }
  },
})
export type ListedBackup = Awaited<ReturnType<typeof listBackups>>['rows'][number]

/**
 * When the last good backup was made, and why the one after it failed, if it did. Null if there is
 * none.
 */
export const lastBackup = query('backups.last', {
  reads: ['backups'],
  input: NoInput,
  allow,
  async run({ db }) {
    const last = await db
      .selectFrom('backups')
      .select(['finished_at', 'bytes', 'kind'])
      .where('status', '=', 'finished')
      .orderBy('finished_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    const failed = await db
      .selectFrom('backups')
      .select(['finished_at', 'failure'])
      .where('status', '=', 'failed')
      .where('finished_at', '>', last?.finished_at ?? new Date(0))
      .orderBy('finished_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    return {
      last: last ? { finishedAt: last.finished_at!, bytes: last.bytes!, kind: last.kind } : null,
      failed: failed ? { at: failed.finished_at!, failure: failed.failure } : null,
    }
  },
})

/**
 * Starts a backup in a background process; `backups.list` reports its progress. A repeated call
 * returns the same one.
 */
export const startBackup = mutation('backups.start', {
  input: BackupId,
  allow,
  async run(ctx, { id }) {
    const { db, actor } = ctx
    const made = await db
      .insertInto('backups')
      .values({ id, kind: 'asked', requested_by: actor.userId })
      .onConflict((on) => on.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (made) await audit(ctx, { action: 'backups.start', table: 'backups', recordId: id })
    await askFor(db, 'backups')
    return made ?? (await underWay(ctx)) ?? { id }
  },
})

/**
 * For super administrators with their password and, if it is on, a code of the second factor: writes the
 * download of all records into the audit trail, and returns a ticket for the file. With it,
 * `/api/backups/<id>?ticket=` sends the file to the same user, for five minutes.
 */
export const downloadBackup = mutation('backups.download', {
  input: DownloadBackupInput,
  allow: ({ actor }) => isSuperAdmin(actor),
  before: async (ctx, { password }) => {
    if (password && isSuperAdmin(ctx.actor)) await verifyOwnAhead(ctx, { password })
  },
  async run(ctx, { id, password, code }) {
    const refusal = await refusedOwner(ctx, { password, code })
    if (refusal) return refusal
    const { file_name, bytes, is_encrypted } = await requireBackupFile(ctx, id)
    const changes = { file: [null, file_name], encrypted: [null, is_encrypted] }
    await audit(ctx, { action: 'backups.download', table: 'backups', recordId: id, changes })
    const ticket = ticketFor(ctx, id, Date.now() + TICKET_MS)
    return { ok: true as const, fileName: file_name!, bytes: bytes!, ticket }
  },
})

/** The file of a ticket, for the user who got it. */
export const backupFile = query('backups.file', {
  input: BackupFile,
  allow: ({ actor }) => isSuperAdmin(actor),
  async run(ctx, { id, ticket }) {
    const until = Number(ticket.split('.')[0])
    const left = until - Date.now()
    if (!(left > 0 && left <= TICKET_MS) || ticket !== ticketFor(ctx, id, until))
      throw new AppError('forbidden', { key: 'backups.noTicket' })
    const { file_name, bytes } = await requireBackupFile(ctx, id)
    return { fileName: file_name!, bytes: bytes! }
  },
})

const TICKET_MS = 5 * 60_000

const ticketFor = ({ actor }: Context, id: string, until: number) =>
  `${until}.${keyed('backup download', `${id} ${actor.userId} ${until}`).toString('base64url')}`

async function requireBackupFile({ db }: Context, id: string) {
  const row = await db
    .selectFrom('backups')
    .select(['file_name', 'bytes', 'is_encrypted'])
    .where('id', '=', id)
    .where('status', '=', 'finished')
    .where('kind', '<>', 'command')
    .executeTakeFirst()
  if (!row) throw notFound('backups.notFound')
  return row
}

const underWay = ({ db }: Context) =>
  db
    .selectFrom('backups')
    .select('id')
    .where(sql<boolean>`status in ('waiting', 'running')`)
    .executeTakeFirst()

const namesIn = (folder: string) =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
    throw error
  })
