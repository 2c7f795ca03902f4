import { invalid, type Message } from '~/shared/errors'
import type { Csv } from '../csv.server'
import type { ColumnMapping } from '../lists'
import { type fileList, formatsIn } from '../lists.server'
import { DATE_FORMATS, type DateFormat } from '../patients-file/date-format'
import { type ColumnFormat, type ColumnFormats, formatOfKind } from './formats'

type List = Awaited<ReturnType<typeof fileList>>
/** `date_format` is that of the columns of dates that `formats` does not name. */
type Chosen = {
  date_format?: DateFormat | null | undefined
  formats?: Partial<Record<string, string>> | undefined
}

/** The format of each column of dates or numbers: chosen, else recognized. */
async function columnsIn(csv: Csv, mapping: ColumnMapping, list: List, chosen: Chosen) {
  const { formats = {} } = chosen
  return Object.entries(await formatsIn(csv, mapping, list)).map(([header, found]) => {
    const target = list.targets.find(({ name }) => name === mapping[header])
    const isDates = target?.holds === 'dates'
    const own = formatOfKind(isDates ? 'dates' : 'numbers', formats[header])
    const format = own ?? (isDates ? chosen.date_format : null) ?? found.format
    return { header, isDates, format, isAsked: !format && found.isAmbiguous }
  })
}

/** What the screen of a running import shows of formats. */
export const NO_FORMATS = {
  date_format: null as DateFormat | null,
  asksDateFormat: false,
  formats: {} as ColumnFormats,
  asksFormats: [] as string[],
}

/** What a user chooses formats with. */
export async function formatsShown(
  csv: Csv,
  mapping: ColumnMapping,
  list: List,
  chosen: Chosen,
): Promise<typeof NO_FORMATS> {
  const columns = await columnsIn(csv, mapping, list, chosen)
  const dates = columns.filter(({ isDates }) => isDates)
  return {
    /** Of the first column of dates. */
    date_format: DATE_FORMATS.find((one) => one === dates[0]?.format) ?? null,
    /** Some dates can be read in two ways: the user chooses before anything is read. */
    asksDateFormat: dates.some(({ isAsked }) => isAsked),
    formats: formatsByHeader(columns),
    /** The columns that can be read in two ways. */
    asksFormats: columns.flatMap(({ header, isAsked }) => (isAsked ? [header] : [])),
  }
}

/** The formats to import with. Throws for columns with two readings, each beside its column. */
export async function readFormats(
  csv: Csv,
  mapping: ColumnMapping,
  list: List,
  chosen: Chosen,
): Promise<ColumnFormats> {
  const columns = await columnsIn(csv, mapping, list, chosen)
  const asked: Record<string, Message> = {}
  for (const { header, isDates, isAsked } of columns)
    if (isAsked)
      asked[isDates && !asked['date_format'] ? 'date_format' : `formats.${header}`] = {
        key: isDates ? 'imports.dateFormatAsks' : 'imports.numberFormatAsks',
        values: { column: header },
      }
  if (Object.keys(asked).length > 0) throw invalid(asked)
  return formatsByHeader(columns)
}

const formatsByHeader = (
  columns: readonly { header: string; format: ColumnFormat | undefined }[],
): ColumnFormats =>
  Object.fromEntries(columns.flatMap(({ header, format }) => (format ? [[header, format]] : [])))
