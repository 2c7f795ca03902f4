// Runs on Node's own type stripping: it drives the commands of another commit and imports nothing of this one.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { constants, createZstdCompress, zstdCompressSync } from 'node:zlib'
import pg from 'pg'

const help = `npm run upgrade-fixture -- --from <commit>

Writes test/fixtures/upgrade: a data directory and a backup as an earlier commit leaves them, with every row they hold.
test/commands/upgrade.test.ts starts this version on the one, restores the other, and finds every row.

  --from       the commit before the present change (needs git)
  --patients   how many invented patients (default: 12)
`

const folder = 'test/fixtures/upgrade'
const best = { params: { [constants.ZSTD_c_compressionLevel]: 19 } }
const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    patients: { type: 'string', default: '12' },
    help: { type: 'boolean' },
  },
})
if (values.help || !values.from) {
  process.stdout.write(help)
  process.exitCode = values.help ? 0 : 2
} else {
  await make(values.from, values.patients)
}

async function make(from: string, patients: string) {
  const commit = run('git', ['rev-parse', '--short', from]).trim()
  const work = mkdtempSync(join(tmpdir(), 'sanad-upgrade-'))
  const [source, data] = [join(work, 'source'), join(work, 'data')]
  try {
    run('git', ['worktree', 'add', '--detach', source, commit])
    const env = { ...process.env, SANAD_DATA_DIR: data, PORT: '0' }
    const sanad = (args: string[], input = '') =>
      run(process.execPath, ['scripts/sanad.mjs', ...args], { cwd: source, env, input })
    const account = [
      'admin',
      'create-super-admin',
      '--email',
      'amal@clinic.example',
      '--name',
      'Amal Haddad',
    ]
    sanad([...account, '--clinic', 'Hillside', '--password-stdin'], 'a password of the fixture')
    sanad(['seed', '--patients', patients])

    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const rows = await readRows(source, env, data)
    // after the first start, which installs what is shipped as rows
    sanad(['backup', join(process.cwd(), folder, 'sanad.backup')])
    dropSpareLogs(join(data, 'postgres', 'pg_wal'))
    await pack(data, join(folder, 'data.tar.zst'))
    writeFileSync(join(folder, 'rows.json.zst'), zstdCompressSync(JSON.stringify(rows), best))
    writeFileSync(join(folder, 'made-by.txt'), `${commit}\n`)
    const count = Object.values(rows).reduce((sum, each) => sum + each.length, 0)
    process.stdout.write(
      `${folder}: ${count} rows of ${Object.keys(rows).length} tables, as ${commit} left them.\n`,
    )
  } finally {
    run('git', ['worktree', 'remove', '--force', source])
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * Every row of every table that a release must carry over, by table. A stopped server leaves the
 * directory as a user would.
 */
async function readRows(source: string, env: NodeJS.ProcessEnv, data: string) {
  const server = spawn(process.execPath, ['scripts/sanad.mjs', 'start'], {
    cwd: source,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    for await (const text of server.stdout) if (String(text).includes('Sanad is ready')) break
    const read = (...path: string[]) => JSON.parse(readFileSync(join(data, ...path), 'utf8'))
    const { port } = read('run', 'postgres.json')
    const { password } = read('postgres', 'sanad-passwords.json')
    const client = new pg.Client(`postgres://sanad:${password}@127.0.0.1:${port}/sanad`)
    await client.connect()
    try {
      const tables = await client.query<{ name: string }>(
        `select tablename as name from pg_tables
         where schemaname = 'public' and tablename not in ('schema_migrations', 'schema_in_force')
         order by 1`,
      )
      const rows: Record<string, unknown[]> = {}
      for (const { name } of tables.rows) {
        const { rows: found } = await client.query<{ row: unknown }>(
          `select to_jsonb(t) as row from "${name}" t`,
        )
        if (found.length) rows[name] = found.map(({ row }) => row)
      }
      return rows
    } finally {
      await client.end()
    }
  } finally {
    server.kill('SIGTERM')
    if (server.exitCode === null) await once(server, 'exit')
  }
}

/** PostgreSQL keeps old log files to use them again; after a clean stop only the newest one is read. */
function dropSpareLogs(directory: string) {
  const logs = readdirSync(directory).filter((name) => /^[0-9A-F]{24}$/.test(name))
  const current = logs.toSorted().find((name) => isInUse(join(directory, name)))
  for (const name of logs) if (name !== current) rmSync(join(directory, name))
}

/** A recycled file carries the page address of its former life; a file in use begins with its own. */
function isInUse(file: string) {
  const page = readFileSync(file).subarray(0, 16)
  const address = page.readBigUInt64LE(8)
  const name = file.slice(-16)
  const own = (BigInt(`0x${name.slice(0, 8)}`) << 32n) | (BigInt(`0x${name.slice(8)}`) * 0x1000000n)
  return address === own
}

async function pack(directory: string, file: string) {
  const tar = spawn('tar', ['-c', '-C', directory, '--exclude=./run/*', '.'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await pipeline(tar.stdout, createZstdCompress(best), createWriteStream(file))
}

function run(
  program: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; input?: string } = {},
) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    ...options,
  })
  if (status !== 0)
    throw new Error(
      `${program} ${args.join(' ')} ended with ${status}: ${error?.message ?? stderr}`,
    )
  return stdout
}
