import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { filesOfOtherTurns, turnOf } from './turn'

test.for(['e2e', 'commands', 'sync'])(
  'each file of %s that takes turns exists, and is tried with each part of a sweep',
  (project) => {
    const runs = Array.from({ length: 96 }, (_, number) => ({
      others: filesOfOtherTurns(project, number),
      part: turnOf(12, 1, number),
    }))
    const files = [...new Set(runs.flatMap(({ others }) => others))]
    expect(files.filter((file) => !existsSync(file))).toEqual([])
    const parts = (file: string) =>
      new Set(runs.filter(({ others }) => !others.includes(file)).map(({ part }) => part))
    expect(files.filter((file) => parts(file).size !== 12)).toEqual([])
  },
)

test('a project without long scenarios leaves nothing out', () => {
  expect(filesOfOtherTurns('product', 5)).toEqual([])
})
