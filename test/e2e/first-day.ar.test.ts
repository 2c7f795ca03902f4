import { test } from './browser'
import { firstDay } from './first-day'

test('the first day of a clinic, in Arabic', ({ site, visit }) => firstDay(site, visit, 'ar'), 180_000)
