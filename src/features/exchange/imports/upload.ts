import { api } from '~/client/api'
import type { ListName } from './lists'

type Upload = {
  id: string
  list: ListName
  clinicId: string | null
  file: File
  onProgress: (share: number) => void
}

/** Uploads a file in parts and repeats lost ones. Resolves when the server has all of it. */
export async function upload({ id, list, clinicId, file, onProgress }: Upload) {
  const { partSize } = await api.imports.create({
    id,
    list,
    clinic_id: clinicId,
    file_name: file.name,
    file_size: file.size,
  })
  const parts = Math.ceil(file.size / partSize)
  for (let part = 0; part < parts; part += 1) {
    const bytes = new Uint8Array(
      await file.slice(part * partSize, (part + 1) * partSize).arrayBuffer(),
    )
    const content = base64(bytes)
    await withPatience(() => api.imports.addPart({ id, part, content }))
    onProgress((part + 1) / parts)
  }
}

const TRIES = 5

async function withPatience(send: () => Promise<unknown>) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send()
    } catch (error) {
      // only errors without a response are retried; a refusal by the server is final
      if (!(error instanceof TypeError) || attempt === TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, attempt * 1_000))
    }
  }
}

/** In slices, because String.fromCharCode limits its arguments. */
function base64(bytes: Uint8Array) {
  const slices = []
  for (let at = 0; at < bytes.length; at += 8_192)
    slices.push(String.fromCharCode(...bytes.subarray(at, at + 8_192)))
  return btoa(slices.join(''))
}
