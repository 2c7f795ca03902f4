/**
 * The search parameters of an address. Every signed-in screen carries those of all routes, so they are read without
 * zod, which comes with the screens that need it.
 */
import { isDay } from './zone'

/** Undefined: the value is invalid. */
type Read<T> = (value: unknown) => T | undefined
type Reads = Readonly<Record<string, Read<unknown>>>
type Given<R extends Reads> = { -readonly [K in keyof R]?: ReturnType<R[K]> }

/** What the address of a route says: `Search<typeof listSearch>`. */
export type RouteSearch<S extends (given: Record<string, unknown>) => unknown> = ReturnType<S>

/** For `validateSearch`. Leaves invalid values out: a mangled address shows the defaults, not an error. */
export const defineSearch =
  <const R extends Reads>(reads: R) =>
  (given: Readonly<Record<string, unknown>>): Given<R> => {
    const read: Record<string, unknown> = {}
    // the router merges this over what it was given: an invalid value is overwritten with undefined
    for (const name of Object.keys(reads)) if (name in given) read[name] = reads[name]!(given[name])
    return read as Given<R>
  }

export const oneOfOptions =
  <const T>(options: readonly T[]): Read<T> =>
  (value) =>
    options.find((option) => option === value)

export const matchingPattern =
  (pattern: RegExp): Read<string> =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? value : undefined

/** The router reads `search=2125550007` as a number, and `search=true` as a boolean. */
const asTyped = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
    ? String(value)
    : undefined

export const textParam =
  (max: number, min = 0): Read<string> =>
  (value) => {
    const typed = asTyped(value)
    return typed !== undefined && typed.length >= min && typed.length <= max ? typed : undefined
  }

/** Without the spaces around it. */
export const trimmed =
  (max: number): Read<string> =>
  (value) =>
    textParam(max)(asTyped(value)?.trim())

export const whole =
  (min: number, max = Number.MAX_SAFE_INTEGER): Read<number> =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
      ? (value as number)
      : undefined

export const flag: Read<boolean> = (value) => (typeof value === 'boolean' ? value : undefined)
export const page = whole(1, 100_000)

/** Versions 1 to 8, and the ids of zeros and of ones, as `z.uuid()`. */
export const id = matchingPattern(
  /^([\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}|0{8}(-0{4}){3}-0{12}|f{8}(-f{4}){3}-f{12})$/i,
)

/** `yyyy-MM-dd`, a day of the calendar. */
export const day: Read<string> = (value) => {
  return typeof value === 'string' && isDay(value) ? value : undefined
}
