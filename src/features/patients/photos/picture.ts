import { useSyncExternalStore } from 'react'
import { LONGEST_SIDE } from './photo'

/** A picture as `data:image/jpeg;base64,…`: small enough for a slow line and for a draft. */
export type PictureUrl = `data:image/jpeg;base64,${string}`

/** Reads a file that somebody chose and makes it small. Throws when it is no picture that this browser can show. */
export async function pictureOfFile(file: Blob): Promise<PictureUrl> {
  // the orientation that the camera wrote down is applied, so that the picture is upright without it
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' })
  try {
    return drawn(bitmap, bitmap.width, bitmap.height)
  } finally {
    bitmap.close()
  }
}

/** What the camera shows at this moment. */
export const pictureOfVideo = (video: HTMLVideoElement) =>
  drawn(video, video.videoWidth, video.videoHeight)

function drawn(source: CanvasImageSource, width: number, height: number): PictureUrl {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(width * scale))
  canvas.height = Math.max(1, Math.round(height * scale))
  const pen = canvas.getContext('2d')
  if (!pen) throw new Error('This browser draws no pictures')
  pen.fillStyle = '#ffffff'
  pen.fillRect(0, 0, canvas.width, canvas.height)
  pen.drawImage(source, 0, 0, canvas.width, canvas.height)
  return canvas.toDataURL('image/jpeg', 0.85) as PictureUrl
}

/** The base64 that `photos.save` takes. */
export const imageOf = (url: PictureUrl) => url.slice(url.indexOf(',') + 1)

/** Whether a camera can be asked for at all: only on https or on this machine itself. The server cannot know. */
export const useHasCamera = () => useSyncExternalStore(neverChanges, hasCamera, () => false)

const neverChanges = () => () => {}
const hasCamera = () => Boolean(navigator.mediaDevices?.getUserMedia)
