import type { ReportDefinition } from '~/features/reports/cells/definition'
import { type Categories, columnCategories, readCategories, writeCategories } from './adx'

/** The cell of a report; `value` is null if the cell is empty. */
export type SentCell = { section: string; row: string; column: string; value: number | null }

/** A row of `external_codes` about a report: what DHIS2 calls a row, a column or a cell of it. */
export type PlaceCode = {
  section: string | null
  row_id: string | null
  column_id: string | null
  code: string
  option_code: string | null
  sends_zero: boolean
  /** The categories of its values in ADX; null: those that follow from the definition. */
  adx: string | null
}

/** What is sent: the JSON of DHIS2, or ADX. */
export const SENT_AS = ['json', 'adx'] as const
export type SentAs = (typeof SENT_AS)[number]

/** Where a value goes. DHIS2 takes the default category option combination if none is named. */
type Target = {
  dataElement: string
  categoryOptionCombo?: string
  sendsZero: boolean
  categories: Categories
}
/** A value with both of its places. */
type MappedValue = Omit<Target, 'sendsZero'> & { value: string }

type DataValue = { dataElement: string; categoryOptionCombo?: string; value: string }

/**
 * The body of `POST /api/dataValueSets` (docs.dhis2.org, Web API, "Data values"). `dataSet` and
 * `categoryOptionCombo` are UIDs, `dataElement` and `orgUnit` codes: the address says so.
 */
export type DataValueSet = {
  dataSet: string
  completeDate?: string
  period: string
  orgUnit: string
  dataValues: DataValue[]
}

/** A ratio as the sheet shows it, with one decimal: the same number on paper, in files and in DHIS2. */
export const onSheet = (value: number | null, { denominator }: { denominator: number | null }) =>
  value === null || denominator === null ? value : Math.round(value * 10) / 10

/** The column of a total: it is not sent unless it has a code of its own. */
const TOTAL = 'total'
/** The column of a section without columns. */
const ONLY = 'value'

export const cellPlace = ({ section, row, column }: Omit<SentCell, 'value'>) =>
  `${section}/${row}/${column}`

/**
 * Finds where each cell goes. The code of a cell wins over those of its row and column; the data element of a row
 * may come from the definition.
 */
export function buildTargetFinder(codes: readonly PlaceCode[], definition: ReportDefinition) {
  const dataElements = dataElementsByRow(definition)
  const byPlace = new Map(
    codes.map((code) => [placeKey(code.section, code.row_id, code.column_id), code]),
  )
  return ({ section, row, column }: Omit<SentCell, 'value'>): Target | undefined => {
    const ofCell = byPlace.get(placeKey(section, row, column))
    const ofRow = byPlace.get(placeKey(section, row, null))
    const ofColumn = byPlace.get(placeKey(section, null, column))
    const written = ofCell?.adx ?? ofColumn?.adx ?? ofRow?.adx
    const categories =
      (written ? readCategories(written) : null) ??
      columnCategories(definition, { section, column })
    if (ofCell)
      return {
        dataElement: ofCell.code,
        ...(ofCell.option_code !== null && { categoryOptionCombo: ofCell.option_code }),
        sendsZero: ofCell.sends_zero,
        categories,
      }
    const dataElement = ofRow?.code ?? dataElements.get(`${section}/${row}`)
    const option = ofColumn?.code ?? (column === ONLY ? (ofRow?.option_code ?? null) : undefined)
    // a column without a code is mapped only if it is the section's one column
    if (dataElement === undefined || option === undefined) return undefined
    return {
      dataElement,
      ...(option !== null && { categoryOptionCombo: option }),
      sendsZero: ofRow?.sends_zero ?? false,
      categories,
    }
  }
}

const placeKey = (section: string | null, row: string | null, column: string | null) =>
  JSON.stringify([section, row, column])

type Mapped = {
  values: MappedValue[]
  /** Cells without a code; totals are left out on purpose and are not in the list. */
  unmapped: string[]
  /** Cells that would overwrite another cell, because both have the same codes. */
  repeated: string[]
}

/** The values to send. An empty cell is not sent, and a zero only if the data element stores zeros. */
export function mappedValues(
  cells: readonly SentCell[],
  targetOf: ReturnType<typeof buildTargetFinder>,
  sentAs: SentAs = 'json',
): Mapped {
  const mapped: Mapped = { values: [], unmapped: [], repeated: [] }
  const taken = new Set<string>()
  for (const cell of cells) {
    const target = targetOf(cell)
    if (!target) {
      if (!cell.column.split('/').includes(TOTAL)) mapped.unmapped.push(cellPlace(cell))
      continue
    }
    const { sendsZero, ...place } = target
    const { dataElement, categoryOptionCombo = null, categories } = place
    const key = placeKey(
      dataElement,
      sentAs === 'adx' ? writeCategories(categories) : categoryOptionCombo,
      null,
    )
    if (taken.has(key)) {
      mapped.repeated.push(cellPlace(cell))
      continue
    }
    taken.add(key)
    if (cell.value === null || (cell.value === 0 && !sendsZero)) continue
    mapped.values.push({ ...place, value: String(cell.value) })
  }
  return mapped
}

/** As the JSON names them. */
export const toDataValues = (values: readonly MappedValue[]): DataValue[] =>
  values.map(({ categories: _, ...value }) => value)

/**
 * `2026-10` as `202610`, `2026-W05` as `2026W5`, `2026-Q4` as `2026Q4`, `2026-10-05` as `20261005`,
 * `2026` as it is.
 */
export function dhis2Period(period: string): string {
  const week = /^(\d{4})-W0?(\d{1,2})$/.exec(period)
  return week ? `${week[1]}W${week[2]}` : period.replaceAll('-', '')
}

/** The data elements that the definition names, by `section/row`. */
const dataElementsByRow = (definition: ReportDefinition): ReadonlyMap<string, string> =>
  new Map(
    definition.sections.flatMap((section) =>
      section.rows.flatMap((row) =>
        row.dhis2 ? [[`${section.id}/${row.id}`, row.dhis2] as const] : [],
      ),
    ),
  )
