/**
 * Collects the garbage of the last moments, in some milliseconds. V8 does not count the memory of buffers, of which
 * each answer of PostgreSQL is one, as part of the young generation, and lets it grow. Without `--expose-gc` nothing
 * happens.
 */
export function collectYoung(): void {
  globalThis.gc?.({ type: 'minor' })
}
