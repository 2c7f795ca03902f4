import { renderToString } from 'react-dom/server'
import { IntlProvider } from 'use-intl'
import { expect, test } from 'vitest'
import { useNow, useToday } from './clock'
import { Moment } from './Moment'

test('a page renders the same on the server and in the browser: its moment, in the day of its clinic', () => {
  const Clock = () => `${useNow().toISOString()} ${useToday()}`
  const html = renderToString(
    <IntlProvider locale="en" timeZone="Pacific/Kiritimati" now={new Date('2026-03-01T11:30:07Z')}>
      <Clock />
    </IntlProvider>,
  )
  expect(html).toBe('2026-03-01T11:30:00.000Z 2026-03-02')
})

test.for([
  ['en', '6:05 AM'],
  // the letter stays on the line of its time
  ['ar-u-nu-latn', '6:05\u00A0ص'],
  ['es', '6:05'],
] as const)('in %s a time of day is written as people write it: %s', ([locale, written]) => {
  const html = renderToString(
    <IntlProvider locale={locale} timeZone="UTC">
      <Moment at="2026-03-01T06:05:00Z" />
    </IntlProvider>,
  )
  expect(html.replaceAll('\u202f', ' ')).toMatch(new RegExp(`[^0-9]${written}<`))
})
