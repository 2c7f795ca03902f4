import { zstdDecompressSync } from 'node:zlib'
import text from './common-passwords.txt?raw'
import { zstd } from './published-passwords.json'

/**
 * Passwords that attackers try first, in lower case: 49,233 of a published list (its source and licence are in the
 * file, and `npm run common-passwords` writes it), and three thousand written for Sanad: keyboard walks and runs of
 * digits (Latin, French and Arabic keyboards), words, names, teams and places of the three languages, of clinics and
 * of this product, with usual endings.
 */
export const commonPasswords = () =>
  (list ??= new Set([...text.trimEnd().split('\n'), ...publishedPasswords()]))

export const publishedPasswords = () =>
  zstdDecompressSync(Buffer.from(zstd.join(''), 'base64'))
    .toString()
    .split('\n')

let list: Set<string> | undefined
