import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { buildFolder } from '../build-folder'

/** As programs sign in; the token opens screens and operations. */
export async function signInToServer(url: string, who: string, password: string) {
  const answer = await fetch(`${url}/api/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: who, password }),
  })
  if (!answer.ok) throw new Error(`Signing in was answered with ${answer.status}`)
  const { token } = (await answer.json()) as { token: string }
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  return {
    /** For requests of other kinds. */
    token,
    /** An operation by its name. Throws unless it is answered. */
    async call<R>(name: string, input: unknown): Promise<R> {
      const response = await fetch(`${url}/api/trpc/${name}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(input),
      })
      const body = (await response.json()) as { result?: { data: R }; error?: { message: string } }
      if (!body.result)
        throw new Error(`${name} was answered with ${response.status}: ${body.error?.message}`)
      return body.result.data
    },
    /** A screen, to its last byte. Throws unless it is shown. */
    async page(path: string): Promise<string> {
      const response = await fetch(url + path, { headers })
      const text = await response.text()
      if (!response.ok || response.redirected)
        throw new Error(`${path} was answered with ${response.status}`)
      return text
    },
  }
}

export type ServerSettings = Record<string, string | undefined>

export async function startServer(settings: ServerSettings) {
  const started = performance.now()
  const child = spawn(
    process.execPath,
    ['--expose-gc', join(buildFolder(), 'commands', 'start.js')],
    {
      env: settings,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let said = ''
  const url = await new Promise<string>((ready, failed) => {
    child.once('exit', (code) => failed(new Error(`Sanad ended with ${code} instead of starting`)))
    child.stdout.on('data', (text) => {
      said += String(text)
      const [, address] = /^Sanad is ready at (\S+)$/m.exec(said) ?? []
      if (address) ready(address)
    })
  })
  return { child, url, took: performance.now() - started }
}

export async function stopServer(child: ChildProcess) {
  if (child.exitCode !== null) return
  const ended = new Promise((resolved) => child.once('exit', resolved))
  child.kill('SIGTERM')
  await ended
}

export function runCommand(name: string, args: string[], settings: ServerSettings, input = '') {
  const { status } = spawnSync(
    process.execPath,
    [join(buildFolder(), 'commands', `${name}.js`), ...args],
    {
      env: settings,
      input,
      stdio: ['pipe', 'ignore', 'inherit'],
    },
  )
  if (status !== 0) throw new Error(`${name} ended with ${status}`)
}

export function freePort(): Promise<string> {
  return new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => found(String(port)))
    })
  })
}

export type BenchClient = Awaited<ReturnType<typeof signInToServer>>
