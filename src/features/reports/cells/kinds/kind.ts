import type * as z from 'zod'
import type { Message } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { type FieldSpec, sourceFields, type ReportSource } from '../fields'
import type { Test, Window } from '../parts'
import type { Period } from '../period'

// How a value is computed ------------------------------------------------------------------------

/** What a count counts once; `provider_day`: a provider on a day. */
export const DISTINCT_UNITS = [
  'patient',
  'visit',
  'day',
  'clinic',
  'provider_day',
  'prescription',
] as const
export type DistinctUnit = (typeof DISTINCT_UNITS)[number]

/** One number that a scan of a source computes: of the rows of a window that pass all of `all` and none of `none`. */
export type Leaf = {
  source: ReportSource
  of:
    | { kind: 'count'; once: DistinctUnit | 'row' }
    | { kind: 'sum' | 'median'; field: string }
    | { kind: 'days' }
  window: Window
  all: readonly Test[]
  none: readonly Test[]
}
export type LeafKind = Leaf['of']['kind']
export type LeafValue = { value: number | null; rows: number }
export type LeafRow = { id: string; patientId: string | null }

/** `rows`: how many rows the value counts; of a ratio, its numerator. Null: empty. */
export type Computed = LeafValue & { numerator: number | null; denominator: number | null }
/** `manual`: `section/row/column` -> the value that was entered, summed over the clinics. */
export type ManualInputs = { manual: ReadonlyMap<string, number>; period: Pick<Period, 'last'> }

/** The arithmetic of a cell over what scans compute. `leaf`: the one that it is, if it is only that. */
export type Formula = {
  leaf: Leaf | null
  leaves: readonly Leaf[]
  value: (valueOf: (leaf: Leaf) => LeafValue, entered: ManualInputs) => Computed
  rows: (rowsOf: (leaf: Leaf) => LeafRow[]) => LeafRow[]
}

export const plainComputed = (value: number | null, rows: number): Computed => ({
  value,
  numerator: null,
  denominator: null,
  rows,
})

export const leafFormula = (leaf: Leaf): Formula => ({
  leaf,
  leaves: [leaf],
  value: (valueOf) => {
    const { value, rows } = valueOf(leaf)
    return plainComputed(value, rows)
  },
  rows: (rowsOf) => rowsOf(leaf),
})

/** A value that is computed from others. */
export const combineFormulas = (
  parts: readonly Formula[],
  value: (parts: readonly Computed[], entered: ManualInputs) => Computed,
  rows: (parts: readonly (() => LeafRow[])[]) => LeafRow[],
): Formula => ({
  leaf: null,
  leaves: parts.flatMap((part) => part.leaves),
  value: (valueOf, entered) =>
    value(
      parts.map((part) => part.value(valueOf, entered)),
      entered,
    ),
  rows: (rowsOf) => rows(parts.map((part) => () => part.rows(rowsOf))),
})

export const concatPartRows = (parts: readonly (() => LeafRow[])[]) =>
  parts.flatMap((rows) => rows())
export const noRows = (): LeafRow[] => []
export const countPartRows = (parts: readonly Computed[]) =>
  parts.reduce((sum, { rows }) => sum + rows, 0)

/** Where a cell stands in a report, for the formula that it is there. */
type FormulaContext = {
  clinicIds: readonly string[]
  /** the key of the value entered by hand, if the measure is one */
  manual: string
  /** of another measure, of rows that pass these tests too */
  named: (name: string, ...tests: Test[]) => Formula
  /** of another measure, entered where this one is */
  like: (name: string, test: Test) => Formula
  rows: (source: ReportSource, of: Leaf['of'], cell: CountedRows) => Formula
}

/** The rows that a cell counts itself. */
type CountedRows = { where?: Test | undefined; in: Window }

// What is wrong with it --------------------------------------------------------------------------

export type ProblemPath = (string | number)[]
export type ProblemName = MessageKey extends infer Key
  ? Key extends `reportCells.${infer Name}`
    ? Name
    : never
  : never

/** What the checks of a definition offer to those of a cell. */
export type Checks = {
  add: (path: ProblemPath, name: ProblemName, values?: Record<string, string | number>) => void
  /** Whether the measure is known; a problem otherwise. */
  named: (name: string, path: ProblemPath) => boolean
  field: (source: ReportSource, name: string, path: ProblemPath) => FieldSpec | undefined
  test: (source: ReportSource, test: Test, path: ProblemPath) => void
  /** `outer`: the source of the row that the window refers to; null: it is a cell's own. */
  window: (
    outer: ReportSource | null,
    source: ReportSource,
    window: Window,
    path: ProblemPath,
  ) => void
  perPatient: (source: ReportSource, path: ProblemPath) => void
  sourcesOf: (measure: string) => ReportSource[]
  /** Whether a measure counts clinics, itself or by another. */
  asksClinics: (name: string) => boolean
}

export const checkNames = (checks: Checks, names: readonly string[], path: ProblemPath) =>
  names.forEach((name, at) => checks.named(name, [...path, at]))

export function checkCounted(
  checks: Checks,
  source: ReportSource,
  cell: CountedRows,
  path: ProblemPath,
) {
  if (cell.where) checks.test(source, cell.where, [...path, 'where'])
  checks.window(null, source, cell.in, [...path, 'in'])
}

export function checkNumericField(
  checks: Checks,
  source: ReportSource,
  name: string,
  path: ProblemPath,
  op: 'sum' | 'median',
) {
  const field = checks.field(source, name, path)
  if (field && field.type !== 'number') checks.add(path, 'wrongOp', { field: name, op })
}

// What masking must know -------------------------------------------------------------------------

/** `count`: of people or their visits; `ratio`: of two counts; `other`: stock, days, manual values. */
export type MaskingKind = 'count' | 'sum' | 'ratio' | 'other'

// How it is edited and shown ---------------------------------------------------------------------

/** A part of a cell that is edited, with what it is and the cell with another. */
export type EditorBox<C> =
  | { box: 'measure'; label: MessageKey; value: string; set: (name: string) => C }
  | { box: 'measures'; value: readonly string[]; set: (names: string[]) => C }
  | {
      box: 'choice'
      label: MessageKey
      value: string
      options: readonly { value: string; label: MessageKey }[]
      set: (value: string) => C
    }
  | {
      box: 'number'
      label: MessageKey | Message
      value: number | null
      set: (value: number | null) => C
    }
  | { box: 'source'; value: ReportSource; set: (source: ReportSource) => C }
  | { box: 'field'; source: ReportSource; value: string; set: (field: string) => C }
  | { box: 'window'; source: ReportSource; value: Window; set: (window: Window) => C }
  /** `source`: null if it is that of another measure. `needed`: it cannot be removed. */
  | {
      box: 'test'
      label: MessageKey
      part: string
      source: ReportSource | null
      value: Test | undefined
      needed?: true
      set: (test: Test | undefined) => C
    }

/** The cell with another value of an optional part, or without it. */
export function withPart<C extends object, K extends keyof C>(cell: C, part: K, value?: C[K]): C {
  const { [part]: _, ...rest } = cell
  // a part that may be absent
  return (value === undefined ? rest : { ...rest, [part]: value }) as C
}

export const choiceBox = <C, V extends string | number>(
  label: MessageKey,
  value: V,
  options: readonly V[],
  labelOf: (value: V) => MessageKey,
  set: (value: V) => C,
): EditorBox<C> => ({
  box: 'choice',
  label,
  value: String(value),
  options: options.map((each) => ({ value: String(each), label: labelOf(each) })),
  set: (text) => set(options.find((each) => String(each) === text) ?? value),
})

export const measureBox = <C>(
  label: MessageKey,
  value: string,
  set: (name: string) => C,
): EditorBox<C> => ({ box: 'measure', label, value, set })

/** The numbers of a source's rows. */
export const numericFields = (source: ReportSource) =>
  Object.entries(sourceFields(source)).flatMap(([name, { type }]) =>
    type === 'number' ? [name] : [],
  )

/** The editor boxes that choose the rows of a cell: its window, with `beside` in the same line, and its filter. */
export function rowBoxes<C extends CountedRows>(
  cell: C,
  source: ReportSource,
  beside: EditorBox<C>[] = [],
): EditorBox<C>[][] {
  return [
    [
      { box: 'window', source, value: cell.in, set: (window) => ({ ...cell, in: window }) },
      ...beside,
    ],
    [
      {
        box: 'test',
        label: 'reportEditor.countedOnly',
        part: 'where',
        source,
        value: cell.where,
        set: (where) => withPart(cell, 'where', where),
      },
    ],
  ]
}

/** How a cell's number stands on the sheet. `beside`: what makes its value. */
export type CellSheet = {
  isPercent: boolean
  beside: (cell: Pick<Computed, 'value' | 'numerator' | 'denominator'>) => Message | null
}

export const MANUAL_TYPES = ['integer', 'yesno'] as const
type ManualType = (typeof MANUAL_TYPES)[number]

// A kind -----------------------------------------------------------------------------------------

/** All that depends on the kind of a cell. A kind that says less does not compile. */
export type CellKindRules<C> = {
  schema: z.ZodType<C>
  /** The cell with other names of the measures that it refers to. */
  withNames: (cell: C, swap: (name: string) => string) => C
  /** The source whose rows it counts by itself; null if it is computed from other measures, or entered. */
  source: (cell: C) => ReportSource | null
  /** What it shows if what it counts is people, and if not. */
  shows: { people: MaskingKind; others: MaskingKind }
  /** The measures whose rows open behind its number. */
  opens: (cell: C) => string[]
  check: (cell: C, checks: Checks, path: ProblemPath) => void
  formula: (cell: C, place: FormulaContext) => Formula
  /** Where the list of kinds in the editor has it. */
  group: 'reportEditor.counts' | 'reportEditor.byHand' | 'reportEditor.calculated'
  /** The cells that the list offers; `names`: the measures of the definition. */
  begins: (names: readonly string[]) => C[]
  /** What it is in words, in the list and elsewhere. */
  words: (cell: C) => MessageKey
  /** The lines of boxes in which it is edited. */
  boxes: (cell: C) => EditorBox<C>[][]
  /** As the measure of this name, or of its own. */
  sheet: (cell: C) => CellSheet | { as: string }
  /** What users enter; null: it is computed. */
  enters: (cell: C) => ManualType | null
}

const PLAIN_SHEET: CellSheet = { isPercent: false, beside: () => null }

/** A number as it is, which nobody enters. */
export const plainNumberRules = { sheet: () => PLAIN_SHEET, enters: () => null }
/** Of rows of a source. */
export const rowCellRules = {
  withNames: <C>(cell: C): C => cell,
  opens: () => [],
  ...plainNumberRules,
}
/** Computed from other measures. */
export const derivedCellRules = {
  source: () => null,
  group: 'reportEditor.calculated' as const,
  ...plainNumberRules,
}
