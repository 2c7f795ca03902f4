import { readFileSync } from 'node:fs'

/** The numbers of a figure that must not grow, in the order in which the figure names them. */
type Limits = Readonly<Record<string, readonly number[]>>
export const LIMITS_FILE = 'scripts/measure/limits.json'
export const recordedLimits = () => JSON.parse(readFileSync(LIMITS_FILE, 'utf8')) as Limits

type Row = { measure: string; figure: string }

const parseNumbers = (figure: string) =>
  [...figure.replaceAll(/(?<=\d),(?=\d{3})/g, '').matchAll(/\d+/g)].map(Number)

/** A sentence for each figure that is worse than its limit, or has none. */
export const worseThan = (limits: Limits, rows: readonly Row[]): string[] =>
  rows.flatMap(({ measure, figure }) => {
    const limit = limits[measure]
    if (!limit) return [`${measure}: ${figure}, without a limit`]
    const now = parseNumbers(figure)
    const isWorse = limit.some((most, at) => (now[at] ?? 0) > most)
    return isWorse ? [`${measure}: ${figure}, limit ${limit.join('; ')}`] : []
  })

/** The limits with the figures that became better; a new measure begins with all its numbers. */
export const lowered = (limits: Limits, rows: readonly Row[]): Limits =>
  Object.fromEntries(
    rows.map(({ measure, figure }) => {
      const now = parseNumbers(figure)
      return [measure, limits[measure]?.map((most, at) => Math.min(most, now[at] ?? 0)) ?? now]
    }),
  )
