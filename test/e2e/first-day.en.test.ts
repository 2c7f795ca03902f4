import { test } from './browser'
import { firstDay, LOOKS } from './first-day'

// an empty server is met once
test.runIf(LOOKS.includes('en'))(
  'the first day of a clinic, in English',
  { timeout: 180_000, retry: 0 },
  ({ site, visit }) => firstDay(site, visit, 'en'),
)
