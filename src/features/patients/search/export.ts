import * as z from 'zod'
import { asFile } from '~/shared/list-file'
import { PatientFilter } from './search'

/** An address holds texts. */
const age = z.preprocess(
  (asked) => (typeof asked === 'string' ? Number(asked) : asked),
  PatientFilter.shape.ageFrom,
)

/** What the list's filter shows, as a file with its headings in one language. */
export const ExportPatients = PatientFilter.extend({
  ...asFile,
  ageFrom: age.optional(),
  ageTo: age.optional(),
})
export type ExportPatients = z.output<typeof ExportPatients>
