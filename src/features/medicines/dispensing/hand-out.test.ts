import { expect, test } from 'vitest'
import {
  addsUp,
  atItems,
  type HandOut,
  isPossible,
  needsReasonFor,
  toDispenseInput,
  takesReasonFor,
} from './hand-out'

const pick = (batch_id: string, quantity: number) =>
  ({ batch_id, quantity }) as HandOut['picking']['picks'][number]
const handOut = (given: Partial<HandOut> = {}): HandOut => ({
  isChosen: true,
  quantity: 10,
  days: '',
  picking: { picks: [pick('new', 10)], missing: 0, passedOver: [] },
  reason: '',
  own: null,
  ids: {},
  ...given,
})
const recorded = (given: Partial<HandOut>, isEarlier: boolean) =>
  toDispenseInput('item', handOut(given), isEarlier).records.map(({ batchId, quantity }) => [
    batchId,
    quantity,
  ])

test('today the proposed batch is recorded; of an earlier day the batch is not known unless it is chosen', () => {
  expect(recorded({}, false)).toEqual([['new', 10]])
  expect(recorded({}, true)).toEqual([[null, 10]])
  expect(recorded({ own: { old: 10 } }, true)).toEqual([['old', 10]])
  expect(recorded({ own: { old: 4 } }, true)).toEqual([
    ['old', 4],
    [null, 6],
  ])
  expect(recorded({ own: {} }, true)).toEqual([[null, 10]])
})

test('a batch that is not known needs no sum', () => {
  const short = { picking: { picks: [pick('new', 4)], missing: 6, passedOver: [] } }
  expect([addsUp(handOut(short), false), addsUp(handOut(short), true)]).toEqual([false, true])
  expect(addsUp(handOut({ own: { old: 12 } }), true)).toBe(false)
})

test('suggested batches cannot be used if one is missing, short or barred, or if the quantity is not covered', () => {
  const batch = { batch_id: 'new', batch_number: 'L-1', expiry_date: '2026-06-30', held: 0 }
  const there = { ...batch, is_quarantined: false, quantity_available: 10 }
  const earlier = { ...there, batch_id: 'earlier', expiry_date: '2026-03-31' }
  const is = (batches: (typeof there)[], missing = 0, today = '2026-01-31') =>
    isPossible({ picks: [pick('new', 10)], missing }, batches, today)
  // one that expires earlier was received: what is shown stays
  expect(is([earlier, there])).toBe(true)
  expect(is([earlier])).toBe(false)
  expect(is([{ ...there, held: 1 }])).toBe(false)
  expect(is([{ ...there, is_quarantined: true }])).toBe(false)
  expect(is([there], 0, '2026-07-01')).toBe(false)
  expect(is([there], 5)).toBe(false)
})

test('for an earlier day a controlled medicine takes a reason and does not need one', () => {
  const early = { due: 10, earliest: '2026-02-01', is_controlled: true }
  const due = { ...early, earliest: null }
  const asks = (item: typeof due | typeof early, isEarlier: boolean, quantity = 10) => [
    takesReasonFor(item, { quantity }, isEarlier),
    needsReasonFor(item, { quantity }, isEarlier),
  ]
  expect(asks(early, false)).toEqual([true, true])
  expect(asks(early, true)).toEqual([true, false])
  expect(asks(due, true)).toEqual([true, false])
  expect(asks(due, false)).toEqual([false, false])
  expect(asks(due, true, 20)).toEqual([true, true])
  expect(asks({ ...due, is_controlled: false }, true)).toEqual([false, false])
})

test('an error of the operation is beside the item that was sent', () => {
  const error = { key: 'dispensing.batchRequired' } as const
  const paths = [
    'items.1.reason',
    'items.0',
    'items.0.records.0.batchId',
    'items.0.days_supply',
    'day',
  ]
  expect(paths.map((path) => Object.keys(atItems({ [path]: error }, ['a', 'b']))[0])).toEqual([
    'b.reason',
    'a',
    'a',
    'items.0.days_supply',
    'day',
  ])
})
