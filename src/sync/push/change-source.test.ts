import { expect, test } from 'vitest'
import { toChangeSource } from './change-source.server'

test('a change set is read again as the device sent it, whatever saving did to its rows', async () => {
  const id = crypto.randomUUID()
  const visit = crypto.randomUUID()
  const source = toChangeSource({
    appointments: { created: [{ id, current_visit_id: visit }], updated: [], deleted: [] },
  })

  for await (const { rows, refused } of source.pieces()) {
    // as `unlinkDeletedVisits` does
    rows[0]!.values['current_visit_id'] = ''
    rows[0]!.isAltered = true
    expect(refused).toEqual([])
    break
  }

  const again = []
  for await (const { rows } of source.pieces()) again.push(...rows)
  expect(again).toMatchObject([{ id, values: { current_visit_id: visit } }])
  expect(again[0]!.isAltered).toBeUndefined()
})
