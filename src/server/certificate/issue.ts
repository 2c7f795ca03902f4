import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { isIP } from 'node:net'
import {
  bits,
  implicit,
  integer,
  objectId,
  octets,
  sequence,
  set,
  tagged,
  time,
  truth,
  utf8,
} from './der'
import { addressBytes, PRIVATE_RANGES, addressRangeBytes } from './private-address'

// Certificates as RFC 5280 describes them, with keys of P-256: all systems since 2014 know them.

export type CertificateWithKey = { cert: string; key: string }

const DAY = 24 * 60 * 60_000
/** Apple accepts certificates of own authorities for at most 825 days (support.apple.com/103769). */
const CERTIFICATE_DAYS = 397
const AUTHORITY_DAYS = 3650
/** A machine whose clock is late accepts a new certificate too. */
const EARLIER = 2 * DAY

/** The names that the authority may vouch for: a stolen key is of no use for any other site. */
const LOCAL_NAMES = ['local', 'localhost']

export function issueAuthority(name: string, now: Date): CertificateWithKey {
  const key = newKey()
  const subject = distinguishedName(`Sanad ${name}`)
  const permitted = [
    ...LOCAL_NAMES.map((each) => sequence(dnsName(each))),
    ...PRIVATE_RANGES.map((range) => sequence(implicit(7, addressRangeBytes(range)))),
  ]
  return signCertificate(key, {
    issuer: subject,
    issuerKey: key,
    subject,
    from: new Date(now.getTime() - EARLIER),
    until: new Date(now.getTime() + AUTHORITY_DAYS * DAY),
    extensions: [
      extension('2.5.29.19', sequence(truth, integer(Buffer.from([0]))), true),
      // keyCertSign and cRLSign
      extension('2.5.29.15', bits(Buffer.from([0x06]), 1), true),
      extension('2.5.29.30', sequence(tagged(0, ...permitted)), true),
      extension('2.5.29.14', octets(keyId(key))),
    ],
  })
}

/** A certificate of a web server for names and addresses. */
export function issueCertificate(
  authority: CertificateWithKey,
  names: string[],
  now: Date,
): CertificateWithKey {
  const key = newKey()
  const issuerKey = createPrivateKey(authority.key)
  const alternatives = names.map((name) =>
    isIP(name) ? implicit(7, addressBytes(name)) : dnsName(name),
  )
  return signCertificate(key, {
    issuer: readSubject(authority.cert),
    issuerKey,
    subject: distinguishedName(names[0]!),
    from: new Date(now.getTime() - EARLIER),
    until: new Date(now.getTime() + CERTIFICATE_DAYS * DAY),
    extensions: [
      extension('2.5.29.19', sequence(), true),
      // digitalSignature
      extension('2.5.29.15', bits(Buffer.from([0x80]), 7), true),
      // serverAuth
      extension('2.5.29.37', sequence(objectId('1.3.6.1.5.5.7.3.1'))),
      extension('2.5.29.17', sequence(...alternatives)),
      extension('2.5.29.14', octets(keyId(key))),
      extension('2.5.29.35', sequence(implicit(0, keyId(issuerKey)))),
    ],
  })
}

type Contents = {
  issuer: Buffer
  issuerKey: KeyObject
  subject: Buffer
  from: Date
  until: Date
  extensions: Buffer[]
}

function signCertificate(key: KeyObject, contents: Contents): CertificateWithKey {
  const { issuer, issuerKey, subject, from, until, extensions } = contents
  const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'))
  const signed = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ecdsaWithSha256,
    issuer,
    sequence(time(from), time(until)),
    subject,
    publicKey(key),
    tagged(3, sequence(...extensions)),
  )
  const whole = sequence(signed, ecdsaWithSha256, bits(sign('sha256', signed, issuerKey)))
  return {
    cert: new X509Certificate(whole).toString(),
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const publicKey = (key: KeyObject) => createPublicKey(key).export({ type: 'spki', format: 'der' })

/** RFC 5280, section 4.2.1.2: the SHA-1 of the public point, the last 65 bytes of the key. */
const keyId = (key: KeyObject) => createHash('sha1').update(publicKey(key).subarray(-65)).digest()

/** The organization tells a user which entry of a list of authorities this is. */
const distinguishedName = (commonName: string) =>
  sequence(
    set(sequence(objectId('2.5.4.10'), utf8('Sanad'))),
    set(sequence(objectId('2.5.4.3'), utf8(commonName))),
  )

/** The authority's own subject: what its certificate holds as common name. */
function readSubject(cert: string): Buffer {
  const commonName = /^CN=(.*)$/m.exec(new X509Certificate(cert).subject)?.[1]
  return distinguishedName(commonName ?? 'Sanad')
}

const dnsName = (name: string) => implicit(2, Buffer.from(name, 'ascii'))

const extension = (id: string, content: Buffer, isCritical = false) =>
  sequence(objectId(id), ...(isCritical ? [truth] : []), octets(content))
