const valueAt = (value: unknown, path: readonly string[]) =>
  path.reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], value)

/** Whether the value at this path of a form has changed: its error is then out of date. */
export const differsAt = (path: readonly string[], before: unknown, now: unknown): boolean =>
  JSON.stringify(valueAt(before, path)) !== JSON.stringify(valueAt(now, path))
