import * as z from 'zod'
import { Token } from '~/forms/definition-rules'
import { isUnreadable } from '~/shared/text-encoding'
import { cleanLine } from '~/shared/typed-text'

/** Districts and villages of a country, many times over. */
const MOST_ROWS = 10_000

const cell = z
  .string('validation.wrongType')
  .transform(cleanLine)
  .pipe(
    z
      .string()
      .min(1, 'registration.cascadeCell')
      .max(200, 'validation.tooLong')
      .regex(/^\P{Cc}*$/u, 'validation.characters'),
  )

/** The options of a text field that depend on the answer to another field: pairs of its answer and an option. */
export const Cascade = z.object({
  parent: Token,
  rows: z
    .array(z.tuple([cell, cell], 'registration.cascadeCell'), 'validation.wrongType')
    .min(1, 'registration.cascadeEmpty')
    .max(MOST_ROWS, 'validation.tooMany'),
})
export type Cascade = z.output<typeof Cascade>

const folded = (text: string) => cleanLine(text).normalize('NFKC').toLowerCase()
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Options by their folded text, in the order of the table: all of them, and those below each answer. */
type Options = Map<string, string>
type Index = { all: Options; below: Map<string, Options> }

/** A table of thousands of rows is folded once, not for each row of an import and each key. */
const indexes = new WeakMap<Cascade, Index>()

function cascadeIndex(cascade: Cascade): Index {
  const known = indexes.get(cascade)
  if (known) return known
  const index: Index = { all: new Map(), below: new Map() }
  for (const [parent, option] of cascade.rows) {
    if (!isText(option)) continue
    const key = folded(option)
    const own = index.below.get(folded(parent)) ?? new Map<string, string>()
    index.below.set(folded(parent), own.set(key, option))
    index.all.set(key, option)
  }
  indexes.set(cascade, index)
  return index
}

const below = (cascade: Cascade, parentAnswer: unknown): Options | undefined =>
  isText(parentAnswer)
    ? cascadeIndex(cascade).below.get(folded(parentAnswer))
    : cascadeIndex(cascade).all

/** The options for this answer of the parent, in the order of the table; all of them without an answer. */
export const optionsFor = (cascade: Cascade, parentAnswer: unknown): string[] => [
  ...(below(cascade, parentAnswer)?.values() ?? []),
]

/** Whether the table has the answer below this answer of the parent; below any, without one. */
export const isInTable = (cascade: Cascade, answer: string, parentAnswer: unknown): boolean =>
  below(cascade, parentAnswer)?.has(folded(answer)) === true

type CascadeField = { id: string; cascade?: Cascade | null | undefined }

/** The fields whose answer the table of options does not have below the answer of their parent. */
export function outsideTables<F extends CascadeField>(
  fields: readonly F[],
  answerOf: (field: F) => unknown,
): { field: F; parent: F | undefined }[] {
  return fields.flatMap((field) => {
    const { cascade } = field
    const answer = cascade && answerOf(field)
    if (!cascade || !isText(answer)) return []
    const parent = fields.find(({ id }) => id === cascade.parent)
    return isInTable(cascade, answer, parent && answerOf(parent)) ? [] : [{ field, parent }]
  })
}

/** The answers of the table that the parent's own options do not have: their lines are never offered. */
export function unknownParents(
  { rows }: Pick<Cascade, 'rows'>,
  options: readonly Readonly<Partial<Record<string, string>>>[],
): string[] {
  if (options.length === 0) return []
  const known = new Set(
    options
      .flatMap((option) => Object.values(option))
      .filter(isText)
      .map(folded),
  )
  const unknown = rows.map(([parent]) => parent).filter((parent) => !known.has(folded(parent)))
  return [...new Map(unknown.filter(isText).map((parent) => [folded(parent), parent])).values()]
}

/** The table as text: a line for each pair, as a spreadsheet takes it. */
export const pairsText = (rows: readonly (readonly [string, string])[]) =>
  rows.map(([parent, option]) => `${parent}\t${option}`).join('\n')

/**
 * The pairs of a text with a tab, a comma or a semicolon between the two, and the first line that is no pair. Such a
 * line stays among the rows with an empty part, so that it is refused and not lost.
 */
export function pairsIn(text: string): { rows: [string, string][]; wrongLine: number | null } {
  const rows: [string, string][] = []
  let wrongLine: number | null = null
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    if (line.trim() === '') continue
    const [parent = '', option = '', ...others] = splitCells(line)
    const isWhole = !isUnreadable(line) && others.every((each) => each === '')
    const isPair = parent !== '' && option !== '' && isWhole
    rows.push(isPair ? [parent, option] : [parent, ''])
    if (!isPair) wrongLine ??= at + 1
  }
  return { rows, wrongLine }
}

/** A cell in quotation marks may have the separator in it, and two marks for one, as spreadsheets write it. */
function splitCells(line: string): string[] {
  const separator = ['\t', ';', ','].find((each) => line.includes(each)) ?? '\t'
  const cells = ['']
  let isQuoted = false
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at]!
    const isMark = sign === '"'
    if (isMark && isQuoted && line[at + 1] === '"') {
      cells[cells.length - 1] += sign
      at += 1
    } else if (isMark) isQuoted = !isQuoted
    else if (sign === separator && !isQuoted) cells.push('')
    else cells[cells.length - 1] += sign
  }
  return cells.map(cleanLine)
}
