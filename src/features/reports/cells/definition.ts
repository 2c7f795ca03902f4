import type * as z from 'zod'
import type { Message } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { sourceFields, opsOf, SOURCES, type ReportSource } from './fields'
import {
  relatedSource,
  axesOf,
  type Cell,
  columnsOfAxis,
  type Comparison,
  kindOfCell,
  cellRules,
  cellMeasure,
  MOST_CELLS,
  MOST_DEPTH,
  MOST_NODES,
  referencedMeasures,
  ofMedicine,
  ownSource,
  type ReportDefinition,
  reportDefinition,
  type ReportSection,
  type Test,
  type Window,
} from './grammar'
import type { Checks, ProblemPath, ProblemName } from './kinds/kind'

export * from './grammar'

/** What is wrong with a definition, and where. */
export type DefinitionProblem = {
  path: ProblemPath
  key: MessageKey
  values?: Record<string, string | number>
}

// What zod finds ---------------------------------------------------------------------------------

type Issue = z.core.$ZodIssue

/** Of a union, the issues of the alternative that the value comes closest to. */
function closest(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const weight = (issues: Issue[]) =>
    issues.reduce((sum, each) => sum + (each.path.length === 0 ? 10 : 1), 0) +
    (issues.some((each) => each.code === 'invalid_type' && each.path.length <= 1) ? 5 : 0)
  const [best = []] = issue.errors.toSorted((a, b) => weight(a) - weight(b))
  return best
    .flatMap(closest)
    .map((each) => ({ ...each, path: [...issue.path, ...each.path] }) as Issue)
}

const problemsOfShape = (issues: Issue[]): DefinitionProblem[] =>
  issues.flatMap(closest).map((issue) => {
    const path = issue.path.map((each) => (typeof each === 'number' ? each : String(each)))
    return issue.code === 'unrecognized_keys'
      ? {
          path: [...path, issue.keys[0] ?? ''],
          key: 'reportCells.unknownPart',
          values: { name: issue.keys[0] ?? '' },
        }
      : { path, key: shapeKey(issue, path) }
  })

/** What a user who begins a definition leaves empty has a sentence of its own. */
function shapeKey({ code }: Issue, path: DefinitionProblem['path']): MessageKey {
  const [part, name] = [path.at(-2), path.at(-1)]
  if (path.length === 1 && name === 'code') return 'reportCells.wrongCode'
  if (path.length === 1 && name === 'closable_from') return 'reportCells.wrongDay'
  if (code !== 'too_small') return 'reportCells.wrongShape'
  if (part === 'names') return 'reportCells.noName'
  if (name === 'rows') return 'reportCells.noRows'
  if (name === 'sections') return 'reportCells.noSections'
  return 'reportCells.wrongShape'
}

/** Nesting of a JSON value, without recursion: a definition may come from anywhere. */
function isDeeper(body: unknown, most: number): boolean {
  let level: unknown[] = [body]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) return true
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? Object.values(each) : [],
    )
  }
  return false
}

// What the grammar cannot say --------------------------------------------------------------------

/** Nodes and depth of what is nested in a cell. */
function nestingSize(part: unknown, depth = 1): { nodes: number; depth: number } {
  if (typeof part !== 'object' || part === null) return { nodes: 0, depth: 0 }
  const isComparison = Array.isArray(part) && typeof part[0] === 'string'
  if (isComparison) return { nodes: 1, depth }
  let [nodes, deepest] = [Array.isArray(part) ? 0 : 1, depth]
  for (const [name, each] of Object.entries(part)) {
    if (name === 'in') continue
    const size = nestingSize(each, Array.isArray(part) ? depth : depth + 1)
    nodes += size.nodes
    deepest = Math.max(deepest, size.depth)
  }
  return { nodes, depth: deepest }
}

class Checker implements Checks {
  readonly problems: DefinitionProblem[] = []

  constructor(readonly definition: ReportDefinition) {}

  add(path: ProblemPath, name: ProblemName, values?: DefinitionProblem['values']) {
    this.problems.push({
      path,
      key: `reportCells.${name}`,
      ...(values && { values }),
    })
  }

  get measures() {
    return this.definition.measures ?? {}
  }

  named(name: string, path: ProblemPath) {
    if (Object.hasOwn(this.measures, name)) return true
    this.add(path, 'unknownMeasure', { name })
    return false
  }

  field(source: ReportSource, name: string, path: ProblemPath) {
    const fields = sourceFields(source)
    if (Object.hasOwn(fields, name)) return fields[name]
    this.add(path, 'unknownField', { field: name, source })
    return undefined
  }

  comparison(source: ReportSource, [name, op, value]: Comparison, path: ProblemPath) {
    const field = this.field(source, name, [...path, 0])
    if (!field) return
    if (!opsOf[field.type].includes(op)) {
      this.add([...path, 1], 'wrongOp', { field: name, op })
      return
    }
    const isMany = op === 'in' || op === 'has' || (op === 'inGroup' && Array.isArray(value))
    const values = isMany && Array.isArray(value) ? value : [value]
    const isFit = (each: unknown): boolean => {
      if (op === 'isSet') return typeof each === 'boolean'
      if (field.type === 'number') return typeof each === 'number'
      if (field.type === 'boolean') return typeof each === 'boolean'
      if (typeof each !== 'string') return false
      if (field.type === 'day') return /^\d{4}-\d{2}-\d{2}$/.test(each) && isDay(each)
      return field.options?.includes(each) ?? true
    }
    const wrong = values.find((each) => !isFit(each))
    if (wrong !== undefined)
      this.add([...path, 2], 'wrongValue', { value: JSON.stringify(wrong), field: name })
    else if (op === 'inGroup')
      for (const each of values)
        if (!Object.hasOwn(this.definition.groups ?? {}, String(each)))
          this.add([...path, 2], 'unknownGroup', { name: String(each) })
  }

  perPatient(source: ReportSource, path: ProblemPath) {
    if (!SOURCES[source].perPatient) this.add(path, 'noPatient', { source })
  }

  /** `outer`: the source of the row that a window within a test refers to; null: a cell's own window. */
  window(outer: ReportSource | null, source: ReportSource, window: Window, path: ProblemPath) {
    const isOfRow = window === 'visit' || (typeof window === 'object' && 'days' in window)
    if (outer === null && isOfRow) this.add(path, 'wrongWindow', { source })
    if (source === 'patient_states' && window !== 'period' && !isUntil(window))
      this.add(path, 'wrongWindow', { source })
    if (source === 'stock' && window !== 'period' && !isUntil(window))
      this.add(path, 'wrongWindow', { source })
    if (outer !== null && typeof window === 'object' && 'days' in window) {
      const field = this.field(outer, window.after, [...path, 'after'])
      if (field && field.type !== 'day')
        this.add([...path, 'after'], 'wrongOp', { field: window.after, op: 'after' })
      if (window.days[0] > window.days[1]) this.add([...path, 'days'], 'wrongShape')
    }
  }

  test(source: ReportSource, test: Test, path: ProblemPath) {
    if (Array.isArray(test)) this.comparison(source, test, path)
    else if ('all' in test)
      test.all.forEach((each, at) => this.test(source, each, [...path, 'all', at]))
    else if ('any' in test)
      test.any.forEach((each, at) => this.test(source, each, [...path, 'any', at]))
    else if ('not' in test) this.test(source, test.not, [...path, 'not'])
    else {
      const [name, inner] = relatedSource(test)
      this.perPatient(source, path)
      this.perPatient(inner, [...path, name])
      if (test.where) this.test(inner, test.where, [...path, 'where'])
      if ('in' in test) this.window(source, inner, test.in, [...path, 'in'])
      if ('latest' in test) this.test(inner, test.is, [...path, 'is'])
      if ('nth' in test && inner !== source) this.add([...path, 'nth'], 'nthOfOther', { source })
    }
  }

  cell(cell: Cell, path: ProblemPath) {
    const size = nestingSize(cell)
    if (size.nodes > MOST_NODES) this.add(path, 'tooManyNodes', { max: MOST_NODES })
    if (size.depth > MOST_DEPTH) this.add(path, 'tooDeep', { max: MOST_DEPTH })
    cellRules(cell).check(cell, this, path)
  }

  /** The sources whose rows a cell counts; empty for manual values. */
  sourcesOf(measure: string | Cell, seen: readonly string[] = []): ReportSource[] {
    if (typeof measure === 'string') {
      const cell = Object.hasOwn(this.measures, measure) ? this.measures[measure] : undefined
      return cell && !seen.includes(measure) ? this.sourcesOf(cell, [...seen, measure]) : []
    }
    const all = referencedMeasures(measure).flatMap((name) => this.sourcesOf(name, seen))
    const own = ownSource(measure)
    return [...new Set(own ? [...all, own] : all)]
  }

  /** Whether a measure counts clinics, itself or by another. */
  asksClinics(name: string, seen = new Set<string>()): boolean {
    if (seen.has(name) || !Object.hasOwn(this.measures, name)) return false
    seen.add(name)
    const cell = this.measures[name]!
    return (
      kindOfCell(cell) === 'clinics' ||
      referencedMeasures(cell).some((one) => this.asksClinics(one, seen))
    )
  }

  cycles() {
    const state = new Map<string, 'open' | 'done'>()
    const visit = (name: string, way: string[]) => {
      if (state.get(name) === 'done' || !Object.hasOwn(this.measures, name)) return
      if (state.get(name) === 'open') {
        const circle = [...way.slice(way.indexOf(name)), name]
        this.add(['measures', circle[0]!], 'cycle', { names: circle.join(' → ') })
        return
      }
      state.set(name, 'open')
      for (const next of referencedMeasures(this.measures[name]!)) visit(next, [...way, name])
      state.set(name, 'done')
    }
    for (const name of Object.keys(this.measures)) visit(name, [])
  }

  groups() {
    for (const [name, group] of Object.entries(this.definition.groups ?? {})) {
      for (const [at, range] of (group.icd10 ?? []).entries())
        if (
          !/^[A-Z]\d[\dA-Z](-[A-Z]\d[\dA-Z]|(\.?[\dA-Z]{1,4})?)$/.test(range) ||
          isBackward(range)
        )
          this.add(['groups', name, 'icd10', at], 'wrongRange', { range })
      for (const [at, other] of (group.except ?? []).entries())
        if (!Object.hasOwn(this.definition.groups ?? {}, other) || other === name)
          this.add(['groups', name, 'except', at], 'unknownGroup', { name: other })
    }
  }

  unique(all: readonly { id: string }[], path: ProblemPath) {
    const seen = new Set<string>()
    for (const [at, { id }] of all.entries()) {
      if (seen.has(id)) this.add([...path, at, 'id'], 'twice', { id })
      seen.add(id)
    }
  }

  section(section: ReportSection, path: ProblemPath) {
    const { columns } = section
    const axes = axesOf(section)
    for (const axis of axes)
      if (!Object.hasOwn(this.definition.axes ?? {}, axis))
        this.add([...path, 'columns'], 'unknownAxis', { name: axis })
    this.unique(section.rows, [...path, 'rows'])
    if (section.measure && typeof section.measure !== 'string')
      this.cell(section.measure, [...path, 'measure'])
    if (typeof section.measure === 'string') this.named(section.measure, [...path, 'measure'])
    const ofColumns = axes.flatMap((name) => columnsOfAxis(this.definition.axes?.[name] ?? []))
    for (const { measure } of ofColumns) if (measure) this.named(measure, [...path, 'columns'])
    // a section has up to 2,000 rows of a few sources: its columns are checked once for each source
    const checked = new Set<ReportSource>()
    for (const [at, row] of section.rows.entries()) {
      const place = [...path, 'rows', at]
      const own = cellMeasure(section, row)
      if (row.each && row.dhis2 !== undefined) this.add([...place, 'dhis2'], 'codeOfEach')
      const measures = [own, ...ofColumns.map(({ measure }) => measure)].filter(
        (measure) => measure !== undefined,
      )
      const hasMeasured = axes.some((name) =>
        columnsOfAxis(this.definition.axes?.[name] ?? []).every(({ measure }) => measure),
      )
      if (own === undefined && (!hasMeasured || columns?.total)) {
        this.add([...place, 'measure'], 'noMeasure')
        continue
      }
      if (typeof row.measure === 'string') this.named(row.measure, [...place, 'measure'])
      else if (row.measure) this.cell(row.measure, [...place, 'measure'])
      const size = nestingSize(row.where)
      if (size.nodes > MOST_NODES)
        this.add([...place, 'where'], 'tooManyNodes', { max: MOST_NODES })
      if (size.depth > MOST_DEPTH) this.add([...place, 'where'], 'tooDeep', { max: MOST_DEPTH })
      const sources = new Set(measures.flatMap((measure) => this.sourcesOf(measure)))
      for (const source of sources) {
        if (row.where) this.test(source, row.where, [...place, 'where'])
        if (row.each) this.test(source, ofMedicine(''), [...place, 'each'])
        if (checked.has(source)) continue
        checked.add(source)
        if (section.where) this.test(source, section.where, [...path, 'where'])
        for (const column of ofColumns)
          if (column.test) this.test(source, column.test, [...path, 'columns'])
      }
    }
  }

  run(): DefinitionProblem[] {
    const { definition } = this
    const count = definition.sections.reduce(
      (sum, section) =>
        sum +
        section.rows.length *
          (section.columns
            ? axesOf(section).reduce(
                (times, name) => times * (definition.axes?.[name]?.length ?? 1),
                1,
              ) + (section.columns.total ? 1 : 0)
            : 1),
      0,
    )
    if (count > MOST_CELLS) {
      this.add(['sections'], 'tooManyCells', { count, max: MOST_CELLS })
      return this.problems
    }
    this.groups()
    this.cycles()
    if (this.problems.some(({ key }) => key === 'reportCells.cycle')) return this.problems
    for (const [name, cell] of Object.entries(this.measures)) this.cell(cell, ['measures', name])
    for (const [name, axis] of Object.entries(definition.axes ?? {}))
      this.unique(columnsOfAxis(axis), ['axes', name])
    this.unique(definition.sections, ['sections'])
    for (const [at, section] of definition.sections.entries())
      this.section(section, ['sections', at])
    return this.problems
  }
}

const isUntil = (window: Window) => typeof window === 'object' && 'until' in window
const isBackward = (range: string) => range.length === 7 && range.slice(0, 3) > range.slice(4)
const isDay = (text: string) => !Number.isNaN(Date.parse(`${text}T00:00:00Z`))

/** What keeps a definition from running; empty if it can. */
export function checkDefinition(body: unknown): DefinitionProblem[] {
  // 6 levels in a cell, and those of sections and rows around it
  if (isDeeper(body, 30))
    return [{ path: [], key: 'reportCells.tooDeep', values: { max: MOST_DEPTH } }]
  const { data, error } = reportDefinition.safeParse(body)
  return data ? new Checker(data).run() : problemsOfShape(error.issues)
}

/** The problems by the path of a field: `body.sections.0.rows.1.where`. Of several at one place, the first. */
export const definitionErrors = (body: unknown): Record<string, Message> =>
  Object.fromEntries(
    checkDefinition(body)
      .toReversed()
      .map(({ path, key, values }) => [
        ['body', ...path].join('.'),
        { key, ...(values && { values }) },
      ]),
  )
