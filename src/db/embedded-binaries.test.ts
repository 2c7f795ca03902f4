import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { findBinaries } from './embedded-binaries.server'
import { openDataDirectory } from './embedded-directory.server'
import { postgresSettings, startEmbedded } from './embedded.server'

function folderOf(version: string, lines: string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'sanad-pg-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  const bundled = findBinaries('')
  symlinkSync(bundled.initdb, join(folder, 'initdb'))
  const program = [
    '#!/bin/sh',
    `[ "$1" = --version ] && echo "postgres (PostgreSQL) ${version}" && exit`,
    ...lines,
    `exec ${bundled.postgres} "$@"`,
  ]
  writeFileSync(join(folder, 'postgres'), `${program.join('\n')}\n`, { mode: 0o755 })
  return folder
}

test('programs of another installation are used if their version is new enough', () => {
  expect(findBinaries('').major).toBe(18)
  const folder = folderOf('17.6 (Debian 17.6-1)')
  expect(findBinaries(folder)).toEqual({
    directory: folder,
    initdb: join(folder, 'initdb'),
    postgres: join(folder, 'postgres'),
    major: 17,
  })
  expect(() => findBinaries(folderOf('15.14'))).toThrow(/holds PostgreSQL 15, and Sanad needs 17/)
  expect(() => findBinaries('/nowhere')).toThrow(/is not the folder of PostgreSQL's programs/)
})

test('settings that the programs do not know are left out', () => {
  expect(postgresSettings(18)).toContain('io_method=sync')
  expect(postgresSettings(17)).not.toContain('io_method=sync')
  expect(postgresSettings(17)).toContain('fsync=on')
})

test('a database starts on them, and not on those of another version', async () => {
  const data = mkdtempSync(join(tmpdir(), 'sanad-pg-data-'))
  chmodSync(data, 0o755)
  onTestFinished(() => rmSync(data, { recursive: true, force: true }))
  const used = join(data, 'used')
  const folder = folderOf('18.9', [`touch ${used} 2>/dev/null || true`])
  chmodSync(data, 0o777)
  const before = process.env['SANAD_PG_BIN']
  onTestFinished(() => {
    if (before === undefined) delete process.env['SANAD_PG_BIN']
    else process.env['SANAD_PG_BIN'] = before
  })
  process.env['SANAD_PG_BIN'] = folder
  const directory = openDataDirectory(data)
  const postgres = await startEmbedded(directory)
  try {
    const client = new pg.Client(postgres.ownerUrl)
    await client.connect()
    const { rows } = await client.query('select 1 as one')
    await client.end()
    expect(rows).toEqual([{ one: 1 }])
    expect(existsSync(used)).toBe(true)
  } finally {
    await postgres.stop()
  }
  process.env['SANAD_PG_BIN'] = folderOf('17.6')
  await expect(startEmbedded(directory)).rejects.toThrow(
    /was made by PostgreSQL 18, and the programs are of 17/,
  )
})
