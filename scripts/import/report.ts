import { type WriteStream, createWriteStream, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { once } from 'node:events'
import {
  type CountedReason,
  furtherValues,
  type Tally,
  sumReasonCounts,
} from '~/features/exchange/imports/tally'
import { BYTE_ORDER_MARK, csvLine } from '~/shared/csv'
import { env } from '~/server/env'
import { sentence } from '~/shared/sentence'

const number = (value: number) => value.toLocaleString('en')
const one = (count: number, noun: string) => `${number(count)} ${count === 1 ? noun : `${noun}s`}`

/** What became of every row of a file, in lines for people. */
export function describe(
  tally: Tally,
  [record, records]: readonly [string, string] = ['record', 'records'],
): string {
  const { file, rows, imported, repeated, changed = 0, left, rejected, made } = tally
  const became = made !== imported ? ` (as ${number(made)} ${made === 1 ? record : records})` : ''
  const settled = imported + repeated + changed + sumReasonCounts(left) + sumReasonCounts(rejected)
  const lines = [
    `${file}: ${one(rows, 'row')}: ${number(imported)} imported${became}, ` +
      `${changed > 0 ? `${number(changed)} updated, ` : ''}${number(repeated)} already here, ` +
      `${number(sumReasonCounts(left))} left, ${number(sumReasonCounts(rejected))} rejected`,
    ...left.map((reason) => `  ${one(reason.count, 'row')} left: ${named(reason)}`),
    ...rejected
      .slice(0, 20)
      .map((reason) => `  ${one(reason.count, 'row')} rejected: ${named(reason)}`),
  ]
  if (rejected.length > 20) lines.push(`  … and ${one(rejected.length - 20, 'more reason')}`)
  if (settled !== rows) lines.push(`  ${one(rows - settled, 'row')} not settled yet`)
  return lines.join('\n')
}

function named(reason: CountedReason) {
  const further = furtherValues(reason, 30)
  return sentence('en', reason) + (further.length > 0 ? `; also: ${further.join(', ')}` : '')
}

/**
 * A file for rows to mend, made when the first comes. It lies among Sanad's data, closed to others:
 * it holds people's.
 */
export function rejectionFile(name: string, heading: readonly string[], path?: string) {
  const stamp = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)
  const file = path ?? join(env().dataDir, 'imports', `${name}-${stamp}.csv`)
  let out: WriteStream | undefined
  return {
    async write(values: readonly string[]) {
      if (!out) {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
        out = createWriteStream(file, { mode: 0o600 })
        // the mark by which Excel knows UTF-8
        out.write(BYTE_ORDER_MARK + csvLine(heading))
      }
      if (!out.write(csvLine(values))) await once(out, 'drain')
    },
    /** The path, when anything was written. */
    async end(): Promise<string | undefined> {
      if (!out) return undefined
      out.end()
      await once(out, 'close')
      return file
    },
  }
}
