// Runs on Node's own type stripping, like scripts/upgrade-fixture.ts.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'

/** The largest published list of common passwords that a package registry holds. */
const source = { package: '@zxcvbn-ts/language-common', version: '4.1.3', license: 'MIT' }
const file = 'src/features/office/sessions/passwords/published-passwords.json'

const folder = mkdtempSync(join(tmpdir(), 'sanad-passwords-'))
try {
  writeFileSync(join(folder, 'package.json'), '{}')
  const wanted = `${source.package}@${source.version}`
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', wanted], { cwd: folder })
  const load = createRequire(join(folder, 'package.json'))
  const { dictionary } = load(source.package) as { dictionary: Record<string, string[]> }
  const words = [...dictionary['passwords-common']!]
  const notice = join(folder, 'node_modules', source.package, 'LICENSE.txt')
  // the licence asks for its text beside every copy
  const licenseText = readFileSync(notice, 'utf8').trim().split('\n')
  const best = { params: { [constants.ZSTD_c_compressionLevel]: 19 } }
  const zstd = zstdCompressSync(Buffer.from(words.join('\n')), best)
  const lines = zstd.toString('base64').match(/.{1,96}/g)
  const made = { ...source, licenseText, count: words.length, zstd: lines }
  writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`)
  process.stdout.write(`${file}: ${words.length} passwords of ${wanted}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
