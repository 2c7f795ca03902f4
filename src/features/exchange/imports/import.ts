import * as z from 'zod'
import { keysIn } from '~/shared/object'
import { ListInput } from '~/shared/record'
import { ENCODINGS } from '~/shared/text-encoding'
import { LISTS, needsClinic } from './lists'
import { DATE_FORMATS } from './patients-file/date-format'
import { COLUMN_FORMATS } from './reader/formats'

/** Bytes of a file per request: small enough for slow and unstable connections. */
export const PART_SIZE = 256 * 1024
/** Bytes. */
export const LARGEST_FILE = 512 * 1024 * 1024
/** The delimiters between cells. */
export const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const
export type DelimiterName = keyof typeof DELIMITERS
export type Delimiter = (typeof DELIMITERS)[DelimiterName]
export const DELIMITER_NAMES = keysIn(DELIMITERS)

const STATUSES = [
  'uploading',
  'ready',
  'waiting',
  'running',
  'finished',
  'stopped',
  'failed',
] as const
export type ImportState = (typeof STATUSES)[number]
/** What a run begins with, a check or an undo too. */
export const WAITING_RUN = {
  status: 'waiting',
  is_stopping: false,
  bytes_done: 0,
  rows_done: 0,
  tries: 0,
  tally: null,
  failure: null,
  started_at: null,
  finished_at: null,
} as const
/** `check` is a dry run: it rolls everything back. */
const TASKS = ['check', 'import'] as const

const text = (max: number) => z.string('validation.wrongType').trim().max(max, 'validation.tooLong')

export const ImportId = z.object({ id: z.uuid('validation.id') })
export const CreateImport = ImportId.extend({
  list: z.enum(LISTS, 'validation.option').default('patients'),
  /** Of a list that belongs to a clinic. */
  clinic_id: z
    .uuid({ error: ({ input }) => (input ? 'validation.id' : 'registration.clinicRequired') })
    .nullish(),
  file_name: text(300).min(1, 'validation.required'),
  file_size: z
    .number('validation.wrongType')
    .int('validation.wrongType')
    .min(1, 'imports.emptyFile')
    .max(LARGEST_FILE, 'imports.tooLarge'),
}).refine(({ list, clinic_id }) => clinic_id || !needsClinic(list), {
  path: ['clinic_id'],
  message: 'registration.clinicRequired',
})
export const AddPart = ImportId.extend({
  part: z
    .number('validation.wrongType')
    .int('validation.wrongType')
    .min(0, 'validation.tooSmall')
    .max(LARGEST_FILE / PART_SIZE, 'validation.tooLarge'),
  content: z.base64('validation.wrongType').max(PART_SIZE * 2, 'validation.tooLong'),
})
const ImportSettings = ImportId.extend({
  mapping: z
    .record(z.string(), text(100), 'validation.wrongType')
    .refine((mapping) => Object.keys(mapping).length <= 1000, 'validation.wrongType'),
  key_column: text(1000).nullish(),
  /** Of the columns of dates that `formats` does not name. */
  date_format: z.enum(DATE_FORMATS, 'validation.option').nullish(),
  /** By the headings of the columns. */
  formats: z
    .record(z.string(), z.enum(COLUMN_FORMATS, 'validation.option'), 'validation.wrongType')
    .refine((formats) => Object.keys(formats).length <= 1000, 'validation.wrongType')
    .optional(),
  /** When the ages of the list were right. */
  ages_on: z.preprocess(
    (day) => (day === '' ? null : day),
    z.iso.date('validation.date').nullish(),
  ),
  /** A changed row changes the record that it recognizes. */
  updates: z.boolean('validation.wrongType').optional(),
  /** Patients are registered without what the form requires, except a name. */
  allows_missing: z.boolean('validation.wrongType').optional(),
})
export const RunImport = ImportSettings.extend({ task: z.enum(TASKS, 'validation.option') })
export const Encoded = ImportId.extend({
  encoding: z.enum(ENCODINGS, 'validation.option').nullish(),
})
export const Delimited = ImportId.extend({
  delimiter: z.enum(DELIMITER_NAMES, 'validation.option').nullish(),
})
export const ImportPlacement = ImportId.extend({
  sheet: text(200).nullish(),
  /** 0: the file has no headings. */
  heading_line: z
    .number('validation.wrongType')
    .int('validation.wrongType')
    .min(0, 'validation.tooSmall')
    .max(1000, 'validation.tooLarge')
    .nullish(),
})
export const ListImports = ListInput.omit({ search: true })
export const DOUBTFUL_SHOWN = 100
export const ListRejected = ImportId.extend({
  after: z
    .number('validation.wrongType')
    .int('validation.wrongType')
    .min(0, 'validation.tooSmall')
    .max(2 ** 31 - 1, 'validation.tooLarge')
    .default(0),
})
