import * as z from 'zod'
import { keysIn } from '~/shared/object'
import { OPS, type Op, type Source, sourceNames } from './fields'
import { PERIOD_KINDS } from './period'

export const MOST_CELLS = 2_000
export const MOST_NODES = 60
export const MOST_DEPTH = 6

/** No `/`: a crossed column joins ids with it. */
const id = z.string().regex(/^[\p{L}\d][\p{L}\d_.+-]{0,59}$/u)
const text = z.string().min(1).max(300)
const names = z.strictObject({ en: text, ar: text.optional(), es: text.optional() })
const source = z.enum(sourceNames)
const few = z.number().int().min(1).max(120)

/** The blood pressure that stands for a patient's day: the last one, or the mean of all. */
export const BP_OF_DAY = ['last', 'mean'] as const

const windowOf = z.union([
  z.enum(['period', 'visit']),
  z.strictObject({ months: few }),
  z.strictObject({ quarter: z.literal('last') }),
  z.strictObject({ before: z.literal('period') }),
  z.strictObject({ until: z.literal('periodEnd') }),
  z.strictObject({
    days: z.tuple([z.number().int().min(-3660).max(3660), z.number().int().min(-3660).max(3660)]),
    after: z.string(),
  }),
])
/**
 * Of the outer row for `visit` (rows of the same visit) and `days` (whole days after a day of it).
 * `months` ends with the period; `quarter` is the last one that has ended by then.
 */
export type Window = z.infer<typeof windowOf>

const scalar = z.union([z.string().max(200), z.number(), z.boolean()])
const value = z.union([scalar, z.array(scalar).min(1).max(200)])
export type Value = z.infer<typeof value>

export type Comparison = [field: string, op: Op, value: Value]
export type Test =
  | Comparison
  | { all: Test[] }
  | { any: Test[] }
  | { not: Test }
  | { exists: Source; where?: Test | undefined; in: Window }
  | { latest: Source; where?: Test | undefined; in: Window; is: Test }
  | { nth: Source; where?: Test | undefined; is: number }

const test: z.ZodType<Test> = z.lazy(() =>
  z.union([
    z.tuple([z.string(), z.enum(OPS), value]),
    z.strictObject({ all: z.array(test).min(1).max(MOST_NODES) }),
    z.strictObject({ any: z.array(test).min(1).max(MOST_NODES) }),
    z.strictObject({ not: test }),
    z.strictObject({ exists: source, where: test.optional(), in: windowOf }),
    z.strictObject({ latest: source, where: test.optional(), in: windowOf, is: test }),
    z.strictObject({ nth: source, where: test.optional(), is: few }),
  ]),
)

/** `provider_day`: a provider on a day. */
export const DISTINCT = [
  'patient',
  'visit',
  'day',
  'clinic',
  'provider_day',
  'prescription',
] as const
export type Distinct = (typeof DISTINCT)[number]

export const LIMIT_OPS = ['below', 'atMost', 'atLeast', 'above'] as const
const limit = z.tuple([z.enum(LIMIT_OPS), z.number()])
export type Limit = z.infer<typeof limit>

/** `month`: the mean days of a month, of the three that end with the period. */
export const TIMES = [1, 100, 1000, 'month'] as const
/** How many of the parts of a sum are known, or are zero, instead of the sum. */
export const COUNTS = ['known', 'zero'] as const
export const MANUAL = ['integer', 'yesno'] as const

/**
 * Each kind of cell by the part that it alone has. What depends on the kind is written as a `ByKind`, which does not
 * compile until it says something of a kind that is added here.
 */
const kinds = {
  count: z.strictObject({
    count: source,
    distinct: z.enum(DISTINCT).optional(),
    where: test.optional(),
    in: windowOf,
  }),
  sum: z.strictObject({ sum: z.string(), of: source, where: test.optional(), in: windowOf }),
  median: z.strictObject({ median: z.string(), of: source, where: test.optional(), in: windowOf }),
  ratio: z.strictObject({
    ratio: z.tuple([id, id]),
    times: z.union(TIMES.map((each) => z.literal(each))),
    cap: z.number().positive().optional(),
    // of the denominator that counts: the patients on a medicine, of those under care
    share: z.number().positive().optional(),
  }),
  add: z.strictObject({
    add: z.array(id).min(1).max(MOST_NODES),
    counts: z.enum(COUNTS).optional(),
  }),
  // each part times its number: tablets of 10 mg count twice those of 5 mg
  weighted: z.strictObject({ weighted: z.record(id, z.number()) }),
  subtract: z.strictObject({ subtract: z.tuple([id, id]) }),
  like: z.strictObject({ like: id, and: test }),
  days: z.strictObject({
    days: z.literal('stock'),
    where: test.optional(),
    in: windowOf,
    each: z.literal('clinic'),
  }),
  // how many clinics of the run have a value of the measure within the limit
  clinics: z.strictObject({ clinics: id, is: limit }),
  manual: z.strictObject({ manual: z.enum(MANUAL) }),
}
export type CellKind = keyof typeof kinds
export type CellOf<K extends CellKind> = z.infer<(typeof kinds)[K]>
export type Cell = CellOf<CellKind>
const cell: z.ZodType<Cell> = z.union(Object.values(kinds))
export const CELL_KINDS = keysIn(kinds)

/** A function for each kind of cell. */
export type ByKind<Args extends readonly unknown[], Result> = {
  readonly [K in CellKind]: (cell: CellOf<K>, ...args: Args) => Result
}

export function kindOfCell(cell: Cell): CellKind {
  const kind = CELL_KINDS.find((each) => Object.hasOwn(cell, each))
  if (!kind) throw new Error(`No kind of cell has the parts ${Object.keys(cell).join(', ')}`)
  return kind
}

/** Calls the function of the cell's kind. */
export const byKind = <Args extends readonly unknown[], Result>(
  functions: ByKind<Args, Result>,
  cell: Cell,
  ...args: Args
): Result => (functions[kindOfCell(cell)] as (cell: Cell, ...args: Args) => Result)(cell, ...args)

type Swap = (name: string) => string
const itself = (each: Cell): Cell => each
const swapped: ByKind<[Swap], Cell> = {
  count: itself,
  sum: itself,
  median: itself,
  days: itself,
  manual: itself,
  like: (each, swap) => ({ ...each, like: swap(each.like) }),
  clinics: (each, swap) => ({ ...each, clinics: swap(each.clinics) }),
  ratio: (each, swap) => ({ ...each, ratio: [swap(each.ratio[0]), swap(each.ratio[1])] }),
  subtract: (each, swap) => ({
    ...each,
    subtract: [swap(each.subtract[0]), swap(each.subtract[1])],
  }),
  add: (each, swap) => ({ ...each, add: each.add.map(swap) }),
  weighted: (each, swap) => ({
    ...each,
    weighted: Object.fromEntries(
      Object.entries(each.weighted).map(([name, weight]) => [swap(name), weight]),
    ),
  }),
}

/** The cell with other names of the measures that it refers to. */
export const withNames = (cell: Cell, swap: Swap): Cell => byKind(swapped, cell, swap)

/** The measures that a cell refers to. */
export function namesIn(cell: Cell): string[] {
  const names: string[] = []
  withNames(cell, (name) => {
    names.push(name)
    return name
  })
  return names
}

const sources: ByKind<[], Source | null> = {
  count: ({ count }) => count,
  sum: ({ of }) => of,
  median: ({ of }) => of,
  days: () => 'stock',
  like: () => null,
  ratio: () => null,
  weighted: () => null,
  clinics: () => null,
  add: () => null,
  subtract: () => null,
  manual: () => null,
}

/** The source whose rows a cell counts by itself; null for one that is computed from other measures, or entered. */
export const ownSource = (cell: Cell): Source | null => byKind(sources, cell)

const group = z.strictObject({
  // also for icd10cm: prefixes, or ranges of three characters
  icd10: z.array(z.string()).max(500).optional(),
  icd11: z.array(z.string()).max(500).optional(),
  snomed: z.array(z.string()).max(500).optional(),
  // a case is new if the patient had none so many days before; absent: ever
  episode_days: z.number().int().min(0).max(3660).optional(),
  // groups whose codes are not of this one
  except: z.array(id).max(200).optional(),
})
export type Group = z.infer<typeof group>

const band = z.strictObject({
  id,
  names: names.optional(),
  // completed months, `from` included, `to` excluded; neither: no date of birth
  from: z.number().int().min(0).optional(),
  to: z.number().int().min(1).optional(),
  // instead of an age
  where: test.optional(),
  // instead of an age: the column has a measure of its own
  measure: id.optional(),
  // instead of an age: a column for each clinic of the run
  each: z.literal('clinic').optional(),
})
export type Band = z.infer<typeof band>
const axis = z.union([
  z.array(z.enum(['male', 'female', 'unknown'])).min(1),
  z.array(band).min(1).max(100),
])
export type Axis = z.infer<typeof axis>

const columns = z.union([
  z.strictObject({ axis: id, total: z.boolean().optional() }),
  z.strictObject({ cross: z.array(id).min(1).max(4), total: z.boolean().optional() }),
])

const row = z.strictObject({
  id,
  names,
  // as the paper numbers it
  number: z.string().max(20).optional(),
  // a measure of the definition, or a cell; absent: that of the section
  measure: z.union([id, cell]).optional(),
  where: test.optional(),
  // instead of one row: a row for each medicine that the clinics of the run have or had
  each: z.literal('medicine').optional(),
  dhis2: z.string().max(100).optional(),
  goal: z.number().optional(),
  unit: z.string().max(20).optional(),
})
export type Row = z.infer<typeof row>

const section = z.strictObject({
  id,
  names,
  measure: z.union([id, cell]).optional(),
  where: test.optional(),
  // the first matching row takes the case
  exclusive: z.boolean().optional(),
  columns: columns.optional(),
  rows: z.array(row).min(1).max(MOST_CELLS),
})
export type Section = z.infer<typeof section>

export const reportDefinition = z.strictObject({
  code: z.string().regex(/^[a-z][a-z0-9-]{1,59}$/),
  names,
  period: z.enum(PERIOD_KINDS),
  // the day of the month after the period from which it can be closed
  closable_from: z.number().int().min(1).max(28).optional(),
  page: z.string().max(40).optional(),
  // absent: the last
  bp_of_day: z.enum(BP_OF_DAY).optional(),
  groups: z.record(id, group).optional(),
  measures: z.record(id, cell).optional(),
  axes: z.record(id, axis).optional(),
  sections: z.array(section).min(1).max(100),
})
export type ReportDefinition = z.infer<typeof reportDefinition>

/** The columns of an axis: the id, the names if it has any, and the test that places a row in it. */
export type Column = {
  id: string
  names?: z.infer<typeof names> | undefined
  test: Test | null
  /** instead of the measure of the row */
  measure?: string | undefined
}

const testOfBand = ({ from, to, where, measure, each }: Band): Test | null => {
  if (where) return where
  if (measure || each) return null
  const bounds: Test[] = []
  if (from !== undefined) bounds.push(['patient.age_months', 'atLeast', from])
  if (to !== undefined) bounds.push(['patient.age_months', 'below', to])
  if (bounds.length === 0) return ['patient.age_months', 'isSet', false]
  return bounds.length === 1 ? bounds[0]! : { all: bounds }
}

export const columnsOfAxis = (axis: Axis): Column[] =>
  axis.map((each) =>
    typeof each === 'string'
      ? { id: each, test: ['patient.sex', 'is', each] }
      : { id: each.id, names: each.names, test: testOfBand(each), measure: each.measure },
  )

/** The rows of one clinic. */
export const ofClinic = (clinicId: string): Test => ['row.clinic', 'is', clinicId]

/** The definition with a column for each of these clinics, where it asks for one. */
export function forClinics(
  definition: ReportDefinition,
  clinics: readonly { id: string; name: string }[],
): ReportDefinition {
  const bands = clinics.map(({ id: clinicId, name }): Band => ({
    id: clinicId,
    names: { en: name },
    where: ofClinic(clinicId),
  }))
  const isOfClinics = (each: string | Band) => typeof each !== 'string' && each.each !== undefined
  const axes = Object.entries(definition.axes ?? {}).map(([name, axis]): [string, Axis] => [
    name,
    axis.some(isOfClinics) ? bands : axis,
  ])
  return { ...definition, ...(definition.axes && { axes: Object.fromEntries(axes) }) }
}

/** The rows of one medicine of the catalogue. */
export const ofMedicine = (drugId: string): Test => ['drug.id', 'is', drugId]

/** Whether `forMedicines` has made the row. */
export const isOfMedicine = ({ id: drugId, where }: Row) =>
  JSON.stringify(where ?? null).includes(JSON.stringify(ofMedicine(drugId)))

/** The definition with a row for each of these medicines, where it asks for one. */
export function forMedicines(
  definition: ReportDefinition,
  medicines: readonly { id: string; names: Row['names'] }[],
): ReportDefinition {
  const rowsOf = ({ each, ...row }: Row): Row[] =>
    each
      ? medicines.map(({ id: drugId, names }) => ({
          ...row,
          id: drugId,
          names,
          where: row.where ? { all: [row.where, ofMedicine(drugId)] } : ofMedicine(drugId),
        }))
      : [row]
  const sections = definition.sections.map((each) => ({ ...each, rows: each.rows.flatMap(rowsOf) }))
  return { ...definition, sections }
}

/** The sections that have a row for each medicine. */
export const sectionsOfMedicines = ({ sections }: ReportDefinition) =>
  sections.flatMap(({ id, rows }) => (rows.some(({ each }) => each) ? [id] : []))

/** The columns of a section in the order of the paper; `total` is the last. */
export function columnsOf(definition: ReportDefinition, { columns }: Section): Column[] {
  if (!columns) return [{ id: 'value', test: null }]
  const axes = 'axis' in columns ? [columns.axis] : columns.cross
  const crossed = axes.reduce<Column[] | null>((before, name) => {
    const own = columnsOfAxis(definition.axes?.[name] ?? [])
    if (!before) return own
    return before.flatMap((outer) =>
      own.map((inner) => ({
        id: `${outer.id}/${inner.id}`,
        test: { all: [outer, inner].flatMap(({ test }) => (test ? [test] : [])) },
        measure: inner.measure ?? outer.measure,
      })),
    )
  }, null)
  return [...(crossed ?? []), ...(columns.total ? [{ id: 'total', test: null }] : [])]
}

export type CellName = { section: string; row: string; column: string }

/** Every cell in the order of the paper. */
export const cellsOf = (definition: ReportDefinition): CellName[] =>
  definition.sections.flatMap((section) => {
    const columns = columnsOf(definition, section)
    return section.rows.flatMap((row) =>
      // until `forMedicines` has made rows of it, it has no cells
      row.each
        ? []
        : columns.map((column) => ({ section: section.id, row: row.id, column: column.id })),
    )
  })

/** The key of a cell in a map: `section/row/column`. */
export const cellKey = ({ section, row, column }: CellName) => `${section}/${row}/${column}`

/** A column may have its own measure; rows take the section's if they name none. */
export const measureOf = (section: Section, row: Row, column?: Pick<Column, 'measure'>) =>
  column?.measure ?? row.measure ?? section.measure
