import * as z from 'zod'
import { plainWords } from '~/fields/plain-words'
import { problemRecord } from '~/records/problem'
import type { MessageKey } from '~/shared/language'
import { orNull } from '~/shared/record'
import { Moment } from '~/shared/moment'
import { cleanLine, latinDigitsOnly } from '~/shared/typed-text'

/** Today further east is not the future: time zones reach 14 hours ahead of UTC. */
const isDayInFuture = (day: string) =>
  day > new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10)

export const SaveProblem = problemRecord.save
  .extend({
    patient_id: z.uuid('validation.id'),
    visit_id: orNull(z.uuid('validation.id')),
    // what was written in words alone has none
    problem_code: z
      .string({
        error: ({ input }) => (input == null ? 'problems.codeRequired' : 'validation.wrongType'),
      })
      .overwrite((typed) => latinDigitsOnly(cleanLine(typed)))
      .trim()
      .max(50, 'validation.tooLong'),
    // the moment on these days, where a program knows it
    onset_at: Moment.nullish(),
    ended_at: Moment.nullish(),
  })
  .refine((problem) => problem.problem_code !== '' || problem.problem_code_system === 'uncoded', {
    path: ['problem_code'],
    error: 'problems.codeRequired',
    // beside the errors of other fields
    when: () => true,
  })
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

type Named = { problem_code_system: string; problem_code: string; problem_label: string }

/** The same code of a system or, where one of the two has no code that Sanad knows, the same name. */
export const isSameProblem = (a: Named, b: Named) =>
  a.problem_code_system === 'uncoded' || b.problem_code_system === 'uncoded'
    ? plainWords(a.problem_label) === plainWords(b.problem_label)
    : a.problem_code_system === b.problem_code_system &&
      plainCode(a.problem_code) === plainCode(b.problem_code)

const plainCode = (code: string) => code.replaceAll(/[. ]/g, '').toUpperCase()
