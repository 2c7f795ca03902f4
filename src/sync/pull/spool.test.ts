import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
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

test('whoever writes does not wait for whoever reads, and every byte arrives once, in order', async () => {
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

test('what fails early is told to whoever asked, what fails late cuts the answer off', async () => {
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

test('the writing ends when the reader has gone away', async () => {
  const spool = new Spool()
  for (let i = 0; i < 3; i += 1) await spool.write(megabyte())
  await (spool.body() as ReadableStream).cancel()
  await expect(spool.write('more')).rejects.toThrow()
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
  'whoever leaves before he has begun to read leaves no file open',
  async () => {
    const before = filesHeld()
    const left = async (after: number) => {
      const reader = new AbortController()
      const spool = new Spool(reader.signal)
      await spool.write(megabyte())
      // the reader is found to be slow after a while, and a file is made
      const writing = spool.write(megabyte())
      await sleep(after)
      reader.abort(new Error('gone'))
      await writing
      await expect(spool.write('more')).rejects.toThrow('gone')
    }
    await Promise.all(Array.from({ length: 60 }, (_, at) => left(90 + at)))
    await expect.poll(filesHeld, { timeout: 5_000 }).toBe(before)
  },
)
