import { expect, test } from 'vitest'
import { newId } from '~/shared/id'
import { isDelivered, LastPush } from './delivered'
import { BESIDE } from '../schema/tables'
import { type Incoming, readRow } from './incoming'

const [patient, visit] = [newId(), newId()]
const whole = {
  patient_id: patient,
  clinic_id: newId(),
  provider_id: newId(),
  provider_name: 'ليلى',
  check_in_timestamp: 0,
  created_at: 1,
  updated_at: 2,
  metadata: JSON.stringify({ note: 'long '.repeat(100) }),
}
const sent = (values: object) => readRow('visits', { id: visit, ...values }, 'updated') as Incoming
const keptOf = (last: LastPush) => LastPush.read(last.toText())
const pushOf = (...rows: Incoming[]) => {
  const last = new LastPush()
  for (const row of rows) last.save(row)
  return last
}

test('each value that came is known again, a long one by its digest', () => {
  const kept = keptOf(pushOf(sent({ ...whole, _status: 'created' }))).row('visits', visit)
  for (const [column, value] of Object.entries(whole)) {
    expect([column, isDelivered(kept[column], value)]).toEqual([column, true])
    expect([column, isDelivered(kept[column], `${value} `)]).toEqual([column, false])
  }
  expect(JSON.stringify(kept).length).toBeLessThan(whole.metadata.length)
})

test('of an edited row only what was edited came, and of a row that lacks a column the others', () => {
  const edited = keptOf(
    pushOf(sent({ ...whole, _changed: 'provider_name,is_deleted', is_deleted: true })),
  )
  expect(edited.row('visits', visit)).toEqual({ provider_name: 'ليلى', is_deleted: true })

  const { clinic_id: _, ...lacking } = whole
  expect(Object.keys(keptOf(pushOf(sent(lacking))).row('visits', visit)).toSorted()).toEqual(
    [...Object.keys(lacking), BESIDE].toSorted(),
  )
})

test('a push comes again when all of the last is in it, and there was something', () => {
  const last = pushOf(sent(whole))
  last.delete('patients', patient)
  const rows = [
    { table: 'visits', id: visit },
    { table: 'patients', id: patient },
  ]
  expect(keptOf(last).row('patients', patient)).toEqual({ is_deleted: true })
  expect(keptOf(last).isWithin([...rows, { table: 'events', id: newId() }])).toBe(true)
  expect(keptOf(last).isWithin(rows.slice(1))).toBe(false)
  expect(new LastPush().isWithin(rows)).toBe(false)
})

test('what was written down in another form is as if nothing had come', () => {
  const kept = LastPush.read(JSON.stringify({ visits: { [visit]: { provider_name: 'ليلى' } } }))
  expect(kept.row('visits', visit)).toEqual({})
  expect(kept.isWithin([{ table: 'visits', id: visit }])).toBe(false)
})
