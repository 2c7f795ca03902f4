import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { built } from '../built'
import { pageWith } from '../../scripts/bench/figures'
import { goalLines } from '../../scripts/bench/goals'
import { summarizeTimes } from '../../scripts/bench/percentiles'
import { newTries } from '../../scripts/bench/tries'
import { test } from './sanad'

test('of ten times the median is the fifth and the 95th percentile the tenth', () => {
  expect(summarizeTimes('a', [10, 9, 8, 7, 6, 5, 4, 3, 2, 1])).toEqual({
    name: 'a',
    times: 10,
    p50: 5,
    p95: 10,
    max: 10,
  })
  expect(summarizeTimes('b', [3])).toEqual({ name: 'b', times: 1, p50: 3, p95: 3, max: 3 })
})

test('a measure that fails is named, and those after it are measured', async () => {
  const stop = new AbortController()
  const tries = newTries(stop.signal)
  const fails = () => Promise.reject(new Error('an answer is wrong'))
  expect(await tries.of('one', fails)).toEqual([])
  expect(await tries.of('two', async () => 5)).toEqual([5])
  expect(tries.failed).toEqual(['one: an answer is wrong'])

  // a measure that the user stops has not failed
  const stopped = tries.of('three', () => {
    stop.abort(new Error('stopped'))
    return fails()
  })
  await expect(stopped).rejects.toThrow('stopped')
  await expect(tries.of('four', async () => 6)).rejects.toThrow('stopped')
  expect(tries.failed).toHaveLength(1)
})

const round = (p95: number) => ({
  speed: [30, 50, 40],
  figures: [
    {
      name: 'patient',
      times: 30,
      p50: 2.3,
      p95,
      max: 9,
      perSecond: 450,
      floor: { p50: 1.15, statements: 2, pages: 7, rows: 0 },
    },
  ],
  phones: [
    {
      name: 'phones: push of 300 rows',
      times: 5,
      p50: 100,
      p95: 120,
      max: 120,
      cpu: { server: 1, postgres: 1 },
      bytes: 1,
      peak: null,
    },
  ],
})

test('the goals stand beside what was measured, ratios first, and each round by itself', () => {
  const mix = [
    { name: 'mix: find by name', times: 5, p50: 10, p95: 31, max: 40, errors: 0 },
    { name: 'mix: appointments', times: 5, p50: 10, p95: 31, max: 40, errors: 0 },
  ]
  const text = goalLines([round(8), round(3), round(2)], mix).join('\n')
  // median p95 3 of 4 and 6.5, 450 answers of 900, twice the floor
  expect(text).toContain('| patient | 0.75 | 0.50 | 1.00 | 0.46 | 2.0 | 2.3, 3.0, 450 |')
  expect(text).toContain('| push of 300 rows | 2.00 (p50) |')
  expect(text).toContain('| patient | 2.3 / 8.0, 450 | 2.3 / 3.0, 450 | 2.3 / 2.0, 450 |')
  expect(text).toContain('| fixed piece of work | 30 / 40 | 30 / 40 | 30 / 40 |')
  expect(text).toContain('find by name 0.10 of 310.')
  // what was not measured has no line
  expect(text).not.toContain('search by phone')
  expect(goalLines([{ speed: [], figures: [], phones: [] }], [])).toEqual([])
})

test('a measurement replaces the text between the two marks of the page and keeps the rest', () => {
  const result = {
    version: '0.1.0',
    machine: { cpu: 'A', cores: 2, memory: 1, load: 0, system: 'linux', node: 'v24' },
    patients: 100,
    only: 'patient',
    minutes: 10,
    checkedFirst: 0,
    ...round(3),
    again: [round(4)],
    mix: [],
    memory: { server: 1, postgres: 1 },
  }
  const page = pageWith(
    result,
    'Head\n<!-- npm run bench begins -->old<!-- npm run bench ends -->\nNotes\n',
  )
  expect(page).toContain('--patients 100 --rounds 2 --mix 10 --only "patient" --markdown\n')
  expect(page).toMatch(/^Head\n[^]*\| patient [^]*## Against the goals[^]*\nNotes\n$/)
  expect(page).not.toContain('old')
  expect(pageWith(result, page)).toBe(page)
  expect(() => pageWith(result, 'Head')).toThrow('lacks the marks')
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
        built('commands/bench.js'),
        '--patients',
        '100',
        '--only',
        'audit,register,push of 30 rows',
        '--rounds',
        '2',
        '--times',
        '6',
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
      again: { figures: { name: string }[]; phones: { name: string }[] }[]
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
      { name: 'phones: push of 30 rows', times: 6, bytes: expect.any(Number) },
    ])
    expect(result.again).toMatchObject([
      {
        figures: [{ name: 'register a patient' }, { name: 'audit trail' }],
        phones: [{ name: 'phones: push of 30 rows' }],
      },
    ])
    expect(readdirSync(place)).toEqual([])
  },
)
