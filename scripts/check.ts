// Runs on Node's own type stripping: it imports nothing of ours, so that it can check what does not build.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const bin = (name: string) => join('node_modules', '.bin', name)
const sanad = (...args: string[]) => [process.execPath, 'scripts/sanad.mjs', ...args]

/** The build comes first because it writes the route tree, which the types need. */
const steps: Record<string, string[]> = {
  build: sanad('build'),
  // four checkers would infer the same queries four times
  types: [process.execPath, bin('tsc'), '--singleThreaded'],
  lint: [
    process.execPath,
    bin('oxlint'),
    '--type-aware',
    '--report-unused-disable-directives-severity=error',
  ],
  format: [process.execPath, bin('oxfmt'), '--check', '.'],
  // the types of operations are text: a renamed operation compiles until it is written anew
  'architecture and generated types': [
    process.execPath,
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'product',
    'test/architecture.test.ts',
    'test/operation-types.test.ts',
  ],
}

if (process.argv.includes('--help') || process.argv.includes('-h')) {
  console.log(
    `npm run check\n\nChecks ${Object.keys(steps).join(', ')}; says how long each took. Tests are run by npm test.`,
  )
  process.exit(0)
}

let failed = 0
for (const [name, [program, ...args]] of Object.entries(steps)) {
  const start = performance.now()
  const { status, stdout, stderr } = spawnSync(program!, args, { encoding: 'utf8' })
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name.padEnd(34)}${seconds} s`)
  if (status === 0) continue
  failed++
  console.log(`${stdout}${stderr}`.trimEnd())
}
// not exit(): what was printed into a pipe would be cut off
process.exitCode = failed ? 1 : 0
