import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test as base } from 'vitest'
import { newId } from '~/shared/id'
import { storageIn } from './storage.server'

const test = base.extend('folder', async ({}, { onCleanup }) => {
  const folder = mkdtempSync(join(tmpdir(), 'sanad-files-'))
  onCleanup(() => rmSync(folder, { recursive: true, force: true }))
  return folder
})
const name = () => `photos/${newId()}.jpg`

test('a file is kept whole, replaced and removed; nothing else is left lying about', async ({
  folder,
}) => {
  const storage = storageIn(folder)
  const photo = name()
  await storage.put(photo, Buffer.from('first'))
  await storage.put(photo, Buffer.from('second'))
  expect(Buffer.from((await storage.get(photo))!).toString()).toBe('second')
  expect(readdirSync(join(folder, 'photos'))).toHaveLength(1)

  await storage.remove(photo)
  await storage.remove(photo)
  expect(await storage.get(photo)).toBeNull()
})

test('other users of the machine cannot read them', async ({ folder }) => {
  const photo = name()
  await storageIn(folder).put(photo, Buffer.from('x'))
  expect(statSync(join(folder, photo)).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'photos')).mode & 0o777).toBe(0o700)
})

test.for([
  '../secret.jpg',
  'photos/../../secret.jpg',
  '/etc/passwd',
  'photos/x.jpg',
  '',
  `photos/${newId()}`,
])('a name that could lead elsewhere is refused: %j', async (bad, { folder }) => {
  expect(() => storageIn(folder).get(bad)).toThrow('Not the name of a stored file')
  await expect(storageIn(folder).put(bad, Buffer.from('x'))).rejects.toThrow(
    'Not the name of a stored file',
  )
})

test('a file that could not be written leaves no half of itself', async ({ folder }) => {
  writeFileSync(join(folder, 'photos'), 'in the way')
  await expect(storageIn(folder).put(name(), Buffer.from('x'))).rejects.toThrow()
  expect(readdirSync(folder)).toEqual(['photos'])
})
