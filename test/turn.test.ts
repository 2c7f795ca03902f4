import { existsSync } from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.resetModules()
})

/** As a run on a commit of that number sees it. */
async function at(turn: number) {
  vi.stubEnv('SANAD_TURN', String(turn))
  vi.resetModules()
  return import('./turn')
}

test.for(['e2e', 'commands', 'sync'])(
  'each file of %s that takes turns exists, and is tried with each part of a sweep',
  async (project) => {
    const left = new Map<string, Set<number>>()
    const everyTurn = new Set<string>()
    const runs = []
    for (let turn = 0; turn < 48; turn += 1) {
      const { filesOfOtherTurns, turnOf } = await at(turn)
      runs.push({ others: new Set(filesOfOtherTurns(project)), part: turnOf(12) })
    }
    for (const { others } of runs) for (const file of others) everyTurn.add(file)
    expect([...everyTurn].filter((file) => !existsSync(file))).toEqual([])
    for (const { others, part } of runs)
      for (const file of everyTurn)
        if (!others.has(file)) left.set(file, (left.get(file) ?? new Set()).add(part))
    expect([...everyTurn].filter((file) => left.get(file)?.size !== 12)).toEqual([])
  },
)

test('a project without long scenarios leaves nothing out', async () => {
  expect((await at(5)).filesOfOtherTurns('product')).toEqual([])
})
