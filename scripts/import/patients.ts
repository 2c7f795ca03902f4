import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import * as z from 'zod'
import { Refusal } from '~/db/refusal'
import { comparer, type Doubt } from '~/features/people/imports/patients-file/compare.server'
import { type Csv, fileSource } from '~/features/people/imports/csv.server'
import { DELIMITER_NAMES } from '~/features/people/imports/import'
import {
  DATE_FORMATS,
  DATE_ORDERS,
  type DateFormat,
  type DateOrder,
  datesOf,
  formatOf,
} from '~/features/people/imports/patients-file/date-format'
import { ENCODINGS } from '~/shared/text-encoding'
import type { Mapping } from '~/features/people/imports/lists'
import { guessMapping, patientHeadings } from '~/features/people/imports/patients-file/mapping'
import {
  hasAgesOfNoDay,
  importPatients,
  requireMapping,
} from '~/features/people/imports/patients-file/patients-file.server'
import { REJECTED_COLUMNS } from '~/features/people/imports/rejected-rows'
import { openTable } from '~/features/people/imports/reader/table.server'
import { newTally } from '~/features/people/imports/tally'
import type { RegistrationField } from '~/features/people/registration/registration-form'
import { firstForm } from '~/features/people/registration/registration-forms.server'
import type { MessageKey } from '~/shared/language'
import { sentence } from '~/shared/sentence'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { WrongUsage } from '../command'
import { withDatabase } from '../database'
import { progress } from '../progress'
import {
  clinicFor,
  commandContext,
  delimiterOf,
  resolveFromUser,
  type ImportKind,
  inWords,
  oneOf,
  operator,
  parseKind,
  untilStopped,
} from './kind'
import { describe, rejectionFile } from './report'

const usage =
  '<file.csv|file.xlsx> --clinic <name or id> [--map <column>=<field> …] [--mapping <file.json>] ' +
  '[--dry-run]'
const help = `Registers the patients of a CSV file or an Excel workbook in a clinic. Columns are matched by
their headings, in English, Arabic or Spanish; the guess is printed. Try it with --dry-run first: it does
everything, and takes it back.

  --clinic        the clinic that the people belong to
  --map           a column and the field it fills, as "Nombre=given_name"; "Nombre=" leaves the column out
  --mapping       the same as a JSON file: {"Nombre": "given_name"}
  --key           the column whose value names a person for ever (a file number). Without it the whole row does
  --date-format   how the file writes dates: ${DATE_FORMATS.join(', ')}
  --dates         the order of their parts: ${DATE_ORDERS.join(', ')} (default: guessed from the whole column and shown)
  --ages-on       yyyy-MM-dd, the day on which the ages were right, of rows without a day of registration
  --delimiter     between the cells: ${DELIMITER_NAMES.join(', ')} (default: guessed)
  --encoding      how the file is written, when not in UTF-8: ${ENCODINGS.join(', ')}
  --sheet         the sheet of a workbook with several
  --heading-line  the line of the column names (default: found, also below a title)
  --report        where rejected rows are written, to be corrected and imported again
                  (default: imports/ in the data directory)
  --dry-run       says what would happen, and who may be registered already

It may be repeated: patients who are registered already are left unchanged. Ctrl-C stops it; run it again to go on.`
const options = {
  clinic: { type: 'string' },
  map: { type: 'string', multiple: true },
  mapping: { type: 'string' },
  key: { type: 'string' },
  'date-format': { type: 'string' },
  'ages-on': { type: 'string' },
  dates: { type: 'string' },
  delimiter: { type: 'string' },
  encoding: { type: 'string' },
  sheet: { type: 'string' },
  'heading-line': { type: 'string' },
  report: { type: 'string' },
  'dry-run': { type: 'boolean' },
} as const

/** `yyyy-MM-dd`, not after today. */
function dayGiven(option: string, day: string | undefined): string | undefined {
  if (day === undefined) return undefined
  if (!z.iso.date().safeParse(day).success || day > dayIn(new Date(), clinicTimeZone()))
    throw new WrongUsage(`--${option} needs a day that has come, as 2026-03-31.`)
  return day
}

export const patients: ImportKind = {
  summary: 'people from a CSV file or an Excel workbook, by the fields of the registration form',
  usage,
  async run(name, args) {
    const parsed = parseKind(name, { usage, help, options }, args)
    if (!parsed) return
    const {
      clinic: clinicName,
      map = [],
      mapping: mappingFile,
      key,
      report,
      'dry-run': isDryRun = false,
    } = parsed.values
    if (!clinicName) throw new WrongUsage('Name the clinic with --clinic.')
    const agesOn = dayGiven('ages-on', parsed.values['ages-on'])
    const askedFormat = oneOf(DATE_FORMATS, 'date-format', parsed.values['date-format'])
    const order = oneOf(DATE_ORDERS, 'dates', parsed.values.dates)
    const delimiter = delimiterOf(parsed.values.delimiter)
    const encoding = oneOf(ENCODINGS, 'encoding', parsed.values.encoding)
    const { sheet } = parsed.values
    const headingLine = lineIn(parsed.values['heading-line'])
    const asked = {
      ...(mappingFile && mappingIn(mappingFile)),
      ...Object.fromEntries(map.map(pairOf)),
    }
    const source = await fileSource(parsed.file, basename(parsed.file)).catch(
      (error: NodeJS.ErrnoException) => {
        throw new Refusal(
          `The file ${parsed.file} cannot be read (${error.code === 'ENOENT' ? 'there is none' : error.code}).`,
        )
      },
    )
    await withDatabase((db) =>
      inWords(async () => {
        const clinic = await clinicFor(db, clinicName)
        const { fields: form } = await firstForm(db)
        const csv = await openTable(source, patientHeadings(form), {
          encoding,
          delimiter,
          sheet,
          headingLine,
        })
        if (sheet ? !csv.sheets.includes(sheet) : csv.sheets.length > 1)
          throw new Refusal(
            `${source.name} has ${sheet ? `no sheet "${sheet}" with rows` : 'several sheets with rows'}. ` +
              'Choose one with --sheet: ' +
              `${csv.sheets.map((name) => `"${name}"`).join(', ')}.`,
          )
        const mapping = mappingFor(csv, form, asked)
        process.stdout.write(shown(csv, mapping))
        const dateFormat = askedFormat ?? (await birthFormatOf(csv, mapping, order))
        if (dateFormat) process.stdout.write(`Dates are read as ${dateFormat}.\n`)
        if (!agesOn && (await hasAgesOfNoDay(csv, mapping)))
          throw new Refusal(
            'The list has ages and no day of registration. Say with --ages-on on which day they were right.',
          )
        const file = {
          headers: csv.headers,
          form,
          mapping,
          clinicId: clinic.id,
          dateFormat,
          agesOn,
          keyColumn: key,
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
          await importPatients(commandContext(db), csv, file, tally, {
            signal,
            isDryRun,
            compare: isDryRun
              ? comparer({ ...commandContext(db), actor: operator }, tally, tellDoubt)
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

/** How the column of births writes its days. Throws if they can be read in two ways: the user is asked once. */
async function birthFormatOf(
  csv: Csv,
  mapping: Mapping,
  order?: DateOrder,
): Promise<DateFormat | undefined> {
  const at = csv.headers.findIndex((header) => mapping[header] === 'date_of_birth')
  if (at < 0) return undefined
  const cells: string[] = []
  for await (const { values } of csv.rows()) if (cells.push(values[at] ?? '') >= 20_000) break
  if (order) return formatOf(order, cells)
  const { format, isAmbiguous } = datesOf(cells)
  if (isAmbiguous)
    throw new Refusal(
      `Dates such as "${cells.find(Boolean)}" can be read in two ways. ` +
        'Add --dates dmy (day first) or --dates mdy (month first).',
    )
  return format
}

const isOurs = (header: string) => (REJECTED_COLUMNS as readonly string[]).includes(header)

function pairOf(text: string): [string, string] {
  const at = text.lastIndexOf('=')
  if (at < 1)
    throw new WrongUsage(`--map takes a column and a field, as "Nombre=given_name", not "${text}".`)
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

function lineIn(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const line = Number(value)
  if (!Number.isInteger(line) || line < 1)
    throw new WrongUsage('--heading-line must be a line number.')
  return line
}

function mappingIn(path: string): Mapping {
  try {
    return z
      .record(z.string(), z.string())
      .parse(JSON.parse(readFileSync(resolveFromUser(path), 'utf8')))
  } catch (error) {
    throw new Refusal(
      `The mapping ${path} cannot be read: it is JSON like {"Nombre": "given_name"}.`,
      { cause: error },
    )
  }
}

/** The guess, with what the user says instead. A field may be named as the form names it, in any of its languages. */
function mappingFor({ headers }: Csv, form: readonly RegistrationField[], asked: Mapping): Mapping {
  const names = new Map(
    Object.entries(asked).map(([column, field]) => [
      column,
      guessMapping([field], form)[field] ?? field,
    ]),
  )
  const taken = new Set(names.values())
  const guess = Object.entries(guessMapping(headers, form)).filter(([, name]) => !taken.has(name))
  return { ...Object.fromEntries(guess), ...Object.fromEntries(names) }
}

function shown({ headers }: Csv, mapping: Mapping): string {
  const lines = headers
    .filter((header) => !isOurs(header))
    .map((header) => `  ${header} -> ${mapping[header] || '(left out)'}`)
  return `${['Columns and the fields they fill (change one with --map "column=field"):', ...lines].join('\n')}\n`
}
