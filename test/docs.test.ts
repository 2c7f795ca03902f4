import { existsSync, globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { allTables } from '~/sync/schema/tables'
import { OUTSIDE } from '../scripts/measure/measures'
import { phoneTables } from './sync/phone-schema'

const files = globSync('{src,test,scripts}/**/*.{ts,tsx,sql}').map((file) => ({
  file,
  // a citation may continue on the next line of its comment
  text: readFileSync(file, 'utf8').replaceAll(/\n\s*(?:\*|\/\/|--) /g, ' '),
}))
const sectionsOf = (page: string) =>
  [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title]) => title)

test('every page that code cites exists, and its section, too', () => {
  const missing = files.flatMap(({ file, text }) =>
    [...text.matchAll(/\bdocs\/[\w/-]+\.md(?:, "([^"]+)")?/g)].flatMap(([cited, section]) => {
      const page = cited.split(',')[0]!
      if (existsSync(page) && (!section || sectionsOf(page).includes(section))) return []
      return [`${file}: ${cited}`]
    }),
  )
  expect(missing).toEqual([])
})

test('code cites no page that is not part of the repository', () => {
  const strays = files.flatMap(({ file, text }) =>
    [...text.matchAll(OUTSIDE)].map(([cited]) => `${file}: ${cited}`),
  )
  expect(strays).toEqual([])
})

test('docs/phone-sync.md lists each table that is synced with its columns and types', () => {
  const types = { text: 'string', numeric: 'number', boolean: 'boolean' }
  for (const [name, { columns }] of allTables) {
    const synced = Object.entries(columns)
      .filter(([, { isBeside }]) => !isBeside)
      .map(([column, { sent }]) => [column, types[sent]])
    const listed = (phoneTables[name] ?? []).map((column) => [column.name, column.type])
    expect([name, Object.fromEntries(listed)]).toEqual([name, Object.fromEntries(synced)])
  }
})

test('the unit file of systemd gives Sanad a user of its own and nothing to write but its data', () => {
  const lines = readFileSync('deploy/sanad.service', 'utf8').split('\n')
  for (const line of [
    'User=sanad',
    'NoNewPrivileges=yes',
    'CapabilityBoundingSet=',
    'ProtectSystem=strict',
    'ReadWritePaths=/var/lib/sanad',
    'ExecStart=/usr/bin/node scripts/sanad.mjs start',
  ])
    expect(lines).toContain(line)
})

/** By the noun of the operations: what the page about roles calls it. */
const OF_SUPER_ADMINISTRATORS = {
  backups: 'downloading backups',
  configurations: 'configurations',
  copies: 'the second folder for backups',
  dhis2: 'reports (DHIS2)',
  hub: 'phones on the clinic’s own network',
  messageGateway: 'the gateway for text messages',
  permissions: 'individual permissions',
  safety: 'switching safety rules',
  users: 'asking all users for a new password',
}

test('the page about roles says what administrators may not do', () => {
  const rows = readFileSync('docs/operations.md', 'utf8').matchAll(
    /^\| `(\w+)\.\w+` \| \w+ \|(?: [^|]+ \|){4} (.+?) \| (.+?) \| [^|]+ \|$/gm,
  )
  const nouns = Array.from(rows, ([, noun, admin, above]) =>
    admin === above ? [] : [noun!],
  ).flat()
  expect([...new Set(nouns)].toSorted()).toEqual(Object.keys(OF_SUPER_ADMINISTRATORS))
  const [, said] = /^Only super administrators: ([^]+?)\n\n/m.exec(
    readFileSync('docs/guide/roles.md', 'utf8'),
  )!
  for (const words of Object.values(OF_SUPER_ADMINISTRATORS)) expect(said).toContain(words)
})
