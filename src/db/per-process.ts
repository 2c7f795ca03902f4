type Slots = Record<string, unknown>
const slots = ((globalThis as { [key: symbol]: unknown })[Symbol.for('sanad')] ??= {}) as Slots

/**
 * One value per process. The command and the app are two bundles, each with its own copy of a module; what they must
 * share (the pool, the metrics, whether we are draining) is therefore kept here and not in a module's variable.
 */
export function perProcess<T>(name: string, make: () => T): T {
  return (slots[name] ??= make()) as T
}
