import * as z from 'zod'
import { PatientId } from '../patient'

/** The most bytes of a request. Browsers send far less, because they reduce pictures first. */
const MOST_BYTES = 10 * 1024 * 1024
/** The longer side of a stored picture in pixels: a face on a tablet takes about 50 kB. */
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
 * The URL of the picture for users who may see the patient; null without a picture, or if only a
 * phone has it. The part after `?` changes with the picture.
 */
export const patientPhotoUrl = ({
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

/** The id of the stored file in `photo_url`; null for other addresses. */
export const fileOfPhoto = (photoUrl: string | null): string | null =>
  ours.exec(photoUrl ?? '')?.[1] ?? null
