// The one file that runs on the system's own Node (20 or later) and before anything is installed: it installs what is
// missing, builds what is stale and then runs the task on the Node that the project brings. It has no dependency.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'

/**
 * Adding a command: a file in scripts/, a line here, and a line in package.json. `needs` is what
 * must be fresh first. A `commands/` file is run from the build's folder. `former`: runs from the build of before if
 * the present sources cannot be built, because a clinic must be able to work.
 */
const tasks = {
  // src/sync/pull/spool.server.ts asks for small collections
  start: {
    summary: 'serve Sanad',
    needs: 'build',
    former: true,
    run: ['--expose-gc', 'commands/start.js'],
  },
  dev: {
    summary: 'serve Sanad from its sources, for those who change them',
    needs: 'commands',
    run: ['commands/dev.js'],
  },
  build: { summary: 'build what is stale', needs: 'build' },
  test: { summary: 'run every test', needs: 'build', run: ['scripts/test.ts'] },
  check: {
    summary: 'types, lint, format and architecture, in seconds',
    needs: 'install',
    run: ['scripts/check.ts'],
  },
  admin: {
    summary: 'work on accounts without a browser',
    needs: 'commands',
    former: true,
    run: ['commands/admin.js'],
  },
  import: {
    summary: 'bring data in from other systems',
    needs: 'commands',
    former: true,
    // V8 keeps 8 MB for new objects in place of 64: small machines run PostgreSQL beside it
    run: ['--max-semi-space-size=4', 'commands/import.js'],
  },
  seed: {
    summary: 'fill the database with invented people',
    needs: 'commands',
    former: true,
    run: ['commands/seed.js'],
  },
  backup: {
    summary: 'write everything into one file',
    needs: 'commands',
    former: true,
    run: ['commands/backup.js'],
  },
  restore: {
    summary: 'bring a backup back',
    needs: 'commands',
    former: true,
    run: ['commands/restore.js'],
  },
  bench: {
    summary: 'measure this version on this machine',
    needs: 'build',
    run: ['commands/bench.js'],
  },
  'upgrade-fixture': {
    summary: 'write the data directory and backup of an earlier commit for the tests',
    needs: 'install',
    run: ['scripts/upgrade-fixture.ts'],
  },
  'common-passwords': {
    summary: 'write the list of published passwords from its package',
    needs: 'install',
    run: ['scripts/common-passwords.ts'],
  },
  prove: {
    summary: 'measure what tests are too short for',
    needs: 'build',
    // as the server, whose memory some proofs measure
    run: ['--expose-gc', 'commands/prove.js'],
  },
  measure: {
    summary: 'count what the structure of the sources is judged by',
    needs: 'commands',
    run: ['commands/measure.js'],
  },
  'db:types': {
    summary: 'write src/db/types.ts from the migrated database',
    needs: 'commands',
    run: ['commands/db-types.js'],
  },
}

/*
 * Each version of the sources is built into a folder of its own, `dist/<fingerprint>`, beside those that run or ran.
 * `dist/current` points to the newest that has both parts. A part is first made under another name, and a stamp says
 * that it is whole: what a killed build leaves has none. A version before this one built into `dist` itself, which is
 * the folder of such a build.
 */

/** The parts of a build, the folders that vite makes of each, and what it reads. */
const PARTS = {
  app: { folders: ['client', 'server'], config: 'vite.config.ts' },
  commands: { folders: ['commands'], config: 'vite.commands.config.ts' },
}
/** Whole builds that are kept, the present one included: open browsers ask for their files. */
const KEPT = 3

const removed = { recursive: true, force: true, maxRetries: 20 }
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const node = join(root, 'node_modules', '.bin', 'node')
const [name = '', ...args] = process.argv.slice(2)
const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined

process.chdir(root)
if (!task) {
  const lines = Object.entries(tasks).map(([key, { summary }]) => `  ${key.padEnd(10)}${summary}`)
  const unknown = name && name !== '--help' ? `There is no task "${name}".\n` : ''
  process.stderr.write(
    `${unknown}Usage: node scripts/sanad.mjs <task> [options]\n\n${lines.join('\n')}\n`,
  )
  process.exit(name === '--help' ? 0 : 2)
}
let build
try {
  build = await prepare(task)
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}
if (task.run) run([...task.run.map((word) => fromBuild(word)), ...args])

/** The real folder and not the pointer: the process stays in its build, and its command line says which one. */
function fromBuild(word) {
  return word.startsWith('commands/') ? join(build, word) : word
}

/** Runs a program of ours to its end; its exit code becomes ours. */
function run(command) {
  // The child reads from this pipe. It closes when we end, however we end, and then the child ends too.
  const env = { ...process.env, SANAD_LIFELINE_FD: '3' }
  const child = spawn(node, command, { stdio: ['inherit', 'inherit', 'inherit', 'pipe'], env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    process.stderr.write(`${node} could not be started: ${error.message}\n`)
    process.exit(1)
  })
  child.on('exit', (code, signal) =>
    process.exit(code ?? 128 + ({ SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }[signal] ?? 1)),
  )
  endWithNpm(child)
}

/**
 * A killed npm ends no child process; without this its server would continue unseen, and the next start
 * would be refused.
 */
function endWithNpm(child) {
  if (!process.env.npm_lifecycle_event || process.platform === 'win32') return
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 250).unref()
}

/** Installs and builds what the task needs. Returns the folder of the build. */
async function prepare({ needs, former }) {
  if (!isInstalled()) await alone(() => isInstalled() || install())
  if (needs === 'install') return undefined
  const parts = needs === 'build' ? ['app', 'commands'] : ['commands']
  try {
    return await freshBuild(parts)
  } catch (error) {
    const before = former && builds().find((one) => isWhole(one, parts))
    if (!before) throw error
    say(
      `${error.message}\nThe present version is not built. The build of before is used: ${before}`,
    )
    return before
  }
}

/** Whether node_modules holds what package-lock.json names; npm leaves its own account of that there. */
function isInstalled() {
  const locked = readJson('package-lock.json')?.packages
  if (!locked) return true // nothing to compare with
  const installed = readJson('node_modules/.package-lock.json')?.packages
  if (!installed || !existsSync(node)) return false
  return Object.entries(locked).every(([path, { version, optional }]) => {
    const there = installed[path]
    return path === '' || (there ? there.version === version : optional) // other platforms' binaries are optional
  })
}

function install() {
  say('Installing…')
  // Not `npm ci`: it refuses a lock file when the registry in use lacks another platform's optional binaries. This
  // installs the same locked versions and leaves the lock file as it is.
  // --include: a machine that sets NODE_ENV=production still builds here. npm's warnings about the engines of single
  // packages are noise, because they run on the Node that is being installed.
  const options = [
    '--no-save',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  const { status, stdout, stderr, error } = spawnSync('npm', ['install', ...options], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (error) throw new Error(`npm could not be started: ${error.message}`)
  if (status !== 0)
    throw new Error(
      `${stdout}${stderr}Installing failed: npm install ended with exit code ${status}.`,
    )
  if (!existsSync(node))
    throw new Error(
      'Installing failed: the package "node" did not bring its program for this machine.',
    )
}

/** The folder of the build of the present sources, with these parts. Builds what is missing. */
async function freshBuild(parts) {
  for (;;) {
    const wanted = fingerprint()
    const folder = join('dist', wanted.slice(0, 16))
    const missing = () => parts.filter((part) => !isWhole(folder, [part]))
    const isReady = () => missing().length === 0
    if (!isReady()) {
      await alone(() => isReady() || buildParts(folder, missing(), wanted))
      continue // the sources may have changed meanwhile
    }
    if (parts.includes('app') && currentBuild() !== folder)
      await alone(() => pointTo(folder)).catch((error) => say(error.message))
    return folder
  }
}

async function buildParts(folder, parts, wanted) {
  say('Building…')
  const draft = join('dist', `unfinished-${process.pid}`)
  for (const name of listed('dist'))
    // of killed builds, because we have the lock; their vite may still write for a moment
    if (name.startsWith('unfinished-')) rmSync(join('dist', name), removed)
  try {
    for (const part of parts) await buildPart(part, draft)
    // or a power cut would leave empty files under a name that says they are whole
    for (const file of filesUnder(draft)) flush(file)
    if (fingerprint() !== wanted) return
    for (const part of parts) keepPart(part, draft, folder)
  } finally {
    rmSync(draft, removed)
  }
  if (isWhole(folder, Object.keys(PARTS))) pointTo(folder)
  removeOldBuilds(folder)
}

/** The whole system's `sync` could wait for a network mount that is away. */
function flush(file) {
  const handle = openSync(file, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

async function buildPart(part, draft) {
  const { config } = PARTS[part]
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const out = part === 'app' ? draft : join(draft, 'commands')
  const options = ['build', '--config', config, '--logLevel', 'warn', '--outDir', out]
  const env = { ...process.env, NODE_ENV: 'production' }
  const { status, stdout, stderr } = spawnSync(node, [vite, ...options], { encoding: 'utf8', env })
  if (status !== 0) throw new Error(`${stdout}${stderr}Building failed (${config}).`)
  if (part === 'app') await precompress(join(draft, 'client'))
}

/** Moves a part into the folder of its build. Its stamp comes last. */
function keepPart(part, draft, folder) {
  mkdirSync(folder, { recursive: true })
  for (const name of PARTS[part].folders) {
    rmSync(join(folder, name), removed)
    renameSync(join(draft, name), join(folder, name))
  }
  writeFileSync(stampOf(folder, part), '')
}

function isWhole(folder, parts) {
  if (folder !== 'dist') return parts.every((part) => existsSync(stampOf(folder, part)))
  const stamps = parts.map((part) => readText(join('dist', `.${part}-is-of`)))
  return stamps.every((stamp) => stamp && stamp === stamps[0])
}

function stampOf(folder, part) {
  return join(folder, `.${part}-is-whole`)
}

/** In one step: a process finds the build of before or this one. */
function pointTo(folder) {
  const draft = join('dist', `unfinished-${process.pid}-pointer`)
  rmSync(draft, { force: true })
  symlinkSync(basename(folder), draft)
  renameSync(draft, join('dist', 'current'))
}

function currentBuild() {
  const pointer = join('dist', 'current')
  return existsSync(pointer) ? join('dist', basename(realpathSync(pointer))) : undefined
}

/** The folders of all builds: the one that is pointed to, then the newest first. */
function builds() {
  const madeAt = (folder) =>
    statSync(join(folder, 'commands'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const folders = listed('dist')
    .filter((name) => /^[\da-f]{16}$/.test(name))
    .map((name) => join('dist', name))
  if (existsSync(join('dist', 'commands'))) folders.push('dist')
  const current = currentBuild()
  const isCurrent = (folder) => Number(folder === current)
  return folders.toSorted((a, b) => isCurrent(b) - isCurrent(a) || madeAt(b) - madeAt(a))
}

/** Keeps the newest whole builds, the newest of all, and those from which something runs. */
function removeOldBuilds(made) {
  const all = builds()
  const whole = all.filter((folder) => isWhole(folder, Object.keys(PARTS)))
  const kept = new Set([made, ...whole.slice(0, KEPT), ...all.slice(0, KEPT)])
  const old = all.filter((folder) => !kept.has(folder))
  if (old.length === 0) return
  const running = commandLines()
  for (const folder of old) {
    if (running.some((line) => line.includes(join(folder, 'commands', '/')))) continue
    // without its stamps first: a removal that is interrupted leaves no whole build
    const own =
      folder === 'dist'
        ? ['.app-is-of', '.commands-is-of']
        : ['.app-is-whole', '.commands-is-whole']
    for (const name of own) rmSync(join(folder, name), { force: true })
    for (const { folders } of Object.values(PARTS))
      for (const name of folders) rmSync(join(folder, name), removed)
    if (folder !== 'dist') rmSync(folder, removed)
  }
}

/** Of all processes of this machine. */
function commandLines() {
  if (process.platform === 'linux')
    return listed('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => commandLine(pid))
  return spawnSync('ps', ['-axww', '-o', 'args='], { encoding: 'utf8' }).stdout?.split('\n') ?? []
}

/** Of one process; empty if it has ended. */
function commandLine(pid) {
  if (process.platform !== 'linux')
    return (
      spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? ''
    )
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/**
 * A brotli copy beside every text of some size, so that a slow line gets the small one and nobody
 * waits for it to be made.
 */
async function precompress(directory) {
  const texts = filesUnder(directory).filter((path) =>
    /\.(js|css|svg|json|webmanifest|map|txt|html|wasm)$/.test(path),
  )
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 }
  for (const path of texts) {
    const text = readFileSync(path)
    if (text.length < 1024) continue
    const small = await promisify(brotliCompress)(text, { params })
    if (small.length < text.length * 0.9) await writeFile(`${path}.br`, small)
  }
}

/**
 * One number for everything that a build reads. The route tree is left out, for the build itself writes it. So is the
 * Node that runs this file: the first command of a new clone has the system's, every later one the project's.
 */
function fingerprint() {
  const hash = createHash('sha256')
  const files = ['src', 'messages', 'scripts', 'public'].flatMap(filesUnder)
  const configs = readdirSync('.').filter((file) =>
    /^(package-lock\.json|tsconfig\.json|\.env|(vite|postcss).*\.(ts|js|mjs|cjs|json))$/.test(file),
  )
  for (const file of [...files, ...configs].toSorted((a, b) => (a < b ? -1 : 1))) {
    if (/routeTree\.gen\.ts$|\.test\.tsx?$/.test(file)) continue
    hash.update(`${file}\0`).update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}

function filesUnder(directory) {
  if (!existsSync(directory)) return []
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    return entry.isDirectory() ? filesUnder(path) : [path]
  })
}

/** Installs and builds once when several commands begin together. A lock whose owner has ended is ignored. */
async function alone(work) {
  const lock = '.cache/sanad.lock'
  mkdirSync('.cache', { recursive: true })
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST')
        throw new Error(`The folder ${root} cannot be written: ${error.message}`, { cause: error })
      // after a power cut, its number may be that of any program
      if (!isOfSanad(Number(readText(lock)))) rmSync(lock, { force: true })
      else await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  try {
    await work()
  } finally {
    rmSync(lock, { force: true })
  }
}

function isOfSanad(pid) {
  try {
    return pid > 0 && process.kill(pid, 0) && commandLine(pid).includes('sanad.mjs')
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function listed(folder) {
  return existsSync(folder) ? readdirSync(folder) : []
}

function readText(file) {
  return existsSync(file) && statSync(file).isFile() ? readFileSync(file, 'utf8') : undefined
}

function readJson(file) {
  try {
    return JSON.parse(readText(file))
  } catch {
    return undefined
  }
}

function say(text) {
  process.stderr.write(`${text}\n`)
}
