import * as z from 'zod'
import { cellSchema } from './kinds/all'
import { idSchema, MOST_CELLS, clinicTest, type Test as RowTest, testSchema } from './parts'
import { PERIOD_KINDS } from './period'

export * from './kinds/all'
export * from './parts'

const text = z.string().min(1).max(300)
const namesSchema = z.strictObject({ en: text, ar: text.optional(), es: text.optional() })

/** The blood pressure that stands for a patient's day: the last one, or the mean of all. */
export const BP_OF_DAY = ['last', 'mean'] as const

const groupSchema = z.strictObject({
  // also for icd10cm: prefixes, or ranges of three characters
  icd10: z.array(z.string()).max(500).optional(),
  icd11: z.array(z.string()).max(500).optional(),
  snomed: z.array(z.string()).max(500).optional(),
  // a case is new if the patient had none so many days before; absent: ever
  episode_days: z.number().int().min(0).max(3660).optional(),
  // groups whose codes are not of this one
  except: z.array(idSchema).max(200).optional(),
})
export type Group = z.infer<typeof groupSchema>

const bandSchema = z.strictObject({
  id: idSchema,
  names: namesSchema.optional(),
  // completed months, `from` included, `to` excluded; neither: no date of birth
  from: z.number().int().min(0).optional(),
  to: z.number().int().min(1).optional(),
  // instead of an age
  where: testSchema.optional(),
  // instead of an age: the column has a measure of its own
  measure: idSchema.optional(),
  // instead of an age: a column for each clinic of the run
  each: z.literal('clinic').optional(),
})
export type Band = z.infer<typeof bandSchema>
const axisSchema = z.union([
  z.array(z.enum(['male', 'female', 'unknown'])).min(1),
  z.array(bandSchema).min(1).max(100),
])
export type Axis = z.infer<typeof axisSchema>

const columnsSchema = z.union([
  z.strictObject({ axis: idSchema, total: z.boolean().optional() }),
  z.strictObject({ cross: z.array(idSchema).min(1).max(4), total: z.boolean().optional() }),
])

const rowSchema = z.strictObject({
  id: idSchema,
  names: namesSchema,
  // as the paper numbers it
  number: z.string().max(20).optional(),
  // a measure of the definition, or a cell; absent: that of the section
  measure: z.union([idSchema, cellSchema]).optional(),
  where: testSchema.optional(),
  // instead of one row: a row for each medicine that the clinics of the run have or had
  each: z.literal('medicine').optional(),
  dhis2: z.string().max(100).optional(),
  goal: z.number().optional(),
  unit: z.string().max(20).optional(),
})
export type ReportRow = z.infer<typeof rowSchema>

const sectionSchema = z.strictObject({
  id: idSchema,
  names: namesSchema,
  measure: z.union([idSchema, cellSchema]).optional(),
  where: testSchema.optional(),
  // the first matching row takes the case
  exclusive: z.boolean().optional(),
  columns: columnsSchema.optional(),
  rows: z.array(rowSchema).min(1).max(MOST_CELLS),
})
export type ReportSection = z.infer<typeof sectionSchema>

export const reportDefinition = z.strictObject({
  code: z.string().regex(/^[a-z][a-z0-9-]{1,59}$/),
  names: namesSchema,
  period: z.enum(PERIOD_KINDS),
  // the day of the month after the period from which it can be closed
  closable_from: z.number().int().min(1).max(28).optional(),
  page: z.string().max(40).optional(),
  // absent: the last
  bp_of_day: z.enum(BP_OF_DAY).optional(),
  groups: z.record(idSchema, groupSchema).optional(),
  measures: z.record(idSchema, cellSchema).optional(),
  axes: z.record(idSchema, axisSchema).optional(),
  sections: z.array(sectionSchema).min(1).max(100),
})
export type ReportDefinition = z.infer<typeof reportDefinition>

/** The columns of an axis: the id, the names if it has any, and the test that places a row in it. */
export type ReportColumn = {
  id: string
  names?: z.infer<typeof namesSchema> | undefined
  test: RowTest | null
  /** instead of the measure of the row */
  measure?: string | undefined
}

const testOfBand = ({ from, to, where, measure, each }: Band): RowTest | null => {
  if (where) return where
  if (measure || each) return null
  const bounds: RowTest[] = []
  if (from !== undefined) bounds.push(['patient.age_months', 'atLeast', from])
  if (to !== undefined) bounds.push(['patient.age_months', 'below', to])
  if (bounds.length === 0) return ['patient.age_months', 'isSet', false]
  return bounds.length === 1 ? bounds[0]! : { all: bounds }
}

export const columnsOfAxis = (axis: Axis): ReportColumn[] =>
  axis.map((each) =>
    typeof each === 'string'
      ? { id: each, test: ['patient.sex', 'is', each] }
      : { id: each.id, names: each.names, test: testOfBand(each), measure: each.measure },
  )

/** The definition with a column for each of these clinics, where it asks for one. */
export function forClinics(
  definition: ReportDefinition,
  clinics: readonly { id: string; name: string }[],
): ReportDefinition {
  const bands = clinics.map(({ id: clinicId, name }): Band => ({
    id: clinicId,
    names: { en: name },
    where: clinicTest(clinicId),
  }))
  const isOfClinics = (each: string | Band) => typeof each !== 'string' && each.each !== undefined
  const axes = Object.entries(definition.axes ?? {}).map(([name, axis]): [string, Axis] => [
    name,
    axis.some(isOfClinics) ? bands : axis,
  ])
  return { ...definition, ...(definition.axes && { axes: Object.fromEntries(axes) }) }
}

/** The rows of one medicine of the catalogue. */
export const ofMedicine = (drugId: string): RowTest => ['drug.id', 'is', drugId]

/** Whether `forMedicines` has made the row. */
export const isOfMedicine = ({ id: drugId, where }: ReportRow) =>
  JSON.stringify(where ?? null).includes(JSON.stringify(ofMedicine(drugId)))

/** The definition with a row for each of these medicines, where it asks for one. */
export function forMedicines(
  definition: ReportDefinition,
  medicines: readonly { id: string; names: ReportRow['names'] }[],
): ReportDefinition {
  const expandRow = ({ each, ...row }: ReportRow): ReportRow[] =>
    each
      ? medicines.map(({ id: drugId, names }) => ({
          ...row,
          id: drugId,
          names,
          where: row.where ? { all: [row.where, ofMedicine(drugId)] } : ofMedicine(drugId),
        }))
      : [row]
  const sections = definition.sections.map((each) => ({
    ...each,
    rows: each.rows.flatMap(expandRow),
  }))
  return { ...definition, sections }
}

export const sectionsOfMedicines = ({ sections }: ReportDefinition) =>
  sections.flatMap(({ id, rows }) => (rows.some(({ each }) => each) ? [id] : []))

/** The axes whose columns a section has, the outer first. */
export function axesOf({ columns }: ReportSection): string[] {
  if (!columns) return []
  return 'axis' in columns ? [columns.axis] : columns.cross
}

/** The columns of a section in the order of the paper; `total` is the last. */
export function sectionColumns(
  definition: ReportDefinition,
  section: ReportSection,
): ReportColumn[] {
  const { columns } = section
  if (!columns) return [{ id: 'value', test: null }]
  const crossed = axesOf(section).reduce<ReportColumn[] | null>((before, name) => {
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
export const definitionCells = (definition: ReportDefinition): CellName[] =>
  definition.sections.flatMap((section) => {
    const columns = sectionColumns(definition, section)
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
export const cellMeasure = (
  section: ReportSection,
  row: ReportRow,
  column?: Pick<ReportColumn, 'measure'>,
) => column?.measure ?? row.measure ?? section.measure
