// The one file that runs on the system's own Node (20 or later) and before anything is installed: it installs what is
// missing, builds what is stale and then runs the task on the Node that the project brings. It has no dependency.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'

/**
 * Adding a command: a file in scripts/, a line here, and a line in package.json. `needs` is what
 * must be fresh first.
 */
const tasks = {
  // src/sync/pull/spool.server.ts asks for small collections
  start: { summary: 'serve Sanad', needs: 'build', run: ['--expose-gc', 'dist/commands/start.js'] },
  dev: {
    summary: 'serve Sanad from its sources, for those who change them',
    needs: 'commands',
    run: ['dist/commands/dev.js'],
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
    run: ['dist/commands/admin.js'],
  },
  import: {
    summary: 'bring data in from other systems',
    needs: 'commands',
    // V8 keeps 8 MB for new objects in place of 64: small machines run PostgreSQL beside it
    run: ['--max-semi-space-size=4', 'dist/commands/import.js'],
  },
  seed: {
    summary: 'fill the database with invented people',
    needs: 'commands',
    run: ['dist/commands/seed.js'],
  },
  backup: {
    summary: 'write everything into one file',
    needs: 'commands',
    run: ['dist/commands/backup.js'],
  },
  restore: { summary: 'bring a backup back', needs: 'commands', run: ['dist/commands/restore.js'] },
  bench: {
    summary: 'measure this version on this machine',
    needs: 'build',
    run: ['dist/commands/bench.js'],
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
    run: ['--expose-gc', 'dist/commands/prove.js'],
  },
  measure: {
    summary: 'count what the structure of the sources is judged by',
    needs: 'commands',
    run: ['dist/commands/measure.js'],
  },
  'db:types': {
    summary: 'write src/db/types.ts from the migrated database',
    needs: 'commands',
    run: ['dist/commands/db-types.js'],
  },
}

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
try {
  await prepare(task.needs)
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}
if (task.run) run([...task.run, ...args])

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

async function prepare(needs) {
  if (!isInstalled()) await alone(() => isInstalled() || install())
  if (needs === 'install') return
  const parts = needs === 'build' ? ['app', 'commands'] : ['commands']
  const wanted = fingerprint()
  const stale = () => parts.filter((part) => readText(stampOf(part)) !== wanted)
  if (stale().length) await alone(() => build(stale(), wanted))
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

async function build(parts, wanted) {
  say('Building…')
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  for (const part of parts) {
    rmSync(stampOf(part), { force: true })
    const config = part === 'app' ? 'vite.config.ts' : 'vite.commands.config.ts'
    const options = ['build', '--config', config, '--logLevel', 'warn']
    const env = { ...process.env, NODE_ENV: 'production' }
    const { status, stdout, stderr } = spawnSync(node, [vite, ...options], {
      encoding: 'utf8',
      env,
    })
    if (status !== 0) throw new Error(`${stdout}${stderr}Building failed (${config}).`)
    if (part === 'app') await precompress('dist/client')
    writeFileSync(stampOf(part), wanted)
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
      if (!isAlive(Number(readText(lock)))) rmSync(lock, { force: true })
      else await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  try {
    await work()
  } finally {
    rmSync(lock, { force: true })
  }
}

function isAlive(pid) {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function stampOf(part) {
  return join('dist', `.${part}-is-of`)
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
