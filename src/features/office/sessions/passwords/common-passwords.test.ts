import { expect, test } from 'vitest'
import text from './common-passwords.txt?raw'
import { commonPasswords } from './common-passwords.server'

const lines = text.trimEnd().split('\n')

test('each line is one password, as a new password is compared with it', () => {
  const compared = (word: string) => word.normalize('NFKC').toLowerCase().trim()
  expect(lines.filter((line) => line !== compared(line) || Array.from(line).length < 8)).toEqual([])
  expect(commonPasswords().size).toBe(lines.length)
  expect(lines.length).toBeGreaterThanOrEqual(3000)
})
