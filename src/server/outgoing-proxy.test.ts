import { mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { localCertificate, makeCertificate } from './certificate/local-certificate.server'
import { readEnv } from './env'
import { listen } from './http.server'
import { readCredentials } from './http-tls.server'
import { requestJson } from './outgoing.server'

/** A proxy that tunnels each name to this machine, and says what it was asked for. */
async function aProxy(port: number, status = 200) {
  const asked: (string | undefined)[][] = []
  const server = createServer()
  server.on('connect', ({ url, headers }, socket) => {
    asked.push([url, headers['proxy-authorization']])
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
    const on = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n')
      on.pipe(socket).pipe(on)
    })
    on.on('error', () => socket.destroy())
    socket.on('error', () => on.destroy())
    return socket
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port: own } = server.address() as AddressInfo
  return { asked, url: new URL(`http://clinic:se%20cret@127.0.0.1:${own}`) }
}

test('a server outside is reached through the proxy, and its certificate is checked', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanad-proxy-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const { authority } = makeCertificate(dataDir, 'clinic')
  const tls = localCertificate(dataDir)!
  readCredentials(tls)
  const answers = () => Response.json({ here: true })
  const server = await listen({ ...readEnv({}), port: 0, tls, hosts: ['dhis.example'] }, [answers])
  onTestFinished(() => server.drain(0))
  const proxy = await aProxy(Number(new URL(server.url).port))
  const ask = (host: string, by = proxy.url) =>
    requestJson({ method: 'GET', url: new URL(`https://${host}/api`), headers: {} }, 10_000, by)

  // without its certificate authority, the server is not authenticated
  await expect(ask('clinic.local')).rejects.toMatchObject({ failure: 'unreachable' })
  const before = getCACertificates('default')
  onTestFinished(() => setDefaultCACertificates(before))
  setDefaultCACertificates([...before, authority.toString()])
  expect(await ask('clinic.local')).toEqual({ status: 200, body: { here: true } })
  expect(proxy.asked.at(-1)).toEqual([
    'clinic.local:443',
    `Basic ${Buffer.from('clinic:se cret').toString('base64')}`,
  ])
  // the certificate is for another name
  await expect(ask('dhis.example')).rejects.toMatchObject({ failure: 'unreachable' })
  // the clinic's own network is reached without it
  const { length } = proxy.asked
  await expect(ask('127.0.0.1:9')).rejects.toMatchObject({ failure: 'unreachable' })
  expect(proxy.asked).toHaveLength(length)
  const closed = await aProxy(1, 407)
  await expect(ask('clinic.local', closed.url)).rejects.toMatchObject({
    failure: 'unreachable',
    isConnected: false,
  })
})

test('the proxy is an address without a path', () => {
  expect(readEnv({}).outgoingProxy).toBeUndefined()
  expect(readEnv({ SANAD_OUTGOING_PROXY: 'http://proxy:3128' }).outgoingProxy?.port).toBe('3128')
  for (const address of ['proxy:3128', 'socks5://proxy', 'http://proxy/path'])
    expect(() => readEnv({ SANAD_OUTGOING_PROXY: address })).toThrow('SANAD_OUTGOING_PROXY')
})
