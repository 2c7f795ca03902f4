import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import sharp, { type Sharp } from 'sharp'
import { describe, expect } from 'vitest'
import type { Context } from '~/server/operation'
import { env } from '~/server/env'
import { newId } from '~/shared/id'
import { AppError } from '~/shared/errors'
import { test } from '../../../../../test/harness'
import { getPatient } from '../patients.server'
import { fileOfPhoto, patientPhotoUrl } from './photo'
import { deletePhoto, getPhoto, savePhoto } from './photos.server'

const base64 = async (picture: Sharp) => (await picture.toBuffer()).toString('base64')
const plain = (width = 40, height = 20) =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 40, b: 40 } } })
const stored = async (ctx: Context, id: string) =>
  sharp(Buffer.from((await getPhoto(ctx, { id }))!.image, 'base64'))
const registering = (clinic: { id: string }) => ({
  [clinic.id]: ['can_register_patients' as const],
})
const files = () => readdirSync(join(env().dataDir, 'files', 'photos'))

test('a photo is kept as a file, found by the patient’s record, and replaced or removed', async ({
  as,
  make,
}) => {
  const { id } = await make.patient()
  const before = await savePhoto(as('admin'), { id, image: await base64(plain().jpeg()) })
  const { patient } = await getPatient(as('admin'), { id })
  expect(patientPhotoUrl(patient)).toBe(before.photo_url)
  expect(patient.image_timestamp).toBeInstanceOf(Date)
  const old = files().find((file) => file.startsWith(fileOfPhoto(before.photo_url)!))
  expect(old).toMatch(/\.jpg$/)

  const after = await savePhoto(as('admin'), { id, image: await base64(plain().png()) })
  expect(files()).not.toContain(old)
  expect(after.photo_url).not.toBe(before.photo_url)

  await deletePhoto(as('admin'), { id })
  expect((await getPatient(as('admin'), { id })).patient).toMatchObject({
    photo_url: null,
    image_timestamp: null,
  })
  expect(await getPhoto(as('admin'), { id })).toBeNull()
  expect(files().filter((file) => file.startsWith(fileOfPhoto(after.photo_url)!))).toEqual([])
})

test('a file that another row names is not deleted', async ({ as, make, db }) => {
  const [one, other] = [await make.patient(), await make.patient()]
  const { photo_url } = await savePhoto(as('admin'), {
    id: one.id,
    image: await base64(plain().jpeg()),
  })
  // as after a merge that took the photo, or a push before phones were refused to name one
  await db.updateTable('patients').set({ photo_url }).where('id', '=', other.id).execute()
  const isStored = () => files().some((file) => file.startsWith(fileOfPhoto(photo_url)!))
  await deletePhoto(as('admin'), { id: other.id })
  expect(isStored()).toBe(true)
  await deletePhoto(as('admin'), { id: one.id })
  expect(isStored()).toBe(false)
})

test('the camera’s metadata is removed; the picture is upright and no larger than needed', async ({
  as,
  make,
}) => {
  const { id } = await make.patient()
  const exif = {
    IFD0: { Copyright: 'Amal', Make: 'Phone' },
    IFD3: { GPSLatitude: '31/1 30/1 0/1', GPSLatitudeRef: 'N' },
  }
  const sideways = plain(4000, 1000).withMetadata({ orientation: 6 }).withExifMerge(exif).jpeg()
  await savePhoto(as('admin'), { id, image: await base64(sideways) })

  const facts = await (await stored(as('admin'), id)).metadata()
  expect(facts).toMatchObject({ format: 'jpeg', width: 160, height: 640 })
  expect([facts.exif, facts.icc, facts.iptc, facts.xmp, facts.orientation]).toEqual(
    Array(5).fill(undefined),
  )
})

test('a picture with transparent parts gets a white ground', async ({ as, make }) => {
  const { id } = await make.patient()
  const clear = sharp({
    create: { width: 8, height: 8, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
  })
  await savePhoto(as('admin'), { id, image: await base64(clear.png()) })

  const { channels } = await (await stored(as('admin'), id)).stats()
  expect(channels.map(({ mean }) => Math.round(mean))).toEqual([255, 255, 255])
})

describe('refused to others', () => {
  test('only users with the rights to the patient see, change and remove the picture', async ({
    as,
    make,
  }) => {
    const [own, other] = [await make.clinic(), await make.clinic()]
    const { id } = await make.patient({ primary_clinic_id: own.id })
    const image = await base64(plain().jpeg())
    await savePhoto(as('registrar', registering(own)), { id, image })
    const stranger = as('registrar', registering(other))
    const reader = as('provider', {
      [own.id]: ['can_view_history'],
      [other.id]: ['can_edit_records'],
    })

    for (const call of [
      getPhoto(stranger, { id }),
      savePhoto(stranger, { id, image }),
      deletePhoto(stranger, { id }),
    ]) {
      await expect(call).rejects.toMatchObject({ code: 'not_found' })
    }
    await expect(savePhoto(reader, { id, image })).rejects.toMatchObject({ code: 'forbidden' })
    await expect(deletePhoto(reader, { id })).rejects.toMatchObject({ code: 'forbidden' })
    expect(await getPhoto(reader, { id })).toMatchObject({ type: 'image/jpeg' })
  })

  test('the picture of a deleted patient is not served', async ({ as, make, db }) => {
    const { id } = await make.patient()
    await savePhoto(as('admin'), { id, image: await base64(plain().jpeg()) })
    await db.updateTable('patients').set({ is_deleted: true }).where('id', '=', id).execute()

    await expect(getPhoto(as('admin'), { id })).rejects.toMatchObject({ code: 'not_found' })
  })

  test.for([
    'file:///etc/passwd',
    '../../postgres',
    '/api/photos/x?v=../../secret',
    'https://elsewhere.example/x.jpg',
  ])(
    'what a phone wrote as the place of a photo leads to no file of ours: %s',
    async (photo_url, { as, make }) => {
      const patient = await make.patient({ photo_url })
      expect(patientPhotoUrl(patient)).toBeNull()
      expect(await getPhoto(as('admin'), { id: patient.id })).toBeNull()
    },
  )
})

describe('what is no picture is refused beside its field', () => {
  const refusal = async (ctx: Context, image: unknown) =>
    savePhoto(ctx, { id: newId(), image: image as string }).catch((error: unknown) => error)
  const svg = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  ).toString('base64')
  const jpegStart = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46]).toString('base64')

  test.for([
    ['nothing', ''],
    ['not base64', '<img>'],
    ['text', Buffer.from('hello').toString('base64')],
    ['SVG with a script', svg],
    ['a JPEG that ends at once', jpegStart],
    ['a number', 7],
  ] as const)('%s', async ([, image], { as, make }) => {
    const { id } = await make.patient()
    await expect(savePhoto(as('admin'), { id, image: image as string })).rejects.toMatchObject({
      code: 'invalid',
      fields: { image: { key: 'photos.notAPicture' } },
    })
  })

  test('a GIF or WebP, whatever its name', async ({ as, make }) => {
    const { id } = await make.patient()
    for (const picture of [plain().gif(), plain().webp()]) {
      await expect(
        savePhoto(as('admin'), { id, image: await base64(picture) }),
      ).rejects.toMatchObject({
        code: 'invalid',
      })
    }
  })

  test('more than ten megabytes, or more pixels than a camera has', async ({ as, make }) => {
    const { id } = await make.patient()
    expect(await refusal(as('admin'), 'A'.repeat(14_000_000))).toMatchObject({
      fields: { image: { key: 'photos.tooLarge' } },
    })
    const bomb = pngThatClaims(60_000, 60_000, await plain().png().toBuffer()).toString('base64')
    await expect(savePhoto(as('admin'), { id, image: bomb })).rejects.toMatchObject({
      code: 'invalid',
    })
  })

  test('a damaged picture never breaks the server', async ({ as, make }) => {
    const { id } = await make.patient()
    const right = await plain().jpeg().toBuffer()
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(right.length - 1), fc.nat(255)), { minLength: 1 }),
        async (changes) => {
          const damaged = Buffer.from(right)
          for (const [at, byte] of changes) damaged[at] = byte
          await savePhoto(as('admin'), { id, image: damaged.toString('base64') }).catch(
            (error: unknown) => {
              if (!(error instanceof AppError)) throw error
            },
          )
        },
      ),
      { numRuns: 40 },
    )
  })
})

/** The header of a PNG holds its size at bytes 16 to 23, and the checksum of the header at 29. */
function pngThatClaims(width: number, height: number, png: Buffer) {
  png.writeUInt32BE(width, 16)
  png.writeUInt32BE(height, 20)
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
  return png
}
