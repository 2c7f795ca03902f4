/**
 * Collects the garbage of the last moments, in some milliseconds. V8 does not count the memory of buffers, of which
 * each answer of PostgreSQL is one, as part of the young generation, and lets it grow. Without `--expose-gc` nothing
 * happens.
 */
export function collectYoung(): void {
  globalThis.gc?.({ type: 'minor' })
}

/**
 * Collects all garbage after a batch of thousands of rows, in some 50 ms: what outlives the young generation V8 lets
 * grow to several times what is in use. Without `--expose-gc` nothing happens.
 */
export function collectAll(): void {
  globalThis.gc?.({ type: 'major' })
}
