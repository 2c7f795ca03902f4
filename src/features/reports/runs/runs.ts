import * as z from 'zod'
import { PeriodText } from '~/features/reports/cells/period-text'
import { reasonText } from '~/shared/reason'
import { ListInput } from '~/shared/record'

const Id = z.uuid('validation.id').toLowerCase()
const Name = z
  .string({ error: ({ input }) => (input ? 'validation.wrongType' : 'validation.required') })
  .trim()
  .min(1, 'validation.required')
  .max(120, 'validation.tooLong')

const Clinics = z
  .array(Id, { error: ({ input }) => (input ? 'validation.wrongType' : 'validation.required') })
  .min(1, 'validation.required')
  .max(1000, 'validation.tooMany')
  .transform((ids) => [...new Set(ids)].toSorted())

/** A report of clinics and a period. `clinic_ids` are read in ascending order, without repeats. */
export const OfReport = z.object({ code: Name, clinic_ids: Clinics, period: PeriodText })

const Count = z.number('validation.wrongType').int('validation.wrongType')
/** `number`: which closed run; absent: the newest, or the live report if there is none. */
export const RunReport = OfReport.extend({
  number: Count.min(0, 'validation.tooSmall').max(10_000, 'validation.tooLarge').optional(),
})
/** `RunReport.number` of the report as it is computed now, whether it is closed or not. */
export const LIVE = 0

const cell = { section: Name, row: Name, column: Name }
/** `late`: only the rows that the closed run does not have. */
export const DrillReport = RunReport.extend({
  ...cell,
  late: z.boolean('validation.wrongType').optional(),
  page: ListInput.shape.page,
})

export const ListReports = z.object({ clinic_ids: Clinics.optional() }).prefault({})

/** The caller chooses the id of the run: a repeated request closes once. */
export const CloseReport = OfReport.extend({ id: Id })

const Reason = reasonText({ missing: 'reports.reasonRequired' })
export const AmendReport = CloseReport.extend({ reason: Reason })

/** `prepared`: by the person who made the report; `checked`: by another person. */
export const SIGNATURES = ['prepared', 'checked'] as const
export type Signature = (typeof SIGNATURES)[number]
/** `id`: of the closed run. */
export const SignReport = z.object({
  id: z.uuid('validation.id'),
  as: z.enum(SIGNATURES, 'validation.option'),
})

/** Largest value that a sheet has room for. */
const LARGEST = 1e12
/** `value`: null removes it. `was`: the value that the user saw, to refuse a stale save. */
export const SaveManual = z.object({
  code: Name,
  clinic_id: Id,
  period: PeriodText,
  ...cell,
  value: z
    .number('validation.wrongType')
    .min(-LARGEST, 'validation.tooSmall')
    .max(LARGEST, 'validation.tooLarge')
    .nullable(),
  was: z.number('validation.wrongType').nullish(),
})

export const TREND_PERIODS = 18
/**
 * `period`: the last of `count` periods. `section`: by default the first. `only`: periods that are closed, of which
 * nothing is computed.
 */
export const TrendReport = OfReport.extend({
  section: Name.optional(),
  count: Count.min(1, 'validation.tooSmall').max(36, 'validation.tooLarge').default(TREND_PERIODS),
  only: z.literal('closed', 'validation.option').optional(),
})

/** open: computed now; closed; amended: closed again with a reason. */
export type RunStatus = 'open' | 'closed' | 'amended'
