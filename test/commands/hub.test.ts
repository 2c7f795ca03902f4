import { createServer } from 'node:http'
import { expect } from 'vitest'
import { connect } from '~/db/connect'
import { makeFactories } from '../factories'
import { givePassword, PASSWORD } from '../sessions'
import { aPatient } from '../sync/chart'
import { EVERYTHING } from '../sync/clinic'
import { codeOf, HubPhone } from '../sync/hub-phone'
import { databaseUrl, freePort, settingsForUsed, test, until } from './sanad'

const HOST = '127.0.0.2'

test(
  'the hub opens and closes without a restart, says that its port is taken, and forgets no message',
  { timeout: 300_000 },
  async ({ start, temporaryDirectory }) => {
    const dataDir = temporaryDirectory()
    const port = await freePort()
    const settings = {
      ...(await settingsForUsed(dataDir)),
      SANAD_HUB_HOST: HOST,
      SANAD_HUB_PORT: port,
    }
    let sanad = start(settings)
    const origin = await sanad.ready
    const db = connect(databaseUrl(dataDir))
    const make = makeFactories(db)
    const clinic = await make.clinic()
    const [owner, amal] = [
      await make.user({ role: 'super_admin' }),
      await make.user({ role: 'provider' }),
    ]
    await givePassword(db, owner)
    await givePassword(db, amal)
    await make.permission(amal, clinic.id, EVERYTHING)
    await db.destroy()

    const post = (path: string, body: object, token = '') =>
      fetch(origin + path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      })
    const signedIn = await post('/api/auth/sign-in', { email: owner.email, password: PASSWORD })
    const { token } = (await signedIn.json()) as { token: string }
    const turn = (enabled: boolean) => post('/api/trpc/hub.save', { enabled }, token)
    type State = { isListening: boolean; problem: string | null; codes: { url: string }[] }
    const state = async (): Promise<State> => {
      const headers = { authorization: `Bearer ${token}` }
      const answer = await fetch(`${origin}/api/trpc/hub.get`, { headers })
      return ((await answer.json()) as { result: { data: State } }).result.data
    }
    const url = `http://${HOST}:${port}`
    const isOpen = () =>
      fetch(`${url}/rpc/heartbeat`).then(
        ({ ok }) => ok,
        () => false,
      )
    expect(await isOpen()).toBe(false)
    expect(await state()).toMatchObject({ isListening: false, codes: [] })

    await turn(true)
    await until(isOpen)
    await until(async () => (await state()).isListening)
    expect((await state()).codes.map((code) => code.url)).toEqual([url])
    const phone = new HubPhone(codeOf(url), amal.email, PASSWORD)
    await phone.login()
    await phone.sync()
    const registering = { patient: { ...aPatient(clinic), id: crypto.randomUUID() } }
    const session = await phone.handshake()
    expect(await phone.command('register_patient', registering, session)).toMatchObject({
      status: 200,
    })
    expect((await fetch(`${url}/app`)).status).toBe(404)
    expect((await post('/rpc/handshake', {})).status).toBe(404)

    await turn(false)
    await until(async () => !(await isOpen()))
    await turn(true)
    await until(isOpen)

    sanad.child.kill('SIGTERM')
    await sanad.exit
    sanad = start(settings)
    await sanad.ready
    expect(await isOpen()).toBe(true)
    expect((await phone.post('/rpc/command', phone.sentBody)).status).toBe(409)

    sanad.child.kill('SIGTERM')
    await sanad.exit
    const taken = createServer().listen(Number(port), HOST)
    try {
      sanad = start(settings)
      await sanad.ready
      expect(await state()).toMatchObject({ isListening: false, problem: 'portTaken' })
    } finally {
      taken.close()
    }
  },
)
