import { expect, test } from 'vitest'
import en from '../../../../../messages/en.json'
import { checkDefinition, type Test } from '~/features/reports/cells/definition'
import { fieldsOf, OPS, sourceNames } from '~/features/reports/cells/fields'
import {
  completed,
  type Draft,
  emptyDefinition,
  listOf,
  newRow,
  renamed,
  testOf,
  withDiagnosis,
} from './definition-draft'
import { fieldLabel, opLabel, optionLabel, sourceLabel } from './report-words'

const isMale: Test = ['patient.sex', 'is', 'male']
const isNew: Test = ['visit.is_new', 'is', true]

test('a condition is drawn as a list and written again as the same condition', () => {
  const tests: Test[] = [
    isMale,
    { all: [isMale, isNew] },
    { any: [isMale, isNew] },
    { any: [isMale] },
    { not: isMale },
    { not: { any: [isMale, isNew] } },
    { not: { all: [isMale, isNew] } },
    { exists: 'visits', in: 'period' },
    { all: [{ latest: 'bp', in: { months: 3 }, is: ['bp.systolic', 'below', 140] }, isMale] },
  ]
  for (const each of tests) expect(testOf(listOf(each))).toEqual(each)
  expect(testOf(listOf(undefined))).toBeUndefined()
})

test('new parts get ids from their names, and stored ids stay when names change', () => {
  const draft = emptyDefinition()
  draft.names = { en: 'Ward Report 1', ar: ' ' }
  draft.sections[0] = {
    ...draft.sections[0]!,
    names: { en: '', es: 'Consultas' },
    rows: [
      newRow({ en: 'New visits' }),
      newRow({ en: 'New visits' }),
      { id: 'old', names: { en: 'Renamed' } },
    ],
  }
  const { code, names, sections } = completed(draft)
  expect({ code, names }).toEqual({ code: 'ward-report-1', names: { en: 'Ward Report 1' } })
  expect(sections[0]).toMatchObject({
    id: 'consultas',
    names: { en: 'Consultas', es: 'Consultas' },
    rows: [{ id: 'new-visits' }, { id: 'new-visits-2' }, { id: 'old' }],
  })
})

test('a diagnosis becomes a row and a group of its code', () => {
  const draft = withDiagnosis({ ...emptyDefinition(), names: { en: 'Report' } }, 0, {
    system: 'icd10cm',
    code: 'B54',
    names: { en: 'Malaria', ar: 'ملاريا' },
  })
  const body = completed({
    ...draft,
    sections: [{ ...draft.sections[0]!, names: { en: 'Acute' } }],
  })
  expect(body.groups).toEqual({ malaria: { icd10: ['B54'] } })
  expect(body.sections[0]!.rows).toEqual([
    {
      id: 'malaria',
      names: { en: 'Malaria', ar: 'ملاريا' },
      where: ['case.code', 'inGroup', 'malaria'],
    },
  ])
  expect(checkDefinition(body)).toEqual([])
})

test('a new name of a group, measure or column reaches everything that refers to it', () => {
  const draft: Draft = {
    ...emptyDefinition(),
    groups: { a: { icd10: ['A00'] }, other: { except: ['a'] } },
    measures: {
      base: { count: 'cases', in: 'period' },
      rate: { ratio: ['base', 'base'], times: 100 },
    },
    axes: { age: [{ id: 'all', from: 0 }] },
    sections: [
      {
        id: 's',
        names: { en: 'S' },
        columns: { axis: 'age' },
        rows: [
          {
            id: 'r',
            names: { en: 'R' },
            measure: 'base',
            where: { not: ['case.code', 'inGroup', 'a'] },
          },
        ],
      },
    ],
  }
  const next = renamed(
    renamed(renamed(draft, 'groups', 'a', 'cholera'), 'measures', 'base', 'cases'),
    'axes',
    'age',
    'ages',
  )
  expect(next).toMatchObject({
    groups: { cholera: { icd10: ['A00'] }, other: { except: ['cholera'] } },
    measures: { cases: { count: 'cases' }, rate: { ratio: ['cases', 'cases'] } },
    axes: { ages: [{ id: 'all' }] },
  })
  expect(next.sections[0]).toMatchObject({
    columns: { axis: 'ages' },
    rows: [{ measure: 'cases', where: { not: ['case.code', 'inGroup', 'cholera'] } }],
  })
})

test('every source, field, comparison and choice has words', () => {
  const words = new Set(Object.keys(en.reportWords).map((name) => `reportWords.${name}`))
  const needed = [
    ...sourceNames.map(sourceLabel),
    ...OPS.map(opLabel),
    ...sourceNames.flatMap((source) =>
      Object.entries(fieldsOf(source)).flatMap(([name, { options = [] }]) => [
        fieldLabel(name),
        ...options.map(optionLabel).filter((label) => typeof label === 'string'),
      ]),
    ),
  ]
  expect(needed.filter((key) => !words.has(key))).toEqual([])
})
