import { expect, test } from 'vitest'
import text from './common-passwords.txt?raw'
import { commonPasswords, publishedPasswords } from './common-passwords.server'
import { count } from './published-passwords.json'

const lines = text.trimEnd().split('\n')

test('each line is one password, as a new password is compared with it', () => {
  const compared = (word: string) => word.normalize('NFKC').toLowerCase().trim()
  expect(lines.filter((line) => line !== compared(line) || Array.from(line).length < 8)).toEqual([])
  expect(lines.length).toBeGreaterThanOrEqual(3000)
})

test('the published list is whole: 49,233 passwords, each in lower case and once', () => {
  const published = publishedPasswords()
  expect([published.length, new Set(published).size, count]).toEqual([49_233, 49_233, 49_233])
  expect(published.filter((word) => word !== word.toLowerCase())).toEqual([])
  const all = commonPasswords()
  expect([...lines, ...published].filter((word) => !all.has(word))).toEqual([])
})
