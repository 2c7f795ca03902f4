import { test } from './browser'
import { firstDay } from './first-day'

test('the first day of a clinic, in English', ({ site, visit }) => firstDay(site, visit, 'en'), 180_000)
