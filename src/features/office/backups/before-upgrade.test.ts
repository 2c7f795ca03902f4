import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { expect } from 'vitest'
import { openConnection } from '~/db/connect'
import { backupSettings } from '~/server/backup-settings'
import { check } from '~/server/backup.server'
import { newId } from '~/shared/id'
import { asOwner, cloneTemplate, test as base, urlsOf } from '../../../../test/harness'
import { isBeforeUpgrade } from './backup'
import { backUpBeforeUpgrade, listUpgradeBackups, spaceNeeded } from './before-upgrade.server'
import { lastBackup, listBackups } from './backups.server'
import { copiesState, finishedBackups } from './copies.server'
import { runBackups } from './run.server'

/** A database of its own with one user, and a folder of its own for backups. */
const test = base
  .extend('folder', async ({}, { onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), 'sanad-before-upgrade-'))
    const settings = backupSettings()
    const before = { ...settings }
    Object.assign(settings, { folder, kept: 2 })
    onCleanup(() => {
      Object.assign(settings, before)
      rmSync(folder, { recursive: true, force: true })
    })
    return folder
  })
  .extend('place', async ({ folder: _ }, { onCleanup }) => {
    const name = `upgrade_${newId().replaceAll('-', '')}`
    const db = await cloneTemplate(name)
    const { ownerUrl, appUrl } = urlsOf(name)
    const client = await openConnection(ownerUrl)
    const before = process.env['DATABASE_URL']
    process.env['DATABASE_URL'] = appUrl
    onCleanup(async () => {
      if (before === undefined) delete process.env['DATABASE_URL']
      else process.env['DATABASE_URL'] = before
      await client.end()
      await db.destroy()
    })
    return { name, db, client, ownerUrl }
  })

const addUser = (client: pg.Client) =>
  client.query(
    `insert into users (id, name, email, role)
     values (gen_random_uuid(), 'Amal', gen_random_uuid() || '@clinic.example', 'provider')`,
  )

const upgrade = (applied: string[], inForce = 'a') => ({ applied, inForce, pending: ['schema'] })
const silent = { say: () => {}, onProgress: () => {} }
const backupsIn = (folder: string) => readdirSync(folder).filter(isBeforeUpgrade).toSorted()

test('a database without users and patients is upgraded without a backup', async ({
  place: { client, ownerUrl },
  folder,
}) => {
  await backUpBeforeUpgrade(ownerUrl, client, upgrade(['1']), silent)
  expect(readdirSync(folder)).toEqual([])
})

test('the state before an upgrade is backed up, verified and listed apart from the daily backups', async ({
  as,
  place: { db, client, ownerUrl, name },
  folder,
}) => {
  const ctx = { ...as('admin'), db }
  await addUser(client)
  const said: string[] = []
  await backUpBeforeUpgrade(ownerUrl, client, upgrade(['1']), {
    ...silent,
    say: (line) => said.push(line),
  })
  const [file = ''] = backupsIn(folder)
  expect(said).toEqual([
    'Backing up before the upgrade…',
    expect.stringMatching(/^Backed up before the upgrade: 0\.\d MB, verified: /),
  ])
  expect(said[1]).toContain(join(folder, file))
  const { bytes } = await check(join(folder, file))

  await listUpgradeBackups(client)
  await listUpgradeBackups(client)
  const { rows } = await listBackups(ctx, {})
  expect(rows).toMatchObject([
    {
      kind: 'upgrade',
      status: 'finished',
      file_name: file,
      bytes,
      is_encrypted: false,
      isHere: true,
    },
  ])
  expect((await lastBackup(ctx, {})).last).toMatchObject({ kind: 'upgrade' })

  // the daily one is due all the same, and its rotation leaves this one
  await asOwner(name, (owner) =>
    owner
      .insertInto('backups')
      .values(
        ['2020', '2021'].map((year) => ({
          id: newId(),
          kind: 'daily',
          status: 'finished',
          file_name: `sanad-${year}-01-01-0000.backup`,
          bytes: 1,
          finished_at: new Date(`${year}-01-01T00:00:00Z`),
        })),
      )
      .execute(),
  )
  await runBackups(db)
  const kinds = (await listBackups(ctx, {})).rows.map(({ kind }) => kind)
  expect(kinds.toSorted()).toEqual(['daily', 'daily', 'upgrade'])
  expect(backupsIn(folder)).toEqual([file])
  // nor is it copied to the second folder
  const copied = await finishedBackups(db).select('kind').execute()
  expect(copied.map(({ kind }) => kind)).toEqual(['daily', 'daily'])
  expect((await copiesState(db)).last).toBeNull()
})

test('the backups of the last three upgrades are kept; another attempt replaces its own', async ({
  place: { db, client, ownerUrl },
  as,
  folder,
}) => {
  await addUser(client)
  const names: string[] = []
  for (const applied of [['1'], ['1', '2'], ['1', '2', '3'], ['1', '2', '3', '4']]) {
    await backUpBeforeUpgrade(ownerUrl, client, upgrade(applied, applied.join()), silent)
    names.push(backupsIn(folder).find((name) => !names.includes(name))!)
    await untilNextSecond()
  }
  expect(backupsIn(folder)).toEqual(names.slice(1))
  // the start before failed before its first migration, and the older version may have run since
  await addUser(client)
  await backUpBeforeUpgrade(ownerUrl, client, upgrade(['1', '2', '3', '4'], '1,2,3,4'), silent)
  const now = backupsIn(folder)
  expect(now.slice(0, 2)).toEqual(names.slice(1, 3))
  expect(now).toHaveLength(3)
  expect(now[2]).not.toBe(names[3])
  // a migration has been applied since: the backup is of the state before it
  const said: string[] = []
  await backUpBeforeUpgrade(ownerUrl, client, upgrade(['1', '2', '3', '4', '5'], '1,2,3,4'), {
    ...silent,
    say: (line) => said.push(line),
  })
  expect(said).toEqual([
    `An interrupted upgrade goes on. The backup before it: ${join(folder, now[2]!)}`,
  ])
  expect(backupsIn(folder)).toEqual(now)
  // the upgrade came to its end, and this is the next one
  await untilNextSecond()
  await backUpBeforeUpgrade(ownerUrl, client, upgrade(['1', '2', '3', '4', '5'], 'b'), silent)
  expect(backupsIn(folder).slice(0, 2)).toEqual(now.slice(1))

  await listUpgradeBackups(client)
  expect((await listBackups({ ...as('admin'), db }, {})).rows).toHaveLength(3)
})

test('what a killed backup left is removed, and what a failed one leaves is nothing', async ({
  place: { client, ownerUrl },
  folder,
}) => {
  await addUser(client)
  writeFileSync(join(folder, 'sanad-before-upgrade-2026-01-01-000000.backup.unfinished'), 'half')
  backupSettings().folder = join(folder, 'file')
  writeFileSync(join(folder, 'file'), '')
  await expect(backUpBeforeUpgrade(ownerUrl, client, upgrade(['1']), silent)).rejects.toThrow(
    /^The database was not upgraded, .*cannot be written \(EEXIST\).* SANAD_SKIP_UPGRADE_BACKUP=yes/,
  )
  backupSettings().folder = folder
  await backUpBeforeUpgrade(ownerUrl, client, upgrade(['1']), silent)
  expect(readdirSync(folder).filter((name) => name.endsWith('.unfinished'))).toEqual([])
})

test('the space that is needed grows with the tables and with the files', () => {
  const MB = 1024 * 1024
  expect(spaceNeeded(0, 0)).toBe(64 * MB)
  expect(spaceNeeded(200 * MB, 30 * MB)).toBe((100 + 30 + 64) * MB)
})

/** The names of the files hold seconds. */
async function untilNextSecond() {
  const second = Math.floor(Date.now() / 1000)
  await expect.poll(() => Math.floor(Date.now() / 1000), { interval: 20 }).toBeGreaterThan(second)
}
