import { expect, test } from 'vitest'
import { contentDisposition } from './content-disposition'

test('the name of a file is one encoded value of its header, whatever it holds', () => {
  expect(contentDisposition('inline', 'تقرير (1).pdf')).toBe(
    "inline; filename*=UTF-8''%D8%AA%D9%82%D8%B1%D9%8A%D8%B1%20%281%29.pdf",
  )
  for (const name of [
    'a"; filename="b.exe',
    "x'y*z",
    'a\r\nset-cookie: b=c',
    '../../etc/passwd',
    'a\uD800',
  ]) {
    const header = contentDisposition('attachment', name)
    expect(header).toMatch(/^attachment; filename\*=UTF-8''[\w.~!%-]+$/)
    const kept = decodeURIComponent(header.split("''")[1]!)
    expect(kept).not.toMatch(/[/\\\p{Cc}\p{Cs}]/u)
    expect(new Headers({ 'content-disposition': header }).get('set-cookie')).toBeNull()
  }
})
