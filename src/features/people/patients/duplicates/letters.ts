/**
 * The number of typing errors between two texts: a missing, additional or wrong letter, or two
 * swapped neighbours (optimal string alignment; Damerau 1964).
 */
export function lettersApart(a: string, b: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1]
      const least = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (isSame ? 0 : 1))
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next.push(isExchanged ? Math.min(least, before[j - 2]! + 1) : least)
    }
    ;[before, row] = [row, next]
  }
  return row[b.length]!
}

/**
 * Jaro–Winkler similarity (W. Winkler, 1990): made for short names, with more weight on the
 * beginning than on the end.
 */
export function jaroWinkler(a: string, b: string): number {
  const reach = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1)
  const taken = Array.from<boolean>({ length: b.length }).fill(false)
  const common: string[] = []
  for (let i = 0; i < a.length; i += 1) {
    for (let j = Math.max(0, i - reach); j < Math.min(b.length, i + reach + 1); j += 1) {
      if (taken[j] || a[i] !== b[j]) continue
      taken[j] = true
      common.push(a[i]!)
      break
    }
  }
  if (common.length === 0) return 0
  const inB = [...b].filter((_, j) => taken[j])
  const moved = common.filter((letter, i) => letter !== inB[i]).length / 2
  const jaro =
    (common.length / a.length +
      common.length / b.length +
      (common.length - moved) / common.length) /
    3
  let prefix = 0
  while (prefix < 4 && a[prefix] === b[prefix] && prefix < a.length) prefix += 1
  return jaro + prefix * 0.1 * (1 - jaro)
}
