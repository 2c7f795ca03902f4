import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect } from 'vitest'
import {
  type Sanad,
  databaseUrl,
  isAlive,
  isReady,
  postgresPid,
  settingsFor,
  settingsForUsed,
  test,
  until,
} from './sanad'

const isRoot = process.getuid?.() === 0
const nobody = 65_534
const mayNobodyEnter =
  isRoot && spawnSync(process.execPath, ['--version'], { uid: nobody, gid: nobody }).status === 0

/** One line, and that says it. */
async function expectRefusal(exit: Sanad['exit'], sentence: RegExp) {
  const { code, stdout, stderr } = await exit
  expect(stderr.trim().split('\n')).toEqual([expect.stringMatching(sentence)])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
}

/** Longer than the 25 MB that one may be, by the last byte: nothing is left to be sent when the answer comes. */
const tooLong = new Uint8Array(25 * 1024 * 1024 + 1)

async function expectTooLargeForPrograms(url: string) {
  for (const path of [
    '/api/trpc/sessions.signOut',
    '/api/auth/sign-in',
    '/api/login',
    '/rpc/command',
  ]) {
    const undeclared: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      body: new Blob([tooLong]).stream(),
      duplex: 'half',
    }
    const { status } = await fetch(url + path, {
      ...undeclared,
      headers: { 'content-type': 'application/json' },
    })
    expect([path, status]).toEqual([path, 413])
  }
}

/** What a program may get wrong about an address is an answer in JSON: a screen would look like a success. */
async function expectNoScreenForPrograms(url: string) {
  const json = 'application/json'
  const ask = async (method: string, path: string, type = json) => {
    const body = method === 'POST' ? '{}' : undefined
    const answer = await fetch(url + path, { method, body, headers: { 'content-type': type } })
    return {
      status: answer.status,
      type: answer.headers.get('content-type'),
      allow: answer.headers.get('allow'),
    }
  }
  expect(await ask('PUT', '/api/trpc/clinics.list')).toEqual({
    status: 405,
    type: json,
    allow: 'GET, HEAD, POST',
  })
  expect(await ask('GET', '/api/login')).toEqual({ status: 405, type: json, allow: 'POST' })
  expect(await ask('DELETE', '/rpc/query')).toEqual({ status: 405, type: json, allow: 'POST' })
  expect(await ask('GET', '/api/nothing')).toEqual({ status: 404, type: json, allow: null })
  const trpc = (path: string, type?: string) => ask('POST', `/api/trpc/${path}`, type)
  expect(await trpc('sessions.signOut', 'multipart/form-data; boundary=x')).toMatchObject({
    status: 415,
    type: json,
  })
  expect(await trpc('demo.time', 'application/octet-stream')).toMatchObject({
    status: 415,
    type: json,
  })
  const calls = (count: number) =>
    `${Array.from({ length: count }, () => 'people.list').join()}?batch=1`
  expect((await ask('GET', `/api/trpc/${calls(100)}`)).status).toBe(200)
  expect((await ask('GET', `/api/trpc/${calls(101)}`)).status).toBe(400)
}

/** People on a poor line leave before they are answered, or before they have said all: that is no news. */
async function leaveEarly(url: string) {
  const asks = [
    'GET /login HTTP/1.1\r\nhost: sanad\r\n\r\n',
    'POST /api/trpc/patients.list HTTP/1.1\r\nhost: sanad\r\n' +
      'content-type: application/json\r\ncontent-length: 99\r\n\r\n{"pat',
  ]
  const left = Array.from({ length: 30 }, async (_, at) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(asks[at % 2]!)
    await new Promise((resolve) => setTimeout(resolve, at * 5))
    socket.resetAndDestroy()
  })
  await Promise.all(left)
}

describe.concurrent('npm start', () => {
  test('makes a database, serves, and stops cleanly; the second start finds what the first kept', async ({
    start,
    temporaryDirectory,
  }) => {
    const directory = temporaryDirectory()
    const settings = await settingsFor(directory)
    const first = start(settings)
    const url = await first.ready
    expect(url).toBe(`http://localhost:${settings.PORT}`)
    // beside other starts, the first look at the database can take longer than health waits
    const health = () => fetch(`${url}/api/health`)
    await until(async () => (await health()).status === 200)
    expect(await (await health()).json()).toEqual({
      live: true,
      ready: true,
      database: 'ok',
      draining: false,
      disk: 'ok',
    })
    await expectNoScreenForPrograms(url)
    await expectTooLargeForPrograms(url)
    await leaveEarly(url)
    const client = new pg.Client(databaseUrl(directory))
    await client.connect()
    await client.query('create table kept as select 1 as one')
    await client.end()
    const pid = postgresPid(directory)
    first.child.kill('SIGTERM')
    expect(await first.exit).toMatchObject({ code: 0, stderr: '' })
    expect(isAlive(pid)).toBe(false)

    const second = start(settings)
    await second.ready
    const again = new pg.Client(databaseUrl(directory))
    await again.connect()
    expect((await again.query('select one from kept')).rows).toEqual([{ one: 1 }])
    await again.end()
    second.child.kill('SIGINT')
    expect(await second.exit).toMatchObject({ code: 0, stderr: '' })
    // what it compiled, for the next start of this build
    const builds = readdirSync(join(directory, 'run', 'compiled'))
    expect(builds).toHaveLength(1)
    expect(readdirSync(join(directory, 'run', 'compiled', builds[0]!)).length).toBeGreaterThan(0)
  })

  test('finishes a request in flight when it receives the signal to stop', async ({
    start,
    temporaryDirectory,
  }) => {
    const directory = temporaryDirectory()
    const sanad = start(await settingsForUsed(directory))
    const url = await sanad.ready
    const client = new pg.Client(databaseUrl(directory))
    client.on('error', () => {})
    await client.connect()
    await client.query('begin; lock table schema_migrations in access exclusive mode')
    const inFlight = fetch(`${url}/api/health/ready`)
    // it waits for our lock
    await until(
      async () => (await client.query(`select 1 from pg_locks where not granted`)).rowCount === 1,
    )
    sanad.child.kill('SIGTERM')
    await until(
      async () =>
        !(await fetch(`${url}/api/health/live`).then(
          () => true,
          () => false,
        )),
    )
    await client.query('commit')
    expect(await (await inFlight).json()).toMatchObject({ database: 'ok', draining: true })
    expect(await sanad.exit).toMatchObject({ code: 0, stderr: '' })
    await client.end().catch(() => {})
  })

  test('recovers from the killing of the server', async ({ start, temporaryDirectory }) => {
    const directory = temporaryDirectory()
    const settings = await settingsForUsed(directory)
    const first = start(settings)
    await first.ready
    first.child.kill('SIGKILL')
    await first.exit
    const second = start(settings)
    await until(async () => isReady(await second.ready))
  })

  test('recovers from the killing of the server and of PostgreSQL at once, as in a power cut', async ({
    start,
    temporaryDirectory,
  }) => {
    const directory = temporaryDirectory()
    const settings = await settingsForUsed(directory)
    const first = start(settings)
    await first.ready
    process.kill(postgresPid(directory), 'SIGKILL')
    first.child.kill('SIGKILL')
    await first.exit
    // after a reboot the number in the pid file may be that of another program: here, ours
    writeFileSync(
      join(directory, 'postgres', 'postmaster.pid'),
      `${process.pid}\n${directory}/postgres\n1\n1\n\n\n\nready\n`,
    )
    const second = start(settings)
    await until(async () => isReady(await second.ready))
  })

  test('restarts PostgreSQL when it is killed, whatever was in progress', async ({
    start,
    temporaryDirectory,
  }) => {
    const directory = temporaryDirectory()
    const sanad = start(await settingsForUsed(directory))
    const url = await sanad.ready
    const client = new pg.Client(databaseUrl(directory))
    client.on('error', () => {})
    await client.connect()
    await client.query('begin; lock table sessions in access exclusive mode')
    // those whose turn it is to find out who asks wait for our lock, and the others for them
    const asked = Array.from({ length: 12 }, () =>
      fetch(`${url}/api/v2/sync?last_pulled_at=0&schema_version=9`, {
        headers: { authorization: 'Bearer of-nobody' },
      }),
    )
    await until(
      async () => (await client.query(`select 1 from pg_locks where not granted`)).rowCount! >= 4,
    )
    const pid = postgresPid(directory)
    process.kill(pid, 'SIGKILL')
    await until(() => !isAlive(pid))
    await until(() => isReady(url))
    expect(postgresPid(directory)).not.toBe(pid)
    // those that lost their connection failed, the others are not signed in
    for (const answer of await Promise.all(asked)) expect([500, 401]).toContain(answer.status)
  })

  test('refuses a second start on the same data directory', async ({
    start,
    temporaryDirectory,
  }) => {
    const directory = temporaryDirectory()
    const first = start(await settingsForUsed(directory))
    const url = await first.ready
    await expectRefusal(
      start(await settingsFor(directory)).exit,
      /already running on the data directory .*: stop it first/,
    )
    await until(() => isReady(url))
  })

  test('refuses a port that is taken, before it makes a database', async ({
    start,
    temporaryDirectory,
  }) => {
    const settings = await settingsFor(temporaryDirectory())
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(Number(settings.PORT), '127.0.0.1', resolve))
    await expectRefusal(
      start(settings).exit,
      /^The port \d+ on 127\.0\.0\.1 is taken by another program/,
    )
    other.close()
  })

  test('refuses settings that make no sense', async ({ start }) => {
    await expectRefusal(start({ PORT: 'http' }).exit, /^PORT is a port number/)
    await expectRefusal(
      start({ SANAD_TRUSTED_PROXIES: 'proxy.example' }).exit,
      /^SANAD_TRUSTED_PROXIES lists addresses/,
    )
    await expectRefusal(start({ SANAD_TLS_CERT: 'a.pem' }).exit, /belong together/)
    await expectRefusal(
      start({ SANAD_BACKUP_PASSPHRASE: 'rabbit' }).exit,
      /^SANAD_BACKUP_PASSPHRASE is too weak .*use at least 12 characters/,
    )
  })

  test.skipIf(isRoot && !mayNobodyEnter)(
    'refuses a data directory that it cannot write',
    async ({ start, temporaryDirectory }) => {
      const parent = temporaryDirectory()
      chmodSync(parent, 0o755)
      mkdirSync(join(parent, 'closed'), { mode: 0o555 })
      const settings = await settingsFor(join(parent, 'closed', 'data'))
      await expectRefusal(
        start(settings, isRoot ? { uid: nobody } : {}).exit,
        /^The data directory .* cannot be written \(permission denied\)/,
      )
      writeFileSync(join(parent, 'file'), '')
      const inFile = await settingsFor(join(parent, 'file'))
      await expectRefusal(
        start(inFile).exit,
        /^The data directory .* cannot be written \(it, or a folder above it, is a file\)/,
      )
    },
  )

  test.skipIf(!isRoot)(
    'started as root, serves as the user that runs PostgreSQL, in directories that root made or only root may enter',
    async ({ start, temporaryDirectory }) => {
      const used = await settingsForUsed(temporaryDirectory())
      const dataDir = used.SANAD_DATA_DIR
      mkdirSync(join(dataDir, 'files', 'photos'), { recursive: true })
      writeFileSync(join(dataDir, 'files', 'photos', 'of-root'), '')
      const other = mkdtempSync(join(dataDir, 'of-someone-else-'))
      for (const path of ['.', 'run', 'run/lock', 'files']) chownSync(join(dataDir, path), 0, 0)
      const { uid } = statSync(join(dataDir, 'postgres'))
      expect(uid).not.toBe(0)
      const closed = temporaryDirectory() // of mode 0700
      for (const settings of [used, await settingsFor(join(closed, 'deeper', 'data'))]) {
        const sanad = start(settings)
        await until(async () => isReady(await sanad.ready))
        const status = readFileSync(`/proc/${sanad.child.pid}/status`, 'utf8')
        expect(/^Uid:\t(.*)$/m.exec(status)![1]!.split('\t')).toEqual(Array(4).fill(String(uid)))
        const capabilities = BigInt(`0x${/^CapEff:\t(\w+)$/m.exec(status)![1]!}`)
        // one capability to read what only root may enter; containers may lack the first of the two
        expect(settings === used ? [0n] : [1n << 2n, 1n << 1n]).toContain(capabilities)
        sanad.child.kill('SIGTERM')
        expect(await sanad.exit).toMatchObject({ code: 0, stderr: '' })
      }
      expect(statSync(join(dataDir, 'files', 'photos', 'of-root')).uid).toBe(uid)
      expect(statSync(other).uid).toBe(0)
    },
  )

  test.skipIf(!mayNobodyEnter)(
    'refuses the data directory of a start as another user, and says whose it is',
    async ({ start, temporaryDirectory }) => {
      const parent = temporaryDirectory()
      chmodSync(parent, 0o755)
      const settings = await settingsFor(join(parent, 'data'))
      // this start fails after it has made the directory
      const failed = { ...settings, SANAD_PG_BIN: '/nowhere' }
      await expectRefusal(start(failed).exit, /^SANAD_PG_BIN \(\/nowhere\) is not the folder/)
      await expectRefusal(
        start(settings, { uid: nobody }).exit,
        /cannot be written \(permission denied\): .* as its owner, user id \d+ \(this is user id 65534\)\.$/,
      )
      const again = start(settings)
      await until(async () => isReady(await again.ready))
    },
  )

  test.skipIf(!isRoot)(
    'started as root, stays root only where SANAD_STAY_ROOT asks for it, or where it must and says so',
    async ({ start, temporaryDirectory }) => {
      const settings = await settingsForUsed(temporaryDirectory())
      const user = String(statSync(join(settings.SANAD_DATA_DIR, 'postgres')).uid)
      const noTools = { PATH: '/nowhere' }
      // without setpriv, no port below 1024 can be kept
      const noPort = { ...noTools, SANAD_HUB_PORT: '999' }
      const kept = /^Sanad keeps running as root \(the program setpriv .*\)\.\n$/
      for (const [more, uid, says] of [
        [{ SANAD_STAY_ROOT: 'yes' }, '0', /^$/],
        [noTools, user, /^$/],
        [noPort, '0', kept],
      ] as const) {
        const sanad = start({ ...settings, ...more })
        await sanad.ready
        const status = readFileSync(`/proc/${sanad.child.pid}/status`, 'utf8')
        expect(/^Uid:\t(\d+)/m.exec(status)![1]).toBe(uid)
        sanad.child.kill('SIGTERM')
        expect((await sanad.exit).stderr).toMatch(says)
      }
    },
  )

  // "skipped": this checkout lies where only its owner may enter
  test.skipIf(!mayNobodyEnter)(
    'runs as an ordinary user',
    async ({ start, temporaryDirectory }) => {
      const parent = temporaryDirectory()
      chmodSync(parent, 0o777)
      // and builds nothing: this user cannot write the checkout
      const options = { uid: nobody, bootstrap: true }
      const sanad = start(await settingsFor(join(parent, 'data')), options)
      await until(async () => isReady(await sanad.ready))
    },
  )
})

describe.concurrent('node scripts/sanad.mjs', () => {
  test('passes signals on, and keeps the exit code', async ({ start, temporaryDirectory }) => {
    const sanad = start(await settingsForUsed(temporaryDirectory()), { bootstrap: true })
    await sanad.ready
    sanad.child.kill('SIGTERM')
    // and builds nothing that is fresh: other processes run from there
    expect(await sanad.exit).toMatchObject({ code: 0, stderr: '' })
    await expectRefusal(start({ PORT: 'http' }, { bootstrap: true }).exit, /^PORT is a port number/)
  })

  test('takes the server and PostgreSQL along when it is killed', async ({
    start,
    temporaryDirectory,
  }) => {
    const directory = temporaryDirectory()
    const sanad = start(await settingsForUsed(directory), { bootstrap: true })
    const url = await sanad.ready
    const pid = postgresPid(directory)
    sanad.child.kill('SIGKILL')
    await until(() => !isAlive(pid))
    await until(async () => !(await isReady(url)))
  })
})
