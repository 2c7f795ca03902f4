import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { verifyOwnAhead } from '~/features/office/sessions/setup/owner.server'
import { refusedOwner } from '~/features/office/sessions/two-factor/second-factor.server'
import { audit } from '~/server/audit'
import { backupSettings } from '~/server/backup-settings'
import { env } from '~/server/env'
import { askFor } from '~/server/jobs.server'
import { mutation, NoInput, query } from '~/server/operation'
import { isAdmin, isSuperAdmin } from '~/shared/actor'
import { conflict, invalid } from '~/shared/errors'
import { REGULAR_KINDS } from './backup'
import { SaveCopies } from './copy'
import { chooseFolder, FolderProblem } from './second-folder.server'

/** The second folder for backups and how the copying goes. `last`: the newest good copy. */
export const getCopies = query('copies.get', {
  reads: ['backup_copies'],
  input: NoInput,
  allow: ({ actor }) => isAdmin(actor),
  run: ({ db }) => copiesState(db),
})
export type CopiesState = Awaited<ReturnType<typeof copiesState>>

/** The stored state, read without the disk: a network mount can block. */
export async function copiesState(db: Kysely<DB>) {
  const row = await db.selectFrom('backup_copies').selectAll().executeTakeFirstOrThrow()
  const { file_name, bytes, made_at, copied_at } = row
  return {
    id: row.id,
    last_modified: row.last_modified,
    folder: row.folder,
    old_after_days: row.old_after_days,
    chosenAt: row.chosen_at,
    last: file_name ? { fileName: file_name, bytes, madeAt: made_at!, copiedAt: copied_at! } : null,
    isSameDisk: row.is_same_disk,
    isCopying: row.begun_at !== null,
    failure: row.failure,
    failedAt: row.failed_at,
  }
}

/**
 * Chooses the second folder and marks it, or turns copying off. The same folder can be saved again to mark another
 * disk that is mounted there in turn. Asks for the password, as a download: the copies hold all records.
 */
export const saveCopies = mutation('copies.save', {
  input: SaveCopies,
  allow: ({ actor }) => isSuperAdmin(actor),
  before: async (ctx, { password }) => {
    if (password && isSuperAdmin(ctx.actor)) await verifyOwnAhead(ctx, { password })
  },
  async run(ctx, { folder, old_after_days, last_modified, ...confirmation }) {
    const refusal = await refusedOwner(ctx, confirmation)
    if (refusal) return refusal
    const before = await ctx.db
      .selectFrom('backup_copies')
      .selectAll()
      .forUpdate()
      .executeTakeFirstOrThrow()
    if (before.last_modified.getTime() !== last_modified.getTime())
      throw conflict('copies.changedMeanwhile')
    const isOther = before.folder !== folder
    const isSameDisk = folder ? await chosen(folder, before.id, isOther) : false
    const is_same_disk = isSameDisk ?? before.is_same_disk
    const saved = await ctx.db
      .updateTable('backup_copies')
      .set({ folder, old_after_days, is_same_disk })
      .set({ last_modified: sql<Date>`clock_timestamp()`, failure: null, failed_at: null })
      .$if(isOther, (update) =>
        update.set({
          chosen_at: folder ? sql<Date>`clock_timestamp()` : null,
          file_name: null,
          bytes: null,
          made_at: null,
          copied_at: null,
          reported_at: null,
        }),
      )
      .returning(['id', 'last_modified'])
      .executeTakeFirstOrThrow()
    const changes = {
      folder: [before.folder, folder],
      old_after_days: [before.old_after_days, old_after_days],
    }
    await audit(ctx, {
      action: 'copies.save',
      table: 'backup_copies',
      recordId: before.id,
      changes,
    })
    if (folder) await askFor(ctx.db, 'backup_copies')
    return { ok: true as const, ...saved }
  },
})

/** Undefined if the folder is unchanged and its disk is not connected: the number of days can still be saved. */
async function chosen(folder: string, id: string, isNew: boolean): Promise<boolean | undefined> {
  try {
    return await chooseFolder(folder, id, ourFolders())
  } catch (error) {
    const isAway = error instanceof FolderProblem && error.text.key === 'copies.noSuchFolder'
    if (isAway && !isNew) return undefined
    throw error instanceof FolderProblem ? invalid({ folder: error.text }) : error
  }
}

/** Where the records and their first backups are. */
export const ourFolders = () => [env().dataDir, backupSettings().folder]

/** Copies the newest backup in the background; `copies.get` says how it went. */
export const startCopy = mutation('copies.start', {
  input: NoInput,
  allow: ({ actor }) => isAdmin(actor),
  async run(ctx) {
    const { id, folder } = await ctx.db
      .updateTable('backup_copies')
      .set({ asked_at: sql<Date>`clock_timestamp()` })
      .returning(['id', 'folder'])
      .executeTakeFirstOrThrow()
    if (!folder) throw conflict('copies.noFolder')
    const { count } = await finishedBackups(ctx.db)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (count === 0) throw conflict('copies.nothingYet')
    await audit(ctx, { action: 'copies.start', table: 'backup_copies', recordId: id })
    await askFor(ctx.db, 'backup_copies')
    return { id }
  },
})

/** The backups that are copied. */
export const finishedBackups = (db: Kysely<DB>) =>
  db.selectFrom('backups').where('status', '=', 'finished').where('kind', 'in', REGULAR_KINDS)
