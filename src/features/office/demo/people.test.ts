import { expect } from 'vitest'
import { test } from '../../../../test/harness'
import { listPeople } from './people.server'

test('every user may read the two fictional people', async ({ anonymous }) => {
  expect((await listPeople(anonymous, null)).map(({ name }) => name)).toEqual([
    'John Doe',
    'Jane Doe',
  ])
})
