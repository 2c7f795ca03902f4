import * as z from 'zod'
import { PatientId } from '../patient'

/** What may be sent, in bytes; browsers send far less, as they make pictures smaller first. */
export const MOST_BYTES = 10 * 1024 * 1024
/** The longer side of what is kept, in pixels: a face on a tablet, some 50 kB. */
export const LONGEST_SIDE = 640

/** `image` is a JPEG or PNG in base64. */
export const SavePhoto = PatientId.extend({
  image: z
    .string('photos.notAPicture')
    .max(Math.ceil((MOST_BYTES * 4) / 3) + 4, 'photos.tooLarge')
    .pipe(z.base64('photos.notAPicture'))
    .refine((text) => text !== '', 'photos.notAPicture'),
})

/**
 * Where the picture is served to those who may see the patient; null when there is none, or one that only a phone has.
 * The part after `?` changes with the picture.
 */
export const photoOf = ({
  id,
  photo_url,
}: {
  id: string
  photo_url: string | null
}): string | null => {
  const file = fileOfPhoto(photo_url)
  return file && `/api/photos/${id}?v=${file}`
}

const ours = /^\/api\/photos\/[\da-f-]{36}\?v=([\da-f-]{36})$/

/** The id of the stored file that `photo_url` names, if it is one of ours. */
export const fileOfPhoto = (photoUrl: string | null): string | null =>
  ours.exec(photoUrl ?? '')?.[1] ?? null
