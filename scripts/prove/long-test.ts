import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs test files; `settings` make them longer than in the test suite. */
export async function longTest(
  project: string,
  files: string | string[],
  settings: Record<string, string>,
): Promise<0 | 1> {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', project, ...[files].flat()]
  const test = spawn(process.execPath, vitest, {
    stdio: 'inherit',
    env: { ...process.env, ...settings },
  })
  const [code] = (await once(test, 'close')) as [number | null]
  return code === 0 ? 0 : 1
}
