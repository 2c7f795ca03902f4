import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { backupSettings } from '~/server/backup-settings'
import { check } from '~/server/backup.server'
import { ownFingerprint } from '~/server/instance-key.server'
import { newId } from '~/shared/id'
import { auditOf, cloneTemplate, test as base, urlsOf } from '../../../../test/harness'
import { codeOf, givePassword, PASSWORD as password } from '../../../../test/sessions'
import { isDue, nameOfBackup } from './backup'
import { base32, newTotpSecret } from '~/features/office/sessions/two-factor/totp.server'
import { sealSecret } from '~/server/secret.server'
import { backupFile, downloadBackup, lastBackup, listBackups, startBackup } from './backups.server'
import { runBackups } from './run.server'

const test = base.extend('folder', async ({}, { onCleanup }) => {
  const folder = mkdtempSync(join(tmpdir(), 'sanad-backups-'))
  const settings = backupSettings()
  const before = { ...settings }
  Object.assign(settings, { folder, kept: 2 })
  onCleanup(() => {
    Object.assign(settings, before)
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
})

const at = (text: string) => new Date(text)

describe('the daily backup', () => {
  const zone = 'Asia/Beirut'
  test('is due at night, or whenever the machine runs and the last one is a day old', () => {
    const noon = at('2026-01-10T10:00:00Z')
    const night = at('2026-01-10T00:30:00Z') // half past two in Beirut
    expect(isDue(noon, zone, {})).toBe(true)
    expect(isDue(noon, zone, { finishedAt: at('2026-01-09T12:00:00Z') })).toBe(false)
    expect(isDue(noon, zone, { finishedAt: at('2026-01-09T10:00:00Z') })).toBe(true)
    expect(isDue(night, zone, { finishedAt: at('2026-01-09T10:00:00Z') })).toBe(true)
    expect(isDue(night, zone, { finishedAt: at('2026-01-09T22:00:00Z') })).toBe(false)
  })

  test('waits an hour after a failure', () => {
    const now = at('2026-01-10T10:00:00Z')
    expect(isDue(now, zone, { failedAt: at('2026-01-10T09:30:00Z') })).toBe(false)
    expect(isDue(now, zone, { failedAt: at('2026-01-10T08:59:00Z') })).toBe(true)
  })

  test("is named after the clinic's clock", () => {
    expect(nameOfBackup(at('2026-01-09T22:05:00Z'), zone)).toBe('sanad-2026-01-10-0005.backup')
  })
})

describe('backing up now', () => {
  test('is for administrators; a request during a running backup returns that one', async ({
    as,
    db,
  }) => {
    const id = newId()
    expect(await startBackup(as('admin'), { id })).toEqual({ id })
    expect(await startBackup(as('super_admin'), { id: newId() })).toEqual({ id })
    expect((await auditOf(db, id)).map(({ action }) => action)).toEqual(['backups.start'])
    await expect(startBackup(as('provider'), { id: newId() })).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(listBackups(as('registrar'), {})).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('writes a sound file, keeps the newest, and tells when the last good one was made', async ({
    as,
    folder,
  }) => {
    const name = `backups_${newId().replaceAll('-', '')}`
    const db = await cloneTemplate(name)
    const ctx = { ...as('admin'), db }
    const before = process.env['DATABASE_URL']
    process.env['DATABASE_URL'] = urlsOf(name).appUrl
    try {
      writeFileSync(
        join(folder, 'sanad-2026-01-01-0000.backup.unfinished'),
        'of a process that was killed',
      )
      expect(await lastBackup(ctx, {})).toEqual({ last: null, failed: null })
      const id = newId()
      await startBackup(ctx, { id })
      await runBackups(db)
      const { rows, place } = await listBackups(ctx, {})
      expect(place).toEqual({ folder, kept: 2, isEncrypted: false, key: ownFingerprint() })
      expect(rows).toMatchObject([
        { id, kind: 'asked', status: 'finished', percent: 100, isHere: true, failure: null },
      ])
      expect(readdirSync(folder)).toEqual([rows[0]!.file_name])
      expect(await check(join(folder, rows[0]!.file_name!))).toMatchObject({
        bytes: rows[0]!.bytes,
      })
      expect((await lastBackup(ctx, {})).last).toMatchObject({
        kind: 'asked',
        bytes: rows[0]!.bytes,
      })

      // two newer ones push it out
      for (const day of [1, 2]) {
        const file_name = `sanad-203${day}-01-01-0000.backup`
        writeFileSync(join(folder, file_name), 'x')
        await db
          .insertInto('backups')
          .values({
            id: newId(),
            kind: 'daily',
            status: 'finished',
            file_name,
            bytes: 1,
            finished_at: at(`203${day}-01-01T00:00:00Z`),
          })
          .execute()
      }
      await startBackup(ctx, { id: newId() })
      await runBackups(db)
      expect(readdirSync(folder).toSorted()).toEqual([
        'sanad-2031-01-01-0000.backup',
        'sanad-2032-01-01-0000.backup',
      ])
      expect((await listBackups(ctx, {})).rows).toHaveLength(2)
    } finally {
      if (before === undefined) delete process.env['DATABASE_URL']
      else process.env['DATABASE_URL'] = before
      await db.destroy()
    }
  })

  test('says why it failed: a disk that is not plugged in', async ({ as, folder }) => {
    const db = await cloneTemplate(`backups_${newId().replaceAll('-', '')}`)
    const ctx = { ...as('admin'), db }
    writeFileSync(join(folder, 'not-a-folder'), '')
    backupSettings().folder = join(folder, 'not-a-folder')
    try {
      await startBackup(ctx, { id: newId() })
      await runBackups(db)
      const { failed, last } = await lastBackup(ctx, {})
      expect(last).toBeNull()
      expect(failed?.failure).toEqual({
        key: 'backups.noFolder',
        values: { folder: join(folder, 'not-a-folder'), code: 'EEXIST' },
      })
    } finally {
      await db.destroy()
    }
  })
})

describe('a download', () => {
  const made = {
    kind: 'daily',
    status: 'finished',
    file_name: 'sanad.backup',
    bytes: 12,
    finished_at: new Date(),
  }

  test('is for super administrators with their password, and is in the audit trail', async ({
    as,
    asUser,
    make,
    db,
  }) => {
    const id = newId()
    await db
      .insertInto('backups')
      .values({ ...made, id })
      .execute()
    const user = await make.user({ role: 'super_admin' })
    await givePassword(db, user)
    const amal = asUser(user)
    for (const role of ['admin', 'provider'] as const)
      await expect(downloadBackup(as(role), { id, password })).rejects.toMatchObject({
        code: 'forbidden',
      })
    await expect(downloadBackup(amal, { id })).rejects.toMatchObject({
      fields: { password: { key: 'validation.required' } },
    })
    expect(await downloadBackup(amal, { id, password: 'another one' })).toMatchObject({
      ok: false,
      fields: { password: { key: 'sessions.wrongPassword' } },
    })
    expect(await auditOf(db, id)).toEqual([])
    const outcome = await downloadBackup(amal, { id, password })
    expect((await auditOf(db, id)).map(({ action }) => action)).toEqual(['backups.download'])
    const { ticket } = outcome as { ticket: string }
    expect(await backupFile(amal, { id, ticket })).toEqual({ fileName: 'sanad.backup', bytes: 12 })
    await expect(downloadBackup(amal, { id: newId(), password })).rejects.toMatchObject({
      code: 'not_found',
    })

    // the ticket is of one user, one file and five minutes
    const other = asUser(await make.user({ role: 'super_admin' }))
    const later = `${Date.now() + 86_400_000}.${ticket.split('.')[1]}`
    for (const [ctx, wrong] of [
      [other, { id, ticket }],
      [amal, { id: newId(), ticket }],
      [amal, { id, ticket: later }],
      [amal, { id, ticket: `1.${ticket.split('.')[1]}` }],
    ] as const)
      await expect(backupFile(ctx, wrong)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('needs a code as well from a user with a second factor', async ({ asUser, make, db }) => {
    const id = newId()
    await db
      .insertInto('backups')
      .values({ ...made, id })
      .execute()
    const user = await make.user({ role: 'super_admin' })
    await givePassword(db, user)
    const secret = newTotpSecret()
    await db
      .insertInto('second_factors')
      .values({ user_id: user.id, secret: sealSecret(user.id, secret), enabled_at: new Date() })
      .execute()
    const amal = asUser(user)
    expect((await listBackups(amal, {})).download).toEqual({ needsCode: true })
    for (const [code, key] of [
      [null, 'validation.required'],
      ['000000', 'sessions.wrongCode'],
    ] as const)
      expect(await downloadBackup(amal, { id, password, code })).toMatchObject({
        ok: false,
        fields: { code: { key } },
      })
    const code = codeOf(base32(secret))
    expect(await downloadBackup(amal, { id, password, code })).toMatchObject({ ok: true })
  })
})
