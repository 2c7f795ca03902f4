import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from './error-code'
import { type Binaries, findBinaries } from './embedded-binaries.server'
import {
  type DataDirectory,
  isDataDirectoryFull,
  readState,
  writeState,
} from './embedded-directory.server'
import {
  completeSecrets,
  ensureApplication,
  newSecrets,
  readSecrets,
  secretsFile,
  databaseUrls,
  writeOwned,
} from './embedded-roles.server'
import { type Launcher, launcherFor } from './embedded-user.server'
import { Refusal, diskFull, isDiskFailure, saysDiskFull } from './refusal'

export type EmbeddedPostgres = {
  /** Sanad's own database, as its owner, who is no superuser. */
  ownerUrl: string
  /** The same database as the application, which changes rows but not tables, triggers or privileges. */
  appUrl: string
  /** The same database as the superuser: for restoring and for tests. */
  adminUrl: string
  stop: () => Promise<void>
}

type Options = {
  /** More settings of PostgreSQL's, as "name=value". */
  settings?: string[]
  /** PostgreSQL stopped by itself and is being started again. */
  onRestart?: () => void
  /** PostgreSQL stopped by itself and could not be started again. */
  onLost?: (reason: Refusal) => void
}

/** PostgreSQL is started again this often within the time; then something is wrong that starting does not cure. */
const restartsAtMost = 5
const restartWindow = 60_000
/** Milliseconds between two attempts on a full disk, which continue until it has space. */
const FULL_DISK_RETRY = 15_000

/** For one small machine: little memory, few processes, and no personal data in its log (no statements, no values). */
const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'fsync=on',
  'max_connections=50',
  // a backup, a merge or a push touches most tables with all their indexes in one transaction
  'max_locks_per_transaction=256',
  'work_mem=8MB',
  'maintenance_work_mem=64MB',
  'effective_cache_size=512MB',
  // a row by an index costs little more than the next row: what is read is in memory, or on a disk without heads
  'random_page_cost=1.1',
  'max_wal_size=256MB',
  'max_parallel_workers_per_gather=0',
  'max_logical_replication_workers=0',
  'jit=off',
  'timezone=UTC',
  'log_timezone=UTC',
  'lc_messages=C',
  'log_destination=stderr',
  'logging_collector=off',
  'log_min_messages=log',
  'log_min_error_statement=panic',
  'log_error_verbosity=terse',
  'log_checkpoints=off',
]

/** Settings that came with a later PostgreSQL than the oldest that can be used. */
const since: Record<number, string[]> = { 18: ['io_method=sync'] }

export const postgresSettings = (major: number): string[] => [
  ...settings,
  ...Object.entries(since).flatMap(([first, some]) => (major >= Number(first) ? some : [])),
]

/**
 * A sixteenth of the machine for pages that are in use: a push of a thousand rows touches some
 * sixty megabytes of them, and with less than that it reads and writes each of them again.
 */
function memory(): string[] {
  const megabytes = Math.min(totalmem(), process.constrainedMemory() || Infinity) / 1024 ** 2
  return [`shared_buffers=${Math.round(Math.min(512, Math.max(64, megabytes / 16)))}MB`]
}

/**
 * Starts PostgreSQL on the data directory, which the caller holds (`takeDataDirectory`): whatever
 * runs there already was left behind by a server that was killed, and is stopped first.
 */
export async function startEmbedded(
  directory: DataDirectory,
  options: Options = {},
): Promise<EmbeddedPostgres> {
  const binaries = findBinaries()
  const { cluster } = directory
  const owner = existsSync(cluster) ? statSync(cluster) : undefined
  const launcher = launcherFor(
    [binaries.directory, directory.path],
    owner && { uid: owner.uid, gid: owner.gid },
  )
  if (!owner) initialise(directory, binaries, launcher)
  refuseForeignCluster(directory, binaries)
  await stopOrphan(directory)

  const secrets = completeSecrets(directory, launcher)
  if (!secrets)
    throw new Refusal(
      `The database in ${cluster} was not made by Sanad: its file ${secretsFile} is missing.`,
    )
  const server = {
    directory,
    binaries,
    launcher,
    settings: [...postgresSettings(binaries.major), ...memory(), ...(options.settings ?? [])],
  }
  let port = readRun(directory)?.port ?? (await freePort())
  let running: Running
  let stopping = false
  let restarts: number[] = []

  const start = async (keepPort: boolean) => {
    for (let attempt = 0; ; attempt++) {
      try {
        running = await launch(server, port)
        break
      } catch (error) {
        if (!(error instanceof PortTaken) || attempt === 3) throw error
        if (keepPort) await sleep(500)
        else port = await freePort()
      }
    }
    void running.ended.then(onEnd)
    try {
      writeState(runFile(directory), { port, pid: running.child.pid })
    } catch (error) {
      // of a restart, on a full disk: the file has the port already
      if (!keepPort || !isDiskFailure(error)) throw error
    }
  }

  const onEnd = async () => {
    if (stopping) return
    restarts = [...restarts.filter((at) => at > Date.now() - restartWindow), Date.now()]
    try {
      if (restarts.length > restartsAtMost) throw stopped(directory)
      options.onRestart?.()
      await start(true)
    } catch (error) {
      if (stopping) return
      const reason = error instanceof Refusal ? error : stopped(directory, error)
      const said = readText(logFile(directory)) ?? ''
      if (!isDataDirectoryFull(directory) && !saysDiskFull(said)) return options.onLost?.(reason)
      // it cannot start before there is space: meanwhile every request is answered that the disk is full
      await sleep(FULL_DISK_RETRY)
      await onEnd()
    }
  }

  await start(false)
  const urls = databaseUrls(secrets, port)
  const stop = async () => {
    stopping = true
    await stopProcess(running.child.pid!, () => running.ended)
    rmSync(runFile(directory), { force: true })
  }
  try {
    await ensureApplication(urls.adminUrl, secrets.appPassword)
  } catch (error) {
    await stop()
    throw error
  }
  return { ...urls, stop }
}

/** Where the PostgreSQL that another process runs on this directory answers; undefined when none seems to run. */
export function runningEmbedded(
  directory: DataDirectory,
): Omit<EmbeddedPostgres, 'stop'> | undefined {
  const state = readRun(directory)
  const secrets = readSecrets(directory)
  return state && secrets && databaseUrls(secrets, state.port)
}

const runFile = (directory: DataDirectory) => join(directory.run, 'postgres.json')
const readRun = (directory: DataDirectory) =>
  readState(runFile(directory)) as { port: number } | undefined
const logFile = (directory: DataDirectory) => join(directory.run, 'postgres.log')

/** Makes the cluster beside its final place and renames it there, so that it exists whole or not at all. */
function initialise(
  { cluster, path }: DataDirectory,
  { initdb, postgres }: Binaries,
  launcher: Launcher,
) {
  const draft = `${cluster}.new`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: 0o700 })
  if (launcher.owner) chownSync(draft, launcher.owner.uid, launcher.owner.gid)
  const run = (program: string, args: string[], input = '') => {
    const [file, all] = launcher.command(program, args)
    const { status, signal, stdout, stderr, error } = spawnSync(file, all, {
      ...launcher.identity,
      input,
      encoding: 'utf8',
      cwd: '/',
      env: environment,
    })
    if (status === 0 && !/\bERROR:|\bFATAL:/.test(stderr)) return
    const said = `${stderr ?? ''}${stdout ?? ''}${error?.message ?? ''}`
    rmSync(draft, { recursive: true, force: true })
    if (saysDiskFull(said)) throw diskFull(path)
    throw new Refusal(
      `The database could not be made in ${path}: ${lastLine(said) ?? signal ?? `exit ${status}`}.`,
    )
  }
  run(initdb, [
    `--pgdata=${draft}`,
    '--username=postgres',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
    '--no-instructions',
    '--auth=trust', // nothing listens until pg_hba.conf is replaced below
  ])
  const secrets = newSecrets()
  const statements = [
    `alter role postgres password '${secrets.adminPassword}'`,
    // createdb: a restore and the tests make databases beside this one
    `create role sanad login createdb password '${secrets.password}'`,
    'create database sanad owner sanad',
  ]
  const quiet = [
    '-c',
    'log_min_error_statement=panic',
    '-c',
    'log_checkpoints=off',
    '-c',
    'timezone=UTC',
  ]
  run(
    postgres,
    ['--single', '-j', '-D', draft, ...quiet, 'template1'],
    statements.map((s) => `${s};\n\n`).join(''),
  )
  const own = (name: string, text: string) => writeOwned(launcher, join(draft, name), text)
  own(
    'pg_hba.conf',
    '# Written by Sanad: this machine only, with a password.\nhost all all 127.0.0.1/32 scram-sha-256\n',
  )
  own(secretsFile, JSON.stringify(secrets))
  renameSync(draft, cluster)
}

function refuseForeignCluster({ cluster }: DataDirectory, { major }: Binaries) {
  const made = readText(join(cluster, 'PG_VERSION'))?.trim()
  if (made === undefined) {
    throw new Refusal(
      `The database in ${cluster} cannot be read: it belongs to another user, or it is damaged.`,
    )
  }
  if (Number(made) !== major)
    throw new Refusal(
      `The database in ${cluster} was made by PostgreSQL ${made}, and the programs are of ${major}: ` +
        'set SANAD_PG_BIN to programs of the same version, or make a backup with them and restore it.',
    )
}

type Running = { child: ChildProcess; ended: Promise<void> }
class PortTaken extends Error {}

async function launch(
  server: { directory: DataDirectory; binaries: Binaries; launcher: Launcher; settings: string[] },
  port: number,
): Promise<Running> {
  const { directory, binaries, launcher } = server
  const args = [
    '-D',
    directory.cluster,
    '-p',
    String(port),
    ...server.settings.flatMap((setting) => ['-c', setting]),
  ]
  // Backends of a killed PostgreSQL need a moment to notice and end; until then a new one is refused.
  for (const start = Date.now(); ; await sleep(200)) {
    if (existsSync(logFile(directory)))
      renameSync(logFile(directory), `${logFile(directory)}.before`)
    const log = openSync(logFile(directory), 'w', 0o600)
    const [file, all] = launcher.command(binaries.postgres, args)
    // Its own session, or Ctrl-C in the terminal would stop it before the requests in flight are done.
    const options = { ...launcher.identity, cwd: '/', env: environment, detached: true }
    const child = spawn(file, all, { ...options, stdio: ['ignore', log, log] })
    closeSync(log)
    const ended = new Promise<void>((resolve) => {
      child.once('error', () => resolve())
      child.once('exit', () => resolve())
    })
    const isOver = () =>
      child.pid === undefined || child.exitCode !== null || child.signalCode !== null
    while (!isOver() && !isReady(directory, child.pid)) await Promise.race([sleep(10), ended])
    if (!isOver()) return { child, ended }
    const said = readText(logFile(directory)) ?? ''
    if (/could not bind|Address already in use/.test(said))
      throw new PortTaken(`The port ${port} is taken.`)
    if (saysDiskFull(said)) throw diskFull(directory.path)
    if (/is still in use|lock file .* already exists/.test(said) && Date.now() - start < 15_000)
      continue
    throw stopped(directory)
  }
}

/** PostgreSQL writes its state into the eighth line. */
function isReady({ cluster }: DataDirectory, pid: number | undefined) {
  const lines = readText(join(cluster, 'postmaster.pid'))?.split('\n') ?? []
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}

function stopped(directory: DataDirectory, cause?: unknown) {
  const said = readText(logFile(directory)) ?? ''
  if (saysDiskFull(said)) return diskFull(directory.path)
  const detail = lastLine(said) ?? (cause as Error | undefined)?.message
  return new Refusal(
    `PostgreSQL stopped and could not be started again${detail ? ` (${detail})` : ''}: ` +
      `see ${logFile(directory)}.`,
  )
}

/**
 * Ends a PostgreSQL that a killed server left on our directory, and clears a pid file whose number
 * now is another program's.
 */
async function stopOrphan({ cluster }: DataDirectory) {
  const pidFile = join(cluster, 'postmaster.pid')
  const pid = Number(readText(pidFile)?.split('\n')[0])
  if (!pid || !isAlive(pid)) return // PostgreSQL clears a dead one's file itself, after looking for its children
  if (!isPostgres(pid, cluster)) {
    // After a power cut the number belongs to whatever started next, and PostgreSQL would refuse to start.
    // It still finds children of its own by the shared memory of this directory.
    rmSync(pidFile, { force: true })
    return
  }
  await stopProcess(pid, async () => {
    while (isAlive(pid) && isPostgres(pid, cluster)) await sleep(50)
  })
}

/** Fast shutdown (no new work, rolls back, writes a checkpoint); the immediate one if that takes too long. */
async function stopProcess(pid: number, ended: () => Promise<void>) {
  const done = ended()
  for (const [signal, patience] of [
    ['SIGINT', 30_000],
    ['SIGQUIT', 10_000],
    ['SIGKILL', 5_000],
  ] as const) {
    try {
      process.kill(pid, signal)
    } catch {
      return // it has ended
    }
    const timer = new AbortController()
    const over = await Promise.race([
      done.then(() => true),
      sleep(patience, false, { signal: timer.signal }).catch(() => false),
    ])
    timer.abort()
    if (over) return
  }
}

function isAlive(pid: number) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

/** Whether the process is a PostgreSQL on this very directory. */
function isPostgres(pid: number, cluster: string) {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
    return stdout.includes('postgres') && stdout.includes(cluster)
  }
  try {
    const [at, ours] = [statSync(`/proc/${pid}/cwd`), statSync(cluster)]
    return (
      /\/postgres( \(deleted\))?$/.test(readlinkSync(`/proc/${pid}/exe`)) &&
      at.ino === ours.ino &&
      at.dev === ours.dev
    )
  } catch {
    return false
  }
}

/** A port of the loopback address that is free now. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

/** Nothing of ours: PG... variables would change what PostgreSQL does. */
const environment = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', HOME: '/' }

const lastLine = (said: string) =>
  said
    .split('\n')
    .findLast((line) => /error|FATAL|PANIC|cannot|denied/i.test(line))
    ?.replace(/^.*?(FATAL|PANIC|ERROR|error):\s+/, '')
    .trim()
    .replace(/\.$/, '')

function readText(file: string) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
