// Runs on Node's own type stripping: it imports nothing of ours, so that a broken build cannot hide behind it.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const help = `npm test -- [filters and options of vitest]

Runs every test: those of the product, of the commands, and those in a real Chromium. Installs Chromium from Debian's
packages if there is none and this user may. SANAD_CHROMIUM names another one.
The reports go to test/results/.
`

const report = 'test/results/results.json'
const args = process.argv.slice(2)

if (args.includes('--help') || args.includes('-h')) {
  process.stdout.write(help)
} else {
  // not exit(): what was printed into a pipe would be cut off
  process.exitCode = run()
}

function run(): number {
  const chromium = process.env.SANAD_CHROMIUM ?? findChromium() ?? installChromium()
  if (!chromium) {
    console.error(
      'The tests need Chromium, which is not installed and cannot be installed by this user: install it ("apt-get install chromium" on Debian), or name one in SANAD_CHROMIUM.',
    )
    return 1
  }
  mkdirSync('test/results', { recursive: true })
  rmSync(report, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', '--reporter=junit']
  const files = [`--outputFile.json=${report}`, '--outputFile.junit=test/results/results.xml']
  const vitest = join('node_modules', 'vitest', 'vitest.mjs')
  const env = { ...process.env, SANAD_CHROMIUM: chromium }
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...reporters, ...files, ...args], {
    stdio: 'inherit',
    env,
  })
  return count(status ?? 1)
}

/** Counts from the report, so that the last line says what ran and not what was meant to run. */
function count(status: number): number {
  if (!existsSync(report)) {
    console.log('0 passed, 1 failed (the tests ended without a report)')
    return status || 1
  }
  const results = JSON.parse(readFileSync(report, 'utf8')) as {
    numPassedTests: number
    numFailedTests: number
    numPendingTests: number
    testResults: { status: string; assertionResults: { status: string }[] }[]
  }
  // a file that cannot even be loaded holds no failed test
  const broken = results.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length
  const failed = results.numFailedTests + broken
  const skipped = results.numPendingTests ? `, ${results.numPendingTests} skipped` : ''
  console.log(`${results.numPassedTests} passed, ${failed} failed${skipped}`)
  return status || (failed || !results.numPassedTests ? 1 : 0)
}

function findChromium(): string | undefined {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const folders = (process.env.PATH ?? '').split(delimiter)
  const programs = folders.flatMap((folder) => names.map((name) => join(folder, name)))
  const mac = ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)
  return [...programs, ...mac].find((file) => existsSync(file))
}

function installChromium(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined
  console.error('Installing Chromium…')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const step of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    const { status, stdout, stderr } = spawnSync('apt-get', ['-q', ...step], { env, encoding: 'utf8' })
    if (status !== 0) console.error(`${stdout}${stderr}`)
  }
  return findChromium()
}
