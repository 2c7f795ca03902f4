import { expect } from 'vitest'
import { test } from '../../../test/harness'
import { listPeople } from './people.server'

test('everybody may ask for the two people who do not exist', async ({ nobody }) => {
  expect((await listPeople(nobody, null)).map(({ name }) => name)).toEqual(['John Doe', 'Jane Doe'])
})
