type Source = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Takes exactly so many bytes from a stream; fewer only where it ends. */
export type ByteReader = (size: number) => Promise<Buffer>

export function makeByteReader(source: Source): ByteReader {
  const pieces =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  let held: Uint8Array[] = []
  let length = 0
  return async (size) => {
    while (length < size) {
      const { done, value } = await pieces.next()
      if (done) break
      held.push(value)
      length += value.length
    }
    const all =
      held.length === 1
        ? Buffer.from(held[0]!.buffer, held[0]!.byteOffset, length)
        : Buffer.concat(held)
    const taken = all.subarray(0, size)
    held = all.length > size ? [all.subarray(size)] : []
    length = all.length - taken.length
    return taken
  }
}
