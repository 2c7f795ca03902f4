import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  CELL_KINDS,
  type CellKind,
  type CellOfKind,
  definitionCells,
  type ReportDefinition,
} from '../cells/definition'
import { sayIn } from '~/shared/in-words'
import { type MaskableCell, computeMasks } from './masking'
import { countsPeople, maskingKind, sheetAt } from './measure-kind'

const cell = (row: string, column: string, value: number, more: object = {}): MaskableCell => ({
  section: 'acute',
  row,
  column,
  value,
  numerator: null,
  denominator: null,
  rows: value,
  kind: 'count',
  ...more,
})
const shown = (cells: MaskableCell[]) =>
  computeMasks(cells).map((mask, at) => (mask === null ? cells[at]!.value : mask))

test('a count from 1 to 4 is hidden, and zero and 5 are not', () => {
  expect([0, 1, 4, 5].map((value) => shown([cell('malaria', 'value', value)])[0])).toEqual([
    0,
    'few',
    'few',
    5,
  ])
})

test('the next smallest count of its row is hidden, too, so that the total does not give it away', () => {
  expect(
    shown([
      cell('malaria', 'male', 3),
      cell('malaria', 'female', 12),
      cell('malaria', 'unknown', 0),
      cell('malaria', 'total', 15),
    ]),
  ).toEqual(['few', 'hidden', 0, 15])
})

test('a count that was hidden for its row does not stay alone in its column', () => {
  const table = [
    [3, 20, 23],
    [9, 40, 49],
    [12, 60, 72],
  ].flatMap((row, r) => row.map((value, c) => cell(`row ${r}`, `column ${c}`, value)))
  expect(shown(table)).toEqual(['few', 'hidden', 23, 'hidden', 'hidden', 49, 12, 60, 72])
})

test('a ratio is hidden with the counts that it would show', () => {
  const ratio = (numerator: number, denominator: number) =>
    cell('rate', 'value', 10, { kind: 'ratio', numerator, denominator })
  expect(shown([cell('few', 'value', 2), ratio(2, 50)])).toEqual(['few', 'hidden'])
  expect(shown([cell('a', 'x', 2), cell('a', 'y', 30), ratio(30, 60)])).toEqual([
    'few',
    'hidden',
    'hidden',
  ])
  expect(shown([cell('many', 'value', 20), ratio(20, 50)])).toEqual([20, 10])
})

test('stock, days and manual values are shown; the sum of a few patients is not', () => {
  expect(shown([cell('stock', 'value', 2, { kind: 'other' })])).toEqual([2])
  expect(shown([cell('weight', 'value', 90, { kind: 'sum', rows: 1 })])).toEqual(['few'])
})

test('no row and no column of any table lets a hidden count be computed from its total', () => {
  const rows = fc.array(fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 3, maxLength: 3 }), {
    minLength: 1,
    maxLength: 5,
  })
  fc.assert(
    fc.property(rows, (parts) => {
      const sums = (all: number[][]) =>
        all[0]!.map((_, at) => all.reduce((sum, row) => sum + row[at]!, 0))
      const inner = parts.map((row) => [...row, row.reduce((sum, value) => sum + value, 0)])
      const table = [...inner, sums(inner)]
      const masks = computeMasks(
        table.flatMap((row, r) => row.map((value, c) => cell(`${r}`, `${c}`, value))),
      )
      const width = 4
      const lines = [
        ...table.map((row, r) => row.map((_, c) => r * width + c)),
        ...table[0]!.map((_, c) => table.map((__, r) => r * width + c)),
      ]
      for (const line of lines) expect(line.filter((at) => masks[at] !== null).length).not.toBe(1)
    }),
  )
})

test('counts that are weighed, or counted by clinic, are hidden as the counts that they are made of', () => {
  const definition: ReportDefinition = {
    code: 'test',
    names: { en: 'Test' },
    period: 'month',
    measures: {
      people: { count: 'visits', in: 'period' },
      stock: { sum: 'stock.usable', of: 'stock', in: { until: 'periodEnd' } },
      half: { weighted: { people: 0.5 } },
      packs: { weighted: { stock: 10 } },
      days: { ratio: ['packs', 'people'], times: 1, share: 1.4 },
      busy: { clinics: 'people', is: ['above', 3] },
      supplied: { clinics: 'days', is: ['atLeast', 30] },
    },
    sections: [
      {
        id: 's',
        names: { en: 'Section' },
        rows: ['half', 'packs', 'days', 'busy', 'supplied'].map((measure) => ({
          id: measure,
          names: { en: measure },
          measure,
        })),
      },
    ],
  }
  const found = definitionCells(definition).map((at) => [
    at.row,
    maskingKind(definition, at),
    countsPeople(definition, at),
  ])
  expect(found).toEqual([
    ['half', 'sum', true],
    ['packs', 'other', false],
    // what opens are the rows of the numerator
    ['days', 'ratio', false],
    ['busy', 'count', false],
    ['supplied', 'other', false],
  ])
})

/** What a cell of each kind shows of people, and of stock, which is not masked. */
const SHOWS: Record<CellKind, { people: MaskableCell['kind']; stock: MaskableCell['kind'] }> = {
  count: { people: 'count', stock: 'other' },
  sum: { people: 'sum', stock: 'other' },
  median: { people: 'sum', stock: 'other' },
  ratio: { people: 'ratio', stock: 'ratio' },
  add: { people: 'count', stock: 'other' },
  weighted: { people: 'sum', stock: 'other' },
  subtract: { people: 'count', stock: 'other' },
  like: { people: 'count', stock: 'other' },
  clinics: { people: 'count', stock: 'other' },
  days: { people: 'other', stock: 'other' },
  manual: { people: 'other', stock: 'other' },
}
const cellsOver = (source: 'visits' | 'stock'): { [K in CellKind]: CellOfKind<K> } => ({
  count: { count: source, in: 'period' },
  sum: { sum: 'row.number', of: source, in: 'period' },
  median: { median: 'row.number', of: source, in: 'period' },
  ratio: { ratio: ['base', 'base'], times: 100 },
  add: { add: ['base'] },
  weighted: { weighted: { base: 2 } },
  subtract: { subtract: ['base', 'base'] },
  like: { like: 'base', and: ['row.clinic', 'is', 'c'] },
  clinics: { clinics: 'base', is: ['atLeast', 1] },
  days: { days: 'stock', in: 'period', each: 'clinic' },
  manual: { manual: 'integer' },
})

test.each(CELL_KINDS)('what a cell of the kind "%s" shows is known to the masking', (kind) => {
  const kindOver = (source: 'visits' | 'stock') =>
    maskingKind(
      {
        code: 'r',
        names: { en: 'R' },
        period: 'month',
        measures: { base: { count: source, in: 'period' } },
        sections: [
          {
            id: 's',
            names: { en: 'S' },
            rows: [{ id: 'r', names: { en: 'R' }, measure: cellsOver(source)[kind] }],
          },
        ],
      },
      { section: 's', row: 'r', column: 'value' },
    )
  expect({ people: kindOver('visits'), stock: kindOver('stock') }).toEqual(SHOWS[kind])
})

test('a cell that is not in the definition, or of a kind that is not known, is not shown bare', () => {
  const definition: ReportDefinition = {
    code: 'r',
    names: { en: 'R' },
    period: 'month',
    sections: [
      {
        id: 's',
        names: { en: 'S' },
        rows: [
          { id: 'lost', names: { en: 'R' }, measure: 'missing' },
          { id: 'new', names: { en: 'R' }, measure: { average: 'visits' } as never },
        ],
      },
    ],
  }
  const kind = (row: string) => maskingKind(definition, { section: 's', row, column: 'value' })
  expect(kind('lost')).toBe('count')
  expect(() => kind('new')).toThrow('No kind of cell has the parts average')
})

test('beside a ratio stands what makes its value, also of a part of its rows, and a limit that cut it', () => {
  const measures = {
    a: { manual: 'integer' },
    b: { manual: 'integer' },
    half: { ratio: ['a', 'b'], times: 100 },
    some: { like: 'half', and: ['visit.is_new', 'is', true] },
    few: { like: 'some', and: ['visit.is_new', 'is', true] },
  } satisfies ReportDefinition['measures']
  const names = { en: 'Name' }
  const rows = Object.keys(measures).map((id) => ({ id, names, measure: id }))
  const definition: ReportDefinition = {
    code: 'ratios',
    names,
    period: 'month',
    measures,
    sections: [{ id: 's', names, rows }],
  }
  const counts = { numerator: 120, denominator: 40 }
  const beside = (of: ReportDefinition, row: string, value: number) => {
    const told = sheetAt(of, { section: 's', row, column: 'value' })!.beside({ value, ...counts })
    return told && sayIn('en')(told)
  }
  expect(['a', 'half', 'some', 'few'].map((row) => beside(definition, row, 300))).toEqual([
    null,
    '120 of 40',
    '120 of 40',
    '120 of 40',
  ])
  const parts = (value: number, more: Partial<CellOfKind<'ratio'>>) => {
    const half = { ratio: ['a', 'b'], times: 1, ...more } satisfies Partial<CellOfKind<'ratio'>>
    return beside({ ...definition, measures: { ...measures, half } }, 'half', value)
  }
  expect(parts(3, {})).toBe('120 per 40')
  expect(parts(120 / (40 * 1.4), { share: 1.4 })).toBe('120 per (40 × 1.4)')
  expect(parts(100, { times: 100, cap: 100 })).toBe('120 of 40, at most 100 %')
  expect(parts(300, { times: 100, cap: 300 })).toBe('120 of 40')
  expect(parts(2, { cap: 2 })).toBe('120 per 40, at most 2')
  expect(parts(90, { times: 'month', cap: 90 })).toBe('120 per 40, at most 90')
  expect(parts(2, { cap: 2, share: 1.4 })).toBe('120 per 40, at most 2')
})
