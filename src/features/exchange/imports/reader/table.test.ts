import { writeXlsx } from 'hucre/xlsx'
import { expect, test } from 'vitest'
import type { FileSource } from '../csv.server'
import { medicineHeadings } from '../medicines-file/medicine-columns.server'
import { openTable } from './table.server'

const source = (bytes: Uint8Array, name = 'list.xlsx'): FileSource => ({
  name,
  size: bytes.length,
  async *read(offset) {
    yield await Promise.resolve(bytes.subarray(offset))
  },
})

type Choices = Parameters<typeof openTable>[2]

async function read(bytes: Uint8Array | string, choices: Choices = {}) {
  const content = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
  const table = await openTable(source(content), medicineHeadings(), choices)
  const rows = []
  for await (const { line, values } of table.rows()) rows.push([line, ...values])
  const { headers, headingLine, sheet, sheets } = table
  return { headers, headingLine, sheet, sheets, rows }
}

const workbook = (...sheets: Parameters<typeof writeXlsx>[0]['sheets']) => writeXlsx({ sheets })

test('a workbook is read: numbers as they are, days as days, and no cell is lost', async () => {
  const bytes = await workbook({
    name: 'Medicines',
    rows: [
      ['Name', 'Barcode', 'Price', 'Since', 'Active'],
      ['Zinc', 6_281_234_567_890, 0.1 + 0.2, new Date(Date.UTC(1990, 4, 17)), true],
      [],
      ['Iron', '0012', 12, new Date(Date.UTC(1990, 4, 17, 13, 30)), false],
    ],
  })
  expect(await read(bytes)).toEqual({
    headers: ['Name', 'Barcode', 'Price', 'Since', 'Active'],
    headingLine: 1,
    sheet: 'Medicines',
    sheets: ['Medicines'],
    rows: [
      [2, 'Zinc', '6281234567890', '0.3', '1990-05-17', 'true'],
      [4, 'Iron', '0012', '12', '1990-05-17T13:30:00', 'false'],
    ],
  })
})

test('of several sheets with rows the one that holds the list is proposed, and another can be chosen', async () => {
  const bytes = await workbook(
    { name: 'Read me', rows: [['This workbook was made in March']] },
    { name: 'Empty', rows: [] },
    {
      name: 'List',
      rows: [
        ['Generic name', 'Strength'],
        ['Zinc', '20 mg'],
      ],
    },
    { name: 'Hidden', hidden: true, rows: [['Generic name', 'Strength', 'Form']] },
  )
  expect(await read(bytes)).toMatchObject({
    sheet: 'List',
    sheets: ['Read me', 'List'],
    rows: [[2, 'Zinc', '20 mg']],
  })
  expect(await read(bytes, { sheet: 'Read me' })).toMatchObject({
    sheet: 'Read me',
    headers: ['This workbook was made in March'],
  })
})

test('the headings are found below titles, and may be given', async () => {
  const text =
    'Essential medicines 2026\nDistrict hospital,,\n\nDrug name,Form,Strength\nZinc,Tab,20 mg\n'
  expect(await read(text)).toMatchObject({
    headers: ['Drug name', 'Form', 'Strength'],
    headingLine: 4,
    rows: [[5, 'Zinc', 'Tab', '20 mg']],
  })
  expect(await read(text, { headingLine: 5 })).toMatchObject({
    headers: ['Zinc', 'Tab', '20 mg'],
    rows: [],
  })
})

test('short headings with a digit are headings above cells of another kind', async () => {
  expect(await read('Medicine,Q1,Q2\nParacetamol 500 mg tablet,3,4\n')).toMatchObject({
    headers: ['Medicine', 'Q1', 'Q2'],
    headingLine: 1,
  })
  expect(await read('Zinc,B1,3\nIron,B2,4\n')).toMatchObject({ headingLine: 0 })
})

test('headings on two lines, also merged ones, are one heading each', async () => {
  const bytes = await workbook({
    name: 'List',
    rows: [
      ['Medicines of the district', null, null, null],
      ['Drug name', 'Strength', 'Stock level', null],
      [null, null, 'Minimum stock', 'Maximum stock'],
      ['Zinc', '20 mg', 10, 50],
    ],
    merges: [{ startRow: 1, startCol: 2, endRow: 1, endCol: 3 }],
  })
  expect(await read(bytes)).toMatchObject({
    headers: [
      'Drug name',
      'Strength',
      'Stock level / Minimum stock',
      'Stock level / Maximum stock',
    ],
    headingLine: 2,
    rows: [[4, 'Zinc', '20 mg', '10', '50']],
  })
})

test.each([
  ['tabs', 'Drug name\tForm\nZinc, oral\tTab\n'],
  ['bars', 'Drug name|Form\nZinc, oral|Tab\n'],
  [
    'semicolons below a title with a comma',
    'List, 2026\nDrug name;Form\nZinc, oral;Tab\nIron;Tab\n',
  ],
])('columns divided by %s are read', async (_name, text) => {
  const { headers, rows } = await read(text)
  expect(headers).toEqual(['Drug name', 'Form'])
  expect(rows[0]?.slice(1)).toEqual(['Zinc, oral', 'Tab'])
})

test.each([
  ['old', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])],
  ['damaged', Buffer.from('PK\u0003\u0004 and then nothing')],
])('a workbook that is %s gets a sentence that says what to do', async (why, bytes) => {
  await expect(read(bytes)).rejects.toMatchObject({
    text: { key: `imports.workbook.${why}`, values: { file: 'list.xlsx' } },
  })
})

test('letters that a wrong encoding left in a cell of a workbook are marked', async () => {
  const bytes = await workbook({ name: 'List', rows: [['Name'], ['niٌo'], ['Zinc']] })
  const table = await openTable(source(bytes), medicineHeadings(), {})
  const problems = []
  for await (const { problem } of table.rows()) problems.push(problem?.key)
  expect(problems).toEqual(['imports.reasons.garbled', undefined])
})
