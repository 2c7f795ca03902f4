import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { built } from '../built'
import { settingsFor, startSanad } from './server'

/**
 * A data directory that Sanad made once and left: most tests start on a copy. Making one costs more
 * than a start does, and those that are about the first start do it themselves. The second start
 * leaves what V8 has compiled, which each copy would otherwise compile again.
 */
export default async function setup() {
  built() // the workers inherit which one
  const folder = mkdtempSync(join(tmpdir(), 'sanad-template-'))
  for (let starts = 0; starts < 2; starts += 1) {
    const sanad = startSanad(await settingsFor(folder))
    await sanad.ready
    sanad.child.kill('SIGTERM')
    await sanad.exit
  }
  // the workers inherit it
  process.env['SANAD_TEST_TEMPLATE'] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
