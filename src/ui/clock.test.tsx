import { renderToString } from 'react-dom/server'
import { IntlProvider } from 'use-intl'
import { expect, test } from 'vitest'
import { useNow, useToday } from './clock'

test('a page is drawn as of the moment that it says, in the day of its clinic: a browser that wakes it finds the same', () => {
  const Clock = () => `${useNow().toISOString()} ${useToday()}`
  const html = renderToString(
    <IntlProvider locale="en" timeZone="Pacific/Kiritimati" now={new Date('2026-03-01T11:30:07Z')}>
      <Clock />
    </IntlProvider>,
  )
  expect(html).toBe('2026-03-01T11:30:00.000Z 2026-03-02')
})
