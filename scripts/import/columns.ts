import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import * as z from 'zod'
import { Refusal } from '~/db/refusal'
import { type Csv, type CsvRow, fileSource } from '~/features/exchange/imports/csv.server'
import { DELIMITER_NAMES } from '~/features/exchange/imports/import'
import type { ColumnMapping } from '~/features/exchange/imports/lists'
import { CONTENT_ROWS } from '~/features/exchange/imports/reader/content.server'
import type { KnownHeadings } from '~/features/exchange/imports/reader/headings.server'
import { openTable } from '~/features/exchange/imports/reader/table.server'
import { REJECTED_COLUMNS } from '~/features/exchange/imports/rejected-rows'
import { ENCODINGS } from '~/shared/text-encoding'
import { WrongUsage } from '../command'
import { parseDelimiter, parseOptionChoice, resolveFromUser } from './kind'

/** What each command of a list takes to read its file. */
export const readingOptions = {
  map: { type: 'string', multiple: true },
  mapping: { type: 'string' },
  delimiter: { type: 'string' },
  encoding: { type: 'string' },
  sheet: { type: 'string' },
  'heading-line': { type: 'string' },
  report: { type: 'string' },
  check: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
} as const

export const readingHelp = `  --map           a column and the field it fills, as "Nombre=name"; "Nombre=" leaves it out
  --mapping       the same as a JSON file: {"Nombre": "name"}
  --delimiter     between the cells: ${DELIMITER_NAMES.join(', ')} (default: guessed)
  --encoding      how the file is written: ${ENCODINGS.join(', ')} (default: recognized)
  --sheet         the sheet of a workbook with several
  --heading-line  the line of the column names (default: found, also below a title); 0 if there is none
  --report        where rejected rows are written, to be corrected and imported again
                  (default: imports/ in the data directory)
  --check         says what would happen and writes nothing; --dry-run is the same`

type Values = {
  map?: string[] | undefined
  mapping?: string | undefined
  delimiter?: string | undefined
  encoding?: string | undefined
  sheet?: string | undefined
  'heading-line'?: string | undefined
}

/** Opens the file of a list as the options say. Throws a Refusal with what to add. */
export async function openList(path: string, known: KnownHeadings, values: Values) {
  const { sheet } = values
  const choices = {
    encoding: parseOptionChoice(ENCODINGS, 'encoding', values.encoding),
    delimiter: parseDelimiter(values.delimiter),
    sheet,
    headingLine: lineIn(values['heading-line']),
  }
  const source = await fileSource(path, basename(path)).catch((error: NodeJS.ErrnoException) => {
    throw new Refusal(
      `The file ${path} cannot be read (${error.code === 'ENOENT' ? 'there is none' : error.code}).`,
    )
  })
  const csv = await openTable(source, known, choices)
  if (sheet ? !csv.sheets.includes(sheet) : csv.sheets.length > 1)
    throw new Refusal(
      `${source.name} has ${sheet ? `no sheet "${sheet}" with rows` : 'several sheets with rows'}. ` +
        `Choose one with --sheet: ${csv.sheets.map((name) => `"${name}"`).join(', ')}.`,
    )
  return { source, csv }
}

/** What the user says about columns: of a file first, then each by itself. */
export const askedColumns = ({ map = [], mapping }: Values): ColumnMapping => ({
  ...(mapping && mappingIn(mapping)),
  ...Object.fromEntries(map.map((text) => pairIn('map', text))),
})

/** The guess, with what the user says instead. A field may be named as a heading names it, in any language. */
export async function mappingFor(
  { headers, rows }: Pick<Csv, 'headers' | 'rows'>,
  guess: (headers: readonly string[], rows?: readonly CsvRow[]) => ColumnMapping,
  asked: ColumnMapping,
): Promise<ColumnMapping> {
  const names = Object.entries(asked).map(
    ([column, field]) => [column, guess([field])[field] ?? field] as const,
  )
  const taken = new Set(names.map(([, name]) => name))
  const first: CsvRow[] = []
  for await (const row of rows()) if (row.values.length && first.push(row) === CONTENT_ROWS) break
  const guessed = Object.entries(guess(headers, first)).filter(([, name]) => !taken.has(name))
  return { ...Object.fromEntries(guessed), ...Object.fromEntries(names) }
}

export const isOurs = (header: string) => (REJECTED_COLUMNS as readonly string[]).includes(header)

/** A column that its cells matched, not its heading or the user, says so. */
export function shownColumns(
  { headers }: Pick<Csv, 'headers'>,
  mapping: ColumnMapping,
  guess: (headers: readonly string[]) => ColumnMapping,
  asked: ColumnMapping,
): string {
  const named = guess(headers)
  const isByCells = (header: string) =>
    mapping[header] && !Object.hasOwn(asked, header) && named[header] !== mapping[header]
  const lines = headers
    .filter((header) => !isOurs(header))
    .map(
      (header) =>
        `  ${header} -> ${mapping[header] || '(left out)'}` +
        (isByCells(header) ? ' (by what its cells hold: please check)' : ''),
    )
  return `${['Columns and the fields they fill (change one with --map "column=field"):', ...lines].join('\n')}\n`
}

/** `column=value` of an option. */
export function pairIn(option: string, text: string): [string, string] {
  const at = text.lastIndexOf('=')
  const filled = option === 'map' ? 'a field' : 'a format'
  if (at < 1)
    throw new WrongUsage(
      `--${option} takes a column and ${filled}, as "Nombre=given_name", not "${text}".`,
    )
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

function lineIn(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const line = Number(value)
  if (!Number.isInteger(line) || line < 0)
    throw new WrongUsage('--heading-line must be a line number.')
  return line
}

function mappingIn(path: string): ColumnMapping {
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
