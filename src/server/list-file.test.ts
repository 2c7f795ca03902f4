import { readXlsx } from 'hucre/xlsx'
import { expect, test } from 'vitest'
import { streamListFile, type ListSheet } from './list-file.server'

async function* lines(rows: string[][]) {
  yield* rows
}

test('a workbook has days, moments and numbers as such, and what is none of them as text', async () => {
  const sheet: ListSheet = {
    title: 'A list',
    headings: ['ID', 'Born', 'Seen', 'Weight', 'Phone'],
    kinds: ['text', 'day', 'moment', 'number'],
    rows: lines([
      ['007', '1968-03-02', '2026-03-01 13:45', '61.5', '0501234567'],
      ['2026-01-01', 'about 1968', '', '61 kg', '70'],
      ['x', '1899-12-31', '2026-03-01', '12345678901234567', ''],
    ]),
  }
  const bytes = await new Response(streamListFile(sheet, 'xlsx')).arrayBuffer()
  const { sheets } = await readXlsx(new Uint8Array(bytes))
  expect(sheets[0]!.rows).toEqual([
    sheet.headings,
    ['007', new Date('1968-03-02T00:00:00Z'), new Date('2026-03-01T13:45:00Z'), 61.5, '0501234567'],
    ['2026-01-01', 'about 1968', '', '61 kg', '70'],
    ['x', '1899-12-31', '2026-03-01', '12345678901234567', ''],
  ])
})
