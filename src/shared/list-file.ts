import * as z from 'zod'
import { LANGUAGES } from './language'

export const FILE_FORMATS = ['csv', 'xlsx'] as const
export type FileFormat = (typeof FILE_FORMATS)[number]

/**
 * What is asked of a list besides its filter, to have it as a file: how, and in which language its
 * headings and words are.
 */
export const asFile = {
  format: z.enum(FILE_FORMATS, 'validation.option'),
  language: z.enum(LANGUAGES, 'validation.option'),
}

/** The header of an answer that says how many rows are coming. */
export const TOTAL_HEADER = 'x-total-rows'
