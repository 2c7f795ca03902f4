import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { connect as connectHttp2 } from 'node:http2'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { readEnv } from '~/server/env'
import { serving } from '~/server/health.server'
import { clientInfo } from '~/server/http-client.server'
import { routePattern } from '~/server/http-route'
import { staticFiles } from '~/server/http-static.server'
import { type Handler, listen } from '~/server/http.server'
import { queues } from '~/server/limited'
import { freePort, until } from './sanad'

process.env.SANAD_LOG_LEVEL = 'silent'

async function serve(handler: Handler, settings: Record<string, string> = {}) {
  const port = await freePort()
  const server = await listen(readEnv({ PORT: port, ...settings }), [handler])
  onTestFinished(async () => {
    serving.draining = false
    await server.drain(0)
  })
  return server
}

function temporaryDirectory() {
  const path = mkdtempSync(join(tmpdir(), 'sanad-http-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const tellClient: Handler = (asked) => Response.json({ ...clientInfo(asked), url: asked.url })
const claims = {
  'x-forwarded-for': '203.0.113.9, 198.51.100.7, 10.1.2.3',
  'x-forwarded-proto': 'https',
  'x-request-id': 'from-the-proxy-1',
  'x-sanad-address': '192.0.2.1',
  'x-sanad-https': 'yes',
}

test('an untrusted client’s claims about its address, protocol and request id are ignored', async () => {
  const { url } = await serve(tellClient)
  const answer = await fetch(url, { headers: claims })
  const client = (await answer.json()) as Record<string, unknown>
  expect(client).toMatchObject({ address: '127.0.0.1', https: false, url: `${url}/` })
  expect(client.requestId).toMatch(/^[0-9a-f-]{36}$/)
  expect(answer.headers.get('x-request-id')).toBe(client.requestId)
  expect(answer.headers.get('strict-transport-security')).toBeNull()
})

test('a trusted proxy is believed, back to the first address that is not trusted', async () => {
  const { url } = await serve(tellClient, { SANAD_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' })
  const answer = await fetch(url, { headers: claims })
  expect(await answer.json()).toEqual({
    address: '198.51.100.7',
    https: true,
    requestId: 'from-the-proxy-1',
    url: `${url.replace('http:', 'https:')}/`,
  })
  // on every response, also where no screen is drawn
  expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000')
  const odd = await fetch(url, {
    headers: { 'x-forwarded-for': 'unknown', 'x-request-id': 'no spaces or <tags>' },
  })
  expect(await odd.json()).toMatchObject({
    address: '127.0.0.1',
    https: false,
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
})

test('an invalid Host header and a deeply nested query string are bad requests', async () => {
  const { url } = await serve(tellClient, { SANAD_HOSTS: 'sanad.example' })
  const { port } = new URL(url)
  const statusFor = (host: string, path: string) =>
    new Promise((resolve, reject) => {
      const asked = request({ port, path, headers: { host } }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      asked.once('error', reject).end()
    })
  expect(await statusFor('sanad.example', '/')).toBe(200)
  expect(await statusFor('sanad.example:99999', '/')).toBe(400)
  const nested = (depth: number) =>
    encodeURIComponent(`${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`)
  expect(await statusFor('sanad.example', `/?q=${nested(64)}`)).toBe(200)
  expect(await statusFor('sanad.example', `/?q=${nested(66)}`)).toBe(400)
  expect(await statusFor('sanad.example', `/?q=${'['.repeat(5000)}`)).toBe(400)
})

test('a page of another site opens screens by links, but neither exports nor other calls', async () => {
  const { url } = await serve(tellClient)
  const statusFor = async (path: string, from?: string) => {
    const headers = from ? { 'sec-fetch-site': from } : undefined
    return (await fetch(url + path, { headers })).status
  }
  for (const path of ['/api/patients/export', '/api/trpc/clinics.list', '/rpc/query']) {
    expect([path, await statusFor(path, 'cross-site')]).toEqual([path, 403])
    expect([path, await statusFor(path, 'same-site')]).toEqual([path, 403])
    for (const from of ['same-origin', 'none', undefined])
      expect([path, from, await statusFor(path, from)]).toEqual([path, from, 200])
  }
  for (const path of ['/app/patients', '/', '/api/health/live'])
    expect([path, await statusFor(path, 'cross-site')]).toEqual([path, 200])
})

test('a body over the limit is refused, whether its length is declared or not', async () => {
  const { url } = await serve(
    async (asked) => new Response(String((await asked.arrayBuffer()).byteLength)),
    { SANAD_BODY_LIMIT_MB: '1', SANAD_PUSH_LIMIT_MB: '1' },
  )
  const big = Buffer.alloc(1024 * 1024 + 1)
  expect((await fetch(url, { method: 'POST', body: big })).status).toBe(413)
  const stream = new ReadableStream({
    start: (controller) => (controller.enqueue(big), controller.close()),
  })
  const undeclared: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    body: stream,
    duplex: 'half',
  }
  expect((await fetch(url, undeclared)).status).toBe(413)
  expect(await (await fetch(url, { method: 'POST', body: big.subarray(1) })).text()).toBe(
    String(1024 * 1024),
  )
})

test('refusals of an address that gets many are held back, and other answers are not', async () => {
  const { url } = await serve(
    (asked) => new Response('', { status: asked.url.endsWith('/refused') ? 429 : 200 }),
  )
  const waiting = () => queues().get('refusals')?.waiting()
  const leaving = new AbortController()
  let refused = 0
  const all = Array.from({ length: 200 }, async () => {
    await fetch(`${url}/refused`, { signal: leaving.signal })
    refused += 1
  })
  const over = Promise.allSettled(all)
  await expect.poll(waiting).toBeGreaterThan(0)
  expect((await fetch(url)).status).toBe(200)
  expect(refused).toBeLessThan(200)
  // thirty at once, the others in turn
  await expect.poll(() => refused).toBeGreaterThan(32)
  leaving.abort()
  await over
  await expect.poll(waiting).toBe(0)
})

test('one address has at most 512 connections, and a closed one makes room', async () => {
  const { url } = await serve(() => new Response('here'))
  const port = Number(new URL(url).port)
  const open = () =>
    new Promise<Socket>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket)).once('error', reject)
    })
  const sockets = await Promise.all(Array.from({ length: 512 }, open))
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  await expect(fetch(url)).rejects.toThrow('fetch failed')
  sockets.pop()!.destroy()
  const answered = async () => (await fetch(url).catch(() => undefined))?.status
  await expect.poll(answered).toBe(200)
})

test('texts of some length are compressed, and a stream still arrives piece by piece', async () => {
  let more: (() => void) | undefined
  const { url } = await serve(() => {
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        const send = (text: string) => controller.enqueue(new TextEncoder().encode(text))
        send('first')
        more = () => (send(' second'), controller.close())
      },
    })
    return new Response(pieces, { headers: { 'content-type': 'text/html; charset=utf-8' } })
  })
  for (const encoding of ['br', 'gzip']) {
    const answer = await fetch(url, { headers: { 'accept-encoding': encoding } })
    expect(answer.headers.get('content-encoding')).toBe(encoding)
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader.read()).value).toBe('first')
    more?.()
    expect((await reader.read()).value).toBe(' second')
  }
})

test('an answer that is a text is compressed as a whole if it is long, and comes as it is if it is short', async () => {
  const long = JSON.stringify({ text: 'sanad '.repeat(500) })
  const { url } = await serve(({ url: asked }) =>
    Response.json(asked.endsWith('/long') ? JSON.parse(long) : { text: 'short' }),
  )
  const ask = async (path: string, encoding: string) => {
    const answer = await fetch(url + path, { headers: { 'accept-encoding': encoding } })
    const { headers } = answer
    const length = Number(headers.get('content-length'))
    return { encoding: headers.get('content-encoding'), length, text: await answer.text() }
  }
  for (const encoding of ['br', 'gzip']) {
    const { length, ...answer } = await ask('/long', encoding)
    expect(answer).toEqual({ encoding, text: long })
    expect(length).toBeGreaterThan(0)
    expect(length).toBeLessThan(long.length / 10)
    const short = '{"text":"short"}'
    expect(await ask('/short', encoding)).toEqual({ encoding: null, length: 16, text: short })
  }
  expect(await ask('/long', 'identity')).toMatchObject({ encoding: null, text: long })
})

test('an event stream is not compressed, and is closed at once when Sanad stops', async () => {
  let isAborted = false
  const server = await serve((asked) => {
    const events = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\n')),
    })
    asked.signal.addEventListener('abort', () => (isAborted = true))
    return new Response(events, { headers: { 'content-type': 'text/event-stream' } })
  })
  const answer = await fetch(server.url)
  expect(answer.headers.get('content-encoding')).toBe(null)
  const reader = answer.body!.getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: 1\n\n')
  serving.draining = true
  await Promise.all([
    server.drain(60_000),
    reader.read().then(
      () => true,
      () => true,
    ),
  ])
  await until(() => isAborted)
})

test('files are served with their type, compressed copy and tag, and nothing outside their folder', async () => {
  const folder = temporaryDirectory()
  execFileSync('mkdir', ['-p', join(folder, 'client', 'assets')])
  writeFileSync(join(folder, 'secret.txt'), 'secret')
  writeFileSync(join(folder, 'client', 'assets', 'app-1a2b.js'), 'plain')
  writeFileSync(join(folder, 'client', 'assets', 'app-1a2b.js.br'), 'packed')
  writeFileSync(join(folder, 'client', 'icon.svg'), '<svg/>')
  const { url } = await serve(staticFiles(join(folder, 'client')))
  const plain = await fetch(`${url}/assets/app-1a2b.js`, {
    headers: { 'accept-encoding': 'identity' },
  })
  expect(await plain.text()).toBe('plain')
  expect(Object.fromEntries(plain.headers)).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-type': 'text/javascript; charset=utf-8',
    'x-content-type-options': 'nosniff',
  })
  const head = await fetch(`${url}/assets/app-1a2b.js`, {
    method: 'HEAD',
    headers: { 'accept-encoding': 'br' },
  })
  expect([head.headers.get('content-encoding'), head.headers.get('content-length')]).toEqual([
    'br',
    '6',
  ])
  const icon = await fetch(`${url}/icon.svg`)
  expect([icon.headers.get('content-type'), icon.headers.get('cache-control')]).toEqual([
    'image/svg+xml',
    'public, no-cache',
  ])
  const again = await fetch(`${url}/icon.svg`, {
    headers: { 'if-none-match': icon.headers.get('etag')! },
  })
  expect(again.status).toBe(304)
  for (const path of [
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets',
    '/assets/app-1a2b.js.br',
  ]) {
    expect(await rawStatus(url, path)).toBe(404)
  }
})

/** fetch would tidy the path. */
const rawStatus = (url: string, path: string) =>
  new Promise((resolve, reject) => {
    request(url, { path }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end()
  })

test('a renewed certificate is used without a restart, and half a renewal is not', async () => {
  const folder = temporaryDirectory()
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const make = (name: string) => {
    const files = ['-keyout', join(folder, 'new-key.pem'), '-out', join(folder, 'new-cert.pem')]
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-days',
        '2',
        '-subj',
        `/CN=${name}`,
        ...files,
      ],
      { stdio: 'ignore' },
    )
  }
  const place = (file: string) =>
    execFileSync('mv', [
      file.replace(folder, `${folder}/`).replace(/([a-z]+)\.pem$/, 'new-$1.pem'),
      file,
    ])
  make('first')
  place(cert)
  place(key)
  const { url } = await serve(tellClient, { SANAD_TLS_CERT: cert, SANAD_TLS_KEY: key })
  expect(url).toMatch(/^https:/)
  const port = Number(new URL(url).port)
  const name = () =>
    new Promise<string>((resolve, reject) => {
      const socket = connectTls({ port, rejectUnauthorized: false }, () => {
        resolve(String(socket.getPeerCertificate().subject.CN))
        socket.destroy()
      }).on('error', reject)
    })
  expect(await name()).toBe('first')
  expect(JSON.parse(await overHttp1(url))).toMatchObject({ https: true, url: `${url}/` })
  expect(JSON.parse(await overHttp2(url))).toMatchObject({ https: true, address: '127.0.0.1' })

  make('second')
  place(cert)
  await new Promise((resolve) => setTimeout(resolve, 1_500)) // it has looked, and the key does not fit yet
  expect(await name()).toBe('first')
  place(key)
  await until(async () => (await name()) === 'second')
})

test('a certificate that cannot be used is refused in one sentence', () => {
  const folder = temporaryDirectory()
  const file = join(folder, 'text.pem')
  writeFileSync(file, 'not a certificate')
  const attempt = (cert: string) =>
    listen(readEnv({ PORT: '0', SANAD_TLS_CERT: cert, SANAD_TLS_KEY: file }), [])
  return Promise.all([
    expect(attempt(join(folder, 'none.pem'))).rejects.toThrow(
      /^SANAD_TLS_CERT \(.*\) cannot be read: there is no such file\.$/,
    ),
    expect(attempt(file)).rejects.toThrow(
      /^SANAD_TLS_CERT \(.*\) is not a certificate in PEM format\.$/,
    ),
  ])
})

const overHttp1 = (url: string) =>
  new Promise<string>((resolve, reject) => {
    const asked = httpsRequest(
      url,
      { rejectUnauthorized: false, headers: { connection: 'close' } },
      (answer) => {
        let text = ''
        answer.on('data', (part) => (text += String(part))).on('end', () => resolve(text))
      },
    )
    asked.on('error', reject).end()
  })

const overHttp2 = (url: string) =>
  new Promise<string>((resolve, reject) => {
    const session = connectHttp2(url, { rejectUnauthorized: false }).on('error', reject)
    let text = ''
    session
      .request({ ':path': '/' })
      .on('data', (part) => (text += String(part)))
      .on('end', () => (session.close(), resolve(text)))
      .end()
  })

test('log and metrics see patterns, never a name, an id or a secret', () => {
  expect(routePattern('/app/clinics/0199a1b2-aaaa-7000-8000-000000000000/edit', 200)).toBe(
    '/app/clinics/$/edit',
  )
  expect(routePattern('/app/users/edit/17', 200)).toBe('/app/users/edit/$')
  expect(routePattern('/reset/eyJhbGciOi.x', 200)).toBe('/reset/$')
  expect(routePattern('/app/amal@example.org', 200)).toBe('/app/$')
  expect(routePattern('/api/fhir/Patient/$everything', 200)).toBe('/api/fhir/Patient/$everything')
  expect(routePattern('/api/trpc/clinics.list,clinics.get', 200)).toBe('/api/trpc/$')
  expect(routePattern('/wp-login.php', 404)).toBe('(none)')
  for (let i = 0; i < 400; i++) routePattern(`/app/${letter(i)}${letter(i / 26)}`, 200)
  expect(routePattern('/app/one/more', 200)).toBe('(other)')
})

const letter = (n: number) => String.fromCharCode(97 + (n % 26))
