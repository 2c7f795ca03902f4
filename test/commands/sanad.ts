import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base } from 'vitest'
import { type Sanad, type Start, startSanad } from './server'

export * from './server'

/** Whatever happens in a test, no process and no folder of it outlives it. */
export const test = base
  .extend('start', async ({}, { onCleanup }) => {
    const started: Sanad[] = []
    onCleanup(async () => {
      for (const { child } of started) child.kill('SIGTERM')
      for (const { exit } of started) await exit
    })
    const start: Start = (settings, options) => {
      const sanad = startSanad(settings, options)
      started.push(sanad)
      return sanad
    }
    return start
  })
  .extend('temporaryDirectory', async ({}, { onCleanup }) => {
    const made: string[] = []
    onCleanup(() => made.forEach((path) => rmSync(path, { recursive: true, force: true })))
    return () => {
      const path = mkdtempSync(join(tmpdir(), 'sanad-command-'))
      made.push(path)
      return path
    }
  })
