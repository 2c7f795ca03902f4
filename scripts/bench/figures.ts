import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { Refusal } from '~/db/refusal'
import { goalLines, type Round } from './goals'
import type { MixFigure } from './mix'
import { summarizeTimes, ms } from './percentiles'
import type { PhoneFigure } from './phones'
import type { Memory } from './processes'

export type Result = Round & {
  version: string
  machine: ReturnType<typeof machine>
  patients: number
  /** What of it was chosen (empty: all), and minutes of seventy users. */
  only: string
  minutes: number
  /** Rows with medicines that the background job checked before the first measure. */
  checkedFirst: number
  /** What was measured after the first round. */
  again: Round[]
  mix: MixFigure[]
  memory: Memory
}

export const machine = () => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  memory: totalmem(),
  /** Of the minute before: what else the machine did. */
  load: loadavg()[0]!,
  system: `${platform()} ${release()} ${arch()}`,
  node: process.version,
})

const heads = ['p50 ms', 'p95 ms', 'max ms', 'floor ms', '16: /s', 'SQL', 'rows', 'pages']

/**
 * For people, and for a Markdown page. Floor: the same SQL sent again through one connection; SQL, rows and
 * pages: its statements, and what they read.
 */
export function formatFiguresTable({
  version,
  machine: { cpu, cores, memory, system, node, load },
  patients,
  checkedFirst,
  speed,
  figures,
  phones,
  mix,
  memory: held,
}: Result) {
  const time = (value: number) => ms(value).padStart(8)
  const width = Math.max(...figures.map(({ name }) => name.length))
  const none = ' '.repeat(8)
  const whole = (value: number | undefined) =>
    value === undefined ? none : Math.round(value).toLocaleString('en').padStart(8)
  const lines = figures.map(
    ({ name, times, p50, p95, max, floor, perSecond }) =>
      `| ${[
        name.padEnd(width),
        String(times).padStart(5),
        time(p50),
        time(p95),
        time(max),
        floor ? time(floor.p50) : none,
        whole(perSecond),
        whole(floor?.statements),
        whole(floor?.rows),
        whole(floor?.pages),
      ].join(' | ')} |`,
  )
  const mb = (bytes: number | null) =>
    bytes === null ? 'unknown' : `${Math.round(bytes / 1_048_576)} MB`
  return [
    `Sanad ${version}, ${patients.toLocaleString('en')} patients`,
    `${cores} × ${cpu}, ${mb(memory)}, ${system}, Node ${node}, load before ${load.toFixed(2)}`,
    'Measured while background jobs were idle; before that they checked the medicines of ' +
      `${checkedFirst.toLocaleString('en')} rows.`,
    ...(speed.length > 0 ? [speedLine(speed)] : []),
    '',
    `| ${'measure'.padEnd(width)} | times | ${heads.map((head) => head.padStart(8)).join(' | ')} |`,
    `| ${'-'.repeat(width)} | ----: ${'| -------: '.repeat(8)}|`,
    ...lines,
    '',
    ...(phones.length > 0 ? phoneLines(phones) : []),
    ...(mix.length > 0 ? mixLines(mix) : []),
    `Memory afterwards: server ${mb(held.server)}, PostgreSQL ${mb(held.postgres)}`,
    '',
  ].join('\n')
}

function speedLine(speed: number[]) {
  const { p50, max } = summarizeTimes('speed', speed)
  return (
    'A fixed piece of work before each measure took ' +
    `${Math.min(...speed).toFixed(0)} ms at best, ${p50.toFixed(0)} at the median, ${max.toFixed(0)} at most.`
  )
}

/**
 * CPU: milliseconds of a processor for each time, of the server and of PostgreSQL; memory: what the
 * server's process grew by at most.
 */
function phoneLines(phones: readonly PhoneFigure[]) {
  const width = Math.max(...phones.map(({ name }) => name.length))
  const whole = (value: number) => value.toFixed(0)
  const cell = (value: number | null, written = whole) =>
    (value === null ? '?' : written(value)).padStart(9)
  const heads = ['p50 ms', 'p95 ms', 'max ms', 'CPU Node', 'CPU PgSQL', 'MB', 'peak MB']
  return [
    `| ${'phones'.padEnd(width)} | times | ${heads.map((head) => head.padStart(9)).join(' | ')} |`,
    `| ${'-'.repeat(width)} | ----: ${'| --------: '.repeat(heads.length)}|`,
    ...phones.map(
      ({ name, times, p50, p95, max, cpu, bytes, peak }) =>
        `| ${[
          name.padEnd(width),
          String(times).padStart(5),
          cell(p50, ms),
          cell(p95, ms),
          cell(max, ms),
          cell(cpu.server),
          cell(cpu.postgres),
          cell(bytes / 1e6, (value) => value.toFixed(3)),
          cell(peak && peak / 1e6),
        ].join(' | ')} |`,
    ),
    '',
  ]
}

function mixLines(mix: readonly MixFigure[]) {
  const width = Math.max(...mix.map(({ name }) => name.length))
  const ms = (value: number) => value.toFixed(0).padStart(8)
  return [
    `| ${'70 users'.padEnd(width)} | times |   p50 ms |   p95 ms |   max ms |   errors |`,
    `| ${'-'.repeat(width)} | ----: ${'| -------: '.repeat(4)}|`,
    ...mix.map(
      ({ name, times, p50, p95, max, errors }) =>
        `| ${[name.padEnd(width), String(times).padStart(5), ms(p50), ms(p95), ms(max), ms(errors)].join(' | ')} |`,
    ),
    '',
  ]
}

const [BEGIN, END] = ['<!-- npm run bench begins -->', '<!-- npm run bench ends -->']

/** `docs/performance.md` with the measurement between its two marks; the rest stays as it is written. */
export function pageWith(result: Result, page: string): string {
  const [before, rest] = page.split(BEGIN)
  const [, after] = rest?.split(END) ?? []
  if (before === undefined || after === undefined)
    throw new Refusal(`docs/performance.md lacks the marks ${BEGIN} and ${END}.`)
  return `${before}${BEGIN}\n\n${formatResultSection(result)}${END}${after}`
}

const formatBenchOptions = ({ patients, again, only, minutes }: Result) =>
  [
    `--patients ${patients}`,
    ...(again.length > 0 ? [`--rounds ${1 + again.length}`] : []),
    ...(minutes > 0 ? [`--mix ${minutes}`] : []),
    ...(only ? [`--only "${only}"`] : []),
    '--markdown',
  ].join(' ')

const formatResultSection = (
  result: Result,
) => `Measured with \`npm run bench\`, each measure by itself, one request after the other, once the server is warm. The
program that asks and the server share the machine. To repeat it:

\`\`\`
npm run bench -- ${formatBenchOptions(result)}
\`\`\`

A floor is the same SQL sent again through one connection, without Sanad: what PostgreSQL and the line to it take.
"16: /s" are the answers in a second with sixteen callers at once.

${formatFiguresTable(result)}
${goalLines([result, ...result.again], result.mix).join('\n')}
`
