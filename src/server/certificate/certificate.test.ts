import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext, TLSSocket } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { openConnection } from '~/db/connect'
import { readEnv } from '../env'
import { errorReporter, parseDsn } from '../error-report'
import { listen } from '../http.server'
import { readCredentials } from '../http-tls.server'
import { issueAuthority, issueCertificate } from './issue'
import {
  localAuthority,
  localCertificate,
  makeCertificate,
  renewCertificate,
} from './local-certificate.server'
import { addressBytes, isPrivate, ownAddresses, addressRangeBytes } from './private-address'

const DAY = 24 * 60 * 60_000

function dataDirectory() {
  const path = mkdtempSync(join(tmpdir(), 'sanad-certificate-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('a client that trusts the authority reaches the server by its addresses, and no other does', async () => {
  const dataDir = dataDirectory()
  const { names, authority } = makeCertificate(dataDir, 'clinic')
  expect(names).toEqual(['clinic.local', 'localhost', ...ownAddresses()])
  const tls = localCertificate(dataDir)!
  readCredentials(tls)
  const server = await listen({ ...readEnv({}), port: 0, tls }, [() => new Response('here')])
  onTestFinished(() => server.drain(0))

  const { port } = new URL(server.url)
  const ask = (ca: string | undefined, servername: string) =>
    new Promise<string>((resolve, reject) => {
      const options = { ca, host: '127.0.0.1', port, servername, agent: false }
      request({ ...options, headers: { host: 'clinic.local' } }, (answer) => {
        answer.resume()
        resolve(String(answer.statusCode))
      })
        .on('error', (error: NodeJS.ErrnoException) => reject(new Error(error.code)))
        .end()
    })
  const root = authority.toString()
  expect(await ask(root, 'clinic.local')).toBe('200')
  expect(await ask(root, 'localhost')).toBe('200')
  await expect(ask(root, 'elsewhere.local')).rejects.toThrow('ERR_TLS_CERT_ALTNAME_INVALID')
  await expect(ask(undefined, 'clinic.local')).rejects.toThrow('SELF_SIGNED_CERT_IN_CHAIN')
})

test('the authority vouches for nothing outside of local networks', async () => {
  const now = new Date()
  const authority = issueAuthority('clinic', now)
  const foreign = issueCertificate(authority, ['bank.example', '127.0.0.1'], now)
  const dataDir = dataDirectory()
  const files = { cert: join(dataDir, 'cert.pem'), key: join(dataDir, 'key.pem') }
  writeFileSync(files.cert, foreign.cert)
  writeFileSync(files.key, foreign.key)
  const server = await listen({ ...readEnv({}), port: 0, tls: files }, [() => new Response('here')])
  onTestFinished(() => server.drain(0))
  const options = { ca: authority.cert, host: '127.0.0.1', port: new URL(server.url).port }
  const problem = await new Promise<string | undefined>((resolve) => {
    request({ ...options, servername: 'bank.example', agent: false }, () => resolve('reached'))
      .on('error', ({ message }) => resolve(message))
      .end()
  })
  expect(problem).toMatch('permitted subtree violation')
})

test('a certificate that ends soon is renewed by the same authority, and one that does not is kept', () => {
  const dataDir = dataDirectory()
  expect(renewCertificate(dataDir)).toBe(false)
  const now = new Date()
  const { authority } = makeCertificate(dataDir, 'clinic', now)
  const { cert, key } = localCertificate(dataDir)!
  expect(statSync(key).mode & 0o777).toBe(0o600)
  const before = readFileSync(cert, 'utf8')
  expect(renewCertificate(dataDir, new Date(now.getTime() + 300 * DAY))).toBe(false)
  expect(readFileSync(cert, 'utf8')).toBe(before)

  const later = new Date(now.getTime() + 350 * DAY)
  expect(renewCertificate(dataDir, later)).toBe(true)
  readCredentials({ cert, key })
  const renewed = new X509Certificate(readFileSync(cert))
  expect(renewed.validToDate.getTime()).toBeGreaterThan(later.getTime() + 390 * DAY)
  expect(renewed.checkHost('clinic.local')).toBe('clinic.local')
  expect(renewed.verify(authority.publicKey)).toBe(true)
  expect(localAuthority(dataDir)!.fingerprint256).toBe(authority.fingerprint256)
  // made again, for another name: machines keep trusting it
  makeCertificate(dataDir, 'ward')
  expect(localAuthority(dataDir)!.fingerprint256).toBe(authority.fingerprint256)
  expect(new X509Certificate(readFileSync(cert)).checkHost('ward.local')).toBe('ward.local')
})

test('addresses are read as bytes, and ranges as address and mask', () => {
  expect([...addressBytes('192.168.1.20')]).toEqual([192, 168, 1, 20])
  expect(addressBytes('fd00::1:2').toString('hex')).toBe('fd000000000000000000000000010002')
  expect(addressBytes('::1').toString('hex')).toBe('00000000000000000000000000000001')
  expect(addressRangeBytes('172.16.0.0/12').toString('hex')).toBe('ac100000fff00000')
  expect(addressRangeBytes('fc00::/7').toString('hex')).toBe(
    `fc${'00'.repeat(15)}fe${'00'.repeat(15)}`,
  )
  expect(['10.1.2.3', '172.31.0.1', 'fd12::1', '::1'].map(isPrivate)).toEqual([
    true,
    true,
    true,
    true,
  ])
  expect(['8.8.8.8', '172.32.0.1', '2001:db8::1', 'x'].map(isPrivate)).toEqual([
    false,
    false,
    false,
    false,
  ])
})

test('Sanad trusts no unknown authority, neither of a database nor of an error receiver', async () => {
  const dataDir = dataDirectory()
  makeCertificate(dataDir, 'clinic')
  const files = localCertificate(dataDir)!
  let calls = 0
  const receiver = await listen({ ...readEnv({}), port: 0, tls: files }, [
    () => {
      calls += 1
      return new Response('here')
    },
  ])
  onTestFinished(() => receiver.drain(0))
  const reasons: string[] = []
  const dsn = parseDsn(`${receiver.url.replace('https://', 'https://key@')}/1`)!
  await errorReporter(dsn, (reason) => reasons.push(reason))(new Error('a bug'))
  expect([reasons, calls]).toEqual([['TypeError'], 0])

  const secureContext = createSecureContext({
    cert: readFileSync(files.cert),
    key: readFileSync(files.key),
  })
  const said: string[] = []
  // as PostgreSQL begins TLS: one byte says yes to the client's SSLRequest
  const database = createServer((socket) => {
    socket.once('data', () => {
      socket.write('S')
      const encrypted = new TLSSocket(socket, { isServer: true, secureContext })
      encrypted.on('error', () => {}).on('data', (part) => said.push(String(part)))
    })
    socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void database.close())
  await once(database, 'listening')
  const { port } = database.address() as AddressInfo
  const url = `postgres://sanad:secret@127.0.0.1:${port}/sanad?sslmode=verify-full`
  await expect(openConnection(url)).rejects.toThrow(/certificate/)
  expect(said).toEqual([])
})
