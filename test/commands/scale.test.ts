import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { v7 } from 'uuid'
import { expect } from 'vitest'
import { PASSWORD } from '../sessions'
import { Phone } from '../sync/phone'
import { chance } from '../sync/random/chance'
import { mistakes, WorkingPhone, Writers } from './killed'
import { prepare } from './killed-world'
import { Machines } from './machines'
import { freePort, isReady, test, until } from './sanad'

/** `npm run prove -- scale` sets them. */
const {
  SANAD_SCALE_SECONDS = '5',
  SANAD_SCALE_HAPROXY: haproxy,
  SANAD_SCALE_PGBOUNCER: pgbouncer,
  SANAD_SCALE_POSTGRES: postgresql,
} = process.env
const PHASE = Number(SANAD_SCALE_SECONDS) * 1_000

test.skipIf(!haproxy || !pgbouncer || !postgresql)(
  'two processes behind HAProxy and PgBouncer lose no acknowledged write when the primary is killed',
  { timeout: 900_000 },
  async ({ start, onTestFinished }) => {
    const machines = new Machines({
      haproxy: haproxy!,
      pgbouncer: pgbouncer!,
      postgresql: postgresql!,
    })
    const shared = mkdtempSync(join(tmpdir(), 'sanad-scale-files-'))
    onTestFinished(() => {
      machines.stop()
      rmSync(shared, { recursive: true, force: true })
    })
    // started as root, Sanad continues as another user
    chmodSync(shared, 0o755)
    mkdirSync(join(shared, 'files'))
    chmodSync(join(shared, 'files'), 0o777)
    await machines.startPostgres()
    await machines.startPgBouncer()
    const settings = {
      DATABASE_URL: machines.pooled('clinic_app'),
      DATABASE_DIRECT_URL: machines.direct('clinic_app'),
      DATABASE_OWNER_URL: machines.direct('clinic'),
      DATABASE_REPLICA_URL: machines.of(machines.standby, 'clinic_app'),
      SANAD_REQUIRE_DB_ROLES: 'yes',
      SANAD_SECRET: randomBytes(32).toString('hex'),
      SANAD_FILES_DIR: join(shared, 'files'),
      SANAD_TRUSTED_PROXIES: '127.0.0.1',
    }
    const ports = [await freePort(), await freePort()]
    const both = ports.map((PORT) => {
      const SANAD_DATA_DIR = join(shared, PORT)
      mkdirSync(SANAD_DATA_DIR)
      return start({ ...settings, PORT, SANAD_DATA_DIR })
    })
    const urls = await Promise.all(both.map(({ ready }) => ready))
    const codes = both.map(
      ({ said }) => /^ {2}([\dA-Z]{4}-[\dA-Z]{4}-[\dA-Z]{4})$/m.exec(said())?.[1],
    )
    expect(codes[0]).toBeDefined()
    expect(codes[1]).toBe(codes[0])
    const origin = await machines.startHaproxy(ports)
    const refusal = async (more: Record<string, string | undefined>) => {
      const { code, stderr } = await start({ ...settings, ...more, PORT: await freePort() }).exit
      expect(code).toBe(1)
      return stderr.trim()
    }
    const without = { DATABASE_DIRECT_URL: undefined, DATABASE_OWNER_URL: undefined }
    expect(await refusal({ ...without, SANAD_DATA_DIR: shared })).toMatch(
      /^The database in DATABASE_URL .* "unsupported startup parameter: .*DATABASE_DIRECT_URL.*$/,
    )
    const onStandby = machines.of(machines.standby, 'clinic')
    expect(await refusal({ ...without, SANAD_DATA_DIR: shared, DATABASE_URL: onStandby })).toMatch(
      /^The database in DATABASE_URL .* is a standby, which is read-only: name the primary\.$/,
    )

    const { places, people, clinic } = await prepare(
      origin,
      machines.of(machines.primary, 'clinic'),
    )
    const writers = new Writers(origin, places)
    const phones = people.map(
      ({ email }) => new WorkingPhone(new Phone(origin, email, PASSWORD), clinic),
    )
    // one screen on each process: changes arrive, whichever process wrote them
    const screens = urls.map((url) => new Screen(url, places.token))
    const random = chance(1)
    let isOver = false
    let lastAnswer = 0
    const work = Promise.all([
      writers.work(
        random,
        () => isOver,
        () => {
          lastAnswer = Date.now()
        },
      ),
      ...phones.map((phone) => phone.work(() => isOver)),
      ...screens.map((screen) => screen.follow(() => isOver)),
    ])
    await sleep(PHASE)
    const lists = async () => {
      const answers = await Promise.all(
        Array.from({ length: 10 }, () =>
          fetch(`${origin}/api/trpc/patients.list`, {
            headers: { authorization: `Bearer ${places.token}` },
          }),
        ),
      )
      return answers.map(({ status }) => status)
    }
    expect(new Set(await lists())).toEqual(new Set([200]))
    const standby = await machines.client(machines.of(machines.standby, 'admin', 'postgres'))
    const { rows: readers } = await standby.query<{ count: string }>(
      `select count(*) from pg_stat_activity where application_name = 'sanad replica'`,
    )
    const primary = await machines.client(machines.of(machines.primary, 'admin', 'postgres'))
    const { rows: connections } = await primary.query<{ name: string; count: string }>(
      `select application_name as name, count(*) from pg_stat_activity
       where datname = 'clinic' group by 1 order by 1`,
    )
    await standby.end()
    const before = { answered: writers.answered, events: screens.map(({ events }) => events) }
    expect(before.answered).toBeGreaterThan(0)
    for (const events of before.events) expect(events).toBeGreaterThan(0)

    const killedAt = Date.now()
    machines.killPrimary()
    await sleep(1_000)
    const promotingAt = Date.now()
    machines.promote()
    const promotedAt = Date.now()
    await until(() => lastAnswer > promotedAt, 120_000)
    const backAt = lastAnswer
    await sleep(PHASE)
    const after = screens.map(({ events }) => events)

    // a process is killed: HAProxy sends requests to the other one
    const calls = writers.calls.length
    both[1]!.child.kill('SIGKILL')
    await sleep(PHASE)
    isOver = true
    await work
    const unansweredIn = (part: typeof writers.calls) =>
      part.filter(({ isAnswered }) => !isAnswered).length
    const [outage, killed] = [writers.calls.slice(0, calls), writers.calls.slice(calls)]
    const unanswered = [unansweredIn(outage), unansweredIn(killed)]
    expect(writers.refused).toEqual([])
    for (const [at, events] of after.entries()) expect(events).toBeGreaterThan(before.events[at]!)

    const db = await machines.client(machines.of(machines.standby, 'clinic'))
    const lost = await Promise.all(phones.map((phone) => phone.lost(db)))
    expect([...(await writers.wrong(db)), ...lost.flat(), ...(await mistakes(db))]).toEqual([])
    await until(() => isReady(origin))
    await writers.repeatUnanswered()
    for (const phone of phones) await phone.sync()
    expect([...(await writers.wrong(db)), ...(await mistakes(db))]).toEqual([])
    // jobs run on the direct connections: behind the pooler only, the second backup never began
    for (let turn = 0; turn < 2; turn += 1) {
      const id = v7()
      await fetch(`${origin}/api/trpc/backups.start`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${places.token}`,
        },
        body: JSON.stringify({ id }),
      })
      await until(async () => {
        const { rows } = await db.query<{ status: string }>(
          'select status from backups where id = $1',
          [id],
        )
        return rows[0]?.status === 'finished'
      }, 120_000)
    }
    const made = phones.flatMap((phone) => phone.made)
    const { rows: found } = await db.query<{ count: string }>(
      'select count(*) from patients where id = any($1)',
      [made],
    )
    expect(Number(found[0]!.count)).toBe(made.length)
    await db.end()
    const counts = connections.map(({ name, count }) => `${count} "${name}"`).join(', ')
    const lines = [
      `Acknowledged writes lost: 0 of ${writers.answered} (web) and ${made.length} patients of phones.`,
      `Primary killed; promotion begun after ${promotingAt - killedAt} ms, finished in ${promotedAt - promotingAt} ms.`,
      `First write acknowledged ${backAt - promotedAt} ms after that, ${backAt - killedAt} ms after the kill.`,
      `Not acknowledged: ${unanswered[0]} requests while the primary was away, ${unanswered[1]} of ${killed.length}`,
      '  after one Sanad was killed. Repeated, each was stored once. Nothing was restarted.',
      `Screens received ${before.events.join(' and ')} changes before the failover, ${after.join(' and ')} after it.`,
      'Two backups in a row were made after it.',
      `Connections on the primary: ${counts}; readers on the standby: ${readers[0]!.count}.`,
    ]
    process.stdout.write(`${lines.join('\n')}\n`)
    await primary.end().catch(() => undefined)
  },
)

/** A screen's live stream, reopened as a browser's EventSource reopens it. */
class Screen {
  events = 0

  constructor(
    readonly url: string,
    readonly token: string,
  ) {}

  async follow(isOver: () => boolean) {
    while (!isOver()) {
      await this.read(isOver).catch(() => undefined)
      await sleep(500)
    }
  }

  async read(isOver: () => boolean) {
    const end = new AbortController()
    const watch = setInterval(() => isOver() && end.abort(), 200)
    try {
      const response = await fetch(`${this.url}/api/live`, {
        headers: { authorization: `Bearer ${this.token}` },
        signal: end.signal,
      })
      for await (const chunk of response.body ?? [])
        this.events += Buffer.from(chunk).toString().split('data: ').length - 1
    } finally {
      clearInterval(watch)
    }
  }
}
