import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort, until } from './sanad'

/*
 * PostgreSQL with a standby, PgBouncer and HAProxy on this machine, as the guide for several machines sets them up.
 * The programs are those that `npm run prove -- scale` found.
 */

const PASSWORD = 'secret'
const isRoot = process.getuid?.() === 0
/** PostgreSQL and PgBouncer refuse root. */
const become = isRoot
  ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups']
  : ['env']

type Programs = { haproxy: string; pgbouncer: string; postgresql: string }
type Cluster = { data: string; port: string }

export class Machines {
  readonly folder = mkdtempSync(join(tmpdir(), 'sanad-scale-'))
  readonly #children: ChildProcess[] = []
  primary!: Cluster
  standby!: Cluster
  poolerPort!: string

  constructor(readonly programs: Programs) {
    chmodSync(this.folder, 0o777)
  }

  /** Of both hosts; connections go to the one that accepts writes. */
  direct = (user: string) =>
    `postgres://${user}:${PASSWORD}@127.0.0.1:${this.primary.port},127.0.0.1:${this.standby.port}/clinic` +
    '?target_session_attrs=read-write'
  pooled = (user: string) => `postgres://${user}:${PASSWORD}@127.0.0.1:${this.poolerPort}/clinic`
  of = ({ port }: Cluster, user: string, database = 'clinic') =>
    `postgres://${user}:${PASSWORD}@127.0.0.1:${port}/${database}`

  #own(path: string) {
    if (!isRoot) return
    const id = (kind: string) => Number(execFileSync('id', [kind, 'postgres']))
    chownSync(path, id('-u'), id('-g'))
  }

  #folder(name: string) {
    const path = join(this.folder, name)
    mkdirSync(path, { mode: 0o700 })
    this.#own(path)
    return path
  }

  #file(name: string, text: string) {
    const path = join(this.folder, name)
    writeFileSync(path, text, { mode: 0o644 })
    this.#own(path)
    return path
  }

  #run(program: string, args: string[], env: Record<string, string> = {}) {
    execFileSync(become[0]!, [...become.slice(1), program, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      cwd: '/',
      env: { PATH: process.env.PATH, ...env },
    })
  }

  #start({ data, port }: Cluster) {
    const options =
      `-p ${port} -h 127.0.0.1 -k '' -c max_connections=100 -c max_locks_per_transaction=256 ` +
      `-c wal_level=replica -c hot_standby=on -c shared_buffers=128MB`
    const args = ['-D', data, '-w', '-t', '120', '-l', join(data, 'log'), '-o', options, 'start']
    this.#run(join(this.programs.postgresql, 'pg_ctl'), args)
  }

  /** A primary whose commits wait for the standby. */
  async startPostgres() {
    const bin = (name: string) => join(this.programs.postgresql, name)
    this.primary = { data: this.#folder('primary'), port: await freePort() }
    this.standby = { data: this.#folder('standby'), port: await freePort() }
    const password = this.#file('password', PASSWORD)
    const as = ['-U', 'admin', '-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C']
    this.#run(bin('initdb'), ['-D', this.primary.data, ...as, '--pwfile', password])
    this.#start(this.primary)
    const admin = await this.client(this.of(this.primary, 'admin', 'postgres'))
    await admin.query(`create role clinic login password '${PASSWORD}'`)
    await admin.query(`create role clinic_app login password '${PASSWORD}'`)
    await admin.query(`create role standby login replication password '${PASSWORD}'`)
    await admin.query('create database clinic owner clinic')
    const from =
      `host=127.0.0.1 port=${this.primary.port} user=standby password=${PASSWORD} ` +
      'application_name=standby'
    this.#run(bin('pg_basebackup'), ['-d', from, '-D', this.standby.data, '-R', '-X', 'stream'])
    this.#start(this.standby)
    await admin.query(`alter system set synchronous_standby_names = 'standby'`)
    await admin.query('select pg_reload_conf()')
    await until(async () => {
      const { rows } = await admin.query<{ sync_state: string }>(
        'select sync_state from pg_stat_replication',
      )
      return rows[0]?.sync_state === 'sync'
    })
    await admin.end()
  }

  async startPgBouncer() {
    this.poolerPort = await freePort()
    const users = this.#file(
      'users.txt',
      ['clinic', 'clinic_app'].map((user) => `"${user}" "${PASSWORD}"\n`).join(''),
    )
    // as Debian ships it, but for places and transaction mode: no ignore_startup_parameters
    const ini = this.#file(
      'pgbouncer.ini',
      `[databases]
clinic = host=127.0.0.1 port=${this.primary.port} dbname=clinic
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${this.poolerPort}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 20
server_login_retry = 1
pidfile = ${join(this.folder, 'pgbouncer.pid')}
logfile = ${join(this.folder, 'pgbouncer.log')}
`,
    )
    this.#spawn([...become, this.programs.pgbouncer, '-q', ini])
    await until(() =>
      this.client(this.pooled('clinic_app')).then(
        async (c) => (await c.end(), true),
        () => false,
      ),
    )
  }

  async startHaproxy(ports: readonly string[]): Promise<string> {
    const port = await freePort()
    const servers = ports.map((each, at) => `  server sanad${at} 127.0.0.1:${each}`).join('\n')
    const config = this.#file(
      'haproxy.cfg',
      `defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  retries 3
  option redispatch 1
  retry-on conn-failure
frontend clinic
  bind 127.0.0.1:${port}
  option forwardfor
  default_backend sanad
backend sanad
  balance roundrobin
  option httpchk GET /api/health/ready
  http-check expect status 200
  default-server check inter 500 fall 2 rise 1
${servers}
`,
    )
    this.#spawn([this.programs.haproxy, '-db', '-f', config])
    const origin = `http://127.0.0.1:${port}`
    await until(
      async () => (await fetch(`${origin}/api/health/live`).catch(() => undefined))?.ok === true,
    )
    return origin
  }

  #spawn([file, ...args]: string[]) {
    const child = spawn(file!, args, { stdio: 'ignore', cwd: '/' })
    this.#children.push(child)
  }

  async client(url: string) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  /** Kills every process of it at once, as a power cut would. */
  killPrimary() {
    const pid = Number(
      readFileSync(join(this.primary.data, 'postmaster.pid'), 'utf8').split('\n')[0],
    )
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    for (const each of [pid, ...children.map(Number)]) if (each) process.kill(each, 'SIGKILL')
  }

  /** deploy/promote-standby.sh */
  promote() {
    this.#run(join(process.cwd(), 'deploy', 'promote-standby.sh'), [], {
      PGDATA: this.standby.data,
      PGBIN: this.programs.postgresql,
      PGPORT: this.standby.port,
      PGBOUNCER_INI: join(this.folder, 'pgbouncer.ini'),
      PGBOUNCER_PID: join(this.folder, 'pgbouncer.pid'),
      NEW_HOST: '127.0.0.1',
    })
  }

  stop() {
    for (const child of this.#children) child.kill('SIGTERM')
    for (const cluster of [this.primary, this.standby])
      try {
        const args = ['-D', cluster.data, '-m', 'immediate', '-w', 'stop']
        this.#run(join(this.programs.postgresql, 'pg_ctl'), args)
      } catch {
        // it was killed, or never ran
      }
    rmSync(this.folder, { recursive: true, force: true })
  }
}
