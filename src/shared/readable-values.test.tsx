import { renderToStaticMarkup } from 'react-dom/server'
import { IntlProvider } from 'use-intl'
import { expect, test } from 'vitest'
import ar from '../../messages/ar.json'
import en from '../../messages/en.json'
import es from '../../messages/es.json'
import type { Message } from './errors'
import { type Language, LANGUAGES, languageLocale } from './language'
import { useSay } from './say'
import { sentence } from './sentence'

const messages = { en, ar, es }
const longAgo: Message = { key: 'earlierDay.longAgo', values: { day: '2026-03-05' } }
const corrected: Message = {
  key: 'inventory.story_corrected',
  values: { quantity: 0, clinic: '', before: '2027-01-31', after: '2099-12-31' },
}

const Said = ({ message }: { message: Message }) => useSay()(message)

/** The message on a screen and on paper. */
const saidIn = (language: Language, message: Message) => [
  renderToStaticMarkup(
    <IntlProvider
      locale={languageLocale(language)}
      messages={messages[language]}
      timeZone="Asia/Beirut"
    >
      <Said message={message} />
    </IntlProvider>,
  ),
  sentence(language, message),
]

test.each(LANGUAGES)('a question names its day as readers of %s write it', (language) => {
  for (const said of saidIn(language, longAgo)) {
    expect(said).not.toMatch(/\d{4}-\d{2}-\d{2}/)
    expect(said).toMatch(/2026|٢٠٢٦/)
  }
  expect(saidIn('en', longAgo)).toEqual(
    Array.from({ length: 2 }, () => 'Mar 5, 2026 is more than 90 days ago. Check the year'),
  )
})

test.each(LANGUAGES)('a corrected date that became none is "no expiry" in %s', (language) => {
  for (const said of saidIn(language, corrected)) {
    expect(said).toContain(messages[language].batches.noExpiry)
    expect(said).not.toMatch(/2099|2027-01-31/)
  }
})

test('a text that is no day of the calendar stays as it is', () => {
  const values = { before: '2027-02-31x', after: 'B-2027-01-31', quantity: 1, clinic: '' }
  for (const said of saidIn('en', { key: 'inventory.story_corrected', values }))
    expect(said).toContain('B-2027-01-31')
})

test('a typed text is quoted, a day that does not exist stays, and no other date is "no expiry"', () => {
  const cell = { value: '2026-03-05', column: 'Date' }
  for (const said of saidIn('en', { key: 'imports.reasons.noTime', values: cell }))
    expect(said).toContain('2026-03-05')
  for (const said of saidIn('en', { key: 'earlierDay.longAgo', values: { day: '2026-02-30' } }))
    expect(said).toContain('2026-02-30')
  for (const said of saidIn('en', { key: 'earlierDay.longAgo', values: { day: '2099-12-31' } }))
    expect(said).toContain('Dec 31, 2099')
  const stored = { key: 'batches.otherExpiry', values: { expiry: '2099-12-31' } } as const
  for (const said of saidIn('en', stored)) expect(said).toContain(en.batches.noExpiry)
  const changed = { key: 'errors.changedTo', values: { value: '2026-03-05' } } as const
  for (const said of saidIn('en', changed)) expect(said).toContain('Mar 5, 2026')
})
