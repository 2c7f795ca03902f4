import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { inClinic, namedClinic } from '~/policy/on.server'
import { administerClinic, seeAppointments } from '~/policy/rules'
import { audit } from '~/server/audit'
import { mutation, openQuery, query } from '~/server/operation'
import { hashToken, newToken } from '~/server/secret.server'
import { notFound } from '~/shared/errors'
import { clinicToday } from '~/shared/zone'
import { parseUrgency } from '~/features/rules/transitions/urgency'
import { QueueClinicInput, BoardTokenInput } from './queue'
import { urgencyInQueue } from './urgency-order.server'

/** For programs of signed-in users: numbers, departments and urgency, no names. The last called first. */
export const queueBoard = query('queue.board', {
  input: QueueClinicInput,
  on: inClinic(seeAppointments),
  run: ({ db }, { clinicId }) => loadBoard(db, clinicId),
})

/** For the screen in the waiting room, which has no session: its link opens this and nothing else. */
export const showBoard = openQuery('queue.showBoard', {
  input: BoardTokenInput,
  allow: () => true,
  async run({ db }, { token }) {
    const clinicId = await findBoardClinic(db, token)
    if (!clinicId) throw notFound('queue.linkUnknown')
    return loadBoard(db, clinicId)
  },
})

/** The clinic whose waiting-room screen the link with this token opens. */
export async function findBoardClinic(db: Kysely<DB>, token: string): Promise<string | null> {
  const link = await db
    .selectFrom('board_links')
    .innerJoin('clinics', 'clinics.id', 'board_links.clinic_id')
    .select('clinic_id')
    .where('token_hash', '=', hashToken(token))
    .where('clinics.is_deleted', '=', false)
    .executeTakeFirst()
  return link?.clinic_id ?? null
}

const SHOW_BOARD = 'queue.showBoard'

/** The token in an address by which the waiting-room screen asks, as a page or an operation; null in others. */
export function findBoardToken({ url }: Pick<Request, 'url'>): string | null {
  const { pathname, searchParams } = new URL(url)
  const values = [...searchParams.values()].join(' ')
  const isAsked =
    pathname === '/board' || pathname === `/api/trpc/${SHOW_BOARD}` || values.includes(SHOW_BOARD)
  return isAsked ? (/(?<![\w-])[\w-]{43}(?![\w-])/.exec(values)?.[0] ?? null) : null
}

/** Since when the clinic has a link, and who made it; null without one. */
export const getBoardLink = query('queue.boardLink', {
  on: namedClinic(administerClinic),
  input: QueueClinicInput,
  run: async ({ db }, { clinicId }) =>
    (await db
      .selectFrom('board_links as link')
      .innerJoin('users', 'users.id', 'link.created_by_user_id')
      .select(['link.created_at as madeAt', 'users.name as madeBy'])
      .where('link.clinic_id', '=', clinicId)
      .executeTakeFirst()) ?? null,
})

/** Returns the token, which only its hash recalls afterwards. The link of before opens nothing any more. */
export const makeBoardLink = mutation('queue.makeBoardLink', {
  on: namedClinic(administerClinic, { open: true }),
  input: QueueClinicInput,
  async run(ctx, { clinicId }) {
    const token = newToken()
    const link = { token_hash: hashToken(token), created_by_user_id: ctx.actor.userId }
    await ctx.db
      .insertInto('board_links')
      .values({ clinic_id: clinicId, ...link })
      .onConflict((conflict) =>
        conflict
          .column('clinic_id')
          .doUpdateSet({ ...link, created_at: sql<Date>`clock_timestamp()` }),
      )
      .execute()
    await audit(ctx, { action: 'queue.makeBoardLink', table: 'board_links', clinicId })
    return { token }
  },
})

export const revokeBoardLink = mutation('queue.revokeBoardLink', {
  on: namedClinic(administerClinic),
  input: QueueClinicInput,
  async run(ctx, { clinicId }) {
    const revoked = await ctx.db
      .deleteFrom('board_links')
      .where('clinic_id', '=', clinicId)
      .executeTakeFirst()
    if (revoked.numDeletedRows > 0n)
      await audit(ctx, { action: 'queue.revokeBoardLink', table: 'board_links', clinicId })
    return { clinicId }
  },
})

async function loadBoard(db: Kysely<DB>, clinicId: string) {
  const today = db
    .selectFrom('queue_tokens')
    .innerJoin('appointments', 'appointments.id', 'queue_tokens.appointment_id')
    .innerJoin('appointment_departments as step', 'step.appointment_id', 'appointments.id')
    .where('queue_tokens.clinic_id', '=', clinicId)
    .where('queue_tokens.day', '=', clinicToday())
    .where('appointments.is_deleted', '=', false)
    .where('appointments.status', '=', 'checked_in')
  const called = await today
    .leftJoin('clinic_departments', 'clinic_departments.id', 'step.department_id')
    .select([
      'number as token',
      'clinic_departments.name as department',
      'step.status',
      'called_at as calledAt',
    ])
    .select(urgencyInQueue.as('urgency'))
    .where(({ or, eb, and }) =>
      or([
        eb('step.status', '=', 'in_progress'),
        and([eb('step.status', '=', 'checked_in'), eb('called_at', 'is not', null)]),
      ]),
    )
    .orderBy(sql`coalesce(called_at, seen_at) desc nulls last`)
    .orderBy('number')
    .limit(12)
    .execute()
  const { waiting } = await today
    .select(({ fn }) => fn.countAll<number>().as('waiting'))
    .where('step.status', '=', 'checked_in')
    .where('called_at', 'is', null)
    .executeTakeFirstOrThrow()
  const clinic = await db
    .selectFrom('clinics')
    .select('name')
    .where('id', '=', clinicId)
    .where('is_deleted', '=', false)
    .executeTakeFirst()
  return {
    clinic: clinic?.name ?? '',
    called: called.map((row) => ({ ...row, urgency: parseUrgency(row.urgency) })),
    waiting,
  }
}
export type BoardData = Awaited<ReturnType<typeof loadBoard>>
