import { deflateSync } from 'node:zlib'

const TEXT = Buffer.from(Array.from({ length: 50_000 }, (_, i) => `${i * i} of ${i}\n`).join(''))

/**
 * Milliseconds of a fixed piece of work of one processor. A virtual machine may be twice as slow a minute later:
 * figures of two runs can only be compared beside this one.
 */
export function fixedWork(): number {
  const began = performance.now()
  deflateSync(TEXT)
  return performance.now() - began
}
