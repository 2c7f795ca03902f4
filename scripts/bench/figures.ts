import { readdirSync, readFileSync } from 'node:fs'
import { arch, cpus, platform, release, totalmem } from 'node:os'
import type { Figure } from './timing'

type Memory = { server: number | null; postgres: number | null }
type Result = {
  version: string
  machine: ReturnType<typeof machine>
  patients: number
  figures: Figure[]
  memory: Memory
}

export const machine = () => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  memory: totalmem(),
  system: `${platform()} ${release()} ${arch()}`,
  node: process.version,
})

/**
 * Bytes that the server's process holds, and all of PostgreSQL's together, with what they share counted once. Null where the
 * system does not tell (only Linux does).
 */
export function memoryOf(server: number): Memory {
  if (platform() !== 'linux') return { server: null, postgres: null }
  const children = descendantsOf(server)
  return {
    server: proportionalSetSize(server),
    postgres: children.reduce((sum, pid) => sum + proportionalSetSize(pid), 0),
  }
}

function descendantsOf(parent: number): number[] {
  const own = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => Number(/^PPid:\t(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1]) === parent)
  return own.flatMap((pid) => [pid, ...descendantsOf(pid)])
}

const proportionalSetSize = (pid: number) =>
  Number(/^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1024

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // it has ended since, or is not ours to look at
    return ''
  }
}

/** For people, and for a Markdown page. */
export function tableOf({
  version,
  machine: { cpu, cores, memory, system, node },
  patients,
  figures,
  memory: held,
}: Result) {
  const ms = (value: number) => value.toFixed(value < 10 ? 1 : 0).padStart(8)
  const width = Math.max(...figures.map(({ name }) => name.length))
  const lines = figures.map(
    ({ name, times, p50, p95, max }) =>
      `| ${name.padEnd(width)} | ${String(times).padStart(5)} | ${ms(p50)} | ${ms(p95)} | ${ms(max)} |`,
  )
  const mb = (bytes: number | null) => (bytes === null ? 'unknown' : `${Math.round(bytes / 1_048_576)} MB`)
  return [
    `Sanad ${version}, ${patients.toLocaleString('en')} patients`,
    `${cores} × ${cpu}, ${mb(memory)}, ${system}, Node ${node}`,
    '',
    `| ${'measure'.padEnd(width)} | times |   p50 ms |   p95 ms |   max ms |`,
    `| ${'-'.repeat(width)} | ----: | -------: | -------: | -------: |`,
    ...lines,
    '',
    `Memory afterwards: server ${mb(held.server)}, PostgreSQL ${mb(held.postgres)}`,
    '',
  ].join('\n')
}
