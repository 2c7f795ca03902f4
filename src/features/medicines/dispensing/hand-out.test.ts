import { expect, test } from 'vitest'
import { addsUp, type HandOut, partOf } from './hand-out'

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
  partOf('item', handOut(given), isEarlier).records.map(({ batchId, quantity }) => [
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
