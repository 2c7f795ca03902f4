import type { Message } from '~/shared/errors'
import { HttpFailure } from '~/shared/httpFailure'
import { TOTAL_HEADER } from '~/shared/list-file'
import { announceOtherUser, withPageUser } from '~/shared/page-user'

/** The server said why not, in a sentence of the message files. */
export class DownloadRefused extends Error {
  constructor(readonly text: Message) {
    super(text.key)
  }
}

/**
 * `lines`: of a CSV file, without its headings; of a workbook, which is compressed, only the bytes
 * say how far it is.
 */
export type Received = { total: number; lines: number; bytes: number }

/** Fetches a file piece by piece, and tells how far it is. Throws `DownloadRefused`, or what the network throws. */
export async function download(
  address: string,
  asked: Record<string, unknown>,
  signal: AbortSignal,
  onProgress: (now: Received) => void,
): Promise<Blob> {
  const parameters = Object.entries(asked).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]))
  const response = await fetch(`${address}?${query}`, { signal, headers: withPageUser(undefined) })
  if (!response.ok || !response.body) throw await readRefusal(response)
  const total = Number(response.headers.get(TOTAL_HEADER))
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let [lines, bytes] = [-1, 0]
  const reader = response.body.getReader()
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    pieces.push(piece.value)
    bytes += piece.value.length
    for (const byte of piece.value) if (byte === 10) lines += 1
    onProgress({ total, lines: Math.max(0, lines), bytes })
  }
  return new Blob(pieces, { type: response.headers.get('content-type') ?? '' })
}

async function readRefusal(response: Response): Promise<Error> {
  if (response.status >= 500) return new HttpFailure(response.status)
  const { key, values } = (await response.json()) as Message
  // the list would be exported, and entered in the audit trail, as somebody else's
  if (key === 'errors.otherUser') announceOtherUser(String(values?.['user'] ?? ''))
  return new DownloadRefused({ key, ...(values && { values }) })
}

/** Hands a file to the browser, which saves it under that name. */
export function offer(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
