import * as z from 'zod'
import { PROGRAM_CODES } from '~/features/care/programs/program-codes'
import { LANGUAGES } from '~/shared/language'

export const DayRegister = z.object({
  clinicId: z.uuid('validation.id'),
  day: z.iso.date('validation.date'),
})
export const ProgramRegister = z.object({
  clinicId: z.uuid('validation.id'),
  program: z.enum(PROGRAM_CODES, 'validation.option'),
  /** Of the answers of forms; English without one. */
  language: z.enum(LANGUAGES, 'validation.option').optional(),
})
