import { describe, expect, test } from 'vitest'
import { LANGUAGES } from '~/shared/language'
import { dayText, fillText, messageSize, SHIPPED_TEXTS, unknownPlaceholder } from './text'

const values = { name: 'Layla', clinic: 'Hillside', date: '3 Mar 2026', phone: '0944 123 456' }

describe('a text', () => {
  test('has its four placeholders filled, also twice', () => {
    expect(fillText('{name}: {clinic}, {date}, {phone}. {name}!', values)).toBe(
      'Layla: Hillside, 3 Mar 2026, 0944 123 456. Layla!',
    )
    // a name with a placeholder in it is a name
    expect(fillText('Hello {name}', { ...values, name: '{phone}' })).toBe('Hello {phone}')
  })

  test('loses the sentence with the phone where the clinic has none, and nothing else', () => {
    const none = { ...values, phone: null }
    expect(fillText('Come to {clinic}. Phone: {phone}. Thank you!', none)).toBe(
      'Come to Hillside. Thank you!',
    )
    expect(fillText('هل تأتي؟ الهاتف: {phone}.', none)).toBe('هل تأتي؟')
    expect(fillText('Call {phone}', none)).toBe('Call')
    for (const language of LANGUAGES) {
      const text = fillText(SHIPPED_TEXTS[language], none)
      expect(text).toContain('Hillside')
      expect(text).not.toMatch(/phone|tel|هاتف|\{/i)
    }
  })

  test('with another placeholder, or half of one, is refused', () => {
    expect(unknownPlaceholder('{name} {clinic} {date} {phone}')).toBeUndefined()
    expect(unknownPlaceholder('Your {diagnosis}')).toBe('{diagnosis}')
    expect(unknownPlaceholder('Hello {name')).toBe('{name')
    expect(unknownPlaceholder('Hello name}')).toBe('}')
    expect(unknownPlaceholder('{NAME}')).toBe('{NAME}')
    expect(unknownPlaceholder('{{name}}')).toBe('{}')
  })

  test('ships without an illness, and in Latin letters within the alphabet of text messages', () => {
    for (const language of LANGUAGES)
      expect(unknownPlaceholder(SHIPPED_TEXTS[language])).toBeUndefined()
    for (const language of ['en', 'es'] as const) {
      const date = dayText('2026-03-03', language)
      const filled = fillText(SHIPPED_TEXTS[language], { ...values, date })
      expect(messageSize(filled)).toMatchObject({ parts: 1, most: 160 })
    }
  })
})

describe('the parts of a text message', () => {
  const ofArabic = (count: number) => messageSize('م'.repeat(count))

  test('are of 160 characters alone and 153 among several; in Arabic of 70 and 67', () => {
    const of = (count: number) => messageSize('a'.repeat(count)).parts
    expect([0, 1, 160, 161, 306, 307, 459, 460].map(of)).toEqual([0, 1, 1, 2, 2, 3, 3, 4])
    expect([1, 70, 71, 134, 135, 201, 202].map((count) => ofArabic(count).parts)).toEqual([
      1, 1, 2, 2, 3, 3, 4,
    ])
    // one Arabic letter makes all of it Unicode
    expect(messageSize(`${'a'.repeat(99)}م`)).toEqual({ parts: 2, units: 100, most: 67 })
  })

  test('count an escaped character twice and never divide it', () => {
    expect(messageSize('€'.repeat(80))).toEqual({ parts: 1, units: 160, most: 160 })
    // 76 fit into 153 units with one left over
    expect(messageSize('€'.repeat(153)).parts).toBe(3)
    expect(messageSize('😀'.repeat(35)).parts).toBe(1)
    // 33 pairs fit into 67
    expect(messageSize('😀'.repeat(67)).parts).toBe(3)
  })
})
