import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { built } from '../built'

export type Sanad = {
  child: ChildProcess
  /** Of the ready line; fails with what was said when there is none. */
  ready: Promise<string>
  exit: Promise<{ code: number | null; stdout: string; stderr: string }>
  /** What it printed so far. */
  said: () => string
  /** What it printed on stderr so far. */
  complained: () => string
}

type Settings = Record<string, string | undefined>
export type Start = (settings: Settings, options?: Options) => Sanad
type Options = {
  uid?: number
  bootstrap?: boolean
  args?: string[]
  cwd?: string
  program?: string
}

/** Really starts Sanad, as `npm start` does it. */
export function startSanad(
  settings: Settings,
  { uid, bootstrap = false, args = [], cwd, program }: Options = {},
): Sanad {
  const command = bootstrap
    ? ['scripts/sanad.mjs', 'start']
    : [program ?? built('commands/start.js')]
  const environment = { PATH: process.env.PATH, SANAD_LOG_LEVEL: 'silent', ...settings }
  const child = spawn(process.execPath, [...command, ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
    ...(uid !== undefined && { uid, gid: uid }),
  })
  let stdout = ''
  let stderr = ''
  child.stderr.on('data', (text) => (stderr += String(text)))
  const exit = new Promise<Awaited<Sanad['exit']>>((resolve) => {
    child.once('close', (code) => resolve({ code, stdout, stderr }))
    // a process that could not even be started closes nothing
    child.once('error', (error) => resolve({ code: null, stdout, stderr: error.message }))
  })
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (text) => {
      stdout += String(text)
      const [, url] = /^Sanad is ready at (\S+)$/m.exec(stdout) ?? []
      if (url) resolve(url)
    })
    void exit.then(({ code }) => reject(new Error(`Sanad ended with ${code}: ${stderr}${stdout}`)))
  })
  ready.catch(() => {})
  return { child, ready, exit, said: () => stdout, complained: () => stderr }
}

/**
 * Below the ports that the system gives to outgoing connections: one of those could take the port
 * before the server does, or while the server starts again.
 */
export async function freePort(): Promise<string> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return String(port)
  }
}

/** For a first start: nothing is there yet. */
export async function settingsFor(dataDir: string) {
  return { SANAD_DATA_DIR: dataDir, PORT: await freePort() }
}

/** For a start on what an earlier start left. */
export async function settingsForUsed(dataDir: string) {
  // with its owners: as root, PostgreSQL's part belongs to a user of its own
  const { status, stderr } = spawnSync('cp', [
    '-a',
    `${process.env['SANAD_TEST_TEMPLATE']}/.`,
    dataDir,
  ])
  if (status !== 0) throw new Error(String(stderr))
  return settingsFor(dataDir)
}

/** The number of the PostgreSQL that runs, or ran last, on the data directory. */
export const postgresPid = (dataDir: string) =>
  Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])

/** As the owner of the tables. */
export const databaseUrl = (dataDir: string) => urlOf(dataDir, 'sanad', 'password')

/** As the role that serves requests. */
export const applicationUrl = (dataDir: string) => urlOf(dataDir, 'sanad_app', 'appPassword')

function urlOf(dataDir: string, role: string, password: 'password' | 'appPassword') {
  const read = (...path: string[]) =>
    JSON.parse(readFileSync(join(dataDir, ...path), 'utf8')) as Record<string, string>
  const { port } = read('run', 'postgres.json')
  const { [password]: secret } = read('postgres', 'sanad-passwords.json')
  return `postgres://${role}:${secret}@127.0.0.1:${port}/sanad`
}

export function isAlive(pid: number) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Waits until it holds, without guessing how long that takes. */
export async function until(holds: () => boolean | Promise<boolean>, patience = 150_000) {
  for (const end = Date.now() + patience; ;) {
    if (await holds()) return
    if (Date.now() > end) throw new Error(`It did not come to pass: ${String(holds)}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

export const isReady = async (url: string) =>
  (await fetch(`${url}/api/health/ready`).catch(() => undefined))?.status === 200
