import { readFileSync } from 'node:fs'
import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { loadAllCellRows, type ReportRun } from '~/features/reports/cells/cells.server'
import { readPeriod } from '~/features/reports/cells/period'
import { starterReport } from '~/features/reports/starter/starter-reports'
import { type World, writeHistory, ZONE } from './report-history'

/** A shipped report of some clinics in a month, on 20 November 2026. */
export const runOf = (
  code: string,
  clinicIds: readonly string[],
  period = '2026-10',
): ReportRun => ({
  definition: starterReport(code)!,
  clinicIds,
  period: readPeriod(period, ZONE)!,
  zone: ZONE,
  manual: new Map(),
  now: new Date('2026-11-20T08:00:00Z'),
})

/** The lines of files of examples: `history | rows that count the patient`. */
export const examplesIn = (...names: string[]) =>
  names.flatMap((name) =>
    readFileSync(`src/features/reports/starter/${name}-examples.txt`, 'utf8')
      .split('\n')
      .filter((line) => line.trim() && !line.startsWith('#')),
  )

/** `history | rows`, the rows in order. */
export const sorted = (line: string) => {
  const [history = '', rows = ''] = line.split('|').map((part) => part.trim())
  return `${history} | ${rows.split(' ').toSorted().join(' ')}`.trim()
}

/**
 * Records the histories, and returns each line with the rows of clinic A that do count its patient:
 * `row`, or `row@column` if the report has columns. A rate counts the patients of its numerator; totals
 * (row `all`, column `total`) count the patients of the other rows, so they are left out.
 */
export async function countedBy(
  db: Kysely<DB>,
  world: World,
  lines: readonly string[],
  { code, columns }: { code: string; columns: boolean },
) {
  const examples = lines.map((line) => {
    const [history = ''] = line.split('|')
    const [, period = '2026-10', text = history] = /^period (\S+): (.*)$/.exec(history) ?? []
    return { history: history.trim(), period, text }
  })
  const patients: string[] = []
  for (const { text } of examples) patients.push(await writeHistory(db, world, text))
  const counted = new Map<string, string[]>()
  for (const period of new Set(examples.map((each) => each.period))) {
    const cells = await loadAllCellRows(db, runOf(code, [world.clinics['A']!], period))
    for (const { row, column, patientIds } of cells) {
      if (row.endsWith('-rate') || row === 'all' || (columns && column === 'total')) continue
      for (const id of new Set(patientIds)) {
        const key = `${period} ${id}`
        counted.set(key, [...(counted.get(key) ?? []), columns ? `${row}@${column}` : row])
      }
    }
  }
  return examples.map(({ history, period }, at) => {
    const rows = counted.get(`${period} ${patients[at]}`) ?? []
    return sorted(`${history} | ${rows.join(' ')}`)
  })
}
