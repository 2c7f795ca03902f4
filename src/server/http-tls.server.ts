import { X509Certificate, createPrivateKey } from 'node:crypto'
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { errorCode } from '~/db/error-code'
import { Refusal } from '~/db/refusal'

export type TlsFiles = { cert: string; key: string }
export type Credentials = { cert: string; key: string }

/**
 * TLS 1.3, and of TLS 1.2 the suites with forward secrecy and authenticated encryption: Mozilla's "intermediate"
 * configuration, version 5.7, without its finite-field suites.
 */
export const tlsSettings = {
  minVersion: 'TLSv1.2',
  honorCipherOrder: true,
  ciphers: [
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'TLS_AES_128_GCM_SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
  ].join(':'),
} as const

/** Reads both files and checks that they belong together. Throws a Refusal that says which is wrong. */
export function readCredentials(files: TlsFiles): Credentials {
  const cert = readText('SANAD_TLS_CERT', files.cert)
  const key = readText('SANAD_TLS_KEY', files.key)
  const certificate = parse(
    `SANAD_TLS_CERT (${files.cert}) is not a certificate in PEM format`,
    () => new X509Certificate(cert),
  )
  const privateKey = parse(
    `SANAD_TLS_KEY (${files.key}) is not a private key in PEM format without a password`,
    () => createPrivateKey(key),
  )
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Refusal(
      `SANAD_TLS_KEY (${files.key}) is not the key of the certificate in SANAD_TLS_CERT (${files.cert}).`,
    )
  }
  parse(`The certificate in SANAD_TLS_CERT (${files.cert}) cannot be used`, () =>
    createSecureContext({ cert, key }),
  )
  return { cert, key }
}

/**
 * Calls `onRenewal` when the files hold a new pair. It looks every second instead of waiting for
 * events, because renewal tools swap symbolic links, and because events are lost on some file
 * systems. A pair that does not fit yet (one file written, the other not) changes nothing. Returns
 * how to stop looking.
 */
export function watchCredentials(
  files: TlsFiles,
  onRenewal: (pair: Credentials) => void,
  onProblem: (problem: Refusal) => void,
) {
  let current = JSON.stringify(readCredentials(files))
  const look = () => {
    try {
      const pair = readCredentials(files)
      if (JSON.stringify(pair) === current) return
      current = JSON.stringify(pair)
      onRenewal(pair)
    } catch (error) {
      onProblem(error as Refusal)
    }
  }
  const both = [files.cert, files.key]
  for (const file of both) watchFile(file, { interval: 1_000, persistent: false }, look)
  return () => both.forEach((file) => unwatchFile(file, look))
}

function readText(setting: string, file: string) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = errorCode(error)
    const other = code === 'EACCES' ? 'permission denied' : code
    const why = code === 'ENOENT' ? 'there is no such file' : other
    throw new Refusal(`${setting} (${file}) cannot be read: ${why}.`, { cause: error })
  }
}

function parse<T>(problem: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new Refusal(`${problem}.`, { cause: error })
  }
}
