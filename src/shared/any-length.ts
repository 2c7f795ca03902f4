/*
 * For lists of any length: as arguments (`push(...list)`, `Math.max(...list)`) they take the stack, and a long one
 * overflows it. A test of the sources looks for such calls.
 */

/** Appends all of `more`. */
export function addAll<T>(to: T[], more: Iterable<T>): void {
  for (const one of more) to.push(one)
}

/** Negative infinity for none. */
export const largest = (all: Iterable<number>): number =>
  Array.from(all).reduce((a, b) => Math.max(a, b), -Infinity)

/** Infinity for none. */
export const smallest = (all: Iterable<number>): number =>
  Array.from(all).reduce((a, b) => Math.min(a, b), Infinity)
