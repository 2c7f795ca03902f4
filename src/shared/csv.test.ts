import { expect, test } from 'vitest'
import { csvLine, fromCell } from './csv'

test.for([
  ['=1+1', "'=1+1"],
  ['+962 (79) 123-4567', '+962 (79) 123-4567'],
  ['-1', '-1'],
  ['+', "'+"],
  ['+1+cmd', "'+1+cmd"],
  ["'+1", "''+1"],
  ['@SUM(1)', "'@SUM(1)"],
  ['\t=1', '"\'\t=1"'],
  ["'=1", "''=1"],
  ['a,b', '"a,b"'],
  ['a;b', '"a;b"'],
  ['say "x"', '"say ""x"""'],
  ['\r\n=1', '"\'\r\n=1"'],
  ['plain', 'plain'],
])('%j is written as %s, and is distinguished from an added apostrophe', ([value, written]) => {
  const line = csvLine([value!])
  expect(line).toBe(`${written}\r\n`)
  expect(
    fromCell(
      line
        .slice(0, -2)
        .replace(/^"(.*)"$/s, '$1')
        .replaceAll('""', '"'),
    ),
  ).toBe(value)
})
