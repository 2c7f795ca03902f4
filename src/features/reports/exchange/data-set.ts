import * as z from 'zod'
import {
  makeUniqueId,
  type ReportDefinition,
  type ReportRow,
  type ReportSection,
} from '~/features/reports/cells/definition'
import type { PeriodKind } from '~/features/reports/cells/period'
import type { PlaceCode } from './data-value-set'

const named = { id: z.string().min(1), name: z.string().default('') }
const code = z.string().nullish()

const CategoryCombo = z.looseObject({
  id: z.string(),
  categoryOptionCombos: z.array(z.looseObject({ ...named, code })).default([]),
})
const DataElement = z.looseObject({
  ...named,
  code,
  formName: z.string().nullish(),
  valueType: z.string().default('NUMBER'),
  zeroIsSignificant: z.boolean().default(false),
  categoryCombo: CategoryCombo.nullish(),
})

/** What is read of `/api/dataSets/ID.json` (docs.dhis2.org, Web API, "Metadata"). */
export const Dhis2DataSet = z.looseObject({
  ...named,
  code,
  periodType: z.string(),
  sections: z
    .array(
      z.looseObject({
        ...named,
        sortOrder: z.number().default(0),
        dataElements: z.array(z.looseObject({ id: z.string() })).default([]),
      }),
    )
    .default([]),
  dataSetElements: z
    // a data set may use another category combination than the element itself
    .array(z.looseObject({ dataElement: DataElement, categoryCombo: CategoryCombo.nullish() }))
    .default([]),
})
export type Dhis2DataSet = z.output<typeof Dhis2DataSet>

const PERIODS: Readonly<Record<string, PeriodKind>> = {
  Daily: 'day',
  Weekly: 'week',
  Monthly: 'month',
  Quarterly: 'quarter',
  Yearly: 'year',
}

/** The fields to ask for: without them the server answers ids only. */
const combo = 'categoryCombo[id,categoryOptionCombos[id,code,name]]'
export const DATA_SET_FIELDS = [
  'id,code,name,periodType',
  'sections[id,name,sortOrder,dataElements[id]]',
  `dataSetElements[${combo},dataElement[id,code,name,formName,valueType,zeroIsSignificant,${combo}]]`,
].join(',')

type Element = Dhis2DataSet['dataSetElements'][number]

type Imported = {
  definition: ReportDefinition
  codes: PlaceCode[]
  /** Elements that are neither a number nor yes or no: a report has no cell for them. */
  skipped: string[]
}

/**
 * A data set as a report: elements are rows, category option combinations are columns, and each cell is entered by
 * hand until it is mapped. Null if its periods are none of ours.
 */
export function definitionOfDataSet(
  set: Dhis2DataSet,
  reportCode: string,
  sectionName: string,
): Imported | null {
  const period = PERIODS[set.periodType]
  if (!period) return null
  const elements = new Map(set.dataSetElements.map((each) => [each.dataElement.id, each]))
  const inSections = set.sections
    .toSorted((a, b) => a.sortOrder - b.sortOrder)
    .map(({ name, dataElements }) => ({
      name,
      elements: dataElements.flatMap(({ id }) => elements.get(id) ?? []),
    }))
  const placed = new Set(
    inSections.flatMap((each) => each.elements.map((element) => element.dataElement.id)),
  )
  const others = set.dataSetElements.filter(({ dataElement }) => !placed.has(dataElement.id))
  const skipped: string[] = []
  const sections: ReportSection[] = []
  const codes: PlaceCode[] = [toPlaceCode({ code: set.id })]
  const axes: NonNullable<ReportDefinition['axes']> = {}
  const sectionIds = new Set<string>()
  for (const { name, elements: all } of [...inSections, { name: sectionName, elements: others }]) {
    const shown = all.filter(({ dataElement }) => {
      const isShown = dhis2ManualKind(dataElement.valueType) !== null
      if (!isShown) skipped.push(dataElement.name || dataElement.id)
      return isShown
    })
    for (const part of byCombo(shown)) {
      const id = unused(name, sectionIds)
      const options = elementOptions(part[0]!)
      const axis = options.length > 1 ? `combo-${elementCombo(part[0]!)?.id}` : null
      if (axis && !axes[axis]) axes[axis] = axisBands(options)
      if (axis)
        for (const [at, band] of axisBands(options).entries())
          codes.push(toPlaceCode({ section: id, column_id: band.id, code: options[at]!.id }))
      const rowIds = new Set<string>()
      const rows = part.map(({ dataElement }): ReportRow => {
        const row = unused(dataElement.code || dataElement.id, rowIds)
        if (dataElement.code)
          codes.push(
            toPlaceCode({
              section: id,
              row_id: row,
              code: dataElement.code,
              sends_zero: dataElement.zeroIsSignificant,
            }),
          )
        const text = dataElement.formName || dataElement.name || dataElement.id
        return {
          id: row,
          names: { en: text.slice(0, 300) },
          measure: { manual: dhis2ManualKind(dataElement.valueType)! },
        }
      })
      sections.push({
        id,
        names: { en: (name || set.name).slice(0, 300) },
        ...(axis && { columns: { axis } }),
        rows,
      })
    }
  }
  const definition: ReportDefinition = {
    code: reportCode,
    names: { en: set.name.slice(0, 300) || set.id },
    period,
    ...(Object.keys(axes).length > 0 && { axes }),
    sections,
  }
  return { definition, codes, skipped }
}

const toPlaceCode = (place: Partial<PlaceCode> & { code: string }): PlaceCode => ({
  section: null,
  row_id: null,
  column_id: null,
  option_code: null,
  sends_zero: false,
  adx: null,
  ...place,
})

const NUMBERS = /^(INTEGER|NUMBER|PERCENTAGE|UNIT_INTERVAL)/
const dhis2ManualKind = (valueType: string) => {
  if (NUMBERS.test(valueType)) return 'integer'
  if (/^(BOOLEAN|TRUE_ONLY)$/.test(valueType)) return 'yesno'
  return null
}

const elementCombo = ({ categoryCombo, dataElement }: Element) =>
  categoryCombo ?? dataElement.categoryCombo

const elementOptions = (element: Element) => elementCombo(element)?.categoryOptionCombos ?? []

/** The rows of a section have the same columns: neighbours with the same category combination stay together. */
function byCombo(elements: readonly Element[]): Element[][] {
  const parts: Element[][] = []
  for (const element of elements) {
    const last = parts.at(-1)
    if (last && elementCombo(last[0]!)?.id === elementCombo(element)?.id) last.push(element)
    else parts.push([element])
  }
  return parts
}

function axisBands(options: ReturnType<typeof elementOptions>) {
  const taken = new Set<string>()
  return options.map(({ id, code: own, name }) => ({
    id: unused(own || name || id, taken),
    names: { en: (name || own || id).slice(0, 300) },
  }))
}

function unused(text: string, taken: Set<string>): string {
  const id = makeUniqueId(text, taken)
  taken.add(id)
  return id
}
