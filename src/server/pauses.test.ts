import { expect, test } from 'vitest'
import { pauses } from './pauses'

test('after some milliseconds of work, what has arrived gets its turn', async () => {
  const pause = pauses()
  const turns: string[] = []
  setImmediate(() => turns.push('of what arrived'))
  await work(20)
  turns.push('of the long work')
  expect(turns).toEqual(['of what arrived', 'of the long work'])

  async function work(milliseconds: number) {
    const until = performance.now() + milliseconds
    while (performance.now() < until);
    await pause()
  }
})
