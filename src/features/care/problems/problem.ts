import * as z from 'zod'
import { hasCode, problemRecord } from '~/records/problem'
import type { MessageKey } from '~/shared/language'
import { ConfirmedIfAsked } from '~/shared/earlier-day'
import { orNull } from '~/shared/record'
import { SentMoment } from '~/shared/moment'

/** Today further east is not the future: time zones reach 14 hours ahead of UTC. */
const isDayInFuture = (day: string) =>
  day > new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10)

export const SaveProblem = problemRecord.save
  .extend({
    patient_id: z.uuid('validation.id'),
    visit_id: orNull(z.uuid('validation.id')),
    // the moment on these days, where a program knows it
    onset_at: SentMoment.nullish(),
    ended_at: SentMoment.nullish(),
    /** What the user answered about a problem that is in the list already; a program is not asked. */
    confirmed: ConfirmedIfAsked,
  })
  .refine(hasCode, { path: ['problem_code'], error: 'problems.codeRequired', when: () => true })
  .superRefine(({ onset_date, end_date, clinical_status }, ctx) => {
    const addIssue = (path: string, message: MessageKey) =>
      ctx.addIssue({ code: 'custom', message, path: [path] })
    if (onset_date && isDayInFuture(onset_date)) addIssue('onset_date', 'problems.inFuture')
    if (end_date && isDayInFuture(end_date)) addIssue('end_date', 'problems.inFuture')
    if (onset_date && end_date && end_date < onset_date)
      addIssue('end_date', 'problems.endBeforeOnset')
    if (end_date && clinical_status === 'active')
      addIssue('clinical_status', 'problems.activeHasEnded')
  })
