import { request } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { request as secure } from 'node:https'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect as connectPlain } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { makeCertificate, localCertificate } from './certificate/local-certificate.server'
import { admission, refuseOpenHttp } from './http-admission.server'
import { readEnv } from './env'
import { listen } from './http.server'

type About = { peer?: string; host?: string; isHttps?: boolean; pathname?: string }
const asked = (about: About) =>
  [
    new Request(`http://${about.host ?? 'localhost:3000'}${about.pathname ?? '/'}`),
    { peer: about.peer ?? '127.0.0.1', isHttps: about.isHttps ?? false },
  ] as const

test('plain http is not opened to the network by accident', async () => {
  const tls = { cert: 'cert.pem', key: 'key.pem' }
  for (const HOST of ['0.0.0.0', '::', '192.168.1.5', 'clinic.local']) {
    const settings = readEnv({ HOST, PORT: '0' })
    await expect(listen(settings, [])).rejects.toThrow(/^HOST is .*make-certificate/)
    expect(() => refuseOpenHttp({ ...settings, tls })).not.toThrow()
    expect(() => refuseOpenHttp({ ...settings, insecureHttp: true })).not.toThrow()
    const proxied = readEnv({ HOST, SANAD_TRUSTED_PROXIES: '10.0.0.7' })
    expect(() => refuseOpenHttp(proxied)).not.toThrow()
  }
  for (const HOST of ['127.0.0.1', '127.0.1.1', '::1', 'localhost'])
    expect(() => refuseOpenHttp(readEnv({ HOST }))).not.toThrow()
  // only the full word counts
  expect(readEnv({ SANAD_INSECURE_HTTP: '1' }).insecureHttp).toBe(false)
})

test('over plain http, only this machine and trusted proxies are served', () => {
  const behind = admission(readEnv({ SANAD_TRUSTED_PROXIES: '10.0.0.7' }), () => undefined)
  const network = { peer: '192.168.1.9', host: '192.168.1.5' }
  expect(behind(...asked(network))?.status).toBe(403)
  expect(behind(...asked({ ...network, isHttps: true }))).toBe(undefined)
  expect(behind(...asked({ ...network, peer: '10.0.0.7' }))).toBe(undefined)
  expect(behind(...asked({}))).toBe(undefined)
  expect(behind(...asked({ ...network, pathname: '/api/health/ready' }))).toBe(undefined)
  const open = admission(readEnv({ SANAD_INSECURE_HTTP: 'yes' }), () => undefined)
  expect(open(...asked(network))).toBe(undefined)
})

test('a request for a name that is not ours is refused', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanad-admission-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  makeCertificate(dataDir, 'ward')
  const tls = localCertificate(dataDir)!
  const server = await listen({ ...readEnv({ SANAD_HOSTS: 'clinic.example' }), port: 0, tls }, [
    () => new Response('here'),
  ])
  onTestFinished(() => server.drain(0))
  const port = Number(new URL(server.url).port)
  const statusAs = (host: string) =>
    new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, headers: { host }, rejectUnauthorized: false }
      secure({ ...options, agent: false }, (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end()
    })
  for (const name of ['localhost', '127.0.0.1', '[::1]', 'ward.local', 'CLINIC.example'])
    expect([name, await statusAs(`${name}:${port}`)]).toEqual([name, 200])
  for (const name of ['evil.example', 'ward.local.evil.example', 'localhost.evil.example'])
    expect([name, await statusAs(name)]).toEqual([name, 421])
  for (const [name, status] of [
    ['ward.local', 200],
    ['evil.example', 421],
  ] as const)
    expect([name, await overHttp2(port, name)]).toEqual([name, status])
})

test('https is remembered by browsers, plain http is not', async () => {
  const server = await listen({ ...readEnv({ SANAD_TRUSTED_PROXIES: '127.0.0.1' }), port: 0 }, [
    () => new Response('here'),
  ])
  onTestFinished(() => server.drain(0))
  const header = async (headers: Record<string, string>) =>
    (await fetch(server.url, { headers })).headers.get('strict-transport-security')
  expect(await header({ 'x-forwarded-proto': 'https' })).toBe('max-age=31536000')
  expect(await header({})).toBe(null)
})

test('every answer says that no other site may frame it, guess its type or learn its address', async () => {
  const none: () => undefined = () => undefined
  const server = await listen({ ...readEnv({}), port: 0 }, [none])
  onTestFinished(() => server.drain(0))
  for (const path of ['/', '/?a=' + '['.repeat(65)]) {
    const { headers } = await fetch(server.url + path)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy': "object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'content-type': expect.stringMatching(/charset=utf-8|^application\/json/i),
    })
  }
})

test('a bug is answered with a general sentence, and the next request is served', async () => {
  let calls = 0
  const server = await listen({ ...readEnv({}), port: 0 }, [
    () => {
      calls += 1
      if (calls === 1) throw new Error('select password from credentials')
      return new Response('here')
    },
  ])
  onTestFinished(() => server.drain(0))
  const failed = await fetch(server.url)
  expect([failed.status, await failed.text()]).toEqual([500, 'Something went wrong!'])
  expect(JSON.stringify([...failed.headers])).not.toContain('credentials')
  expect((await fetch(server.url)).status).toBe(200)
})

test('a request with two lengths, and one by a method that Sanad does not know, is refused', async () => {
  const server = await listen({ ...readEnv({}), port: 0 }, [() => new Response('here')])
  onTestFinished(() => server.drain(0))
  const { port, host } = new URL(server.url)
  const answerTo = (lines: string[], named = [`Host: ${host}`]) =>
    new Promise<string>((resolve, reject) => {
      const socket = connectPlain(Number(port), '127.0.0.1').on('error', reject)
      let text = ''
      socket.on('data', (part) => (text += String(part))).on('close', () => resolve(text))
      socket.write([...lines, ...named, 'Connection: close', '', ''].join('\r\n'))
    })
  const smuggled = ['POST / HTTP/1.1', 'Content-Length: 4', 'Transfer-Encoding: chunked']
  expect(await answerTo(smuggled)).toMatch(/^HTTP\/1\.1 400 /)
  expect(await answerTo(['POST / HTTP/1.1', 'Content-Length: 4', 'Content-Length: 5'])).toMatch(
    /^HTTP\/1\.1 400 /,
  )
  expect(await answerTo(['TRACE / HTTP/1.1', 'Authorization: Bearer x'])).toMatch(
    /^HTTP\/1\.1 405 (?![^]*Bearer)/,
  )
  expect(await answerTo(['GET / HTTP/1.1'])).toMatch(/^HTTP\/1\.1 200 /)
  // what is no request has the headers of every answer, too
  for (const [status, lines, named] of [
    [400, ['GET / HTTP/9.9']],
    [431, ['GET / HTTP/1.1', `X: ${'a'.repeat(40_000)}`]],
    [417, ['GET / HTTP/1.1', 'Expect: an-answer']],
    [400, ['GET / HTTP/1.1'], []],
  ] as const) {
    const answer = await answerTo([...lines], named && [...named])
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(answer).toMatch(/^x-content-type-options: nosniff\r?$/im)
    expect(answer).toMatch(/^referrer-policy: same-origin\r?$/im)
    expect(answer).toMatch(/frame-ancestors 'none'/)
  }
})

test('https is TLS 1.3, or 1.2 with forward secrecy and authenticated encryption', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanad-tls-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  makeCertificate(dataDir, 'ward')
  const server = await listen({ ...readEnv({}), port: 0, tls: localCertificate(dataDir)! }, [])
  onTestFinished(() => server.drain(0))
  const port = Number(new URL(server.url).port)
  const agreed = (options: ConnectionOptions) =>
    new Promise<string>((resolve) => {
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options })
      socket.on('error', () => resolve('refused'))
      socket.on('secureConnect', () => {
        resolve(`${socket.getProtocol()} ${socket.getCipher().name}`)
        socket.destroy()
      })
    })
  expect(await agreed({})).toMatch(/^TLSv1\.3 /)
  expect(await agreed({ maxVersion: 'TLSv1.2' })).toMatch(/^TLSv1\.2 ECDHE-.*(GCM|POLY1305)/)
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const
  expect(await agreed(old)).toBe('refused')
  for (const ciphers of [
    'ECDHE-ECDSA-AES128-SHA256',
    'ECDHE-RSA-AES128-SHA256',
    'AES128-GCM-SHA256',
  ])
    expect([ciphers, await agreed({ maxVersion: 'TLSv1.2', ciphers })]).toEqual([
      ciphers,
      'refused',
    ])
})

const overHttp2 = (port: number, name: string) =>
  new Promise<number>((resolve, reject) => {
    const options = { rejectUnauthorized: false, servername: 'localhost' }
    const session = connectHttp2(`https://127.0.0.1:${port}`, options).on('error', reject)
    session
      .request({ ':path': '/', ':authority': `${name}:${port}` })
      .on('response', (headers) => {
        resolve(Number(headers[':status']))
        session.destroy()
      })
      .end()
  })

test('over HTTP/2, the rest of a body that is refused is not read, and the connection stays', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanad-http2-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  makeCertificate(dataDir, 'ward')
  const tls = localCertificate(dataDir)!
  const server = await listen({ ...readEnv({ SANAD_BODY_LIMIT_MB: '1' }), port: 0, tls }, [
    () => new Response('here'),
  ])
  onTestFinished(() => server.drain(0))
  const session = connectHttp2(`https://localhost:${new URL(server.url).port}`, {
    rejectUnauthorized: false,
  })
  onTestFinished(() => session.destroy())
  const statusOf = (headers: Record<string, string>, body: Buffer) =>
    new Promise<number>((resolve, reject) => {
      const stream = session.request({ ':path': '/', ...headers }).on('error', reject)
      stream.on('response', (answer) => resolve(Number(answer[':status'])))
      stream.write(body)
    })
  const declared = { ':method': 'POST', 'content-length': String(2 * 1024 * 1024) }
  expect(await statusOf(declared, Buffer.alloc(1024))).toBe(413)
  expect(await statusOf({ ':method': 'POST' }, Buffer.alloc(1024))).toBe(200)
})

const outside = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

test.runIf(outside)('a machine that asks from the network over plain http is refused', async () => {
  const settings = {
    ...readEnv({ HOST: '0.0.0.0', SANAD_TRUSTED_PROXIES: '10.255.255.1' }),
    port: 0,
  }
  const server = await listen(settings, [() => new Response('here')])
  onTestFinished(() => server.drain(0))
  const port = Number(new URL(server.url).port)
  const status = await new Promise((resolve, reject) => {
    request({ host: outside, localAddress: outside, port }, (answer) =>
      resolve(answer.resume().statusCode),
    )
      .on('error', reject)
      .end()
  })
  expect(status).toBe(403)
})
