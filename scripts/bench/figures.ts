import { arch, cpus, platform, release, totalmem } from 'node:os'
import type { PhoneFigure } from './phones'
import type { Memory } from './processes'
import type { Figure } from './percentiles'

type Result = {
  version: string
  machine: ReturnType<typeof machine>
  patients: number
  /** Rows with medicines that the background job checked before the first measure. */
  checkedFirst: number
  figures: Figure[]
  phones: PhoneFigure[]
  memory: Memory
}

export const machine = () => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  memory: totalmem(),
  system: `${platform()} ${release()} ${arch()}`,
  node: process.version,
})

/** For people, and for a Markdown page. */
export function tableOf({
  version,
  machine: { cpu, cores, memory, system, node },
  patients,
  checkedFirst,
  figures,
  phones,
  memory: held,
}: Result) {
  const ms = (value: number) => value.toFixed(value < 10 ? 1 : 0).padStart(8)
  const width = Math.max(...figures.map(({ name }) => name.length))
  const lines = figures.map(
    ({ name, times, p50, p95, max }) =>
      `| ${name.padEnd(width)} | ${String(times).padStart(5)} | ${ms(p50)} | ${ms(p95)} | ${ms(max)} |`,
  )
  const mb = (bytes: number | null) =>
    bytes === null ? 'unknown' : `${Math.round(bytes / 1_048_576)} MB`
  return [
    `Sanad ${version}, ${patients.toLocaleString('en')} patients`,
    `${cores} × ${cpu}, ${mb(memory)}, ${system}, Node ${node}`,
    'Measured while background jobs were idle; before that they checked the medicines of ' +
      `${checkedFirst.toLocaleString('en')} rows.`,
    '',
    `| ${'measure'.padEnd(width)} | times |   p50 ms |   p95 ms |   max ms |`,
    `| ${'-'.repeat(width)} | ----: | -------: | -------: | -------: |`,
    ...lines,
    '',
    ...(phones.length > 0 ? phoneLines(phones) : []),
    `Memory afterwards: server ${mb(held.server)}, PostgreSQL ${mb(held.postgres)}`,
    '',
  ].join('\n')
}

/**
 * CPU: milliseconds of a processor for each time, of the server and of PostgreSQL; memory: what the
 * server's process grew by at most.
 */
function phoneLines(phones: readonly PhoneFigure[]) {
  const width = Math.max(...phones.map(({ name }) => name.length))
  const cell = (value: number | null, digits = 0) =>
    (value === null ? '?' : value.toFixed(digits)).padStart(8)
  return [
    `| ${'phones'.padEnd(width)} | times |   p50 ms |   max ms | CPU Node | CPU PgSQL |       MB |  peak MB |`,
    `| ${'-'.repeat(width)} | ----: | -------: | -------: | -------: | --------: | -------: | -------: |`,
    ...phones.map(
      ({ name, times, p50, max, cpu, bytes, peak }) =>
        `| ${[
          name.padEnd(width),
          String(times).padStart(5),
          cell(p50),
          cell(max),
          cell(cpu.server),
          cell(cpu.postgres).padStart(9),
          cell(bytes / 1e6, 3),
          cell(peak && peak / 1e6),
        ].join(' | ')} |`,
    ),
    '',
  ]
}
