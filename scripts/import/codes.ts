import { basename } from 'node:path'
import { Refusal } from '~/db/refusal'
import { type CsvRow, fileSource, openCsv } from '~/features/people/imports/csv.server'
import { importCodes } from '~/features/care/problem-codes/codes.server'
import { CODE_SYSTEMS } from '~/records/problem'
import type { Context } from '~/server/operation'
import { sentence } from '~/shared/sentence'
import { ENCODINGS } from '~/shared/text-encoding'
import { WrongUsage } from '../command'
import { withDatabase } from '../database'
import { progress } from '../progress'
import {
  commandContext,
  resolveFromUser,
  type ImportKind,
  inWords,
  oneOf,
  operator,
  parseKind,
  untilStopped,
} from './kind'
import { rejectionFile } from './report'

const usage = '<file.csv> [--system <code system>] [--encoding <encoding>] [--report <file>]'
const help = `Adds codes for problems, or changes the labels of existing codes. The file has the columns code,
system, label_en, label_ar, label_es, of which the code and one label are needed.

  --system   of codes whose row names none: ${CODE_SYSTEMS.join(', ')}
  --encoding how the file is written, when not in UTF-8: ${ENCODINGS.join(', ')}
  --report   where rejected rows are written (default: imports/ in the data directory)`
const options = {
  system: { type: 'string' },
  encoding: { type: 'string' },
  report: { type: 'string' },
} as const

const COLUMNS = ['code', 'system', 'label_en', 'label_ar', 'label_es'] as const
const AT_ONCE = 1_000
const UNSTORABLE = { key: 'validation.characters' } as const

export const codes: ImportKind = {
  summary: 'a list of codes for problems',
  usage,
  async run(name, args) {
    const parsed = parseKind(name, { usage, help, options }, args)
    if (!parsed) return
    const { system, report } = parsed.values
    if (system !== undefined && !(CODE_SYSTEMS as readonly string[]).includes(system))
      throw new WrongUsage(`--system must be one of ${CODE_SYSTEMS.join(', ')}.`)
    const encoding = oneOf(ENCODINGS, 'encoding', parsed.values.encoding)
    const source = await fileSource(parsed.file, basename(parsed.file)).catch(
      (error: NodeJS.ErrnoException) => {
        throw new Refusal(
          `The file ${parsed.file} cannot be read (${error.code === 'ENOENT' ? 'there is none' : error.code}).`,
        )
      },
    )
    await withDatabase((db) =>
      inWords(async () => {
        const ctx: Context = { ...commandContext(db), actor: operator }
        const csv = await openCsv(source, encoding)
        const at = new Map(csv.headers.map((header, i) => [header.trim().toLowerCase(), i]))
        if (!at.has('code')) throw new Refusal(`${source.name} has no column code.`)
        const bar = progress()
        const done = { added: 0, changed: 0, unchanged: 0, rejected: 0 }
        const rejections = rejectionFile(
          'codes',
          ['line', 'reason', ...csv.headers],
          report && resolveFromUser(report),
        )
        const reject = async ({ line, values }: CsvRow, reason: string) => {
          done.rejected += 1
          await rejections.write([String(line), reason, ...values])
        }
        const bring = async (batch: CsvRow[]) => {
          const rows = batch.map(({ values }) =>
            Object.fromEntries(
              COLUMNS.map((column) => [
                column,
                values[at.get(column) ?? -1] ?? (column === 'system' ? system : undefined),
              ]),
            ),
          )
          const result = await importCodes(ctx, { rows, firstLine: 1 })
          done.added += result.added
          done.changed += result.changed
          done.unchanged += result.unchanged
          for (const { line, text } of result.rejected)
            await reject(batch[line - 1]!, sentence('en', text))
          bar.show(
            source.name,
            batch.at(-1)!.end,
            source.size,
            `${batch.at(-1)!.line.toLocaleString('en')} lines`,
          )
        }
        const signal = untilStopped()
        let batch: CsvRow[] = []
        for await (const row of csv.rows()) {
          if (signal.aborted) break
          const problem =
            row.problem ??
            (row.values.some((value) => value.includes('\0')) ? UNSTORABLE : undefined)
          if (problem) await reject(row, sentence('en', problem))
          else if (batch.push(row) === AT_ONCE) await bring(batch.splice(0))
        }
        if (batch.length && !signal.aborted) await bring(batch)
        bar.end()
        const kept = await rejections.end()
        const count = (value: number) => value.toLocaleString('en')
        process.stdout.write(
          `${source.name}: ${count(done.added)} codes added, ${count(done.changed)} changed, ` +
            `${count(done.unchanged)} as they were, ${count(done.rejected)} rejected\n`,
        )
        if (kept)
          process.stdout.write(`Rejected rows, each with its line and the reason: ${kept}\n`)
        if (!signal.aborted) return
        process.stdout.write(
          'Stopped. Imported codes are kept; run the same command again to continue.\n',
        )
        process.exitCode = 130
      }),
    )
  },
}
