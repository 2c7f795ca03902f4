import * as z from 'zod'
import { LANGUAGES } from '~/shared/language'
import { PatientFilter } from './search'

export const EXPORT_FORMATS = ['csv', 'xlsx'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** What the list's filter shows, as a file with its headings in one language. */
export const ExportPatients = PatientFilter.extend({
  format: z.enum(EXPORT_FORMATS, 'validation.option'),
  language: z.enum(LANGUAGES, 'validation.option'),
})
export type ExportPatients = z.output<typeof ExportPatients>

/** The header of the answer that says how many people are coming. */
export const TOTAL_HEADER = 'x-total-rows'

/**
 * One line of a CSV file. A text that a spreadsheet would take for a formula gets an apostrophe in front, as OWASP advises
 * ("CSV Injection"): whoever registered as `=HYPERLINK(…)` must not run anything on the desk of whoever opens the file. Line
 * breaks inside an answer become spaces, so that a line is a person.
 */
export const csvLine = (values: readonly string[]) => `${values.map(csvValue).join(',')}\r\n`

function csvValue(value: string): string {
  const oneLine = value.replace(/[\r\n]+/g, ' ')
  const harmless = /^[=+\-@\t]/.test(oneLine) ? `'${oneLine}` : oneLine
  return /[",;\t]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
