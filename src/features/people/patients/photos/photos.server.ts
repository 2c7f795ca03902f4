import { sql } from 'kysely'
import sharp from 'sharp'
import { editPatient, knowPatient } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { type Context, mutation, query } from '~/server/operation'
import { storage } from '~/server/storage.server'
import { can, mayAnywhere } from '~/shared/actor'
import { forbidden, invalid, notFound } from '~/shared/errors'
import { newId } from '~/shared/id'
import { PatientId } from '../patient'
import { fileOfPhoto, LONGEST_SIDE, SavePhoto } from './photo'

const nameOfFile = (file: string) => `photos/${file}.jpg`

/** The picture in base64 or null, for users who may know the patient. */
export const getPhoto = query('photos.get', {
  access: 'record',
  input: PatientId,
  allow: ({ actor }) => can(actor, 'read_patient'),
  async run({ db, actor }, { id }) {
    const patient = await db
      .selectFrom('patients')
      .select('photo_url')
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .where(patientsWhere(knowPatient, actor))
      .executeTakeFirst()
    if (!patient) throw notFound('patients.notFound')
    const file = fileOfPhoto(patient.photo_url)
    const bytes = file && (await storage().get(nameOfFile(file)))
    return bytes ? { type: 'image/jpeg', image: Buffer.from(bytes).toString('base64') } : null
  },
  shows: (_, { input }) => [input.id],
})

/**
 * Replaces the picture. The stored JPEG is made from the pixels alone, without place, time or
 * camera.
 */
export const savePhoto = mutation('photos.save', {
  input: SavePhoto,
  allow: mayChange,
  async run(ctx, { id, image }) {
    const before = await lock(ctx, id)
    const picture = await redrawn(Buffer.from(image, 'base64'))
    const file = newId()
    await storage().put(nameOfFile(file), picture)
    const saved = await set(ctx, id, `/api/photos/${id}?v=${file}`)
    await forget(ctx, before.photo_url)
    return saved
  },
})

export const deletePhoto = mutation('photos.delete', {
  input: PatientId,
  allow: mayChange,
  async run(ctx, { id }) {
    const before = await lock(ctx, id)
    const saved = await set(ctx, id, null)
    await forget(ctx, before.photo_url)
    return saved
  },
})

function mayChange({ actor }: Context) {
  return (
    can(actor, 'update_patient') && mayAnywhere(actor, 'can_register_patients', 'can_edit_records')
  )
}

async function lock({ db, actor }: Context, id: string) {
  const patient = await db
    .selectFrom('patients')
    .select(['photo_url', sql<boolean>`${patientsWhere(editPatient, actor)}`.as('is_changeable')])
    .where('id', '=', id)
    .where('is_deleted', '=', false)
    .where(patientsWhere(knowPatient, actor))
    .forUpdate()
    .executeTakeFirst()
  if (!patient) throw notFound('patients.notFound')
  if (!patient.is_changeable) throw forbidden()
  return patient
}

const set = ({ db, actor }: Context, id: string, photo_url: string | null) =>
  db
    .updateTable('patients')
    .set({
      photo_url,
      image_timestamp: photo_url && new Date(),
      last_modified_by: actor.userId,
      updated_at: new Date(),
    })
    .where('id', '=', id)
    .returning(['id', 'photo_url', 'last_modified'])
    .executeTakeFirstOrThrow()

/**
 * The last step of a write: only a failed commit could still need the old picture. One that another
 * row names stays, such as that of a patient who was merged with this one.
 */
async function forget({ db }: Context, photoUrl: string | null) {
  const file = fileOfPhoto(photoUrl)
  if (!file) return
  const other = await db
    .selectFrom('patients')
    .select('id')
    .where(sql<string>`right(photo_url, 36)`, '=', file)
    .where('photo_url', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  if (!other) await storage().remove(nameOfFile(file))
}

/** More pixels than phone cameras have. Refuses a small file that would decompress to gigabytes. */
const MOST_PIXELS = 60_000_000

/** Detects JPEG and PNG by content; returns an upright picture of limited size without metadata. */
async function redrawn(bytes: Buffer): Promise<Uint8Array> {
  const refused = () => invalid({ image: { key: 'photos.notAPicture' } })
  const picture = sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error', animated: false })
  const format = await picture.metadata().then(
    (facts) => facts.format,
    () => undefined,
  )
  if (format !== 'jpeg' && format !== 'png') throw refused()
  return picture
    .autoOrient()
    .resize(LONGEST_SIDE, LONGEST_SIDE, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 82 })
    .toBuffer()
    .catch(() => {
      throw refused()
    })
}
