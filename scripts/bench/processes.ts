import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { platform } from 'node:os'

export type Memory = { server: number | null; postgres: number | null }

/** Of Linux's clock in /proc; the same on every machine that Sanad runs on. */
const TICK_MS = 10

/**
 * Bytes that the server's process holds, and all of PostgreSQL's together, with what they share
 * counted once. Null where the system does not tell (only Linux does).
 */
export function readMemoryUsage(server: number): Memory {
  if (platform() !== 'linux') return { server: null, postgres: null }
  const children = findDescendants(server)
  return {
    server: proportionalSetSize(server),
    postgres: children.reduce((sum, pid) => sum + proportionalSetSize(pid), 0),
  }
}

/**
 * Milliseconds of a processor that the server and all of PostgreSQL have used until now: beside
 * other work the truer measure.
 */
export function readProcessorTime(server: number): Memory {
  if (platform() !== 'linux') return { server: null, postgres: null }
  const children = findDescendants(server)
  return {
    server: ticks(server, 11, 12),
    postgres: children.reduce((sum, pid) => sum + ticks(pid, 11, 14), 0),
  }
}

/** Bytes of the server's process: now, and from now on the most it held. Null where the system does not tell. */
export function watchPeak(server: number): (() => number) | null {
  try {
    // https://docs.kernel.org/filesystems/proc.html: 5 forgets the peak until now
    writeFileSync(`/proc/${server}/clear_refs`, '5')
  } catch {
    return null
  }
  const before = readStatusBytes(server, 'VmRSS')
  return () => readStatusBytes(server, 'VmHWM') - before
}

/** Fields of /proc/<pid>/stat after the name, which may hold spaces. */
function ticks(pid: number, from: number, to: number): number {
  const fields = read(`/proc/${pid}/stat`).split(') ').at(-1)!.split(' ')
  return fields.slice(from, to + 1).reduce((sum, value) => sum + Number(value), 0) * TICK_MS
}

function findDescendants(parent: number): number[] {
  const own = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => Number(/^PPid:\t(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1]) === parent)
  return own.flatMap((pid) => [pid, ...findDescendants(pid)])
}

const readStatusBytes = (pid: number, name: string) =>
  Number(
    new RegExp(String.raw`^${name}:\s+(\d+) kB$`, 'm').exec(read(`/proc/${pid}/status`))?.[1] ?? 0,
  ) * 1024

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
