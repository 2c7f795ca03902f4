import { audit } from '~/server/audit'
import { askFor } from '~/server/jobs.server'
import { mutation } from '~/server/operation'
import { isAdmin } from '~/shared/actor'
import { conflict, notFound } from '~/shared/errors'
import { ImportId, WAITING_RUN } from '../import'
import { countChanges } from './undo.server'

/**
 * Requests the undo of everything that an import wrote; a background job runs it. Records that were changed or used
 * since stay, and `imports.rejected` names them.
 */
export const undoImport = mutation('imports.undo', {
  input: ImportId,
  allow: ({ actor }) => isAdmin(actor),
  async run(ctx, { id }) {
    const { db } = ctx
    const row = await db
      .selectFrom('imports')
      .select(['status', 'clinic_id'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (!row) throw notFound('imports.notFound')
    if (row.status === 'waiting' || row.status === 'running') throw conflict('imports.runsAlready')
    if ((await countChanges(db, id)) === 0) throw conflict('imports.nothingToUndo')
    await db
      .updateTable('imports')
      .set({
        task: 'undo',
        ...WAITING_RUN,
        requested_by: ctx.actor.userId,
      })
      .where('id', '=', id)
      .execute()
    await audit(ctx, {
      action: 'imports.undo',
      table: 'imports',
      recordId: id,
      ...(row.clinic_id && { clinicId: row.clinic_id }),
    })
    await askFor(db, 'imports')
    return { id }
  },
})
