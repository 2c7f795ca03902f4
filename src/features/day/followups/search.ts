import * as z from 'zod'
import { PROGRAM_CODES } from '~/features/care/programs/programs'
import { CALL_RESULTS, FollowUpList } from './followup'

/** What of the lists the address says; a mangled one shows the first page. */
export const followUpSearch = z.object({
  list: z.enum(['due', 'called']).optional().catch(undefined),
  clinicId: z.uuid().optional().catch(undefined),
  program: z
    .enum(PROGRAM_CODES as [string, ...string[]])
    .optional()
    .catch(undefined),
  result: z
    .enum([...CALL_RESULTS, 'none'])
    .optional()
    .catch(undefined),
  phone: z.enum(['yes', 'no']).optional().catch(undefined),
  highRisk: z.literal(true).optional().catch(undefined),
  after: FollowUpList.shape.after.unwrap().unwrap().optional().catch(undefined),
  month: z
    .string()
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/)
    .optional()
    .catch(undefined),
  page: z.number().int().min(1).max(100_000).optional().catch(undefined),
})
export type FollowUpSearch = z.output<typeof followUpSearch>
