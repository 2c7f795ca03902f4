import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { SpoolSpace } from '~/server/spool-space.server'
import { Spool } from './spool.server'

const megabyte = () => randomBytes(1024 * 1024)

async function readAll(spool: Spool) {
  const hash = createHash('sha256')
  for await (const piece of spool.body() as ReadableStream<Uint8Array>) hash.update(piece)
  return hash.digest('hex')
}

test('what is short is there whole', async () => {
  const spool = new Spool()
  await spool.write('{"a":')
  await spool.write(Buffer.from('1}'))
  spool.end()
  await spool.begun()
  expect((spool.body() as Buffer).toString()).toBe('{"a":1}')
})

test('the writer does not wait for the reader, and every byte arrives once, in order', async () => {
  const spool = new Spool()
  const hash = createHash('sha256')
  const put = async (bytes: Buffer) => {
    hash.update(bytes)
    await spool.write(bytes)
  }
  for (let i = 0; i < 20; i += 1) await put(megabyte())
  await spool.begun()
  const read = readAll(spool)
  // while it is read: now the reader is behind, now ahead
  for (let i = 0; i < 200; i += 1) {
    await put(randomBytes(1 + ((i * 7919) % 400_000)))
    if (i % 20 === 0) await sleep(20)
  }
  spool.end()
  expect(await read).toBe(hash.digest('hex'))
})

test('an early failure reaches the caller, a late one cuts the answer off', async () => {
  const early = new Spool()
  await early.write('{')
  early.fail(new Error('no database'))
  await expect(early.begun()).rejects.toThrow('no database')

  const late = new Spool()
  for (let i = 0; i < 3; i += 1) await late.write(megabyte())
  await late.begun()
  const read = readAll(late)
  late.fail(new Error('no database'))
  await expect(read).rejects.toThrow('no database')
})

test('writing ends when the reader has left', async () => {
  const spool = new Spool()
  for (let i = 0; i < 3; i += 1) await spool.write(megabyte())
  await (spool.body() as ReadableStream).cancel()
  await expect(spool.write('more')).rejects.toThrow()
})

const spaceOf = (megabytes: number, waiters?: number) => {
  const folder = mkdtempSync(join(tmpdir(), 'sanad-spool-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return new SpoolSpace(folder, megabytes * 1024 * 1024, waiters)
}

/** Writes more than there is space for, which no reader takes: why the answer ended. */
async function refused(spool: Spool) {
  try {
    for (let written = 0; written < 30; written += 1) await spool.write(megabyte())
    return 'written'
  } catch (error) {
    return (error as { code?: string }).code
  } finally {
    spool.fail(new Error('over'))
    spool.begun().catch(() => {})
    await (spool.body() as ReadableStream).cancel()
  }
}

test('unread answers take no more than a total, and those of one user a quarter of it', async () => {
  const space = spaceOf(16, 0)
  const unread = (user: string) => refused(new Spool({ user, space }))
  const held = new Spool({ user: 'amal', space })
  for (let written = 0; written < 3; written += 1) await held.write(megabyte())
  expect(space.used).toBeGreaterThan(2_000_000)
  expect(await unread('amal')).toBe('too_many_requests')
  const before = space.used
  const others = ['a', 'b', 'c', 'd', 'e'].map(async (user) => unread(user))
  expect(await Promise.all(others)).toEqual(Array.from({ length: 5 }, () => 'too_many_requests'))
  // what an answer took is free once it is over
  expect(space.used).toBe(before)
  held.end()
  await readAll(held)
  expect(space.used).toBe(0)
})

test('an answer without space waits for its reader, and gives back what was read', async () => {
  const space = spaceOf(16)
  const spool = new Spool({ user: 'amal', space })
  const [sent, received] = [createHash('sha256'), createHash('sha256')]
  const writing = (async () => {
    for (let written = 0; written < 40; written += 1) {
      const bytes = megabyte()
      sent.update(bytes)
      await spool.write(bytes)
      expect(space.used).toBeLessThanOrEqual(4 * 1024 * 1024)
    }
    spool.end()
  })()
  await spool.begun()
  await expect.poll(() => space.used).toBeGreaterThan(2_000_000)
  await sleep(150)
  for await (const piece of spool.body() as ReadableStream<Uint8Array>) received.update(piece)
  await writing
  expect(received.digest('hex')).toBe(sent.digest('hex'))
  expect(space.used).toBe(0)
})

test('few answers wait without space, and none for ever', async () => {
  const space = spaceOf(16, 1)
  const filled = (waitAtMost: number) => refused(new Spool({ user: 'amal', space, waitAtMost }))
  const waits = filled(2_000)
  await expect.poll(() => space.used).toBeGreaterThan(2_000_000)
  await sleep(200)
  expect(await filled(60_000)).toBe('too_many_requests')
  expect(await waits).toBe('too_many_requests')
  expect(space.used).toBe(0)
})

test('a reader that takes nothing any more is disconnected, and its space is free', async () => {
  const space = spaceOf(64)
  const spool = new Spool({ space, stalled: 50 })
  for (let i = 0; i < 3; i += 1) await spool.write(megabyte())
  const reader = (spool.body() as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  await expect(reader.closed).rejects.toThrow('too slowly')
  await expect.poll(() => space.used).toBe(0)
  await expect(spool.write('more')).rejects.toThrow('too slowly')
})

/** Files without a name that this process holds open. */
function filesHeld() {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return /sanad-.*\(deleted\)$/.test(readlinkSync(`/proc/self/fd/${fd}`))
    } catch {
      return false
    }
  }).length
}

test.runIf(process.platform === 'linux')(
  'a reader that leaves before it begins to read leaves no file open',
  async () => {
    const left = async (after: number) => {
      const reader = new AbortController()
      const spool = new Spool({ reader: reader.signal })
      await spool.write(megabyte())
      // the reader is found to be slow after a while, and a file is made
      const writing = spool.write(megabyte())
      await sleep(after)
      reader.abort(new Error('gone'))
      await writing
      await expect(spool.write('more')).rejects.toThrow('gone')
    }
    await Promise.all(Array.from({ length: 60 }, (_, at) => left(90 + at)))
    await expect.poll(filesHeld).toBe(0)
  },
)
