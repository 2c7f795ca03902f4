import { DELIMITER_NAMES } from '~/features/exchange/imports/import'
import { DATE_ORDERS } from '~/features/exchange/imports/patients-file/date-format'
import { importSynthea, syntheaFiles } from '~/features/exchange/imports/synthea/synthea.server'
import type { Tally } from '~/features/exchange/imports/tally'
import { sentence } from '~/shared/sentence'
import { WrongUsage } from '../command'
import { withDatabase } from '../database'
import { progress } from '../progress'
import {
  clinicFor,
  importCommandContext,
  parseDelimiter,
  resolveFromUser,
  type ImportKind,
  withReadableErrors,
  parseOptionChoice,
  parseKind,
  untilStopped,
} from './kind'
import { describe, rejectionFile } from './report'

const usage = '<folder> --clinic <name or id> [--report <file>]'
const help = `Imports the patients, encounters (as visits), vital signs and conditions (as problems) of a Synthea CSV
export into a clinic. Other rows are counted and left out. Rows that cannot be read are written to a report with
their line.

  --clinic   the clinic that the people belong to
  --dates      how dates are written if a spreadsheet has saved the files: ${DATE_ORDERS.join(', ')}
               (default: guessed and shown)
  --delimiter  between the cells: ${DELIMITER_NAMES.join(', ')} (default: guessed)
  --report   where rejected rows are written (default: imports/ in the data directory)

It may be repeated: what is here already stays as it is. Ctrl-C stops it; run it again to go on.`
const options = {
  clinic: { type: 'string' },
  dates: { type: 'string' },
  delimiter: { type: 'string' },
  report: { type: 'string' },
} as const

const records: Record<string, readonly [string, string]> = {
  'observations.csv': ['set of vital signs', 'sets of vital signs'],
}

export const synthea: ImportKind = {
  summary: 'a CSV export of Synthea, the generator of synthetic patients',
  usage,
  async run(name, args) {
    const parsed = parseKind(name, { usage, help, options }, args)
    if (!parsed) return
    const { clinic: clinicName, report } = parsed.values
    const dates = parseOptionChoice(DATE_ORDERS, 'dates', parsed.values.dates)
    const delimiter = parseDelimiter(parsed.values.delimiter)
    if (!clinicName) throw new WrongUsage('Name the clinic with --clinic.')
    const files = await withReadableErrors(() => syntheaFiles(parsed.file))
    await withDatabase((db) =>
      withReadableErrors(async () => {
        const clinic = await clinicFor(db, clinicName)
        const started = Date.now()
        const bar = progress()
        const tallies: Tally[] = []
        const rejections = rejectionFile(
          'synthea',
          ['file', 'line', 'reason', 'row'],
          report && resolveFromUser(report),
        )
        const signal = untilStopped()
        const sizes = new Map(files.map((file) => [file.name, file.size]))
        try {
          await importSynthea(
            importCommandContext(db),
            {
              clinicId: clinic.id,
              files,
              dates,
              delimiter,
              onDates: (format) => process.stdout.write(`Dates are read as ${format}.\n`),
            },
            tallies,
            {
              signal,
              onProgress: (file, bytes, rows) =>
                bar.show(
                  file,
                  bytes,
                  sizes.get(file) ?? bytes,
                  `${rows.toLocaleString('en')} rows`,
                ),
              onRejected: (file, row, fate) =>
                rejections.write([
                  file,
                  String(row.line),
                  'reason' in fate ? sentence('en', fate.reason) : '',
                  ...row.values,
                ]),
            },
          )
        } catch (error) {
          if (!signal.aborted) throw error
          process.exitCode = 130
        } finally {
          bar.end()
          const kept = await rejections.end()
          for (const tally of tallies)
            process.stdout.write(`${describe(tally, records[tally.file])}\n`)
          if (kept)
            process.stdout.write(`Rejected rows, each with its line and the reason: ${kept}\n`)
        }
        const seconds = ((Date.now() - started) / 1000).toFixed(1)
        process.stdout.write(
          signal.aborted
            ? `Stopped after ${seconds} s. Imported records are kept; run the same command again to continue.\n`
            : `Imported into ${clinic.name} in ${seconds} s.\n`,
        )
      }),
    )
  },
}
