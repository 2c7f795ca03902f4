import { X509Certificate } from 'node:crypto'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import type { TlsFiles } from '../http-tls.server'
import { issueAuthority, issueCertificate, type CertificateWithKey } from './issue'
import { ownAddresses } from './private-address'

/** Renewed so many days before it ends, so that a server which is started once a month renews it too. */
const RENEW_DAYS = 60
const DAY = 24 * 60 * 60_000

const filesIn = (dataDir: string) => {
  const folder = resolve(dataDir, 'certificate')
  return {
    folder,
    authority: join(folder, 'authority.pem'),
    authorityKey: join(folder, 'authority-key.pem'),
    cert: join(folder, 'certificate.pem'),
    key: join(folder, 'key.pem'),
  }
}

/** The certificate that `make-certificate` made in this data directory; undefined without one. */
export function localCertificate(dataDir: string): TlsFiles | undefined {
  const { cert, key } = filesIn(dataDir)
  return existsSync(cert) && existsSync(key) ? { cert, key } : undefined
}

/** The authority to trust on other machines; undefined without one. */
export function localAuthority(dataDir: string): X509Certificate | undefined {
  const { authority } = filesIn(dataDir)
  return existsSync(authority) ? new X509Certificate(readFileSync(authority)) : undefined
}

/**
 * Makes the authority, unless there is one that machines may trust already, and a certificate for
 * `<name>.local`, localhost and the private addresses of this machine.
 */
export function makeCertificate(dataDir: string, name: string, now = new Date()) {
  const files = filesIn(dataDir)
  mkdirSync(files.folder, { recursive: true, mode: 0o700 })
  ownAs(dataDir, files.folder)
  if (!existsSync(files.authority)) {
    const { cert, key } = issueAuthority(name, now)
    write(dataDir, files.authorityKey, key)
    write(dataDir, files.authority, cert)
  }
  const names = [`${name}.local`, 'localhost', ...ownAddresses()]
  issue(dataDir, names, now)
  return { names, authority: localAuthority(dataDir)! }
}

/**
 * Renews the certificate if it ends soon or lacks an address of this machine. Returns whether it
 * did; the server takes up the new pair by itself.
 */
export function renewCertificate(dataDir: string, now = new Date()): boolean {
  const files = filesIn(dataDir)
  if (!existsSync(files.cert) || !existsSync(files.authorityKey)) return false
  const current = new X509Certificate(readFileSync(files.cert))
  const isEnding = current.validToDate.getTime() - now.getTime() < RENEW_DAYS * DAY
  const addresses = ownAddresses()
  const isComplete = addresses.every((address) => current.checkIP(address))
  if (!isEnding && isComplete) return false
  const hostNames = (current.subjectAltName ?? '')
    .split(', ')
    .flatMap((entry) => (entry.startsWith('DNS:') ? [entry.slice(4)] : []))
  issue(dataDir, [...hostNames, ...addresses], now)
  return true
}

function issue(dataDir: string, names: string[], now: Date) {
  const files = filesIn(dataDir)
  const authority: CertificateWithKey = {
    cert: readFileSync(files.authority, 'utf8'),
    key: readFileSync(files.authorityKey, 'utf8'),
  }
  const { cert, key } = issueCertificate(authority, names, now)
  write(dataDir, files.key, key)
  // with the authority: a machine that trusts it may not have it at hand
  write(dataDir, files.cert, `${cert}${authority.cert}`)
}

function write(dataDir: string, file: string, text: string) {
  writeFileSync(`${file}.new`, text, { mode: 0o600 })
  ownAs(dataDir, `${file}.new`)
  renameSync(`${file}.new`, file)
}

/** A command that root runs makes files for the user who runs the server. */
function ownAs(dataDir: string, file: string) {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(resolve(dataDir))
  chownSync(file, uid, gid)
}
