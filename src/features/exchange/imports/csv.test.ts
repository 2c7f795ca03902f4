import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CsvRow, fileSource, openCsv } from './csv.server'
import { type Encoding, isUnreadable } from '~/shared/text-encoding'
import { csvLine, fromCell } from '~/shared/csv'

let folder: string
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'sanad-csv-'))))
afterAll(() => rmSync(folder, { recursive: true }))

async function read(bytes: string | Uint8Array, encoding?: Encoding) {
  const path = join(folder, 'file.csv')
  writeFileSync(path, bytes)
  const csv = await openCsv(await fileSource(path, 'file.csv'), encoding)
  const rows: CsvRow[] = []
  for await (const row of csv.rows()) rows.push(row)
  return {
    headers: csv.headers,
    rows: rows.map(({ line, values, problem }) => [line, problem?.key ?? values]),
  }
}

test('BOM, CRLF, empty lines and line breaks inside quotation marks are read, and lines counted right', async () => {
  expect(
    await read('\uFEFFid,"a note"\r\n1,"two\r\nlines"\r\n\r\n2,"said ""no"""\r\n3,last'),
  ).toEqual({
    headers: ['id', 'a note'],
    rows: [
      [2, ['1', 'two\r\nlines']],
      [5, ['2', 'said "no"']],
      [6, ['3', 'last']],
    ],
  })
})

test.each([
  [';', 'Nombre;Edad\nJuan, hijo;7\n'],
  ['\t', 'Nombre\tEdad\nJuan, hijo\t7\n'],
])('columns may be divided by "%s"', async (_sign, text) => {
  expect((await read(text)).rows).toEqual([[2, ['Juan, hijo', '7']]])
})

test('a column without a heading, and a second one of the same, are called by their number', async () => {
  expect((await read('Name,,Name\n1,2,3\n')).headers).toEqual(['Name', '#2', 'Name #3'])
})

test('a quotation mark in the wrong place costs its own line, and no other', async () => {
  expect(
    (await read('id,note\n1,fine\n2,"never closed\n3,"fine"\n4,a "nick" name\n5,fine\n')).rows,
  ).toEqual([
    [2, ['1', 'fine']],
    [3, 'imports.reasons.quotes'],
    [4, ['3', 'fine']],
    [5, 'imports.reasons.quotes'],
    [6, ['5', 'fine']],
  ])
})

test('a field of several megabytes costs its own line, and no other', async () => {
  const huge = 'x'.repeat(3 * 1024 * 1024)
  expect((await read(`id,note\n1,fine\n2,${huge}\n3,fine\n4,"${huge}"\n5,fine\n`)).rows).toEqual([
    [2, ['1', 'fine']],
    [3, 'imports.reasons.tooLong'],
    [4, ['3', 'fine']],
    [5, 'imports.reasons.tooLong'],
    [6, ['5', 'fine']],
  ])
})

test('text is read as UTF-8, UTF-16 or the Arabic or Spanish encoding of Windows; a mix has to be chosen', async () => {
  expect((await read(Buffer.from('\uFEFFالاسم\nليلى\n', 'utf16le'))).rows).toEqual([[2, ['ليلى']]])
  const arabic = Buffer.from([0xc7, 0xe1, 0xc7, 0xd3, 0xe3, 10, 0xe1, 0xed, 0xe1, 0xec, 10])
  const read1256 = { headers: ['الاسم'], rows: [[2, ['ليلى']]] }
  expect(await read(arabic)).toEqual(read1256)
  expect(await read(Buffer.from('\uFEFFالاسم\nليلى\n', 'utf16le').swap16())).toEqual(read1256)
  const spanish = Buffer.from('Apellido\nMu\u00F1oz\n', 'latin1')
  expect(await read(spanish)).toEqual({ headers: ['Apellido'], rows: [[2, ['Muñoz']]] })
  const both = Buffer.concat([arabic, spanish])
  await expect(read(both)).rejects.toMatchObject({ text: { key: 'imports.csv.encoding' } })
  expect((await read(both, 'windows-1256')).rows[0]).toEqual([2, ['ليلى']])
})

test('a line with bytes that the encoding does not know is refused, however late it comes', async () => {
  const plain = 'id,name\n' + '1,Ali\n'.repeat(12_000)
  const file = Buffer.concat([Buffer.from(plain), Buffer.from([0x32, 0x2c, 0xe1, 0xed, 10])])
  const { rows } = await read(Buffer.concat([file, Buffer.from('3,Ana\n')]))
  expect(rows.slice(-2)).toEqual([
    [12_002, 'imports.reasons.garbled'],
    [12_003, ['3', 'Ana']],
  ])
})

test('a file in the wrong one of two encodings is refused by its headings, else line by line', async () => {
  const arabic = Buffer.from([0xc7, 0xe1, 0xc7, 0xd3, 0xe3, 10, 0xe1, 0xed, 0xe1, 0xec, 10])
  await expect(read(arabic, 'windows-1252')).rejects.toMatchObject({
    text: { key: 'imports.csv.garbled', values: { file: 'file.csv' } },
  })
  const named = Buffer.concat([Buffer.from('name\n'), arabic, Buffer.from('Ana\n')])
  expect((await read(named, 'windows-1252')).rows).toEqual([
    [2, 'imports.reasons.garbled'],
    [3, 'imports.reasons.garbled'],
    [4, ['Ana']],
  ])
  // another program has read UTF-8 wrongly and saved what it saw
  expect((await read('name\nEspaÃ±a\nEspaña\n')).rows).toEqual([
    [2, 'imports.reasons.garbled'],
    [3, ['España']],
  ])
})

test.each([
  ['', 'imports.csv.empty'],
  ['\n\n', 'imports.csv.empty'],
  [',,\n1,2,3\n', 'imports.csv.noHeader'],
  ['PK\u0003\u0004\0\0\0\n', 'imports.csv.notText'],
])('what is no table of text is refused: %j', async (text, key) => {
  await expect(read(text)).rejects.toMatchObject({
    code: 'invalid',
    text: { key, values: { file: 'file.csv' } },
  })
})

test('what is written as CSV reads back equal, and a spreadsheet finds no formula in it', async () => {
  const cell = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('=1+1', '-5', '@x', '+966', "'=1", 'a"b', 'a\nb', ' x '),
  )
  const row = fc
    .array(cell, { minLength: 2, maxLength: 2 })
    .filter((cells) => !cells.some((one) => one.includes('\0') || isUnreadable(one)))
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 5 }), async (rows) => {
      const text = ['a,b\r\n', ...rows.map(csvLine)].join('')
      for (const one of rows.flat())
        expect(csvLine([one, 'b'])).not.toMatch(/^"?([=@]|[+-](?![0-9 ()-]+"?(,|\r)))/)
      const back = (await read(text)).rows.map(([, values]) => (values as string[]).map(fromCell))
      // a line of nothing but empty cells is an empty line
      expect(back).toEqual(rows)
    }),
    { numRuns: 50 },
  )
})

test('the first line in which Excel names the delimiter is no heading, with or without a mark before it', async () => {
  const table = { headers: ['id', 'name'], rows: [[3, ['1', 'a, b']]] }
  expect(await read('sep=;\r\nid;name\r\n1;a, b\r\n')).toEqual(table)
  expect(await read('\uFEFFsep=;\nid;name\n1;a, b\n')).toEqual(table)
  expect(await read('sep=\t\nid\tname\n1\ta, b\n')).toEqual(table)
})
