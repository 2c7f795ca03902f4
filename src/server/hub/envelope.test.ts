import { expect, test } from 'vitest'
import {
  derived,
  keyPairFromBytes,
  readPayload,
  readPublicKey,
  sealing,
  deriveSharedSecret,
  sharedKey,
  unsealed,
  type Word,
} from './envelope'

const hex = (...parts: string[]) => Buffer.from(parts.join(''), 'hex')

// RFC 7748, section 6.1
const alice = keyPairFromBytes(
  hex('77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a'),
)
const bob = keyPairFromBytes(
  hex('5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb'),
)

test('key agreement gives the keys and the secret of RFC 7748', () => {
  expect(alice.publicKey.toString('hex')).toBe(
    '8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a',
  )
  expect(bob.publicKey.toString('hex')).toBe(
    'de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f',
  )
  const secret = '4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742'
  expect(deriveSharedSecret(alice.privateKey, bob.publicKey).toString('hex')).toBe(secret)
  expect(deriveSharedSecret(bob.privateKey, alice.publicKey).toString('hex')).toBe(secret)
})

test('key derivation gives the output of RFC 5869, test case 1', () => {
  const okm = derived(
    hex('0b'.repeat(22)),
    hex('000102030405060708090a0b0c'),
    hex('f0f1f2f3f4f5f6f7f8f9'),
    42,
  )
  expect(okm.toString('hex')).toBe(
    '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
  )
})

test('sealing gives the text and the tag of the published GCM test case 16', () => {
  // McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B
  const half = 'feffe9928665731c6d6a8f9467308308'
  const key = hex(half, half)
  const nonce = hex('cafebabefacedbaddecaf888')
  const plain = hex(
    'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72',
    '1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
  )
  const word = hex('feedfacedeadbeeffeedfacedeadbeefabaddad2') as unknown as Word
  const sealed = Buffer.concat([
    nonce,
    hex(
      '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa',
      '8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662',
      '76fc6ece0f4e1768cddf8853bb2d551b',
    ),
  ])
  expect(unsealed(key, word, sealed)).toEqual(plain)
  // in pieces of every size
  for (let size = 1; size <= plain.length; size += 1) {
    const sealer = sealing(key, word, nonce)
    let text = ''
    for (let at = 0; at < plain.length; at += size)
      text += sealer.add(plain.subarray(at, at + size))
    expect(text + sealer.end()).toBe(sealed.toString('base64url'))
  }
})

test('both sides derive the same key, and it depends on the order of the public keys', () => {
  const info = Buffer.concat([alice.publicKey, bob.publicKey])
  const secret = deriveSharedSecret(bob.privateKey, alice.publicKey)
  expect(sharedKey(alice, bob.publicKey)).toEqual(derived(secret, 'hikma-health-pairing-v1', info))
  expect(sharedKey(alice, bob.publicKey)).not.toEqual(sharedKey(bob, alice.publicKey))
})

test('a message opens only with its own key and word, and unchanged', () => {
  const key = sharedKey(alice, bob.publicKey)
  const sealer = sealing(key, 'command')
  const payload = sealer.add(Buffer.from('{}')) + sealer.end()
  const sealed = readPayload(payload)!
  expect(unsealed(key, 'command', sealed)?.toString()).toBe('{}')
  expect(unsealed(key, 'command_response', sealed)).toBeNull()
  expect(unsealed(sharedKey(bob, alice.publicKey), 'command', sealed)).toBeNull()
  for (const at of sealed.keys()) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    expect([at, unsealed(key, 'command', changed)]).toEqual([at, null])
  }
})

test('what is no key or no payload is not read, and a key of low order gives no secret', () => {
  for (const text of ['', 'x', 'A'.repeat(42), 'A'.repeat(44), '+'.repeat(43), 7, null])
    expect(readPublicKey(text)).toBeNull()
  for (const text of ['', '?', 'A'.repeat(36), 'ä'.repeat(40)]) expect(readPayload(text)).toBeNull()
  const zero = readPublicKey(Buffer.alloc(32).toString('base64url'))!
  expect(() => sharedKey(alice, zero)).toThrow()
})
