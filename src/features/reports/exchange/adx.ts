import type { ReportDefinition } from '~/features/reports/cells/definition'
import { type Period, readPeriod } from '~/features/reports/cells/period'
import { forXml } from '~/shared/typed-text'

/** Of a value, the options of its categories: `AGEGROUP` -> `U5`. */
export type Categories = Readonly<Record<string, string>>

/** Names that ADX itself gives to the attributes of a value. */
const TAKEN = new Set(['dataElement', 'value', 'xmlns'])

/** Reads `AGEGROUP=U5; SEX=M`; null if it is written otherwise. */
export function readCategories(text: string): Categories | null {
  const pairs = text
    .split(';')
    .map((part) => /^\s*([A-Za-z_][\w.-]*)\s*=\s*(\S(?:.*\S)?)\s*$/.exec(part))
  const names = pairs.map((pair) => pair?.[1] ?? '')
  const isRead = names.every((name) => name && !TAKEN.has(name) && !/^xml/i.test(name))
  if (!isRead || new Set(names).size < names.length) return null
  return Object.fromEntries(pairs.map((pair) => [pair![1]!, pair![2]!]))
}

export const writeCategories = (categories: Categories) =>
  Object.entries(categories)
    .map(([name, option]) => `${name}=${option}`)
    .join('; ')

const upper = (id: string) => id.toUpperCase().replaceAll(/[^\p{L}\d_.-]+/gu, '_')
const asName = (id: string) =>
  upper(id)
    .replaceAll(/[^A-Z\d_.-]/g, '_')
    .replace(/^(?![A-Z_])/, '_')

/** The categories of a column without a code of its own: its axes, and its place in each, in capitals. */
export function columnCategories(
  definition: ReportDefinition,
  { section: id, column }: { section: string; column: string },
): Categories {
  const section = definition.sections.find((each) => each.id === id)
  if (!section?.columns || column === 'total') return {}
  const axes = 'axis' in section.columns ? [section.columns.axis] : section.columns.cross
  const parts = column.split('/')
  return Object.fromEntries(axes.map((axis, at) => [asName(axis), upper(parts[at] ?? '')]))
}

const DURATIONS: Readonly<Record<Period['kind'], string>> = {
  day: 'P1D',
  week: 'P7D',
  month: 'P1M',
  quarter: 'P3M',
  year: 'P1Y',
}

/** `2026-10` as `2026-10-01/P1M`: the first day and the duration. */
export function adxPeriod(text: string): string {
  const { first, kind } = readPeriod(text, 'UTC')!
  return `${first}/${DURATIONS[kind]}`
}

const escaped = (text: string) =>
  forXml(text).replaceAll(/[&<>"\t\n\r]/g, (sign) => `&#${sign.codePointAt(0)};`)

const tag = (name: string, attributes: Readonly<Record<string, string>>, end: '>' | '/>') =>
  `<${[name, ...Object.entries(attributes).map(([key, value]) => `${key}="${escaped(value)}"`)].join(' ')}${end}`

/** The same values as the JSON of DHIS2, as ADX (IHE QRPH, Aggregate Data Exchange). */
export function buildAdx(
  { dataSet, orgUnit, completeDate }: { dataSet: string; orgUnit: string; completeDate?: string },
  values: readonly { dataElement: string; categories: Categories; value: string }[],
  { period, exported }: { period: string; exported: Date },
): string {
  const group = {
    dataSet,
    orgUnit,
    period: adxPeriod(period),
    ...(completeDate && { completeDate }),
  }
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    tag('adx', { xmlns: 'urn:ihe:qrph:adx:2015', exported: exported.toISOString() }, '>'),
    `  ${tag('group', group, '>')}`,
    ...values.map(
      ({ dataElement, categories, value }) =>
        `    ${tag('dataValue', { dataElement, ...categories, value }, '/>')}`,
    ),
    '  </group>',
    '</adx>',
    '',
  ].join('\n')
}
