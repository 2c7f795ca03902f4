import { useState } from 'react'
import type { Input } from '~/client/api'
import { useQuery } from '~/client/query'
import type { Trend } from '../trend.server'

type Points = ReadonlyMap<string, Trend['rows']>

/**
 * A trend whose closed periods are known: the open ones are computed one by one, newest first, until the user stops
 * or leaves. `trend` has what is known so far.
 */
export function useComputedTrend(known: Trend, input: Input<'reports.trend'>) {
  const [found, setFound] = useState<{ of: Trend; points: Points }>({
    of: known,
    points: new Map(),
  })
  const [isStopped, setStopped] = useState(false)
  const points: Points = found.of === known ? found.points : new Map()
  const next = known.open.findLast((period) => !points.has(period))
  const { data, error, refetch } = useQuery(
    'reports.trend',
    next !== undefined && !isStopped
      ? { ...input, section: known.section, period: next, count: 1, only: undefined }
      : null,
  )
  if (next !== undefined && data && data.periods[0] === next)
    setFound({ of: known, points: new Map([...points, [next, data.rows]]) })
  const trend = {
    ...known,
    rows: known.rows.map((row, at) => ({
      ...row,
      points: row.points.map(
        (point, index) => points.get(known.periods[index]!)?.[at]?.points[0] ?? point,
      ),
    })),
  }
  const total = known.periods.length
  const left = known.open.filter((period) => !points.has(period)).length
  return { trend, total, done: total - left, isStopped, setStopped, error, retry: refetch }
}
