import * as z from 'zod'
import { schedulesOf } from '~/features/care/programs/item-rows.server'
import { STARTER_SCHEDULES, ScheduleBody } from '~/features/care/programs/schedule'
import { markFollowUps } from '~/features/care/programs/stale.server'
import { mutation, NoInput, query } from '~/server/operation'
import { saveRecord } from '~/server/record'
import { isAdmin } from '~/shared/actor'
import { newId } from '~/shared/id'
import { LastModified } from '~/shared/record'
import { invalid } from '~/shared/errors'
import { askFor } from '~/server/jobs.server'

/** When patients of each program should come, with the version that is stored. */
export const listSchedules = query('followUpSchedules.list', {
  reads: ['follow_up_schedules'],
  input: NoInput,
  allow: ({ actor }) => isAdmin(actor),
  async run({ db }) {
    const stored = await db
      .selectFrom('follow_up_schedules')
      .select(['id', 'code', 'last_modified'])
      .where('is_deleted', '=', false)
      .execute()
    return (await schedulesOf(db)).map((schedule) => {
      const row = stored.find(({ code }) => code === schedule.code)
      return {
        ...schedule,
        id: row?.id ?? null,
        last_modified: row?.last_modified ?? null,
      }
    })
  },
})
export type ListedSchedule = Awaited<ReturnType<typeof listSchedules>>[number]

const days = ScheduleBody.shape.due_before

const SaveSchedule = z.object({
  code: z.enum(
    STARTER_SCHEDULES.map(({ code }) => code) as [string, ...string[]],
    'validation.option',
  ),
  last_modified: LastModified.nullish(),
  due_before: days,
  grace: days,
  lost_months: ScheduleBody.shape.lost.unwrap().shape.months.nullable(),
  /** By the code of the step: its days, or months where the step has months. */
  steps: z.record(
    z.string(),
    z
      .number('validation.wrongType')
      .int('validation.wrongType')
      .min(0, 'followups.daysRange')
      .max(2000, 'followups.daysRange'),
  ),
})

/** Changes the days of a schedule. The steps themselves come with Sanad. */
export const saveSchedule = mutation('followUpSchedules.save', {
  input: SaveSchedule,
  allow: ({ actor }) => isAdmin(actor),
  async run(ctx, { code, last_modified, due_before, grace, lost_months, steps }) {
    const before = (await schedulesOf(ctx.db)).find((schedule) => schedule.code === code)
    const starter = STARTER_SCHEDULES.find((schedule) => schedule.code === code)!
    const { code: _code, program, ...body } = before ?? starter
    const changed = ScheduleBody.safeParse({
      ...body,
      due_before,
      grace,
      lost: lost_months === null ? undefined : { months: lost_months },
      steps: body.steps.map((step) => {
        const given = steps[step.code]
        if (given === undefined) return step
        return step.months === undefined ? { ...step, days: given } : { ...step, months: given }
      }),
    })
    if (!changed.success) throw invalid({ steps: { key: 'followups.daysRange' } })
    const row = await ctx.db
      .selectFrom('follow_up_schedules')
      .select('id')
      .where('code', '=', code)
      .executeTakeFirst()
    const saved = await saveRecord(ctx, 'follow_up_schedules', {
      id: row?.id ?? newId(),
      last_modified: row ? last_modified : undefined,
      code,
      program,
      body: JSON.stringify(changed.data),
    })
    await markFollowUps(ctx.db)
    await askFor(ctx.db, 'settle_follow_ups')
    return saved
  },
})
