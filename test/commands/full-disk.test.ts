import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { connect } from '~/db/connect'
import { newId } from '~/shared/id'
import { sentence } from '~/shared/sentence'
import { built } from '../built'
import { makeFactories } from '../factories'
import { givePassword, PASSWORD } from '../sessions'
import { aPatient } from '../sync/chart'
import { EVERYTHING } from '../sync/clinic'
import { codeOf, HubPhone } from '../sync/hub-phone'
import { databaseUrl, freePort, isReady, settingsForUsed, test as base, until } from './sanad'

const MB = 1024 ** 2
const HUB_HOST = '127.0.0.2'
const full = (language: 'en' | 'ar' | 'es') => sentence(language, { key: 'errors.diskFull' })

/** A small disk; null if this user may not mount one. It is unmounted after the server has ended. */
const test = base.extend('disk', async ({ temporaryDirectory }, { onCleanup }) => {
  const folder = temporaryDirectory()
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=450m', 'sanad', folder])
  if (mounted.status !== 0) return null
  onCleanup(() => void spawnSync('umount', ['--lazy', folder]))
  const filler = join(folder, 'filler')
  return {
    folder,
    /** Leaves so many bytes. */
    fillTo(free: number) {
      rmSync(filler, { force: true })
      const { bavail, bsize } = statfsSync(folder)
      spawnSync('fallocate', ['-l', String(bavail * bsize - free), filler])
    },
    free: () => rmSync(filler, { force: true }),
  }
})

test('while the disk is full, each way in says so, users read on, and the log says what it lacks', async ({
  disk,
  start,
  skip,
}) => {
  if (!disk) return skip('this user may not mount a small disk')
  const dataDir = disk.folder
  const settings = {
    ...(await settingsForUsed(dataDir)),
    SANAD_HUB_HOST: HUB_HOST,
    SANAD_HUB_PORT: await freePort(),
  }
  const sanad = start(settings)
  const url = await sanad.ready
  const { email, patients, clinicId } = await aClinic(dataDir)
  const hub = `http://${HUB_HOST}:${settings.SANAD_HUB_PORT}`
  await until(() =>
    fetch(`${hub}/rpc/heartbeat`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  const phone = new HubPhone(codeOf(hub), email, PASSWORD)
  await phone.login()
  const session = await phone.handshake()
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(url + path, { redirect: 'manual', ...init })
    const text = await response.text()
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text }
  }
  const json = (body: object, more: HeadersInit = {}): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', ...more },
    body: JSON.stringify(body),
  })
  const signIn = () => ask('/api/login', json({ email, password: PASSWORD }))
  const { token } = JSON.parse((await signIn()).text) as { token: string }
  const headers = { authorization: `Bearer ${token}` }
  const read = (id: string) =>
    ask(`/api/trpc/patients.get?input=${encodeURIComponent(JSON.stringify({ id }))}`, { headers })
  const ready = () => ask('/api/health/ready')
  const isFull = async () => {
    await expect.poll(async () => (await ready()).status).toBe(503)
    expect(JSON.parse((await ready()).text)).toMatchObject({ ready: false, disk: 'full' })
    expect((await ready()).retryAfter).toBe('60')
    expect((await ask('/api/health/live')).status).toBe(200)
  }
  const isOver = () => expect.poll(async () => (await ready()).status).toBe(200)
  expect(JSON.parse((await ready()).text)).toMatchObject({ ready: true, disk: 'ok' })

  disk.fillTo(100 * MB)
  await expect.poll(async () => JSON.parse((await ready()).text)).toMatchObject({ disk: 'low' })

  disk.fillTo(40 * MB)
  await isFull()
  const patient = { id: newId(), given_name: 'Amal', primary_clinic_id: clinicId }
  const writes = {
    trpc: await ask(
      '/api/trpc/patients.save',
      json(patient, { ...headers, 'accept-language': 'es' }),
    ),
    fhir: await ask(
      '/api/fhir/Patient',
      json({ resourceType: 'Patient', name: [{ given: ['Amal'], family: 'Nasser' }] }, headers),
    ),
    push: await ask(
      '/api/v2/sync?last_pulled_at=0&schema_version=9',
      json({ patients: { created: [patient], updated: [], deleted: [] } }, headers),
    ),
    upload: await ask(
      '/rpc/command',
      json(
        { command: 'sync_push', data: { changes: { patients: { created: [patient] } } } },
        headers,
      ),
    ),
    largePush: await ask('/api/v2/sync?last_pulled_at=0&schema_version=9', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: `{"patients":{"created":[]}}${' '.repeat(26 * MB)}`,
    }),
  }
  for (const [way, { status, retryAfter }] of Object.entries(writes))
    expect([way, status, retryAfter]).toEqual([way, 503, '60'])
  expect(writes.trpc.text).toContain(full('es'))
  expect(JSON.parse(writes.fhir.text)).toMatchObject({
    resourceType: 'OperationOutcome',
    issue: [{ code: 'transient', diagnostics: full('en') }],
  })
  for (const way of ['push', 'upload', 'largePush'] as const)
    expect(JSON.parse(writes[way].text)).toMatchObject({ error: full('en') })
  const registering = { patient: { ...aPatient({ id: clinicId }), id: newId() } }
  const byHub = await phone.command('register_patient', registering, session)
  expect(byHub.status).toBe(503)
  expect(JSON.stringify(byHub)).toContain(full('en'))
  const reads = [
    await read(patients[0]!),
    await ask('/api/fhir/Patient', { headers }),
    await ask('/api/v2/sync?last_pulled_at=0&schema_version=9', { headers }),
    await signIn(),
  ]
  expect(reads.map(({ status }) => status)).toEqual([200, 200, 200, 200])

  disk.fillTo(0)
  await isFull()
  // the reserve is used up, too
  await expect.poll(async () => (await signIn()).status).toBe(503)
  const form = new URLSearchParams({ step: 'signIn', email, password: PASSWORD })
  const page = await ask('/', {
    method: 'POST',
    body: form,
    headers: { origin: url, 'accept-language': 'ar' },
  })
  expect([page.status, page.retryAfter]).toEqual([503, '60'])
  expect(page.text).toContain(full('ar'))
  expect((await read(patients[1]!)).status).toBe(200)

  disk.free()
  await isOver()
  const push = json({ patients: { created: [patient], updated: [], deleted: [] } }, headers)
  expect((await ask('/api/v2/sync?last_pulled_at=0&schema_version=9', push)).status).toBe(200)
  const outcomes = async () => {
    const db = connect(databaseUrl(dataDir))
    const { rows } = await sql<{ outcome: string; patient: string | null; count: number }>`
      select outcome, patient_ids[1] as patient, count from access_log
      where operation in ('patients.get', 'audit.lost') order by at`.execute(db)
    await db.destroy()
    return rows
  }
  const entry = (at: number) => ({ outcome: 'shown', patient: patients[at]!, count: 1 })
  await expect.poll(outcomes).toEqual([entry(0), entry(1)])

  // what waits in memory when the process ends is lost, and counted
  disk.fillTo(0)
  await isFull()
  expect((await read(patients[2]!)).status).toBe(200)
  const unwritten = () => readFileSync(join(dataDir, 'unwritten-accesses'), 'utf8').trim()
  await expect.poll(unwritten).toBe('1')
  sanad.child.kill('SIGKILL')
  await sanad.exit
  disk.free()
  await start(settings).ready
  await expect
    .poll(outcomes)
    .toEqual([entry(0), entry(1), { outcome: 'lost', patient: null, count: 1 }])
})

test('a log that cannot be written ends nothing', async ({
  temporaryDirectory,
  onTestFinished,
}) => {
  const dataDir = temporaryDirectory()
  const settings = await settingsForUsed(dataDir)
  const log = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [built('commands/start.js')], {
    env: { PATH: process.env['PATH'], SANAD_LOG_LEVEL: 'info', ...settings },
    stdio: ['ignore', 'pipe', log],
  })
  closeSync(log)
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const url = `http://localhost:${settings.PORT}`
  await until(() => isReady(url))
  for (let at = 0; at < 3; at += 1) expect((await fetch(`${url}/trust`)).status).toBe(200)
  expect(child.exitCode).toBe(null)
})

async function aClinic(dataDir: string) {
  const db = connect(databaseUrl(dataDir))
  const make = makeFactories(db)
  const clinic = await make.clinic()
  const user = await make.user({ role: 'provider', clinic_id: clinic.id })
  await givePassword(db, user)
  await make.permission(user, clinic.id, EVERYTHING)
  await db.updateTable('hub').set({ enabled: true }).execute()
  const patients = []
  for (let at = 0; at < 3; at += 1)
    patients.push((await make.patient({ primary_clinic_id: clinic.id })).id)
  await db.destroy()
  return { email: user.email, patients, clinicId: clinic.id }
}
