import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { wholeNumber } from '../command'
import { longTest } from './long-test'
import { type Proof, parseProofOptions } from './proof'

const help = `npm run prove -- scale [--seconds 5]

  --seconds  how long ten writers write before the primary is killed, and after writes work again (default: 5)

Runs two processes of Sanad behind HAProxy, PgBouncer in transaction mode, a primary and a synchronous hot standby on
this machine, with Debian's packages haproxy, pgbouncer and postgresql.
`

/** Debian's places. */
const HOME = '/usr/lib/postgresql'
const POSTGRES = existsSync(HOME)
  ? readdirSync(HOME)
      .filter((version) => existsSync(join(HOME, version, 'bin', 'pg_basebackup')))
      .toSorted()
      .at(-1)
  : undefined

const found = (name: string) =>
  ['/usr/sbin', '/usr/bin', '/usr/local/sbin'].map((dir) => join(dir, name)).find(existsSync)

export const scale: Proof = {
  summary: 'the primary is killed under two processes, a pooler and phones: no write is lost',
  async run(args) {
    const values = parseProofOptions(args, help, {
      seconds: { type: 'string', default: '5' },
    })
    if (!values) return 0
    const seconds = wholeNumber('seconds', values.seconds, 1)
    const programs = {
      haproxy: found('haproxy'),
      pgbouncer: found('pgbouncer'),
      postgresql: POSTGRES && join(HOME, POSTGRES, 'bin'),
    }
    const missing = Object.entries(programs).flatMap(([name, path]) => (path ? [] : [name]))
    if (missing.length > 0) {
      process.stderr.write(`Missing: install ${missing.join(', ')} (apt-get install).\n`)
      return 3
    }
    return longTest('commands', 'test/commands/scale.test.ts', {
      SANAD_SCALE_SECONDS: `${seconds}`,
      SANAD_SCALE_HAPROXY: programs.haproxy!,
      SANAD_SCALE_PGBOUNCER: programs.pgbouncer!,
      SANAD_SCALE_POSTGRES: programs.postgresql!,
    })
  },
}
