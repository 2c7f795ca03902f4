import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { figureOf } from '../../scripts/bench/percentiles'
import { test } from './sanad'

test('of ten times the median is the fifth and the 95th percentile the tenth', () => {
  expect(figureOf('a', [10, 9, 8, 7, 6, 5, 4, 3, 2, 1])).toEqual({
    name: 'a',
    times: 10,
    p50: 5,
    p95: 10,
    max: 10,
  })
  expect(figureOf('b', [3])).toEqual({ name: 'b', times: 1, p50: 3, p95: 3, max: 3 })
})

test(
  'a measurement says what it measured on, and leaves nothing behind',
  { timeout: 300_000 },
  ({ temporaryDirectory }) => {
    const place = join(temporaryDirectory(), 'tmp')
    mkdirSync(place)
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        'dist/commands/bench.js',
        '--patients',
        '100',
        '--only',
        'audit,register,push of 30 rows',
        '--json',
      ],
      { env: { PATH: process.env['PATH'], TMPDIR: place }, encoding: 'utf8' },
    )
    expect(status).toBe(0)
    const result = JSON.parse(stdout) as {
      patients: number
      machine: { cores: number }
      figures: { name: string; perSecond?: number; floor?: object }[]
      phones: { name: string; bytes: number }[]
    }
    expect(result.patients).toBe(100)
    expect(result.machine.cores).toBeGreaterThan(0)
    expect(result.figures.map(({ name }) => name)).toEqual([
      'first start, makes the database',
      'start',
      'register a patient',
      'audit trail',
    ])
    // the same SQL without Sanad, and sixteen callers at once
    expect(result.figures[2]).toMatchObject({
      perSecond: expect.any(Number),
      floor: { p50: expect.any(Number), statements: expect.any(Number) },
    })
    expect(result.phones).toMatchObject([
      { name: 'phones: push of 30 rows', times: 5, bytes: expect.any(Number) },
    ])
    expect(readdirSync(place)).toEqual([])
  },
)
