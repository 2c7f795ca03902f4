import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { describe, expect } from 'vitest'
import type { DB } from '~/db/types'
import { backupSettings } from '~/server/backup-settings'
import type { Context } from '~/server/operation'
import { newId } from '~/shared/id'
import { summaryCare } from '~/features/reports/dashboard/administration.server'
import { makeFactories } from '../../../../test/factories'
import { auditOf, cloneTemplate, test as base } from '../../../../test/harness'
import { givePassword, PASSWORD as password } from '../../../../test/sessions'
import { getCopies, saveCopies, startCopy } from './copies.server'
import { isOldCopy } from './copy-age'
import { copyBackups } from './copying.server'
import { backupHealth } from './health.server'
import { MARKER } from './second-folder.server'

/** A place with a folder of backups, and a disk beside it. */
const test = base
  .extend('place', async ({}, { onCleanup }) => {
    const place = mkdtempSync(join(tmpdir(), 'sanad-copies-'))
    const [first, disk] = [join(place, 'backups'), join(place, 'disk')]
    mkdirSync(first)
    mkdirSync(disk)
    const settings = backupSettings()
    const before = { ...settings }
    Object.assign(settings, { folder: first, kept: 2 })
    onCleanup(() => {
      Object.assign(settings, before)
      rmSync(place, { recursive: true, force: true })
    })
    return { first, disk, place }
  })
  // the job takes a lock on a connection of its own
  .extend('own', { scope: 'file' }, async ({}, { onCleanup }) => {
    const own = await cloneTemplate(`copies_${newId().replaceAll('-', '')}`)
    onCleanup(() => own.destroy())
    return own
  })
  .extend('ctx', async ({ asUser, own }) => {
    await sql`delete from backups`.execute(own)
    await sql`delete from backup_copies`.execute(own)
    await sql`insert into backup_copies default values`.execute(own)
    const user = await makeFactories(own).user({ role: 'super_admin' })
    await givePassword(own, user)
    return { ...asUser(user), db: own }
  })

async function choose(ctx: Context, folder: string | null, old_after_days = 2) {
  const { last_modified } = await getCopies(ctx, {})
  return saveCopies(ctx, { folder, old_after_days, last_modified, password })
}

async function aBackup(db: Kysely<DB>, first: string, file_name: string, bytes = 'the records') {
  writeFileSync(join(first, file_name), bytes)
  const [, day = '', hours = '', minutes = ''] = /sanad-(.{10})-(\d\d)(\d\d)/.exec(file_name) ?? []
  const finished_at = new Date(`${day}T${hours}:${minutes}:00Z`)
  await db
    .insertInto('backups')
    .values({
      id: newId(),
      kind: 'daily',
      status: 'finished',
      file_name,
      bytes: bytes.length,
      finished_at,
    })
    .execute()
  return finished_at
}

const copiesOn = (disk: string) => readdirSync(disk).filter((name) => name !== MARKER)

test('the newest backup is copied and read back, and older copies are deleted', async ({
  ctx,
  place,
}) => {
  const { first, disk } = place
  await choose(ctx, disk)
  await copyBackups(ctx.db)
  expect(await getCopies(ctx, {})).toMatchObject({ last: null, failure: null, isCopying: false })
  writeFileSync(join(disk, 'sanad-2026-01-01-0100.backup.unfinished'), 'of a killed process')
  for (const name of ['sanad-2026-01-02-0100.backup', 'sanad-2026-01-03-0100.backup']) {
    await aBackup(ctx.db, first, name)
    await copyBackups(ctx.db)
  }
  writeFileSync(join(disk, 'letter.txt'), 'Dear Amal')
  const madeAt = await aBackup(ctx.db, first, 'sanad-2026-01-04-0100.backup', 'the newest')
  await copyBackups(ctx.db)
  expect(copiesOn(disk).toSorted()).toEqual([
    'letter.txt',
    'sanad-2026-01-03-0100.backup',
    'sanad-2026-01-04-0100.backup',
  ])
  expect(readFileSync(join(disk, 'sanad-2026-01-04-0100.backup'), 'utf8')).toBe('the newest')
  expect(statSync(join(disk, 'sanad-2026-01-04-0100.backup')).mode & 0o077).toBe(0)
  expect(await getCopies(ctx, {})).toMatchObject({
    last: { fileName: 'sanad-2026-01-04-0100.backup', madeAt, bytes: 10 },
    // both are folders of the temporary folder's disk
    isSameDisk: true,
  })

  // a missing copy is made again; a copy whose name has a future time is not the last good one
  rmSync(join(disk, 'sanad-2026-01-04-0100.backup'))
  writeFileSync(join(disk, 'sanad-2031-01-01-0000.backup'), 'by a wrong clock')
  await copyBackups(ctx.db)
  expect(copiesOn(disk)).toContain('sanad-2026-01-04-0100.backup')
})

describe('a disk that cannot take a copy sets an error, which the next good copy clears', () => {
  test('not plugged in: nothing is written to the empty mount point', async ({ ctx, place }) => {
    const { first, disk } = place
    await choose(ctx, disk)
    renameSync(disk, `${disk}-unplugged`)
    await aBackup(ctx.db, first, 'sanad-2026-01-02-0100.backup')
    const values = { folder: disk, marker: MARKER }
    await copyBackups(ctx.db)
    expect((await getCopies(ctx, {})).failure).toMatchObject({ key: 'copies.noDisk', values })
    mkdirSync(disk)
    await copyBackups(ctx.db)
    expect((await getCopies(ctx, {})).failure).toMatchObject({ key: 'copies.noDisk', values })
    expect(readdirSync(disk)).toEqual([])

    rmSync(disk, { recursive: true })
    renameSync(`${disk}-unplugged`, disk)
    await copyBackups(ctx.db)
    expect(await getCopies(ctx, {})).toMatchObject({ failure: null, isCopying: false })
    expect(copiesOn(disk)).toEqual(['sanad-2026-01-02-0100.backup'])
  })

  test('a disk of another Sanad', async ({ ctx, place }) => {
    const { first, disk } = place
    await choose(ctx, disk)
    writeFileSync(join(disk, MARKER), `Sanad ${newId()}\n`)
    await aBackup(ctx.db, first, 'sanad-2026-01-02-0100.backup')
    await copyBackups(ctx.db)
    expect((await getCopies(ctx, {})).failure).toMatchObject({ key: 'copies.otherDisk' })
    expect(copiesOn(disk)).toEqual([])
  })

  test('full, then with space', async ({ ctx, place, skip }) => {
    const { first, disk } = place
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'sanad', disk])
    skip(mounted.status !== 0, 'this user may mount nothing')
    try {
      await choose(ctx, disk)
      await aBackup(ctx.db, first, 'sanad-2026-01-01-0100.backup')
      await copyBackups(ctx.db)
      expect(await getCopies(ctx, {})).toMatchObject({ failure: null, isSameDisk: false })
      await aBackup(ctx.db, first, 'sanad-2026-01-02-0100.backup', 'x'.repeat(100_000))
      await copyBackups(ctx.db)
      expect(await getCopies(ctx, {})).toMatchObject({
        failure: { key: 'copies.full', values: { folder: disk } },
        last: { fileName: 'sanad-2026-01-01-0100.backup' },
      })
      expect(copiesOn(disk)).toEqual(['sanad-2026-01-01-0100.backup'])

      spawnSync('mount', ['-o', 'remount,size=1m', disk])
      // it waits an hour, or for a user
      await copyBackups(ctx.db)
      expect((await getCopies(ctx, {})).failure).not.toBeNull()
      await startCopy({ ...ctx, actor: { ...ctx.actor, role: 'admin' } }, {})
      await copyBackups(ctx.db)
      expect((await getCopies(ctx, {})).failure).toBeNull()
      expect(copiesOn(disk)).toHaveLength(2)

      spawnSync('mount', ['-o', 'remount,ro', disk])
      await aBackup(ctx.db, first, 'sanad-2026-01-03-0100.backup')
      await copyBackups(ctx.db)
      expect((await getCopies(ctx, {})).failure).toMatchObject({ key: 'copies.readOnly' })
    } finally {
      spawnSync('umount', [disk])
    }
  })

  test('the backup was deleted: the next one is copied at once', async ({ ctx, place }) => {
    const { first, disk } = place
    await choose(ctx, disk)
    await aBackup(ctx.db, first, 'sanad-2026-01-02-0100.backup')
    rmSync(join(first, 'sanad-2026-01-02-0100.backup'))
    await copyBackups(ctx.db)
    expect((await getCopies(ctx, {})).failure).toMatchObject({ key: 'copies.noBackup' })
    await aBackup(ctx.db, first, 'sanad-2036-01-03-0100.backup')
    await copyBackups(ctx.db)
    expect((await getCopies(ctx, {})).failure).toBeNull()
    expect(copiesOn(disk)).toEqual(['sanad-2036-01-03-0100.backup'])
  })

  test('not allowed to write there', async ({ ctx, place, skip }) => {
    skip(process.getuid?.() === 0, 'root may write anywhere')
    const { first, disk } = place
    await choose(ctx, disk)
    await aBackup(ctx.db, first, 'sanad-2026-01-02-0100.backup')
    chmodSync(disk, 0o500)
    await copyBackups(ctx.db)
    chmodSync(disk, 0o700)
    expect((await getCopies(ctx, {})).failure).toMatchObject({ key: 'copies.forbidden' })
  })
})

describe('choosing the folder', () => {
  test('says at the field what is wrong with it', async ({ ctx, place }) => {
    const { first, disk, place: around } = place
    const letter = join(around, 'letter')
    writeFileSync(letter, 'Dear Amal')
    for (const [folder, key] of [
      ['disk', 'copies.notAbsolute'],
      [join(around, 'nowhere'), 'copies.noSuchFolder'],
      [letter, 'copies.noSuchFolder'],
      [first, 'copies.ownFolder'],
      [join(process.cwd(), 'public'), 'copies.ownFolder'],
    ] as const)
      await expect(choose(ctx, folder)).rejects.toMatchObject({
        code: 'invalid',
        fields: { folder: { key } },
      })
    writeFileSync(join(disk, MARKER), `Sanad ${newId()}\n`)
    await expect(choose(ctx, disk)).rejects.toMatchObject({
      fields: { folder: { key: 'copies.otherSanad' } },
    })
    await expect(choose(ctx, null, 0)).rejects.toMatchObject({
      fields: { old_after_days: { key: 'validation.tooSmall' } },
    })
  })

  test('asks for the password, so that an open screen is not enough', async ({ ctx, place }) => {
    const { last_modified } = await getCopies(ctx, {})
    const choice = { folder: place.disk, old_after_days: 2, last_modified }
    await expect(saveCopies(ctx, choice)).rejects.toMatchObject({
      code: 'invalid',
      fields: { password: { key: 'validation.required' } },
    })
    expect(await saveCopies(ctx, { ...choice, password: 'another one' })).toMatchObject({
      ok: false,
      fields: { password: { key: 'sessions.wrongPassword' } },
    })
    expect(await getCopies(ctx, {})).toMatchObject({ folder: null, last_modified })
    expect(readdirSync(place.disk)).toEqual([])
  })

  test('is for super administrators, is audited, and refuses a stale save', async ({
    ctx,
    place,
  }) => {
    const admin = { ...ctx, actor: { ...ctx.actor, role: 'admin' as const } }
    await expect(choose(admin, place.disk)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(startCopy(ctx, {})).rejects.toMatchObject({ text: { key: 'copies.noFolder' } })
    const { id, last_modified } = await getCopies(admin, {})
    await choose(ctx, place.disk, 7)
    const [entry] = await auditOf(ctx.db, id)
    expect(entry).toMatchObject({
      action: 'copies.save',
      changes: { folder: [null, place.disk], old_after_days: [2, 7] },
    })
    const again = { folder: place.disk, old_after_days: 3, last_modified, password }
    await expect(saveCopies(ctx, again)).rejects.toMatchObject({ code: 'conflict' })
    await expect(startCopy(ctx, {})).rejects.toMatchObject({ text: { key: 'copies.nothingYet' } })
    // the days can be changed while the disk is away
    renameSync(place.disk, `${place.disk}-unplugged`)
    await choose(ctx, place.disk, 8)
    renameSync(`${place.disk}-unplugged`, place.disk)
    // another disk at the same place is marked by saving again
    rmSync(join(place.disk, MARKER))
    await choose(ctx, place.disk, 7)
    expect(readFileSync(join(place.disk, MARKER), 'utf8')).toContain(id)
  })
})

test('a last good copy that is older than set is an error for administrators', async ({
  ctx,
  place,
}) => {
  const day = (n: number) => new Date(Date.UTC(2026, 0, n))
  expect(isOldCopy({ madeAt: day(1), chosenAt: day(1), days: 2 }, day(3))).toBe(false)
  expect(isOldCopy({ madeAt: day(1), chosenAt: day(1), days: 2 }, day(4))).toBe(true)
  expect(isOldCopy({ madeAt: null, chosenAt: day(1), days: 2 }, day(4))).toBe(true)
  expect(isOldCopy({ madeAt: null, chosenAt: null, days: 2 }, day(4))).toBe(false)

  expect((await summaryCare(ctx, null)).backups?.copies).toBeNull()
  await choose(ctx, place.disk)
  const madeAt = await aBackup(ctx.db, place.first, 'sanad-2026-01-02-0100.backup')
  await copyBackups(ctx.db)
  expect((await summaryCare(ctx, null)).backups?.copies).toMatchObject({ madeAt, days: 2 })
  expect(await backupHealth(ctx)).toMatchObject({
    copies: { lastCopyAt: madeAt, isOld: true, failure: null },
  })
  const { reported_at } = await ctx.db
    .selectFrom('backup_copies')
    .select('reported_at')
    .executeTakeFirstOrThrow()
  expect(reported_at).not.toBeNull()
  expect(await backupHealth({ ...ctx, actor: { ...ctx.actor, role: 'provider' } })).toBeNull()
  expect(await backupHealth({ ...ctx, actor: null })).toBeNull()
})
