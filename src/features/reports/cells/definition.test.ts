import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkDefinition, type DefinitionProblem } from './definition'
import { periodAt, periodsBack, previousPeriod, readPeriod } from './period'

const names = { en: 'Name' }
const row = (id: string, more: object = {}) => ({ id, names, measure: 'visits', ...more })
const body = (more: object = {}, rows: object[] = [row('all')]) => ({
  code: 'test',
  names,
  period: 'month',
  groups: { malaria: { icd10: ['B50-B54'] } },
  axes: { age: [{ id: 'u5', to: 60 }] },
  measures: { visits: { count: 'visits', in: 'period' } },
  sections: [{ id: 's', names, rows }],
  ...more,
})
const said = (given: unknown) =>
  checkDefinition(given).map(
    ({ path, key }: DefinitionProblem) => `${path.join('.')} ${key.split('.')[1]}`,
  )
const measured = (cell: object) => said(body({ measures: { visits: cell } }))

test('each fault of a definition is one sentence beside its place', () => {
  expect(said(body())).toEqual([])
  expect(said(body({ colour: 'red' }))).toEqual(['colour unknownPart'])
  expect(said(body({}, [row('a', { sql: 'select 1' })]))).toEqual([
    'sections.0.rows.0.sql unknownPart',
  ])
  expect(said(body({ names: { en: '' }, sections: [] }))).toEqual([
    'names.en noName',
    'sections noSections',
  ])
  expect(said(body({ closable_from: 99 }))).toEqual(['closable_from wrongDay'])
  expect(said(body({ bp_of_day: 'mean' }))).toEqual([])
  expect(said(body({ bp_of_day: 'first' }))).toEqual(['bp_of_day wrongShape'])
  expect(said(body({ code: 'Two words' }, []))).toEqual([
    'code wrongCode',
    'sections.0.rows noRows',
  ])
  expect(said(body({}, [row('a', { measure: 'cases' })]))).toEqual([
    'sections.0.rows.0.measure unknownMeasure',
  ])
  expect(said(body({}, [row('a'), row('a')]))).toEqual(['sections.0.rows.1.id twice'])
  expect(said(body({}, [row('a', { where: ['visit.colour', 'is', 'red'] })]))).toEqual([
    'sections.0.rows.0.where.0 unknownField',
  ])
  expect(said(body({}, [row('a', { where: ['visit.is_new', 'below', 3] })]))).toEqual([
    'sections.0.rows.0.where.1 wrongOp',
  ])
  expect(said(body({}, [row('a', { where: ['patient.sex', 'is', 'man'] })]))).toEqual([
    'sections.0.rows.0.where.2 wrongValue',
  ])
  expect(
    measured({ count: 'cases', in: 'period', where: ['case.code', 'inGroup', 'typhoid'] }),
  ).toEqual(['measures.visits.where.2 unknownGroup'])
  expect(measured({ count: 'movements', in: 'period', distinct: 'patient' })).toEqual([
    'measures.visits.count noPatient',
  ])
  expect(measured({ count: 'visits', in: 'visit' })).toEqual(['measures.visits.in wrongWindow'])
  expect(measured({ sum: 'visit.is_new', of: 'visits', in: 'period' })).toEqual([
    'measures.visits.sum wrongOp',
  ])
  const medianOfText = { median: 'patient.sex', of: 'visits', in: 'period' }
  expect(checkDefinition(body({ measures: { visits: medianOfText } }))).toMatchObject([
    { path: ['measures', 'visits', 'median'], values: { field: 'patient.sex', op: 'median' } },
  ])
  const ab = {
    visits: { add: ['other'] },
    other: { like: 'visits', and: ['visit.is_new', 'is', true] },
  }
  expect(said(body({ measures: ab }))).toEqual(['measures.visits cycle'])
  const visits = { count: 'visits', in: 'period' }
  const clinics = (measure: string) => ({ clinics: measure, is: ['atLeast', 1] })
  expect(said(body({ measures: { visits, some: clinics('visits') } }))).toEqual([])
  expect(said(body({ measures: { visits, some: clinics('beds') } }))).toEqual([
    'measures.some.clinics unknownMeasure',
  ])
  const nested = { visits, some: clinics('half'), half: { weighted: { other: 0.5 } } }
  expect(said(body({ measures: { ...nested, other: clinics('visits') } }))).toEqual([
    'measures.some.clinics clinicsOfClinics',
  ])
  expect(said(body({ groups: { malaria: { icd10: ['B54-B50'] } } }))).toEqual([
    'groups.malaria.icd10.0 wrongRange',
  ])
  const rows = Array.from({ length: 2_000 }, (_, at) => row(`r${at}`))
  const wide = { columns: { axis: 'age', total: true } }
  expect(said({ ...body(), sections: [{ id: 's', names, rows, ...wide }] })).toEqual([
    'sections tooManyCells',
  ])
  const stock = { sum: 'stock.usable', of: 'stock', in: { until: 'periodEnd' } }
  const each = row('medicine', { measure: stock, each: 'medicine' })
  expect(said({ ...body(), sections: [{ id: 's', names, rows: [each] }] })).toEqual([])
  const coded = { ...each, dhis2: 'STOCK' }
  expect(said({ ...body(), sections: [{ id: 's', names, rows: [coded] }] })).toEqual([
    'sections.0.rows.0.dhis2 codeOfEach',
  ])
  const many = { all: Array.from({ length: 60 }, () => ['visit.is_new', 'is', true]) }
  expect(measured({ count: 'visits', in: 'period', where: many })).toEqual([
    'measures.visits tooManyNodes',
  ])
  let deep: unknown = ['visit.is_new', 'is', true]
  for (let depth = 0; depth < 8; depth += 1) deep = { not: deep }
  expect(measured({ count: 'visits', in: 'period', where: deep as object })).toEqual([
    'measures.visits tooDeep',
  ])
})

test('anything else is refused as well, whatever it is', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      expect(checkDefinition(value)).not.toEqual([])
      expect(said(body({}, [row('a', { where: value })]))).not.toEqual([])
    }),
    { numRuns: 200, seed: 20 },
  )
})

test('a period begins and ends with days of the zone, through changes of clocks', () => {
  const bounds = (text: string, zone: string) => {
    const { first, last, from, to } = readPeriod(text, zone)!
    return [first, last, from.toISOString(), to.toISOString()]
  }
  expect(bounds('2026-10', 'Asia/Damascus')).toEqual([
    '2026-10-01',
    '2026-10-31',
    '2026-09-30T21:00:00.000Z',
    '2026-10-31T21:00:00.000Z',
  ])
  // clocks go back an hour at 1:00 on 1 November
  expect(bounds('2026-11-01', 'America/Havana').slice(2)).toEqual([
    '2026-11-01T04:00:00.000Z',
    '2026-11-02T05:00:00.000Z',
  ])
  // and forward at midnight of 24 April: the day begins at 1:00
  expect(bounds('2026-04-24', 'Africa/Cairo').slice(2)).toEqual([
    '2026-04-23T22:00:00.000Z',
    '2026-04-24T21:00:00.000Z',
  ])
  expect(bounds('2026-W53', 'UTC').slice(0, 2)).toEqual(['2026-12-28', '2027-01-03'])
  expect(bounds('2026-Q4', 'UTC').slice(0, 2)).toEqual(['2026-10-01', '2026-12-31'])
  for (const wrong of ['2026-13', '2025-W53', '2026-W00', '2026-Q5', '2026-02-30', '1800', '', 'x'])
    expect(readPeriod(wrong, 'UTC')).toBeNull()
})

test('periods of a kind follow one another without a gap', () => {
  expect(previousPeriod('2026-01')).toBe('2025-12')
  expect(previousPeriod('2026-W01')).toBe('2025-W52')
  expect(previousPeriod('2026-Q1')).toBe('2025-Q4')
  expect(periodsBack('2026-02', 3)).toEqual(['2025-12', '2026-01', '2026-02'])
  for (const kind of ['week', 'month', 'quarter', 'year', 'day'] as const) {
    const [before, text] = periodsBack(periodAt(kind, '2027-01-01'), 2)
    const [earlier, later] = [readPeriod(before!, 'UTC')!, readPeriod(text!, 'UTC')!]
    expect(earlier.to).toEqual(later.from)
  }
})
