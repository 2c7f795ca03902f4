/** The columns as a query with joins names them: `users.name`, or `d.name` of an alias. */
export const qualified = <T extends string, C extends string>(table: T, columns: readonly C[]) =>
  columns.map((column) => `${table}.${column}` as const)
