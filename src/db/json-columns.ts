/** What the JSON of a column is, by `table.column`. `src/json-columns.ts` says it: the database knows no features. */
export interface JsonColumns {}
