import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { connect } from '~/db/connect'
import { built } from '../built'
import { makeFactories } from '../factories'
import { givePassword, PASSWORD } from '../sessions'
import { Phone } from '../sync/phone'
import { databaseUrl, settingsForUsed, test } from './sanad'

/**
 * A server that is lost after its backups, and two machines that were empty before, which the phones
 * reach at the address of the lost one. Three servers, two backups, two restores.
 */
test(
  'a backup brings an empty machine to a working sign-in, phones with unsent rows included',
  { timeout: 300_000 },
  async ({ start, temporaryDirectory }) => {
    const [lost, unsealed, sealed, disk] = Array.from({ length: 4 }, () => temporaryDirectory())
    const settings = await settingsForUsed(lost!)
    const place = (dataDir: string) => ({ ...settings, SANAD_DATA_DIR: dataDir })
    const run = (name: 'backup' | 'restore', dataDir: string, ...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [built(`commands/${name}.js`), ...args],
        { env: { PATH: process.env['PATH'], SANAD_DATA_DIR: dataDir }, encoding: 'utf8' },
      )
      expect([name, status, status === 0 ? '' : stderr]).toEqual([name, 0, ''])
      return stdout
    }

    const first = start(settings)
    const url = await first.ready
    const { user, clinic } = await anAdministrator(lost!)
    const token = await signIn(url, user.email, PASSWORD)
    const phones = []
    for (const name of ['Ward phone', 'Car phone']) {
      const created = await call<{ code: string }>(url, 'appPasswords.create', token, {
        name,
        password: PASSWORD,
      })
      const phone = new Phone(url, user.email, created.code)
      await phone.sync()
      phones.push(phone)
    }
    const newer = await sendNewerColumn(phones[0]!, clinic.id)
    const files = { unsealed: join(disk!, 'monday.backup'), sealed: join(disk!, 'sealed.backup') }
    const passphrase = join(disk!, 'passphrase')
    writeFileSync(passphrase, 'four unrelated green words\n')
    const written = run('backup', lost!, files.unsealed)
    const fingerprint = /[\da-f]{4}(?:-[\da-f]{4}){3,}/.exec(written)![0]
    run('backup', lost!, files.sealed, '--passphrase-file', passphrase)
    const unsent = await Promise.all(
      phones.map((phone, at) =>
        phone.create('patients', {
          given_name: 'Layla',
          surname: `Haddad ${at}`,
          date_of_birth: '1990-02-03',
          sex: 'female',
          additional_data: '{}',
          primary_clinic_id: clinic.id,
        }),
      ),
    )
    first.child.kill('SIGKILL')
    await first.exit

    // without a passphrase: a one-time code, a new password, a new app password
    const said = run('restore', unsealed!, '--trust', fingerprint, files.unsealed)
    const code = /^ +([0-9A-Z]{4}(?:-[0-9A-Z]{4}){2})$/m.exec(said)![1]!
    const second = start(place(unsealed!))
    await second.ready
    expect((await signInAs(url, user.email, PASSWORD)).status).toBe(401)
    const newPassword = 'nine patient blue herons'
    const { people } = await call<{ people: { id: string }[] }>(
      url,
      'setup.restoredAdmins',
      undefined,
      { code },
    )
    expect(people.map(({ id }) => id)).toEqual([user.id])
    await call(url, 'setup.completeRestore', undefined, { code, userId: user.id, newPassword })
    const again = await signIn(url, user.email, newPassword)
    const [ward, car] = phones as [Phone, Phone]
    await expect(ward.sync()).rejects.toThrow('401')
    expect(await ward.unsent('patients')).toBe(1)
    const created = await call<{ code: string }>(url, 'appPasswords.create', again, {
      name: 'Ward phone',
      password: newPassword,
    })
    ward.password = created.code
    await ward.sync()
    await ward.sync()
    expect(await ward.unsent('patients')).toBe(0)
    expect(await surnameOf(unsealed!, unsent[0]!)).toBe('Haddad 0')
    // its health, with the backups, is for administrators
    const health = await fetch(`${url}/api/health`, {
      headers: { authorization: `Bearer ${again}` },
    })
    expect(await health.json()).toMatchObject({ ready: true, backups: { copies: null } })
    expect(await (await fetch(`${url}/api/health`)).json()).not.toHaveProperty('backups')
    second.child.kill('SIGTERM')
    await second.exit

    // with one: passwords and app passwords go on
    run('restore', sealed!, files.sealed, '--passphrase-file', passphrase)
    await start(place(sealed!)).ready
    await signIn(url, user.email, PASSWORD)
    await car.sync()
    await car.sync()
    expect(await car.unsent('patients')).toBe(0)
    expect(await surnameOf(sealed!, unsent[1]!)).toBe('Haddad 1')
    const whole = await car.request('GET', '/api/v2/sync?last_pulled_at=0&schema_version=10')
    const { changes } = JSON.parse(whole.body) as { changes: { patients: { created: object[] } } }
    expect(changes.patients.created).toContainEqual(
      expect.objectContaining({ id: newer, blood_type: 'O+' }),
    )
  },
)

/** A column of a newer version of the app, of a patient who is registered with it. */
async function sendNewerColumn(phone: Phone, clinicId: string): Promise<string> {
  const id = crypto.randomUUID()
  const row = {
    id,
    given_name: 'Nour',
    surname: 'Haddad',
    date_of_birth: '1990-02-03',
    sex: 'female',
    additional_data: '{}',
    metadata: '{}',
    primary_clinic_id: clinicId,
    is_deleted: false,
    created_at: 1,
    updated_at: 1,
    blood_type: 'O+',
    _status: 'created',
    _changed: '',
  }
  const body = JSON.stringify({ patients: { created: [row], updated: [], deleted: [] } })
  const path = `/api/v2/sync?last_pulled_at=${phone.lastPull!.timestamp}`
  expect((await phone.request('POST', path, body)).status).toBe(200)
  return id
}

async function anAdministrator(dataDir: string) {
  const db = connect(databaseUrl(dataDir))
  try {
    const make = makeFactories(db)
    const clinic = await make.clinic()
    const user = await make.user({ role: 'super_admin', clinic_id: clinic.id })
    await givePassword(db, user)
    return { user, clinic }
  } finally {
    await db.destroy()
  }
}

async function surnameOf(dataDir: string, id: string) {
  const db = connect(databaseUrl(dataDir))
  try {
    const found = db.selectFrom('patients').select('surname').where('id', '=', id)
    return (await found.executeTakeFirst())?.surname
  } finally {
    await db.destroy()
  }
}

const post = (url: string, body: unknown, token?: string) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })

const signInAs = (url: string, email: string, password: string) =>
  post(`${url}/api/auth/sign-in`, { email, password })

async function signIn(url: string, email: string, password: string) {
  const response = await signInAs(url, email, password)
  expect(response.status).toBe(200)
  return ((await response.json()) as { token: string }).token
}

async function call<R>(url: string, name: string, token: string | undefined, input: unknown) {
  const response = await post(`${url}/api/trpc/${name}`, input, token)
  const body = (await response.json()) as { result?: { data: R }; error?: unknown }
  expect([name, response.status, body.error]).toEqual([name, 200, undefined])
  return body.result!.data
}
