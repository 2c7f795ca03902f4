import { hkdfSync } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, inject } from 'vitest'
import { newId } from '~/shared/id'
import { cloneTemplate, test as base } from '../../test/harness'
import { env } from './env'
import { adoptInstanceKey, keyFor, ownFingerprint } from './instance-key.server'
import { sessionSettings } from './session-settings'

/** A database whose key is as a version before left it, and data directories to start on. */
const test = base.extend('place', async ({}, { onCleanup }) => {
  const name = `key_${newId().replaceAll('-', '')}`
  const db = await cloneTemplate(name)
  const { dataDir } = env()
  const folders: string[] = []
  onCleanup(async () => {
    Object.assign(env(), { dataDir })
    Object.assign(sessionSettings(), { secret: undefined })
    await db.destroy()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })
  const inDatabase = Buffer.alloc(32, 5)
  await sql`update instance_keys set value = ${inDatabase}, fingerprint = null`.execute(db)
  return {
    db,
    inDatabase,
    /** A machine of its own, with an empty data directory. */
    machine() {
      const folder = mkdtempSync(join(tmpdir(), 'sanad-key-'))
      folders.push(folder)
      return { folder, file: join(folder, 'instance.key') }
    },
    start(folder: string, options = {}) {
      Object.assign(env(), { dataDir: folder })
      return adoptInstanceKey(new URL(`/${name}`, inject('postgres')).href, options)
    },
  }
})

test('the first start moves the key of a database into a file of its owner: no one is signed out', async ({
  place,
}) => {
  const { folder, file } = place.machine()
  await place.start(folder)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(keyFor('phone token')).toEqual(
    Buffer.from(hkdfSync('sha256', place.inDatabase, '', 'sanad phone token', 32)),
  )
  expect(
    await place.db.selectFrom('instance_keys').select(['value', 'fingerprint']).execute(),
  ).toEqual([{ value: null, fingerprint: ownFingerprint() }])
  const text = readFileSync(file, 'utf8')
  await place.start(folder)
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('a second machine on a database needs the same key: its file, or SANAD_SECRET with its text', async ({
  place,
}) => {
  const [first, second, third] = [place.machine(), place.machine(), place.machine()]
  await place.start(first.folder)
  const own = ownFingerprint()!
  await expect(place.start(second.folder)).rejects.toThrow(
    `The records in this database belong to the instance key ${own}, and the file ${second.file} is missing.`,
  )
  copyFileSync(first.file, second.file)
  await place.start(second.folder)
  Object.assign(sessionSettings(), { secret: readFileSync(first.file, 'utf8').trim() })
  await place.start(third.folder)
  expect(ownFingerprint()).toBe(own)
  Object.assign(sessionSettings(), { secret: 'another secret, which is long enough' })
  await expect(place.start(third.folder)).rejects.toThrow(/and SANAD_SECRET is the key /)
})

test('a lost key is replaced on request: second factors and tokens go with it, passwords stay', async ({
  place,
}) => {
  await place.start(place.machine().folder)
  const { db } = place
  const id = newId()
  await db
    .insertInto('users')
    .values({ id, name: 'Amal', email: 'amal@clinic.example', role: 'provider' })
    .execute()
  await db.insertInto('credentials').values({ user_id: id, password: '$argon2id$x' }).execute()
  await db
    .insertInto('second_factors')
    .values({ user_id: id, secret: Buffer.of(1), enabled_at: new Date() })
    .execute()
  await place.start(place.machine().folder, { replace: true })
  expect(await db.selectFrom('second_factors').selectAll().execute()).toEqual([])
  expect(await db.selectFrom('credentials').select('user_id').execute()).toEqual([{ user_id: id }])
  expect(await db.selectFrom('instance_keys').select('fingerprint').execute()).toEqual([
    { fingerprint: ownFingerprint() },
  ])
})

test('the key that a restore brought replaces the one of the machine, which is kept beside it', async ({
  place,
}) => {
  const { folder, file } = place.machine()
  await place.start(folder)
  const before = readFileSync(file, 'utf8')
  await place.db
    .updateTable('instance_keys')
    .set({ value: Buffer.from('text of a SANAD_SECRET, 32 characters'), fingerprint: null })
    .execute()
  await place.start(folder)
  expect(readFileSync(file, 'utf8')).not.toBe(before)
  expect(readFileSync(`${file}.before`, 'utf8')).toBe(before)
  Object.assign(sessionSettings(), { secret: 'text of a SANAD_SECRET, 32 characters' })
  await place.start(place.machine().folder)
})
