import { useSyncExternalStore } from 'react'
import { LONGEST_SIDE } from './photo'

/** A picture as `data:image/jpeg;base64,…`: small enough for a slow line and for a draft. */
export type PictureUrl = `data:image/jpeg;base64,${string}`

/** Reads and reduces a chosen file. Throws if the browser cannot show it as a picture. */
export async function pictureOfFile(file: Blob): Promise<PictureUrl> {
  // applies the camera's orientation, because the metadata is dropped
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' })
  try {
    return drawn(bitmap, bitmap.width, bitmap.height)
  } finally {
    bitmap.close()
  }
}

/** The current image of the camera. */
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
export const pictureBase64 = (url: PictureUrl) => url.slice(url.indexOf(',') + 1)

/** Whether the browser offers a camera: only on https or localhost. Unknown on the server. */
export const useHasCamera = () => useSyncExternalStore(neverChanges, hasCamera, () => false)

const neverChanges = () => () => {}
const hasCamera = () => Boolean(navigator.mediaDevices?.getUserMedia)
