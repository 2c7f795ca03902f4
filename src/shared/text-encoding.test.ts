import { expect, test } from 'vitest'
import { detectEncoding, isUnreadable } from './text-encoding'

const read = (bytes: Uint8Array, encoding: string) => new TextDecoder(encoding).decode(bytes)
const latin = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
const utf8 = (text: string) => new TextEncoder().encode(text)

test.each([
  ['UTF-8 read as Spanish', read(utf8('España'), 'windows-1252')],
  ['a sign in UTF-8 read as Spanish', read(utf8('25 °C'), 'windows-1252')],
  ['UTF-8 read as Arabic', read(utf8('باراسيتامول 500'), 'windows-1256')],
  ['UTF-8 that was read wrongly twice', read(utf8(read(utf8('niño'), 'windows-1252')), 'latin1')],
  ['Arabic read as Spanish', 'ÈÇÑÇÓíÊÇãæá 500'],
  ['Spanish read as Arabic', read(latin('Jarabe para niños'), 'windows-1256')],
  ['a Spanish word that ends so, read as Arabic', read(latin('Bogotá'), 'windows-1256')],
  ['a Spanish word that begins so, read as Arabic', read(latin('Ácido'), 'windows-1256')],
  ['bytes that were not read', 'Jarabe para ni\uFFFDos'],
  ['a character that no text has', 'Ali\uFFFE'],
])('%s is unreadable', (_name, text) => {
  expect(isUnreadable(text)).toBe(true)
})

test.each([
  'Paracetamol',
  'Ácido fólico, niños: 5 µg/mL ±10 % (“CAFÉ”) – año',
  'ÑANDÚ Été À être où Œuvre Ångström señorÑ',
  'باراسيتامول ٥٠٠ ملغ، شراب؛ دواء؟',
  'د، محمّد ذ؟',
  'گرم پودر چای ژله',
  'Amoxicillin أموكسيسيلين 500mg وPanadol',
  '对乙酰氨基酚 парацетамол παρακεταμόλη',
  '👩🏽‍⚕️',
])('%s is readable', (text) => {
  expect(isUnreadable(text)).toBe(false)
})

test('only what the bytes prove is detected', () => {
  expect(detectEncoding(utf8('اسم'), false)).toBe('utf-8')
  expect(detectEncoding(Uint8Array.from([0xff, 0xfe, 0x27, 0x06]), false)).toBe('utf-16le')
  expect(detectEncoding(Uint8Array.from([0xfe, 0xff, 0x06, 0x27]), false)).toBe('utf-16be')
  // "niño" and "اسم,الجنس" as Windows saves them; a text of both is asked about
  const latin = [0x6e, 0x69, 0xf1, 0x6f]
  const arabic = [0xc7, 0xd3, 0xe3, 0x2c, 0xc7, 0xe1, 0xcc, 0xe4, 0xd3]
  expect(detectEncoding(Uint8Array.from(latin), false)).toBe('windows-1252')
  expect(detectEncoding(Uint8Array.from(arabic), false)).toBe('windows-1256')
  expect(detectEncoding(Uint8Array.from([...latin, 0x2c, ...arabic]), false)).toBeUndefined()
  // a sign alone, such as a non-breaking space, says nothing
  expect(detectEncoding(Uint8Array.from([0x6e, 0x2c, 0xa0, 0x2c]), false)).toBeUndefined()
  // UTF-16 without its mark
  expect(detectEncoding(Buffer.from('Name,اسم\n', 'utf16le'), false)).toBe('utf-16le')
  expect(detectEncoding(Buffer.from('Name,اسم\n', 'utf16le').swap16(), false)).toBe('utf-16be')
})
