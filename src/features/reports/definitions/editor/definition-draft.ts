import {
  type Axis,
  type Cell,
  makeUniqueId,
  referencedMeasures,
  ownSource,
  type ReportDefinition,
  type ReportRow,
  type ReportSection,
  type Test,
  renameMeasures,
} from '~/features/reports/cells/definition'
import { sourceFields, type Op, opsOf, type ReportSource } from '~/features/reports/cells/fields'
import { LANGUAGES, type Language } from '~/shared/language'

/** A definition while it is edited: names may be empty, and new parts have temporary ids. */
export type DefinitionDraft = ReportDefinition
export type TranslatedNames = ReportDefinition['names']
export type DefinitionUpdater = (change: (draft: DefinitionDraft) => DefinitionDraft) => void
/** What sections and rows refer to by name. */
export type SharedParts = Pick<DefinitionDraft, 'groups' | 'axes' | 'measures'>

/** The id of a part that was added here; saving replaces it by one made from its name. */
const TEMPORARY = 'new.'
let added = 0
const temporaryId = () => `${TEMPORARY}${Date.now().toString(36)}${(added += 1)}`

export const emptyDefinition = (): DefinitionDraft => ({
  code: '',
  names: { en: '' },
  period: 'month',
  closable_from: 1,
  page: 'A4',
  sections: [newSection()],
})

export const newSection = (): ReportSection => ({
  id: temporaryId(),
  names: { en: '' },
  measure: { count: 'cases', in: 'period' },
  rows: [],
})

export const newRow = (names: TranslatedNames = { en: '' }): ReportRow => ({
  id: temporaryId(),
  names,
})

/** With another section at this place. */
export const withSection = (
  draft: DefinitionDraft,
  at: number,
  next: (section: ReportSection) => ReportSection,
): DefinitionDraft => ({
  ...draft,
  sections: draft.sections.map((section, index) => (index === at ? next(section) : section)),
})

/** Letters, digits and hyphens of a text; a number follows if the id is taken. */
export const idFrom = (text: string, taken: ReadonlySet<string>, otherwise = 'part'): string =>
  makeUniqueId(
    text
      .normalize('NFC')
      .toLowerCase()
      .replaceAll(/[^\p{L}\d]+/gu, '-'),
    taken,
    otherwise,
  )

export const translatedName = (names: TranslatedNames | undefined, language: Language): string =>
  names?.[language] || names?.en || LANGUAGES.map((one) => names?.[one]).find(Boolean) || ''

/** Texts that were left empty are left out; another language stands in for an empty English one. */
function withoutEmpty(names: TranslatedNames): TranslatedNames {
  const texts = LANGUAGES.flatMap((language) => {
    const text = names[language]?.trim()
    return text ? [[language, text] as const] : []
  })
  return { ...Object.fromEntries(texts), en: names.en.trim() || (texts[0]?.[1] ?? '') }
}

/** As it is saved: temporary ids are replaced, and empty texts left out. */
export function toSavedDefinition(draft: DefinitionDraft): DefinitionDraft {
  const sectionIds = keptIds(draft.sections)
  return {
    ...draft,
    code: draft.code || codeFrom(draft.names),
    names: withoutEmpty(draft.names),
    sections: draft.sections.map((section) => {
      const rowIds = keptIds(section.rows)
      return {
        ...section,
        id: settled(section, sectionIds, 'section'),
        names: withoutEmpty(section.names),
        rows: section.rows.map((row) => ({
          ...row,
          id: settled(row, rowIds, 'row'),
          names: withoutEmpty(row.names),
        })),
      }
    }),
  }
}

const codeFrom = (names: TranslatedNames) => {
  const code = idFrom(names.en, new Set(), 'report').replaceAll(/[^a-z0-9-]/g, '')
  return /^[a-z][a-z0-9-]+$/.test(code) ? code : 'report'
}

const keptIds = (parts: readonly { id: string }[]) =>
  new Set(parts.map(({ id }) => id).filter((id) => !id.startsWith(TEMPORARY)))

function settled(
  { id, names }: { id: string; names: TranslatedNames },
  taken: Set<string>,
  what: string,
) {
  if (!id.startsWith(TEMPORARY)) return id
  const made = idFrom(translatedName(names, 'en'), taken, what)
  taken.add(made)
  return made
}

// Tests ------------------------------------------------------------------------------------------

/** How the tests of a list are joined. */
export const TEST_LIST_MATCHES = ['all', 'any', 'none', 'notAll'] as const
type Match = (typeof TEST_LIST_MATCHES)[number]
type TestList = { match: Match; tests: readonly Test[] }

/** A test as a list of tests; one test alone is a list of one. */
export function toTestList(test: Test | undefined): TestList {
  if (!test) return { match: 'all', tests: [] }
  if (Array.isArray(test)) return { match: 'all', tests: [test] }
  if ('all' in test) return { match: 'all', tests: test.all }
  if ('any' in test) return { match: 'any', tests: test.any }
  if ('not' in test) {
    const inner = test.not
    if (!Array.isArray(inner) && 'any' in inner) return { match: 'none', tests: inner.any }
    if (!Array.isArray(inner) && 'all' in inner) return { match: 'notAll', tests: inner.all }
    return { match: 'none', tests: [inner] }
  }
  return { match: 'all', tests: [test] }
}

/** The shortest test that says the same; undefined for an empty list. */
export function fromTestList({ match, tests }: TestList): Test | undefined {
  const [only] = tests
  if (!only) return undefined
  const all = [...tests]
  switch (match) {
    case 'all':
      return tests.length === 1 ? only : { all }
    case 'any':
      return { any: all }
    case 'none':
      // a list of its own within would be read as this one
      return tests.length === 1 && (Array.isArray(only) || !('all' in only || 'any' in only))
        ? { not: only }
        : { not: { any: all } }
    case 'notAll':
      return { not: { all } }
  }
}

/** Whether the screen draws a test as a list of its own. */
export const isList = (test: Test) =>
  !Array.isArray(test) && ('all' in test || 'any' in test || 'not' in test)

/** The first test that someone may want of a source. */
export function newTest(source: ReportSource): Test {
  const names = Object.keys(sourceFields(source))
  const field =
    source === 'cases'
      ? 'case.code'
      : (names.find((name) => !/^(patient|row)\./.test(name)) ?? 'patient.sex')
  return withField(source, field)
}

/** A test of this field, with the first comparison and an empty value. */
export function withField(source: ReportSource, field: string): Test {
  const type = sourceFields(source)[field]?.type ?? 'text'
  const op = type === 'code' ? 'inGroup' : opsOf[type][0]!
  return [field, op, emptyValue(type, op, sourceFields(source)[field]?.options)]
}

export function emptyValue(type: string, op: Op, options?: readonly string[]) {
  if (op === 'isSet') return true
  if (op === 'in') return []
  if (type === 'boolean') return true
  if (type === 'number') return 0
  return options?.[0] ?? ''
}

// Measures ---------------------------------------------------------------------------------------

/** The source whose fields a measure can be filtered by; null for values that are computed or entered. */
export function measureSource(
  shared: SharedParts,
  measure: string | Cell | undefined,
  depth = 0,
): ReportSource | null {
  if (measure === undefined || depth > 10) return null
  if (typeof measure === 'string')
    return measureSource(shared, shared.measures?.[measure], depth + 1)
  const [first] = referencedMeasures(measure)
  return ownSource(measure) ?? measureSource(shared, first, depth + 1)
}

// Names that other parts refer to ----------------------------------------------------------------

type Named = 'groups' | 'measures' | 'axes'

/** Renames a group, measure or axis, and everything that refers to it. */
export function renamed(
  draft: DefinitionDraft,
  part: Named,
  from: string,
  to: string,
): DefinitionDraft {
  const parts = draft[part] as Record<string, unknown> | undefined
  if (!parts || from === to || !(from in parts) || to in parts) return draft
  const next = Object.fromEntries(
    Object.entries(parts).map(([name, value]) => [name === from ? to : name, value]),
  )
  const swap = (name: string) => (name === from ? to : name)
  const named = { ...draft, [part]: next } as DefinitionDraft
  if (part === 'measures') return withMeasures(named, swap)
  return mapped(named, (value, key, parent) => {
    if (part === 'groups') {
      if (Array.isArray(value) && value.length === 3 && value[1] === 'inGroup') {
        const group = value[2] as string | string[]
        return [value[0], value[1], Array.isArray(group) ? group.map(swap) : swap(group)]
      }
      return key === 'except' ? (value as string[]).map(swap) : value
    }
    if (key === 'cross') return (value as string[]).map(swap)
    const isColumns = key === 'axis' && typeof value === 'string' && 'axis' in parent
    return isColumns ? swap(value) : value
  })
}

/** The draft with other names of measures wherever one is referred to. */
function withMeasures(draft: DefinitionDraft, swap: (name: string) => string): DefinitionDraft {
  const measured = <Part extends { measure?: string | Cell | undefined }>(part: Part): Part => {
    const { measure } = part
    if (measure === undefined) return part
    return {
      ...part,
      measure: typeof measure === 'string' ? swap(measure) : renameMeasures(measure, swap),
    }
  }
  const values = <Each>(parts: Record<string, Each> | undefined, next: (each: Each) => Each) =>
    parts && Object.fromEntries(Object.entries(parts).map(([name, each]) => [name, next(each)]))
  const measures = values(draft.measures, (cell) => renameMeasures(cell, swap))
  const axes = values(
    draft.axes,
    (axis) => axis.map((band) => (typeof band === 'string' ? band : measured(band))) as Axis,
  )
  return {
    ...draft,
    ...(measures && { measures }),
    ...(axes && { axes }),
    sections: draft.sections.map((section) => ({
      ...measured(section),
      rows: section.rows.map(measured),
    })),
  }
}

type Visit = (value: unknown, key: string, parent: Record<string, unknown>) => unknown

function mapped<T>(whole: T, visit: Visit): T {
  const walk = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map((each) => walk(visit(each, '', {})))
    if (!part || typeof part !== 'object') return part
    const parent = part as Record<string, unknown>
    return Object.fromEntries(
      Object.entries(parent).map(([key, value]) => [key, walk(visit(value, key, parent))]),
    )
  }
  return walk(whole) as T
}

// Rows from diagnoses ----------------------------------------------------------------------------

export const LIST_BY_SYSTEM = {
  icd10: 'icd10',
  icd10cm: 'icd10',
  icd11: 'icd11',
  snomed: 'snomed',
} as const
type PickedCode = { system: keyof typeof LIST_BY_SYSTEM; code: string; names: TranslatedNames }

/** Adds a row that counts a diagnosis, and the group of its code. */
export function withDiagnosis(
  draft: DefinitionDraft,
  at: number,
  { system, code, names }: PickedCode,
): DefinitionDraft {
  const taken = new Set(Object.keys(draft.groups ?? {}))
  const group = idFrom(translatedName(names, 'en'), taken, 'group')
  const row: ReportRow = { ...newRow(names), where: ['case.code', 'inGroup', group] }
  return withSection(
    { ...draft, groups: { ...draft.groups, [group]: { [LIST_BY_SYSTEM[system]]: [code] } } },
    at,
    (section) => ({ ...section, rows: [...section.rows, row] }),
  )
}
