// Runs on Node's own type stripping: it imports nothing of the product, so that a broken build cannot hide behind it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { filesOfOtherTurns } from '../test/turn.ts'

const help = `npm test -- [--all] [filters and options of vitest]

Runs the tests of the product, of phones that sync, of the commands, and those in a real Chromium.
Installs Chromium from Debian's packages if there is none and this user may. SANAD_CHROMIUM names
another one.
The files of some long scenarios take turns, commit by commit (docs/proof.md); what a run leaves to
other turns it says at its end. --all, or any filter or option, leaves nothing out.
The reports go to test/results/.
`

/**
 * Two at a time: the product's own and then a real browser; real processes, which wait most of their time and leave
 * half of a machine to others, and then phones.
 */
const LANES = [
  ['product', 'e2e'],
  ['commands', 'sync'],
] as const
type Project = (typeof LANES)[number][number]
const folder = 'test/results'
/** The same engine without a window around each page, which takes a third of a test's processor time. */
const HEADLESS = 'chromium-headless-shell'
/** Two projects share the cores. */
const patience = 40 * 60_000
const reportPath = (project: Project) => join(folder, `${project}.json`)
const failuresPath = (project: Project) => join(folder, `${project}.failures.json`)
const given = process.argv.slice(2)
const args = given.filter((arg) => arg !== '--all')
const leftOut = (project: Project) => (given.length ? [] : filesOfOtherTurns(project))

if (args.includes('--help') || args.includes('-h')) {
  process.stdout.write(help)
} else {
  // not exit(): what was printed into a pipe would be cut off
  process.exitCode = await run()
}

async function run(): Promise<number> {
  // fetched while the tests run that need none
  const chromium = Promise.resolve(
    process.env.SANAD_CHROMIUM ?? findChromium() ?? installChromium(),
  )
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  // all tests use one build, also when a test makes another
  process.env.SANAD_TEST_BUILD ??= realpathSync('dist/current')
  const totals = { passed: 0, skipped: 0 }
  const failures: string[] = []
  const runLane = async (lane: readonly Project[]) => {
    for (const project of lane) await tell(project)
  }
  const tell = async (project: Project) => {
    const status = await runProject(project, project === 'e2e' ? await chromium : undefined)
    const counted = count(project)
    totals.passed += counted.passed
    totals.skipped += counted.skipped
    failures.push(...counted.failures)
    // what ends badly without a failure of its own (a process that hangs) has failed all the same
    if (status === 0 || counted.failures.length) return
    const end = status === null ? 'was stopped' : `ended with code ${status}`
    failures.push(`FAILED ${project}: ${end} though no test failed. Its output above says why.`)
  }
  await Promise.all(LANES.map(runLane))
  const others = LANES.flat().flatMap(leftOut)
  if (others.length)
    console.log(`Left to other turns (npm test -- --all leaves nothing out): ${others.join(', ')}`)
  // again at the end, where they are found without reading back
  for (const failure of failures) console.log(failure)
  const skipped = totals.skipped ? `, ${totals.skipped} skipped` : ''
  console.log(`${totals.passed} passed, ${failures.length} failed${skipped}`)
  return failures.length || !totals.passed ? 1 : 0
}

/** Its exit code; null when it had to be stopped. What runs beside the first lane says at its end what it said. */
async function runProject(project: Project, chromium: string | undefined): Promise<number | null> {
  if (project === 'e2e' && !chromium) {
    console.error(
      'The tests need Chromium, which is not installed and cannot be installed by this user: ' +
        'install it ("apt-get install chromium" on Debian), or name one in SANAD_CHROMIUM.',
    )
    return 1
  }
  const reporters = ['default', 'json', 'junit', './test/failures.ts'].map(
    (one) => `--reporter=${one}`,
  )
  const files = [
    `--outputFile.json=${reportPath(project)}`,
    `--outputFile.junit=${join(folder, project)}.xml`,
  ]
  const vitest = join('node_modules', 'vitest', 'vitest.mjs')
  const chosen = ['run', '--project', project, '--passWithNoTests', ...reporters, ...files, ...args]
  chosen.push(...leftOut(project).map((file) => `--exclude=${file}`))
  const env = {
    ...process.env,
    SANAD_TEST_FAILURES: failuresPath(project),
    ...(chromium && { SANAD_CHROMIUM: chromium }),
  }
  const output = (LANES[0] as readonly Project[]).includes(project) ? 'inherit' : 'pipe'
  const child = spawn(process.execPath, [vitest, ...chosen], {
    stdio: ['inherit', output, output],
    env,
    timeout: patience,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (said += text))
  const [code] = (await once(child, 'close')) as [number | null]
  if (said) console.log(said)
  return code
}

interface Counted {
  passed: number
  skipped: number
  /** A text for each failed test, and for each error outside of the tests. */
  failures: string[]
}

/** Counts from the reports, so that the last line says what ran and not what was meant to run. */
function count(project: Project): Counted {
  // none either when the filters leave nothing of a project; a run that broke has ended badly
  const read = <T>(file: string, otherwise: T) =>
    existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : otherwise
  const report = { numPassedTests: 0, numPendingTests: 0 }
  const { numPassedTests, numPendingTests } = read(reportPath(project), report)
  const failures = read<string[]>(failuresPath(project), [])
  return { passed: numPassedTests, skipped: numPendingTests, failures }
}

function findChromium(): string | undefined {
  const names = [HEADLESS, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const folders = (process.env.PATH ?? '').split(delimiter)
  const programs = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  const mac = ['Google Chrome', 'Chromium'].map(
    (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
  )
  return [...programs, ...mac].find((file) => existsSync(file))
}

async function installChromium(): Promise<string | undefined> {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined
  console.error('Installing Chromium…')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const aptGet = async (...step: string[]) => {
    const child = spawn('apt-get', ['-q', ...step], { env })
    let said = ''
    child.stdout.on('data', (text) => (said += String(text)))
    child.stderr.on('data', (text) => (said += String(text)))
    const [code] = (await once(child, 'close')) as [number | null]
    if (code !== 0) console.error(said)
  }
  await aptGet('update')
  for (const name of [HEADLESS, 'chromium'])
    if (!findChromium()) await aptGet('install', '-y', '--no-install-recommends', name)
  return findChromium()
}
