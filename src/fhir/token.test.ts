import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { assertionOf, jwksOf, type Key, newKey, seconds } from '../../test/api-clients'
import { test } from '../../test/harness'
import { asking } from '../../test/sessions'
import { issueToken } from './token.server'

const aud = 'https://clinic.example/api/fhir/token'
const [own, stranger] = [newKey('ES384', 'own'), newKey('ES384', 'own')]
const program = test.extend('program', async ({ db, make }) => {
  const { id } = await make.apiClient(await make.user(), { jwks: jwksOf(own) })
  const signIn = async (client_assertion: string) =>
    issueToken(await asking(db), {
      grant_type: 'client_credentials',
      scope: 'system/*.rs',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion,
      audience: aud,
    })
  const signedWith = (key: Key) => assertionOf({ clientId: id, aud, key, alg: 'ES384' })
  return { id, signIn, signedWith }
})

program('wrong assertions in its name do not shut a program out', async ({ program }) => {
  const { signIn, signedWith } = program
  for (let n = 0; n < 5; n += 1)
    expect(await signIn(signedWith(stranger))).toMatchObject({ ok: false, error: 'invalid_client' })
  await expect(signIn(signedWith(stranger))).rejects.toMatchObject({ code: 'too_many_requests' })
  const right = signedWith(own)
  expect(await signIn(right)).toMatchObject({ ok: true })
  // each once; the wrong ones still wait
  await expect(signIn(right)).rejects.toMatchObject({ code: 'too_many_requests' })
  await expect(signIn(signedWith(stranger))).rejects.toMatchObject({ code: 'too_many_requests' })
})

program(
  'a stored key that anyone can sign with signs nobody in, and the others do',
  async ({ program, db }) => {
    const { id, signIn, signedWith } = program
    const rsa = newKey('RS384', 'forged').jwk as unknown as { n: string }
    const keys = [own.jwk, { ...rsa, e: 'AQ' }]
    await db
      .updateTable('api_clients')
      .set({ jwks: JSON.stringify({ keys }) })
      .where('id', '=', id)
      .execute()
    expect(await signIn(withExponentOne(id, rsa.n))).toMatchObject({ ok: false })
    expect(await signIn(signedWith(own))).toMatchObject({ ok: true })
  },
)

/** With the exponent 1 a signature is its own padded digest (RFC 8017, section 9.2): no private key is needed. */
function withExponentOne(clientId: string, modulus: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iss: clientId, sub: clientId, aud, exp: seconds(240), jti: crypto.randomUUID() }
  const signed = `${part({ typ: 'JWT', alg: 'RS384', kid: 'forged' })}.${part(claims)}`
  const info = Buffer.from('3041300d060960864801650304020205000430', 'hex')
  const digest = Buffer.concat([info, createHash('sha384').update(signed).digest()])
  const length = Buffer.from(modulus, 'base64url').length
  const padded = Buffer.concat([
    Buffer.from([0, 1]),
    Buffer.alloc(length - digest.length - 3, 0xff),
    Buffer.from([0]),
    digest,
  ])
  return `${signed}.${padded.toString('base64url')}`
}
