import { expect, test } from 'vitest'
import { columnRules, entryColumns, neverShown } from './column-rules'
import { BESIDE, pushedTables, writable } from './tables'

test('every column that phones have of a table that they write is in one class, and no other', () => {
  for (const [name, { columns }] of pushedTables)
    expect([name, Object.keys(columnRules[name]).toSorted()]).toEqual([
      name,
      Object.keys(columns).toSorted(),
    ])
})

test('every JSON column that phones write says how its entries are merged, and no screen empties it', () => {
  for (const [name, table] of pushedTables) {
    const json = writable(table).filter((column) => table.columns[column]!.isJson)
    expect([name, entryColumns(name).toSorted()]).toEqual([name, json.toSorted()])
    expect(neverShown(name)).toContain(BESIDE)
    expect(neverShown(name)).toContain('metadata')
  }
})
