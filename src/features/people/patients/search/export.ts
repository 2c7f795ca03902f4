import * as z from 'zod'
import { asFile } from '~/shared/list-file'
import { PatientFilter } from './patient-filter'

/** URL parameters are texts. */
const age = z.preprocess(
  (asked) => (typeof asked === 'string' ? Number(asked) : asked),
  PatientFilter.shape.ageFrom,
)

/** The patients of the list's filter as a file, with headings in one language. */
export const ExportPatients = PatientFilter.extend({
  ...asFile,
  ageFrom: age.optional(),
  ageTo: age.optional(),
})
export type ExportPatients = z.output<typeof ExportPatients>
