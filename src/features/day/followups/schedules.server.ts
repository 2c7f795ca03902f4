import * as z from 'zod'
import { loadSchedules } from '~/features/care/programs/item-rows.server'
import {
  type Schedule,
  SCHEDULE_VERSIONS,
  ScheduleBody,
  STARTER_SCHEDULES,
} from '~/features/care/programs/schedule'
import { markFollowUps } from '~/features/care/programs/stale.server'
import { mutation, NoInput, query } from '~/server/operation'
import { saveRecord } from '~/server/record'
import { isAdmin } from '~/shared/actor'
import { newId } from '~/shared/id'
import { clinicToday } from '~/shared/zone'
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
    return (await loadSchedules(db)).map((schedule) => {
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
    STARTER_SCHEDULES.map(({ code }) => code),
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
  /** Of the schedule of children's doses; without one of these, what is stored stays. */
  version: z.enum(SCHEDULE_VERSIONS, 'validation.option').optional(),
  boosters: z.boolean('validation.wrongType').optional(),
  /** Doses of HPV vaccine; 0: not offered. */
  hpv_doses: z.literal([0, 1, 2], 'validation.option').optional(),
})

type Choices = Pick<z.output<typeof SaveSchedule>, 'version' | 'boosters' | 'hpv_doses'>

/**
 * The version and the options of a schedule of doses after a save. What is newly on counts from today, so that no child
 * is overdue because of it.
 */
function chosen(before: Schedule, { version, boosters, hpv_doses }: Choices) {
  if (!before.version) return {}
  const today = clinicToday()
  const was = before.switched_on ?? {}
  const next = version ?? before.version
  const sinceThen = next === before.version ? was.version : today
  const since = next === '2026-11' ? undefined : sinceThen
  const on = (isOn: boolean | undefined, day: string | undefined) => {
    if (isOn === undefined) return day
    if (isOn) return day ?? today
    return undefined
  }
  const ownDays = {
    version: since,
    boosters: on(boosters, was.boosters),
    hpv: on(hpv_doses === undefined ? undefined : hpv_doses > 0, was.hpv),
  }
  const known = Object.entries(ownDays).filter(([, day]) => day !== undefined)
  return {
    version: next,
    switched_on: Object.fromEntries(known),
    hpv_doses: hpv_doses || before.hpv_doses,
  }
}

/** Changes the days of a schedule, and the version and the options of that of children's doses. */
export const saveSchedule = mutation('followUpSchedules.save', {
  input: SaveSchedule,
  allow: ({ actor }) => isAdmin(actor),
  async run(ctx, { code, last_modified, due_before, grace, lost_months, steps, ...choices }) {
    const before = (await loadSchedules(ctx.db)).find((schedule) => schedule.code === code)
    const starter = STARTER_SCHEDULES.find((schedule) => schedule.code === code)!
    const { code: _code, program, ...body } = before ?? starter
    const changed = ScheduleBody.safeParse({
      ...body,
      due_before,
      grace,
      lost: lost_months === null ? undefined : { months: lost_months },
      ...chosen(before ?? starter, choices),
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
