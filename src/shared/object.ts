/** A value that is not known to be an object, so that its members can be asked for; one that is none has none. */
export const asObject = (value: unknown): Record<string, unknown> => Object(value)

/** An object with members by name: no list and no null. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The names of the members that the type of a constant lists; TypeScript types them as any text. */
export const keysIn = <T extends object>(object: T) => Object.keys(object) as (keyof T & string)[]

/** One value for each name. */
export const forEachName = <const N extends string, V>(
  names: readonly N[],
  value: (name: N) => V,
) => Object.fromEntries(names.map((name) => [name, value(name)])) as Record<N, V>
