import { expect, test } from 'vitest'
import en from '../../../../../messages/en.json'
import {
  CELL_KINDS,
  type CellKind,
  type CellOfKind,
  checkDefinition,
  kindOfCell,
  referencedMeasures,
  type Test,
  renameMeasures,
} from '~/features/reports/cells/definition'
import { sourceFields, OPS, sourceNames } from '~/features/reports/cells/fields'
import { LIMIT_OPS } from '~/features/reports/cells/kinds/clinics'
import { STARTER_REPORTS } from '~/features/reports/starter/starter-reports'
import {
  toSavedDefinition,
  type DefinitionDraft,
  emptyDefinition,
  toTestList,
  newRow,
  renamed,
  fromTestList,
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
  for (const each of tests) expect(fromTestList(toTestList(each))).toEqual(each)
  expect(fromTestList(toTestList(undefined))).toBeUndefined()
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
  const { code, names, sections } = toSavedDefinition(draft)
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
  const body = toSavedDefinition({
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
  const draft: DefinitionDraft = {
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
      Object.entries(sourceFields(source)).flatMap(([name, { options = [] }]) => [
        fieldLabel(name),
        ...options.map(optionLabel).filter((label) => typeof label === 'string'),
      ]),
    ),
  ]
  expect(needed.filter((key) => !words.has(key))).toEqual([])
})

const shipped = STARTER_REPORTS.map(({ definition }) => [definition.code, definition] as const)

/** Every condition of the definition, those in other conditions included. */
function testsIn(part: unknown): Test[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([key, value]) => [
    ...(['where', 'and', 'is', 'not'].includes(key) && isTest(value) ? [value] : []),
    ...testsIn(value),
  ])
}
const isTest = (value: unknown): value is Test =>
  typeof value === 'object' &&
  value !== null &&
  !LIMIT_OPS.some((op) => Object.is(op, (value as unknown[])[0]))

test.each(shipped)('%s, opened in the editor and saved unchanged, is the same', (_, definition) => {
  expect(toSavedDefinition(structuredClone(definition))).toEqual(definition)
  const tests = testsIn(definition)
  expect(tests.length).toBeGreaterThan(0)
  for (const each of tests) expect(fromTestList(toTestList(each))).toEqual(each)
  expect(checkDefinition(toSavedDefinition(definition))).toEqual([])
})

test.each(shipped)(
  'each name in %s, changed and changed back, is the same everywhere',
  (_, definition) => {
    for (const part of ['groups', 'measures', 'axes'] as const)
      for (const name of Object.keys(definition[part] ?? {})) {
        const other = renamed(definition, part, name, 'renamed')
        expect(checkDefinition(other)).toEqual([])
        expect(renamed(other, part, 'renamed', name)).toEqual(definition)
      }
  },
)

/** One cell of each kind with all its parts; one that is added to the grammar does not compile without a line. */
const CELLS: { [K in CellKind]: Required<CellOfKind<K>> } = {
  count: { count: 'visits', distinct: 'patient', where: isMale, in: 'period' },
  sum: { sum: 'dispensed.quantity', of: 'dispensed', where: isMale, in: 'period' },
  median: {
    median: 'appointment.wait_minutes',
    of: 'appointments',
    where: isMale,
    in: { months: 3 },
  },
  ratio: { ratio: ['a', 'b'], times: 'month', cap: 90, share: 0.5 },
  add: { add: ['a', 'b'], counts: 'known' },
  weighted: { weighted: { a: 2, b: 1 } },
  subtract: { subtract: ['a', 'b'] },
  like: { like: 'a', and: isMale },
  days: {
    days: 'stock',
    where: ['stock.usable', 'atMost', 0],
    in: { months: 3 },
    each: 'clinic',
  },
  clinics: { clinics: 'a', is: ['atLeast', 1] },
  manual: { manual: 'integer' },
}

test('a cell of each kind follows the new name of a measure', () => {
  const named = CELL_KINDS.filter((kind) => referencedMeasures(CELLS[kind]).length > 0)
  expect(named.toSorted()).toEqual(['add', 'clinics', 'like', 'ratio', 'subtract', 'weighted'])
  for (const kind of CELL_KINDS) {
    const renamedCell = renameMeasures(CELLS[kind], (name) => `new-${name}`)
    expect(kindOfCell(renamedCell)).toBe(kind)
    expect(referencedMeasures(renamedCell)).toEqual(
      referencedMeasures(CELLS[kind]).map((name) => `new-${name}`),
    )
    expect(renameMeasures(renamedCell, (name) => name.slice(4))).toEqual(CELLS[kind])
  }
})
