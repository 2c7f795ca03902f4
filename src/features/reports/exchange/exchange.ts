import * as z from 'zod'
import { RunReport } from '~/features/reports/runs/runs'
import { asFile } from '~/shared/list-file'
import { orNull } from '~/shared/record'
import { webAddress } from '~/shared/web-address'
import { readCategories } from './adx'
import { SENT_AS } from './data-value-set'

const id = z.uuid('validation.id')
/** As long as DHIS2's longest name. */
const MOST = 230
const code = z
  .string('validation.wrongType')
  .trim()
  .min(1, 'validation.required')
  .max(MOST, 'validation.tooLong')
const place = z.string('validation.wrongType').max(200, 'validation.tooLong')

/** `https://dhis2.example.org/path`, without the `/api` that is added to it. */
const address = webAddress('dhis2.addressForm').transform((typed) =>
  typed.replace(/\/api(\/\d+)?$/, ''),
)

export const SaveDhis2Server = z.object({
  address,
  /** Empty: the secret is a personal access token. */
  username: orNull(z.string('validation.wrongType').trim().max(200, 'validation.tooLong')),
  /** Empty: as before. */
  secret: orNull(z.string('validation.wrongType').max(1000, 'validation.tooLong')),
})

export const OfDefinition = z.object({ definitionId: id })

const CODES_AT_MOST = 10_000

export const SaveCodes = z.object({
  definitionId: id,
  codes: z
    .array(
      z
        .object({
          section: orNull(place),
          row_id: orNull(place),
          column_id: orNull(place),
          code,
          option_code: orNull(code),
          sends_zero: z.boolean('validation.wrongType').default(false),
          adx: orNull(
            z
              .string('validation.wrongType')
              .trim()
              .max(500, 'validation.tooLong')
              .refine((text) => text === '' || readCategories(text), 'externalCodes.adxForm'),
          ),
        })
        .refine(({ section, adx }) => section !== null || adx === null, 'validation.wrongType')
        .refine(
          ({ section, row_id, column_id }) =>
            (section === null) === (row_id === null && column_id === null),
          'validation.wrongType',
        )
        .refine(
          ({ row_id, option_code, sends_zero }) =>
            row_id !== null || (option_code === null && !sends_zero),
          'validation.wrongType',
        ),
      'validation.wrongType',
    )
    .max(CODES_AT_MOST, 'validation.tooLong'),
})

export const SaveClinicCodes = z.object({
  codes: z
    .array(z.object({ clinic_id: id, code: orNull(code) }), 'validation.wrongType')
    .max(CODES_AT_MOST, 'validation.tooLong'),
})

export const OfRun = z.object({ runId: id })
export const SendRun = z.object({
  id,
  runId: id,
  /** The server checks the values and stores none. */
  isDryRun: z.boolean('validation.wrongType').default(false),
  format: z.enum(SENT_AS, 'validation.option').default('json'),
})
export const SendingId = z.object({ id })

/** Of the address of a file every value is a text: ids are joined by commas. */
const clinicIds = z.preprocess(
  (given) => (typeof given === 'string' ? given.split(',').filter(Boolean) : given),
  RunReport.shape.clinic_ids,
)
const number = z.preprocess(
  (given) => (typeof given === 'string' && /^\d{1,5}$/.test(given) ? Number(given) : given),
  RunReport.shape.number,
)

/** A report of clinics and a period; `number` as in `RunReport`. */
export const OfReportFile = RunReport.extend({ clinic_ids: clinicIds, number })
export const ExportReport = OfReportFile.extend(asFile)
export type ExportReport = z.output<typeof ExportReport>

/** `rejected`: the server took some values and not others. */
export type SendingState = 'queued' | 'sent' | 'rejected' | 'failed' | 'cancelled'

/** A message of each: `sendings.error_timeout`. */
export type Dhis2SendingError =
  | 'unreachable'
  | 'timeout'
  | 'refused_address'
  | 'too_large'
  | 'unauthorized'
  | 'not_found'
  | 'redirect'
  | 'server'
  | 'unreadable'
  | 'no_server'
