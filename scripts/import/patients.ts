import * as z from 'zod'
import { Refusal } from '~/db/refusal'
import type { CsvRow } from '~/features/exchange/imports/csv.server'
import { comparer, type Doubt } from '~/features/exchange/imports/patients-file/compare.server'
import {
  guessMapping,
  registrationHeadings,
  patientFieldTargets,
} from '~/features/exchange/imports/patients-file/mapping'
import {
  hasAgesOfNoDay,
  importPatients,
  requireMapping,
} from '~/features/exchange/imports/patients-file/patients-file.server'
import { REJECTED_COLUMNS } from '~/features/exchange/imports/rejected-rows'
import { newTally } from '~/features/exchange/imports/tally'
import { firstForm } from '~/features/people/registration/registration-forms.server'
import type { MessageKey } from '~/shared/language'
import { sentence } from '~/shared/sentence'
import { clinicToday } from '~/shared/zone'
import { WrongUsage } from '../command'
import { withDatabase } from '../database'
import { progress } from '../progress'
import {
  askedColumns,
  isOurs,
  mappingFor,
  openList,
  readingHelp,
  readingOptions,
  shownColumns,
} from './columns'
import { askedFormats, formatOptions, formatsFor, formatsHelp } from './formats'
import {
  clinicFor,
  importCommandContext,
  EXIT_CODES,
  REJECTED_ROWS,
  resolveFromUser,
  type ImportKind,
  withReadableErrors,
  operator,
  parseKind,
  untilStopped,
} from './kind'
import { describe, rejectionFile } from './report'

const usage =
  '<file.csv|file.xlsx> --clinic <name or id> [--map <column>=<field> …] [--mapping <file.json>] ' +
  '[--check]'
const help = `Registers the patients of a CSV file or an Excel workbook in a clinic. Columns are matched by
their headings, in English, Arabic or Spanish; the guess is printed. Try it with --check first: it does
everything, and takes it back.

  --clinic        the clinic that the people belong to
  --key           the column whose value names a person for ever (a file number). Without it the whole row does
  --ages-on       yyyy-MM-dd, the day on which the ages were right, of rows without a day of registration
  --allow-missing registers patients without what the registration form requires, except a name
${formatsHelp}
${readingHelp}

It may be repeated: patients who are registered already are left unchanged. Ctrl-C stops it; run it again to go on.
${EXIT_CODES}`
const options = {
  ...readingOptions,
  ...formatOptions,
  clinic: { type: 'string' },
  key: { type: 'string' },
  'ages-on': { type: 'string' },
  'allow-missing': { type: 'boolean' },
} as const

/** `yyyy-MM-dd`, not after today. */
function dayGiven(option: string, day: string | undefined): string | undefined {
  if (day === undefined) return undefined
  if (!z.iso.date().safeParse(day).success || day > clinicToday())
    throw new WrongUsage(`--${option} needs a day that has come, as 2026-03-31.`)
  return day
}

export const patientsImport: ImportKind = {
  summary: 'people from a CSV file or an Excel workbook, by the fields of the registration form',
  usage,
  async run(name, args) {
    const parsed = parseKind(name, { usage, help, options }, args)
    if (!parsed) return
    const { clinic: clinicName, key, report } = parsed.values
    const isDryRun = parsed.values.check ?? parsed.values['dry-run'] ?? false
    if (!clinicName) throw new WrongUsage('Name the clinic with --clinic.')
    const agesOn = dayGiven('ages-on', parsed.values['ages-on'])
    const columns = askedColumns(parsed.values)
    const asked = askedFormats(parsed.values)
    await withDatabase((db) =>
      withReadableErrors(async () => {
        const clinic = await clinicFor(db, clinicName)
        const { fields: form } = await firstForm(db)
        const { source, csv } = await openList(
          parsed.file,
          registrationHeadings(form),
          parsed.values,
        )
        const guess = (headers: readonly string[], rows?: readonly CsvRow[]) =>
          guessMapping(headers, form, rows)
        const mapping = await mappingFor(csv, guess, columns)
        process.stdout.write(shownColumns(csv, mapping, guess, columns))
        const formats = await formatsFor(csv, mapping, {
          targets: patientFieldTargets(form),
          asked,
        })
        for (const [column, format] of Object.entries(formats))
          process.stdout.write(`${column} is read as ${format}.\n`)
        if (!agesOn && (await hasAgesOfNoDay(csv, mapping)))
          throw new Refusal(
            'The list has ages and no day of registration. Say with --ages-on on which day they were right.',
          )
        const file = {
          headers: csv.headers,
          form,
          mapping,
          clinicId: clinic.id,
          formats,
          agesOn,
          keyColumn: key,
          allowsMissing: parsed.values['allow-missing'] ?? false,
        }
        requireMapping(csv, file)

        const started = Date.now()
        const bar = progress()
        const tally = newTally(source.name)
        const own = csv.headers
          .map((header, at) => [header, at] as const)
          .filter(([header]) => !isOurs(header))
        const heading = [...own.map(([header]) => header), ...REJECTED_COLUMNS]
        const rejections = rejectionFile(
          'people-rejected',
          heading,
          report && resolveFromUser(report),
        )
        const doubts = rejectionFile('likely-duplicates', [
          'line',
          'name',
          'may be',
          'id',
          'how likely',
          'because',
        ])
        const tellDoubt = ({ line, name: who, otherName, patientId, strength, reasons }: Doubt) =>
          doubts.write([
            String(line),
            who,
            otherName,
            patientId,
            strength,
            reasons
              .map((reason) => sentence('en', { key: `duplicates.${reason}` as MessageKey }))
              .join(', '),
          ])
        const signal = untilStopped()
        try {
          await importPatients(importCommandContext(db), csv, file, tally, {
            signal,
            isDryRun,
            compare: isDryRun
              ? comparer({ ...importCommandContext(db), actor: operator }, tally, tellDoubt)
              : undefined,
            onProgress: (what, bytes, rows) =>
              bar.show(what, bytes, source.size, `${rows.toLocaleString('en')} rows`),
            onRejected: (_file, { values, line }, fate) =>
              rejections.write([
                ...own.map(([, at]) => values[at] ?? ''),
                String(line),
                'reason' in fate ? sentence('en', fate.reason) : '',
              ]),
          })
          if (tally.rejected.length > 0) process.exitCode = REJECTED_ROWS
        } catch (error) {
          if (!signal.aborted) throw error
          process.exitCode = 130
        } finally {
          bar.end()
          const kept = await rejections.end()
          const doubted = await doubts.end()
          process.stdout.write(`${describe(tally)}\n`)
          if (tally.compared)
            process.stdout.write(
              `Of the first ${tally.compared.toLocaleString('en')}, ` +
                `${(tally.doubtful ?? 0).toLocaleString('en')} may be registered already` +
                `${doubted ? `: see ${doubted}` : ''}\n`,
            )
          if (kept)
            process.stdout.write(`Rejected rows, each with its line and the reason: ${kept}\n`)
        }
        const seconds = ((Date.now() - started) / 1000).toFixed(1)
        if (isDryRun) process.stdout.write(`Dry run, nothing was written (${seconds} s).\n`)
        else if (signal.aborted)
          process.stdout.write(
            `Stopped after ${seconds} s. Imported records are kept; run the same command again to continue.\n`,
          )
        else process.stdout.write(`Imported into ${clinic.name} in ${seconds} s.\n`)
      }),
    )
  },
}
