import type { MaskingKind } from '~/features/reports/cells/kinds/kind'

/** A cell with what masking must know of it. */
export type MaskableCell = {
  section: string
  row: string
  column: string
  value: number | null
  numerator: number | null
  denominator: number | null
  /** Rows of the record that the cell counts. */
  rows: number
  kind: MaskingKind
}
/** `few`: a count from 1 to 4. `hidden`: it would say what such a count is. */
export type Mask = 'few' | 'hidden'

export const FEW = 4
const isFew = (count: number | null) => count !== null && count > 0 && count <= FEW

/**
 * Hides counts from 1 to 4, and of each row and column with one such count also its next smallest
 * count, until no line has a single hidden count that its total would give away. A ratio is hidden
 * if it shows a hidden count. Returns a mask for each cell, null for a cell that is shown.
 */
export function computeMasks(cells: readonly MaskableCell[]): (Mask | null)[] {
  const masks: (Mask | null)[] = cells.map(({ kind, value, rows }) =>
    (kind === 'count' && isFew(value)) || (kind === 'sum' && isFew(rows)) ? 'few' : null,
  )
  const lines = maskableLines(cells)
  for (let changed = true; changed;) {
    changed = false
    for (const line of lines) {
      if (line.filter((at) => masks[at] !== null).length !== 1) continue
      const next = line
        .filter((at) => masks[at] === null && (cells[at]!.value ?? 0) > 0)
        .toSorted((one, other) => cells[one]!.value! - cells[other]!.value!)[0]
      if (next === undefined) continue
      masks[next] = 'hidden'
      changed = true
    }
  }
  const hidden = new Set(cells.flatMap(({ value }, at) => (masks[at] === null ? [] : [value])))
  return cells.map(({ kind, numerator, denominator }, at) =>
    kind === 'ratio' &&
    [numerator, denominator].some((part) => isFew(part) || (part !== 0 && hidden.has(part)))
      ? 'hidden'
      : masks[at]!,
  )
}

/** The rows and columns of the sections, as positions of their counts. */
function maskableLines(cells: readonly MaskableCell[]): number[][] {
  const lines = new Map<string, number[]>()
  for (const [at, { section, row, column, kind }] of cells.entries()) {
    if (kind !== 'count') continue
    for (const line of [`${section} row ${row}`, `${section} column ${column}`])
      lines.set(line, [...(lines.get(line) ?? []), at])
  }
  return [...lines.values()]
}
