// ASN.1 values in the Distinguished Encoding Rules (ITU-T X.690), as far as certificates need them.

const SHORT = 0x80

/** A tag, the length and the value. */
function value(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  if (content.length < SHORT) return Buffer.concat([Buffer.from([tag, content.length]), content])
  const digits = Buffer.from(content.length.toString(16).replace(/^(.(..)*)$/, '0$1'), 'hex')
  return Buffer.concat([Buffer.from([tag, SHORT | digits.length]), digits, content])
}

export const sequence = (...parts: Uint8Array[]) => value(0x30, ...parts)
export const set = (...parts: Uint8Array[]) => value(0x31, ...parts)
export const octets = (bytes: Uint8Array) => value(0x04, bytes)
export const utf8 = (text: string) => value(0x0c, Buffer.from(text))
export const truth = value(0x01, Buffer.from([0xff]))
/** Constructed values of the context: EXPLICIT tags, and IMPLICIT ones of sequences. */
export const tagged = (number: number, ...parts: Uint8Array[]) => value(0xa0 | number, ...parts)
/** IMPLICIT tags of bytes and text. */
export const implicit = (number: number, bytes: Uint8Array) => value(0x80 | number, bytes)

/** Never negative: a leading zero keeps the highest bit free. */
export const integer = (bytes: Uint8Array) =>
  value(0x02, Buffer.from(bytes[0]! & 0x80 ? [0] : []), bytes)

export const bits = (bytes: Uint8Array, unused = 0) => value(0x03, Buffer.from([unused]), bytes)

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second, ...rest].flatMap((number) => {
    const digits = [number & 0x7f]
    for (let left = number >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | SHORT)
    return digits
  })
  return value(0x06, Buffer.from(bytes))
}

/** RFC 5280, section 4.1.2.5: UTCTime until 2049, GeneralizedTime from 2050 on. */
export function time(at: Date): Buffer {
  const digits = at.toISOString().replaceAll(/[-:T]|\..*$/g, '')
  return at.getUTCFullYear() < 2050
    ? value(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : value(0x18, Buffer.from(`${digits}Z`))
}
