import { expect, test } from 'vitest'
import type { Incoming } from './incoming'
import { type Existing, merge } from './merge'

const ID = '0190aaaa-0000-7000-8000-000000000001'
const uploaded = (author: string): Incoming => ({
  table: 'events',
  id: ID,
  values: { recorded_by_user_id: author },
  state: 'copy',
  changed: [],
  raw: {},
})
const stored = (author: string | null): Existing => ({
  isDeleted: false,
  recordedClinicId: null,
  values: { recorded_by_user_id: author },
  unseen: new Set(),
  unseenLater: null,
  newer: new Set(),
  isConcurrent: false,
  isResent: false,
  emptiedByApp: new Set(),
  perhapsEmptied: new Set(),
  bases: {},
})

test('an author that the app wrote by itself is a conflict of an upload only if the server has none', () => {
  expect(merge(uploaded('one'), stored('other'), {})).toEqual({ write: {}, conflicts: [] })
  expect(merge(uploaded('one'), stored(null), {}).conflicts).toEqual([
    { column: 'recorded_by_user_id', phone: 'one', server: null },
  ])
})
