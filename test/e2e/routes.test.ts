import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { ElementHandle, Locator } from 'playwright-core'
import sharp from 'sharp'
import { expect, vi } from 'vitest'
import type { DB } from '~/db/types'
import { newId } from '~/shared/id'
import { LANGUAGES, type MessageKey } from '~/shared/language'
import { DEMO_PAGES } from '~/features/office/demo/demo'
import { httpMethod } from '~/rpc/call.server'
import { operations } from '~/rpc/operations'
import { built } from '../built'
import { ENTITIES } from '../entities/all'
import { makeFactories } from '../factories'
import {
  addUser,
  administrator,
  emailOf,
  looks,
  password,
  type Person,
  rpc,
  type Site,
  test as base,
  tokenOf,
  withSession,
} from './browser'
import { EVENT_FORM } from './edit-world'
import { clicksMiddle, flawsOfLists, FRAME } from './lists'
import { smallTargets } from './targets'
import { inTurn } from '../turn'

/** A clinic with a user of each kind and one record of each kind with its own address. */
const test = base.extend('clinic', { scope: 'file' }, async ({ site }) => {
  const call = await administrator(site as Site)
  const [{ id: clinicId }] = await call<[{ id: string }]>('clinics.list')
  const ids = { clinicId, userId: newId(), patientId: newId() }
  const user = {
    name: 'Omar',
    email: emailOf('provider'),
    role: 'provider',
    clinic_id: clinicId,
  }
  await addUser(site as Site, { id: ids.userId, ...user })
  await addUser(site as Site, {
    ...user,
    id: newId(),
    name: 'Rana',
    email: emailOf('registrar'),
    role: 'registrar',
  })
  await addUser(site as Site, {
    ...user,
    id: newId(),
    name: 'Huda',
    email: emailOf('manager'),
    role: 'admin',
  })
  const person = {
    given_name: 'Layla',
    surname: 'Mansour',
    sex: 'female',
    date_of_birth: '1990-05-17',
  }
  await call('patients.create', {
    id: ids.patientId,
    primary_clinic_id: clinicId,
    ...person,
    answers: {},
  })
  return ids
})

type Ids = { clinicId: string; userId: string; patientId: string }

/** The table of docs/specification.md, "Screens", in its order. */
const routesOf = ({ clinicId, userId, patientId }: Ids) => [
  '/app',
  '/app/users/',
  '/app/users/edit/new',
  `/app/users/edit/${userId}`,
  `/app/users/manage-permissions/${userId}`,
  '/app/patients/',
  '/app/patients/register',
  '/app/patients/customize-registration-form',
  `/app/patients/${patientId}`,
  '/app/patients/new',
  '/app/appointments/',
  '/app/appointments/edit/new',
  `/app/appointments/edit/new?patientId=${patientId}`,
  '/app/prescriptions/',
  '/app/prescriptions/edit/new',
  '/app/event-forms/',
  '/app/event-forms/edit/new',
  '/app/data/events',
  '/app/clinics/',
  '/app/clinics/edit/new',
  `/app/clinics/edit/${clinicId}`,
  `/app/clinics/${clinicId}`,
  '/app/inventory/drug-catalogue/',
  '/app/inventory/drug-catalogue/edit/new',
  '/app/inventory/clinic-inventory/',
  '/app/inventory/clinic-inventory/drug/edit/new',
  '/app/settings/configurations',
  '/app/settings/register-mobile-app',
]

test(
  'every specified route loads, says what it is, and leaves nothing in the console',
  { timeout: 240_000 },
  async ({ visit, clinic }) => {
    const person = await signedIn(await visit('en'), 'admin')
    await person.page.goto('/app')
    for (const path of routesOf(clinic)) {
      // by its address, and by a link
      const response = await person.page.request.get(path)
      const html = await response.text()
      expect([path, response.status(), html]).toEqual([
        path,
        200,
        expect.stringMatching(/<h1[^]*Sanad EHR<\/title>|Sanad EHR<\/title>[^]*<h1/),
      ])
      const here = person.page.url()
      await person.goesTo(path)
      await person.page.getByRole('heading', { level: 1 }).first().waitFor()
      // a keyboard and a screen reader begin on the new screen: at its heading, or where the screen puts them
      if (new URL(path, here).pathname !== new URL(here).pathname)
        await expect.poll(() => isWithinContent(person)).toBe(true)
      const failed = await person.page.getByText('Something went wrong!').count()
      expect([path, failed, person.problems]).toEqual([path, 0, []])
      expect(await person.page.title()).toMatch(/Sanad EHR$/)
    }
  },
)

test('none of them opens without a session, or with one that is not valid', async ({
  site,
  clinic,
}) => {
  for (const cookie of ['', 'sanad_session=made-up']) {
    for (const path of routesOf(clinic)) {
      const response = await fetch(site.url + path, { headers: { cookie } })
      expect([path, response.status, new URL(response.url).pathname]).toEqual([path, 200, '/'])
    }
    expect(await isValidToken(site, cookie)).toBe(false)
  }
})

test(
  'screens call the public operations alone: reads by GET, writes by POST, and signed in',
  { timeout: 240_000 },
  async ({ site, visit, clinic: { clinicId } }) => {
    const person = await signedIn(await visit('en'), 'admin')
    const calls: { GET?: URL; POST?: URL & { body?: string } } = {}
    person.page.on('request', (request) => {
      const url = new URL(request.url())
      const body = request.postData() ?? ''
      const named = `${url.searchParams.get('payload') ?? ''}${body}`
      if (!url.pathname.startsWith('/_serverFn/') || !named.includes('"clinics.')) return
      calls[request.method() as 'GET' | 'POST'] = Object.assign(url, { body })
    })
    await person.page.goto(`/app/clinics/edit/${clinicId}`)
    await person.page.waitForFunction(() => !window.early)
    await person.press('common.save')
    await expect.poll(() => Object.keys(calls).toSorted()).toEqual(['GET', 'POST'])

    /** The call of the screen with another name in it, by someone who has not signed in. */
    const ask = async (method: 'GET' | 'POST', change: (payload: string) => string) => {
      const { body = '', ...rest } = { body: calls.POST!.body }
      const url = new URL(calls[method]!.origin + calls[method]!.pathname)
      const payload = calls[method]!.searchParams.get('payload') ?? body
      if (method === 'GET') url.searchParams.set('payload', change(payload))
      const headers = {
        origin: site.url,
        'x-tsr-serverfn': 'true',
        ...(method === 'POST' && { 'content-type': 'application/json' }),
      }
      const sent = method === 'POST' ? { ...rest, method, body: change(payload) } : rest
      const response = await fetch(url, { headers, ...sent })
      return [response.status, response.headers.get('x-sanad-operation')]
    }
    const named = (name: string) => (payload: string) =>
      payload.replace(/"clinics\.\w+"/, JSON.stringify(name))

    for (const operation of operations.values()) {
      const { name, open } = operation.facts
      const right = httpMethod(operation)
      const wrong = right === 'GET' ? 'POST' : 'GET'
      expect([name, wrong, ...(await ask(wrong, named(name)))]).toEqual([name, wrong, 400, null])
      if (!open) expect([name, ...(await ask(right, named(name)))]).toEqual([name, 401, name])
    }
    for (const method of ['GET', 'POST'] as const) {
      for (const name of ['', 'clinics', 'clinics.nothing', 'constructor', '__proto__', 'toString'])
        expect([method, name, ...(await ask(method, named(name)))]).toEqual([
          method,
          name,
          400,
          null,
        ])
      // not JSON, and JSON that is no call
      for (const payload of ['{', 'null', '[]', '{"t":99}', '{"t":{"t":10}}', '"'])
        expect([method, payload, (await ask(method, () => payload))[0]]).toEqual([
          method,
          payload,
          400,
        ])
    }
  },
)

test('the front page redirects a signed-in user to the dashboard', async ({
  site,
  visit,
  clinic: _,
}) => {
  const person = await signedIn(await visit('en'), 'provider')
  await person.page.goto('/')
  await person.page.waitForURL('**/app')
  const cookies = await person.page.context().cookies()
  expect(
    await isValidToken(site, cookies.map(({ name, value }) => `${name}=${value}`).join('; ')),
  ).toBe(true)
})

const EVERYBODY = ['admin', 'manager', 'provider', 'registrar']
const CARE = ['admin', 'manager', 'provider']
const ADMINISTRATION = ['admin', 'manager']
const DESK = ['admin', 'manager', 'registrar']

/** Who may open what: `admin` is the super administrator. Screens of one record are in `OF_ONE_RECORD`. */
const openTo = ({ clinicId, userId, patientId }: Ids): Record<string, readonly string[]> => ({
  '/app': EVERYBODY,
  '/app/account': EVERYBODY,
  '/app/help/first-day': EVERYBODY,
  '/app/users': CARE,
  '/app/users/edit/new': ADMINISTRATION,
  [`/app/users/edit/${userId}`]: CARE,
  '/app/patients': EVERYBODY,
  '/app/patients/register': EVERYBODY,
  '/app/patients/customize-registration-form': ADMINISTRATION,
  '/app/patients/merge': CARE,
  '/app/patients/access': ADMINISTRATION,
  [`/app/patients/seen/${patientId}`]: ADMINISTRATION,
  '/app/patients/new': EVERYBODY,
  [`/app/patients/${patientId}`]: EVERYBODY,
  [`/app/patients/${patientId}/document`]: CARE,
  '/app/appointments': EVERYBODY,
  '/app/appointments/calendar': EVERYBODY,
  '/app/appointments/edit/new': EVERYBODY,
  '/app/follow-up': EVERYBODY,
  '/app/follow-up/schedules': ADMINISTRATION,
  '/app/follow-up/texts': ADMINISTRATION,
  '/app/queue': EVERYBODY,
  '/app/referrals': CARE,
  '/app/registers': CARE,
  '/app/visits/open': CARE,
  [`/app/patients/card/${patientId}`]: EVERYBODY,
  [`/app/patients/immunization-card/${patientId}`]: CARE,
  '/app/prescriptions': CARE,
  '/app/prescriptions/edit/new': CARE,
  // providers look at what a move left
  '/app/patients/moved-in': CARE,
  // providers close the emergencies of their clinics
  '/app/prescriptions/overrides': CARE,
  '/app/prescriptions/overrides-of-day': CARE,
  '/app/dispensing': ADMINISTRATION,
  '/app/dispensing/paper': ADMINISTRATION,
  '/app/event-forms': EVERYBODY,
  '/app/event-forms/edit/new': ADMINISTRATION,
  '/app/event-forms/library': ADMINISTRATION,
  '/app/data/events': CARE,
  '/app/clinics': DESK,
  [`/app/clinics/${clinicId}`]: DESK,
  '/app/clinics/edit/new': ADMINISTRATION,
  [`/app/clinics/edit/${clinicId}`]: ADMINISTRATION,
  '/app/inventory/drug-catalogue': EVERYBODY,
  '/app/inventory/drug-catalogue/edit/new': ADMINISTRATION,
  '/app/inventory/clinic-inventory': EVERYBODY,
  '/app/inventory/clinic-inventory/drug/edit/new': ADMINISTRATION,
  '/app/inventory/clinic-inventory/count': ADMINISTRATION,
  '/app/inventory/clinic-inventory/transfer': ADMINISTRATION,
  '/app/inventory/clinic-inventory/shortfalls': ADMINISTRATION,
  '/app/inventory/clinic-inventory/ledger': EVERYBODY,
  '/app/reports/definitions': ADMINISTRATION,
  '/app/reports/definitions/edit/new': ADMINISTRATION,
  '/app/reports/bindings': ADMINISTRATION,
  '/app/reports': ADMINISTRATION,
  '/app/reports/opd-morbidity': ADMINISTRATION,
  '/app/reports/charts/opd-morbidity': ADMINISTRATION,
  '/app/reports/print/opd-morbidity': ADMINISTRATION,
  '/app/reports/people/opd-morbidity?section=attendance&row=new&column=total': ADMINISTRATION,
  '/app/settings/dhis2': ['admin'],
  '/app/settings/gateway': ['admin'],
  '/app/settings/configurations': ['admin'],
  '/app/settings/register-mobile-app': ['admin'],
  '/app/settings/phones': ADMINISTRATION,
  '/app/settings/quarantine': EVERYBODY,
  '/app/settings/conflicts': EVERYBODY,
  '/app/settings/imports': ADMINISTRATION,
  '/app/settings/rules': ADMINISTRATION,
  '/app/settings/api-clients': ADMINISTRATION,
  '/app/settings/backups': ADMINISTRATION,
  '/app/trash': ADMINISTRATION,
  '/app/audit': ADMINISTRATION,
  '/app/audit/accesses': ADMINISTRATION,
})

test(
  'every screen is open to those who may use it, and answers 403 with a way to the dashboard to all others',
  { timeout: 240_000 },
  async ({ site, visit, clinic }) => {
    const table = openTo(clinic)
    for (const who of EVERYBODY) {
      const headers = { authorization: `Bearer ${await tokenOf(site, emailOf(who))}` }
      for (const [path, allowed] of Object.entries(table)) {
        const response = await fetch(site.url + path, { headers, redirect: 'manual' })
        const html = await response.text()
        const isForbidden =
          html.includes('You do not have access to this page') && html.includes('href="/app"')
        const expected = allowed.includes(who) ? [200, false] : [403, true]
        expect([who, path, response.status, isForbidden]).toEqual([who, path, ...expected])
      }
    }
    // a new screen has to say who may open it
    const missing = routeFiles().filter((route) => !isCovered(route, Object.keys(table)))
    expect(missing).toEqual([])

    // the same by its address and by a link: no way to try again, which would change nothing, and no error to report
    const registrar = await signedIn(await visit('en'), 'registrar')
    await registrar.page.goto('/app/audit')
    for (const path of ['/app/audit', '/app/trash', '/app/data/events', '/app/dispensing']) {
      await registrar.goesTo(path)
      await registrar.seesHeading(registrar.say('errors.forbiddenPage'))
      await registrar.page
        .getByRole('main')
        .getByRole('link', { name: registrar.say('errors.home') })
        .waitFor()
      for (const key of ['errors.tryAgain', 'errors.show'] as const)
        expect(await registrar.page.getByRole('button', { name: registrar.say(key) }).count()).toBe(
          0,
        )
    }
    await registrar.screenIsSound()
    expect(await registrar.page.title()).toBe(
      `${registrar.say('errors.forbiddenPage')} · Sanad EHR`,
    )
  },
)

/** The addresses of `src/routes/app`, a record's id as `$` or, where it may be absent, `{-$}`. */
const routeFiles = () =>
  readdirSync('src/routes/app', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.tsx') && name !== 'route.tsx')
    .map((name) =>
      `/app/${name.replace(/\.tsx$/, '').replace(/_?\./g, '/')}`
        .replace(/\/index$/, '')
        .replace(/\$\w+/, '$'),
    )

const isCovered = (route: string, paths: readonly string[]) =>
  paths.includes(route) ||
  paths.some((path) => isOf(route, path)) ||
  [...OF_ONE_RECORD, '/app/users/manage-permissions/'].includes(withoutId(route))

/** Whether the path is of a route with an id, at its end or inside. */
function isOf(route: string, path: string) {
  const [before = '', after] = route.split(/(?:\{-)?\$\}?/)
  return after !== undefined && path.startsWith(before) && path.endsWith(after)
}

const withoutId = (route: string) => route.replace(/(\{-)?\$\}?$/, '')

test('the screen for permissions leads others to the dashboard, and an unknown person to the list', async ({
  site,
  clinic,
}) => {
  const leadsTo = async (path: string, who: string) => {
    const headers = { authorization: `Bearer ${await tokenOf(site, emailOf(who))}` }
    return [path, new URL((await fetch(site.url + path, { headers })).url).pathname]
  }
  const permissions = `/app/users/manage-permissions/${clinic.userId}`
  for (const who of ['manager', 'provider'])
    expect(await leadsTo(permissions, who)).toEqual([permissions, '/app'])
  for (const path of ['', newId(), 'nobody'].map((id) => `/app/users/manage-permissions/${id}`))
    expect(await leadsTo(path, 'admin')).toEqual([path, expect.stringMatching(/^\/app\/users\/?$/)])
})

test('without an id, an edit screen is the form for a new record, and the guide its contents', async ({
  site,
  clinic: _,
}) => {
  const headers = { authorization: `Bearer ${await tokenOf(site, emailOf('admin'))}` }
  const headingOf = async (path: string) => {
    const response = await fetch(site.url + path, { headers })
    return [response.status, /<h1[^>]*>([^<]*)</.exec(await response.text())?.[1]]
  }
  const editors = routeFiles().flatMap((route) => route.match(/^(.*\/edit)\/\{-\$\}$/)?.[1] ?? [])
  expect(editors.length).toBeGreaterThan(6)
  for (const path of editors)
    expect([path, ...(await headingOf(path))]).toEqual([path, ...(await headingOf(`${path}/new`))])
  expect(await headingOf('/app/help')).toEqual([200, 'Guide'])
})

test('what is not there is called Not Found, with the status that says so', async ({
  site,
  visit,
  clinic,
}) => {
  const person = await signedIn(await visit('en'), 'admin')
  for (const path of ['/app/nowhere', `/app/event-forms/edit/${newId()}`, '/app/help/nowhere']) {
    await person.page.goto(path)
    await person.page.waitForFunction(() => !window.early)
    await person.sees('Not Found')
    expect([path, person.problems]).toEqual([path, []])
  }
  expect((await fetch(`${site.url}/nowhere`)).status).toBe(404)
  const token = await tokenOf(site, emailOf('admin'))
  const { error } = await rpc(site, 'clinics.get', { id: '' }, token)
  expect(error?.data['fields']).toEqual({ id: 'Clinic ID is required' })
  expect(clinic.clinicId).not.toBe('')
})

test('an unreadable address or input is a bad request, not a bug', async ({ site, clinic: _ }) => {
  const authorization = `Bearer ${await tokenOf(site, emailOf('admin'))}`
  const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  const sent = (path: string, init: RequestInit = {}) =>
    fetch(site.url + path, {
      redirect: 'manual',
      ...init,
      headers: { authorization, ...init.headers },
    })

  const after = async (to: string) => {
    const { status, headers } = await sent(`/?to=${encodeURIComponent(to)}`)
    return [status, headers.get('location')]
  }
  expect(await after('/app?x=\r\nSet-Cookie: a=b')).toEqual([303, '/app?x=Set-Cookie:%20a=b'])
  expect(await after('/app/مرحبا')).toEqual([303, encodeURI('/app/مرحبا')])
  expect(await after('/app/..//evil.example')).toEqual([303, '/app'])

  const nested = encodeURIComponent(deep(5000))
  for (const path of [`/app/patients?search=${nested}`, `/api/trpc/clinics.get?input=${nested}`])
    expect((await sent(path)).status).toBe(400)

  const json = { 'content-type': 'application/json' }
  const own = { ...json, 'sec-fetch-site': 'same-origin', 'x-tsr-serverFn': 'true' }
  const bodies = ['', '{', 'null', '1', '{"data":{}}', '{"t":{"t":99}}', deep(60), deep(5000)]
  const ways: [string, HeadersInit][] = [
    ['/api/auth/sign-in', json],
    ['/api/login', json],
    ['/api/v2/sync', json],
    ['/rpc/query', json],
    ['/rpc/command', json],
    ['/api/trpc/patients.save', json],
    ...(await serverFunctions(site)).map((path): [string, HeadersInit] => [path, own]),
  ]
  for (const [path, headers] of ways) {
    for (const body of bodies) {
      const { status } = await sent(path, { method: 'POST', headers, body })
      expect([path, body.slice(0, 9), status < 500]).toEqual([path, body.slice(0, 9), true])
    }
    const { status } = await sent(`${path}?payload=nonsense`, { headers })
    expect([path, status < 500]).toEqual([path, true])
  }
})

/** The addresses of the server functions, as the scripts of the screens name them. */
async function serverFunctions({ url }: Site): Promise<string[]> {
  const assets = built('client/assets')
  const files = readdirSync(assets).filter((name) => name.endsWith('.js'))
  const ids = files.flatMap((name) => [
    ...readFileSync(join(assets, name), 'utf8').matchAll(/["'`]([a-f0-9]{64})["'`]/g),
  ])
  const paths = [...new Set(ids.map(([, id]) => `/_serverFn/${id}`))]
  const own = { 'sec-fetch-site': 'same-origin' }
  const known = await Promise.all(
    paths.map(async (path) => (await fetch(url + path, { headers: own })).status !== 404),
  )
  const found = paths.filter((_, at) => known[at])
  expect(found.length).toBeGreaterThan(0)
  return found
}

/** Screens of one record, without its id. */
const OF_ONE_RECORD = [
  '/app/users/edit/',
  '/app/patients/',
  '/app/appointments/edit/',
  '/app/appointments/print/',
  '/app/follow-up/letter/',
  '/app/referrals/print/',
  '/app/visits/print/',
  '/app/visits/laboratory/',
  '/app/appointments/edit/new?patientId=',
  '/app/prescriptions/edit/',
  '/app/prescriptions/edit/new?patientId=',
  '/app/prescriptions/edit/new?repeat=',
  '/app/prescriptions/print/',
  '/app/dispensing/',
  '/app/dispensing/label/',
  '/app/event-forms/edit/',
  '/app/event-forms/versions/',
  '/app/reports/definitions/edit/',
  '/app/reports/definitions/versions/',
  '/app/reports/definitions/codes/',
  '/app/data/events/',
  '/app/events/',
  '/app/events/edit/',
  '/app/clinics/',
  '/app/clinics/edit/',
  '/app/inventory/drug-catalogue/edit/',
  '/app/inventory/clinic-inventory/drug/edit/',
  '/app/inventory/clinic-inventory/bin-card/',
  '/app/settings/imports?id=',
  '/app/settings/quarantine?id=',
]

test('a missing record or an invalid id answers 404; a record without access answers 403', async ({
  site,
  clinic: _,
}) => {
  const open = async (path: string, who = 'admin') => {
    const authorization = `Bearer ${await (tokens[who] ??= tokenOf(site, emailOf(who)))}`
    const response = await fetch(site.url + path, { headers: { authorization } })
    const html = await response.text()
    const [, heading] = /<h1[^>]*>([^<]*)</.exec(html) ?? []
    // an error that comes with the page is thrown once more when the browser takes it over
    return [path, response.status, heading, html.includes('AppError')]
  }
  const tokens: Record<string, Promise<string>> = {}
  const unknown = newId()
  for (const path of OF_ONE_RECORD) {
    expect(await open(path + unknown)).toEqual([path + unknown, 404, 'Not Found', false])
    // a mangled filter of an address shows everything rather than an error
    if (!path.includes('?'))
      expect(await open(`${path}nobody`)).toEqual([`${path}nobody`, 404, 'Not Found', false])
  }
  const queue = `/app/queue?clinicId=${unknown}`
  expect(await open(queue, 'provider')).toEqual([queue, 403, expect.any(String), true])
})

test(
  'without a network a screen says so in the user’s language and continues by itself; text typed elsewhere is kept',
  { timeout: 120_000 },
  async ({ visit, clinic: _ }) => {
    const person = await signedIn(await visit('ar', 375), 'admin')
    const { page } = person
    const elsewhere = await page.context().newPage()
    await elsewhere.goto('/app/clinics/edit/new')
    const name = elsewhere.getByRole('textbox', { name: person.say('clinics.name') })
    await name.fill('عيادة التل')
    await page.goto('/app')
    await person.sees(person.say('dashboard.noneWaiting'))

    await page.context().setOffline(true)
    await person.press('shell.openMenu')
    await page
      .getByRole('dialog')
      .getByRole('link', { name: person.say('nav.clinics') })
      .click()
    await person.seesHeading(person.say('errors.noConnection'))
    await page.getByRole('button', { name: person.say('errors.tryAgain') }).waitFor()
    // each attempt that fails without a network is reported, whenever it fails
    const others: string[] = []
    await vi.waitFor(
      async () => {
        others.push(
          ...person.problems.splice(0).filter((problem) => !/fetch|preload/i.test(problem)),
        )
        await person.screenIsSound()
      },
      { timeout: 30_000 },
    )
    expect(others).toEqual([])

    await page.context().setOffline(false)
    await person.seesHeading(person.say('clinics.title'))
    await person.sees('Hillside')
    expect(await name.inputValue()).toBe('عيادة التل')
  },
)

test('the sample pages are public and contain no personal data', async ({ visit, clinic: _ }) => {
  const stranger = await visit('en', 375)
  await stranger.page.goto(DEMO_PAGES[0].path)
  for (const { path, label } of DEMO_PAGES) {
    await stranger.goesTo(path)
    await stranger.seesHeading(stranger.say(label))
    await stranger.screenIsSound()
  }
  // the next page of a table begins at its top; a user who comes back finds the table as it was
  await stranger.page.setViewportSize({ width: 1280, height: 700 })
  await stranger.page.goto('/demo/table')
  const table = stranger.page.getByRole('region', { name: stranger.say('demo.table') })
  const scrolled = () => table.evaluate((frame) => frame.scrollTop)
  await stranger.page.waitForFunction(() => !window.early)
  await table.evaluate((frame) => frame.scrollTo(0, 200))
  await stranger.page.getByRole('link', { name: stranger.say('table.next') }).click()
  await stranger.page.waitForURL('**/demo/table?page=2')
  await expect.poll(scrolled).toBe(0)
  await stranger.page.goBack()
  await expect.poll(scrolled).toBe(200)

  await stranger.goesTo('/demo/tanstack-query')
  await stranger.sees('John Doe')
  await stranger.sees('Jane Doe')

  await stranger.goesTo('/demo/start/server-funcs')
  await stranger.press('demo.greet')
  await stranger.sees(stranger.say('validation.required'))
  await stranger.fill('demo.fullName', 'Nour')
  await stranger.press('demo.greet')
  await stranger.sees('"length": 4')

  // a bug is shown by its number, and in the browser by the error screen, never by what it says
  await stranger.goesTo('/demo/sentry/testing')
  await stranger.sees(stranger.say('demo.failSignIn'))
  await stranger.press('demo.failInBrowser')
  await stranger.sees('Something went wrong!')
  await stranger.press('errors.show')
  expect(await stranger.page.getByText('on purpose').count()).toBe(0)
  for (const fact of ['Error', '/demo/sentry/testing'])
    await stranger.page.getByRole('code').filter({ hasText: fact }).first().waitFor()
  await stranger.sees(stranger.say('errors.time'))

  const person = await signedIn(await visit('en'), 'provider')
  await person.page.goto('/demo/sentry/testing')
  await person.press('demo.failOnServer')
  await person.sees('HTTP error! status: 500')
})

/** The settings are those of all languages. */
let wasSet = false

test.for(looks(['en', 'ar'] as const, 1))(
  'the dashboard, the settings and the guide are sound (%s)',
  { timeout: 240_000 },
  async (language, { visit, site, clinic: _ }) => {
    const person = await signedIn(await visit(language, language === 'ar' ? 375 : 1280), 'admin')
    const call = await administrator(site)
    await person.page.goto('/app')
    await person.sees(person.say('dashboard.firstDay'))
    await person.sees(person.say('dashboard.noneWaiting'))
    await person.screenIsSoundInArabic()
    await person.press('dashboard.showTable')
    await person.screenIsSoundInArabic()

    await person.page.getByRole('link', { name: person.say('help.open') }).click()
    await person.page.waitForURL('**/app/help/first-day')
    await person.screenIsSoundInArabic()
    await person.goesTo('/app/help')
    await person.screenIsSoundInArabic()

    await person.goesTo('/app/settings/configurations')
    // an empty box for text begins where the language does
    const name = person.page.getByRole('textbox', { name: person.say('settings.organizationName') })
    const direction = await name.evaluate((box) => getComputedStyle(box).direction)
    expect(direction).toBe(language === 'ar' ? 'rtl' : 'ltr')
    await person.fill('settings.publicOrigin', 'clinic.example')
    await person.press('common.save')
    await person.sees(person.say('settings.originForm'))
    expect(
      await person.page
        .getByRole('textbox', { name: person.say('settings.publicOrigin') })
        .inputValue(),
    ).toBe('clinic.example')
    await person.screenIsSoundInArabic()
    // one button for all; what was changed is marked until it is saved
    await person.fill('settings.publicOrigin', 'http://clinic.example:3000')
    await person.fill(
      'settings.organizationName',
      language === 'ar' ? 'مؤسسة سند' : 'Hillside Health',
    )
    const unsaved = person.page.getByText(person.say('permissions.unsaved'), { exact: true })
    // the address is there already when the test runs in a second language
    await expect.poll(() => unsaved.count()).toBe(wasSet ? 1 : 2)
    wasSet = true
    expect(
      await person.page
        .getByRole('button', { name: person.say('common.save'), exact: true })
        .count(),
    ).toBe(1)
    await person.press('common.save')
    const save = person.page.getByRole('button', { name: person.say('common.save'), exact: true })
    expect(await person.toastCovers(save)).toBe(false)
    await person.sees(person.say('settings.originHttp'))
    await expect.poll(() => unsaved.count()).toBe(0)
    await person.page
      .getByRole('banner')
      .getByText(language === 'ar' ? 'مؤسسة سند' : 'Hillside Health')
      .waitFor()
    await person.screenIsSoundInArabic()

    // a change of another user arrives in the form; saving the own change then asks nothing
    const mode = (await call<Setting[]>('configurations.list')).find(
      ({ key }) => key === 'operation_mode',
    )!
    const value = mode.value === 'offline' ? 'online' : 'offline'
    await call('configurations.save', { id: mode.id, last_modified: mode.last_modified, value })
    const shownMode = person.page.getByRole('combobox', {
      name: person.say('settings.operationMode'),
    })
    await expect.poll(() => shownMode.inputValue()).toBe(person.say(`settings.mode_${value}`))
    await person.fill('settings.organizationName', `Hillside ${value}`)
    await expect.poll(() => unsaved.count()).toBe(1)
    // by keyboard: the toast of the save before may lie over the button
    await person.page.keyboard.press('Enter')
    await person.page.getByRole('banner').getByText(`Hillside ${value}`).waitFor()
    expect(await person.page.getByText(person.say('errors.staleByYou')).count()).toBe(0)

    // the trail narrowed by what was just done: a choice is in the address
    await person.goesTo('/app/audit')
    // on a narrow screen they are behind a button
    if (language === 'ar') await person.press('filters.title')
    const action = person.page.getByRole('combobox', { name: person.say('audit.action') })
    await action.fill(person.say('audit.action_configurations_saveAll'))
    await person.page
      .getByRole('option', { name: person.say('audit.action_configurations_saveAll'), exact: true })
      .click()
    await person.page.waitForURL('**/app/audit?action=configurations.saveAll')
    await expect
      .poll(() => person.page.getByText(person.say('audit.action_configurations_saveAll')).count())
      .not.toBe(0)
    await person.screenIsSoundInArabic()
    await person.goesTo('/app/audit?action=configurations.saveAll&from=1999-01-01&to=1999-01-31')
    await person.sees(person.say('audit.noMatch'))
    await person.screenIsSoundInArabic()
    await person.press('filters.clear')
    await person.page.waitForURL('**/app/audit')
    await person.page.getByRole('tab', { name: person.say('accesses.title') }).click()
    const read = person.page.getByText(person.say('accesses.did_trail'))
    await read.filter({ visible: true }).first().waitFor()
    await person.screenIsSoundInArabic()
    await person.goesTo('/app/audit/accesses?outcome=refused&from=1999-01-01&to=1999-01-31')
    await person.sees(person.say('accesses.noMatch'))

    await person.goesTo('/app/settings/register-mobile-app')
    const code = person.say('settings.phonesCode', { address: 'http://clinic.example:3000' })
    await person.page.getByRole('img', { name: code }).waitFor()
    await person.sees(person.say('settings.phonesHttp'))
    await person.screenIsSoundInArabic()
    await person.page.getByRole('tab', { name: person.say('hub.byNetwork') }).click()
    await person.page.getByRole('switch', { name: person.say('hub.switch') }).waitFor()
    await person.screenIsSoundInArabic()
  },
)

test('the palette finds a patient by a part of the name, in another script, and opens the record', async ({
  visit,
  clinic,
}) => {
  const person = await signedIn(await visit('ar'), 'provider')
  await person.page.goto('/app')
  const input = person.page.getByPlaceholder(person.say('palette.placeholder'))
  await expect
    .poll(async () => {
      // a key pressed before React is there is lost
      await person.page.keyboard.press('Control+k')
      return input.isVisible()
    })
    .toBe(true)
  await input.fill('منصور')
  await person.page.getByRole('button', { name: 'Layla Mansour' }).first().waitFor()
  await person.page.keyboard.press('Enter')
  await person.page.waitForURL(`**/app/patients/${clinic.patientId}`)
})

test('a user with a password set by someone else must choose a new one before any screen opens', async ({
  site,
  visit,
  clinic,
}) => {
  const token = await tokenOf(site, emailOf('admin'))
  const { data } = await rpc(
    site,
    'users.resetPassword',
    { id: clinic.userId, password: null },
    token,
  )
  const { password: given } = data as { password: string }

  const person = await visit('es', 375)
  await person.page.goto('/app/patients')
  await person.fill('sessions.email', emailOf('provider'))
  await person.fill('sessions.password', given)
  await person.press('sessions.signIn')
  await person.seesHeading(person.say('sessions.ownPassword'))
  await person.screenIsSound()
  await person.page.goto('/app/patients')
  await person.seesHeading(person.say('sessions.ownPassword'))
  await isRefusedEverywhere(site, person, { given, clinic })
  await person.fill('sessions.newPassword', given)
  await person.fill('sessions.repeatedPassword', given)
  await person.press('sessions.continue')
  await person.sees(person.say('sessions.passwordSame'))
  await person.fill('sessions.newPassword', password)
  await person.fill('sessions.repeatedPassword', password)
  await person.press('sessions.continue')
  await person.page.waitForURL('**/app**')
  await person.page.getByRole('heading', { level: 1 }).waitFor()
})

/** The answers of addresses for machines to a user who must replace the password: with the cookie, and with a token. */
const doors: Record<string, [status: number, withToken?: number]> = {
  'accesses.export': [403],
  'appointments.export': [403],
  'audit.export': [403],
  'backups.$backupId': [403],
  'event-files.$fileId': [403],
  'events.export': [403],
  'immunizations.export': [403],
  'patients.export': [403],
  'photos.$patientId': [403],
  'prescriptions.export': [403],
  'reports.export': [403],
  'users.export': [403],
  live: [403],
  fhir: [403],
  // phones go on for 14 days; they send no cookie
  'v2.sync': [401, 200],
}
/** Open to anyone: they show nothing of a record, or sign in. */
const openDoors = [
  'auth.is-valid-token',
  'auth.sign-in',
  'auth.token',
  'health.index',
  'health.live',
  'health.ready',
  'login',
  'metrics',
  'trust.root',
]

type Waiting = { given: string; clinic: Ids }

async function isRefusedEverywhere(site: Site, person: Person, { given, clinic }: Waiting) {
  const files = readdirSync('src/routes/api', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.replace(/\.ts$/, '').replaceAll('/', '.'))
  // of src/server.ts
  const ofServer = ['fhir', 'health.live', 'health.ready', 'v2.sync']
  expect([...files, ...ofServer].toSorted()).toEqual(
    [...Object.keys(doors), ...openDoors].toSorted(),
  )

  const token = await tokenOf(site, emailOf('provider'), given)
  const { request } = person.page
  const sentence = 'You must first choose your own password: sign in to Sanad in a browser'
  for (const [door, [status, withToken = status]] of Object.entries(doors)) {
    const path = door.replace('.', '/').replaceAll(/\$\w+/g, clinic.patientId)
    const query = { fhir: '/Patient', 'v2.sync': '?last_pulled_at=0&schema_version=9' }[door]
    const address = `/api/${path}${query ?? '?format=csv&language=en'}`
    const byCookie = await request.get(address)
    const byToken = await fetch(site.url + address, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect([door, byCookie.status(), byToken.status]).toEqual([door, status, withToken])
    if (door === 'fhir' || door === 'users.export') expect(await byToken.text()).toContain(sentence)
  }
  for (const { facts } of operations.values()) {
    if (facts.open) continue
    const { status, error } = await rpc(site, facts.name, {}, token)
    expect([facts.name, status, error?.message]).toEqual([facts.name, 403, sentence])
  }
  for (const path of routesOf(clinic)) {
    const answer = await request.get(path)
    expect([path, new URL(answer.url()).pathname]).toEqual([path, '/'])
  }
  expect(await (await request.post('/api/auth/is-valid-token')).json()).toEqual({ isValid: false })
}

/** `npm run prove -- lists`: each list in all languages and widths. The tests take turns with them. */
const isWhole = process.env['SANAD_LISTS'] === 'all'

test(
  'every dialog opens on its first field or its harmless answer, and Escape brings the focus back to what opened it',
  { timeout: 240_000 },
  async ({ site, db, visit, clinic }) => {
    const records = await recordsToOpen(site, db, clinic)
    const dialogs = { admin: dialogsOf(records), registrar: dialogsOfRegistrar(records) }
    const opened = Object.values(dialogs).flatMap((all) => all.map(([file]) => file))
    expect(
      filesWithDialogs().filter((file) => !opened.includes(file) && !(file in NOT_OPENED)),
      'A new dialog has a line in dialogsOf.',
    ).toEqual([])
    expect(
      [...opened, ...Object.keys(NOT_OPENED)].filter((file) => !filesWithDialogs().includes(file)),
    ).toEqual([])

    const wrong: string[] = []
    for (const [who, openings] of Object.entries(dialogs)) {
      const person = await signedIn(await visit('en'), who)
      await person.page.goto('/app')
      for (const [file, path, ...steps] of openings) {
        await person.goesTo(path)
        const flaw = await opensAndGivesBack(person, steps).catch(
          (error: Error) => error.message.split('\n')[0],
        )
        if (!flaw) continue
        wrong.push(`${file}: ${flaw}`)
        await person.page.goto('/app')
      }
    }
    expect(wrong).toEqual([])
  },
)

test('the list of an open dialog is as stored after an undo, and after a refusal', async ({
  site,
  db,
  visit,
  clinic,
}) => {
  const { prescriptionId, drugId } = await recordsToOpen(site, db, clinic)
  const call = await administrator(site)
  const [id, name] = [newId(), 'First step']
  const item = { drug_id: drugId, dosage_instructions: 'One a day', quantity_prescribed: 30 }
  await call('prescriptionSets.save', { id, name, clinic_id: clinic.clinicId, items: [item] })
  const person = await signedIn(await visit('en'), 'admin')
  const { page } = person
  await page.goto(`/app/prescriptions/edit/${prescriptionId}`)
  await page.waitForFunction(() => !window.early)
  await clicksMiddle(page, button('prescriptionSets.use')(person) as Locator)
  const dialog = page.getByRole('dialog', { name: person.say('prescriptionSets.use') })
  const remove = () =>
    clicksMiddle(
      page,
      dialog.getByRole('button', { name: person.say('prescriptionSets.deleteOne', { name }) }),
    )
  const confirmed = () =>
    clicksMiddle(
      page,
      page
        .getByRole('dialog', { name: person.say('prescriptionSets.delete') })
        .getByRole('button', { name: person.say('prescriptionSets.delete'), exact: true }),
    )
  const set = dialog.getByText(name, { exact: true })
  // as long as the server works on it, the user is told so
  let goesOn = () => {}
  const held = new Promise<void>((resolve) => (goesOn = resolve))
  await page.route('**/_serverFn/**', async (route) => {
    await held
    await route.continue()
  })
  await remove()
  await confirmed()
  const working = page.getByText(person.say('common.working'))
  await working.waitFor()
  goesOn()
  await set.waitFor({ state: 'detached' })
  await working.waitFor({ state: 'detached' })
  await clicksMiddle(page, page.getByRole('button', { name: person.say('common.undo') }))
  await set.waitFor()

  // another user deletes it meanwhile
  await remove()
  await call('prescriptionSets.delete', { id })
  await confirmed()
  await set.waitFor({ state: 'detached' })
})

test('a calendar that loads slowly opens, however often it was pressed meanwhile', async ({
  visit,
  clinic,
}) => {
  const person = await signedIn(await visit('en'), 'admin')
  const { page } = person
  const { promise: isPressed, resolve: load } = Promise.withResolvers<void>()
  await page.route('**/Calendar-*.js', async (route) => {
    await isPressed
    await route.continue()
  })
  await page.goto(`/app/patients/${clinic.patientId}?tab=immunizations`)
  await page.waitForFunction(() => !window.early)
  await person.press('immunizations.add')
  const opener = page.getByRole('button', { name: person.say('form.openCalendar') }).first()
  await clicksMiddle(page, opener)
  await page.waitForFunction(() => document.querySelector('[aria-busy=true]') !== null)
  await clicksMiddle(page, opener)
  load()
  const day = page.getByRole('dialog').getByRole('button', { name: /^15 / }).first()
  await clicksMiddle(page, day)
  await expect
    .poll(() =>
      page
        .getByRole('dialog')
        .getByRole('textbox')
        .evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).value)),
    )
    .toContainEqual(expect.stringMatching(/^\d{4}-\d{2}-15$/))
})

/** Here are those that a box may clip. */
const LOOKS = LANGUAGES.flatMap((language) => [1280, 375].map((width) => ({ language, width })))

test.for(isWhole ? LOOKS : inTurn(LOOKS, LOOKS.length))(
  'the mouse opens every list, menu and calendar and reaches its first entry: $language, $width px',
  { timeout: isWhole ? 1_000_000 : 240_000 },
  async ({ language, width }, { site, db, visit, clinic }) => {
    const records = await recordsToOpen(site, db, clinic)
    const person = await signedIn(await visit(language), 'admin')
    await person.page.setViewportSize({ width, height: 900 })
    // the answer to "leave without saving?"
    person.page.on('dialog', (dialog) => void dialog.accept())
    const wrong: string[] = []
    let opened = 0
    let frame: string[] = []
    for (const [at, [path, ...steps]] of screensWithLists(records, openTo(clinic)).entries()) {
      if (!isWhole && at >= CLIPPING) break
      const done = new Set(frame)
      for (let isLeft = true; isLeft;) {
        await person.page.goto(path)
        await person.page.getByRole('heading', { level: 1 }).first().waitFor()
        await person.page.waitForFunction(() => !window.early)
        for (const step of steps) await (await step(person))?.click()
        const walk = await flawsOfLists(person.page, done)
        isLeft = walk.isLeft
        wrong.push(...walk.flaws.map((flaw) => `${path}: ${flaw}`))
      }
      opened += done.size - frame.length
      frame = [...done].filter((key) => key.startsWith(FRAME))
    }
    expect(wrong).toEqual([])
    expect(opened).toBeGreaterThan(isWhole ? 60 : 25)
  },
)

test(
  'every control is large enough for a finger or an unsteady hand, on a desk and on a phone',
  { timeout: 240_000 },
  async ({ site, db, visit, clinic }) => {
    const records = await recordsToOpen(site, db, clinic)
    const person = await signedIn(await visit('en'), 'admin')
    const { page } = person
    await page.goto('/app')
    const small: string[] = []
    const paths = [...new Set(screensWithLists(records, openTo(clinic)).map(([path]) => path))]
    for (const path of isWhole ? paths : inTurn(paths, 6)) {
      await person.goesTo(path)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      for (const width of [1280, 375]) {
        await page.setViewportSize({ width, height: 900 })
        small.push(...(await smallTargets(page)).map((one) => `${path}, ${width} px: ${one}`))
      }
    }
    expect(small).toEqual([])
  },
)

/** The first of `screensWithLists`: their lists lie in boxes that clip, in dialogs or in other lists. */
const CLIPPING = 7

const screensWithLists = (
  { patientId, prescriptionId, eventId, importId, drugId, appointmentId }: Records,
  screens: Record<string, unknown>,
): (readonly [path: string, ...steps: Step[]])[] => [
  [`/app/patients/${patientId}`],
  [`/app/events/edit/${eventId}`],
  ['/app/patients'],
  [`/app/patients/${patientId}?tab=allergies`, button('allergies.add')],
  [`/app/patients/${patientId}?tab=problems`, button('problems.add')],
  ['/app/reports/opd-morbidity'],
  ['/app'],
  ...Object.keys(screens).map((path) => [path] as const),
  [`/app/prescriptions/edit/${prescriptionId}`],
  [`/app/settings/imports?id=${importId}`],
  [`/app/inventory/drug-catalogue/edit/${drugId}`],
  [`/app/appointments/edit/${appointmentId}`],
  [`/app/patients/${patientId}`, button('vitals.add')],
  [`/app/patients/${patientId}`, button('programs.enroll')],
  [`/app/patients/${patientId}?tab=immunizations`, button('immunizations.add')],
  [`/app/patients/${patientId}?tab=referrals`, button('referrals.add')],
  [`/app/patients/${patientId}?tab=prescriptions`, button('medicines.add')],
  ['/app/reports/bindings', button('reportBindings.add')],
  ['/app/settings/api-clients', button('apiClients.add')],
  [`/app/inventory/clinic-inventory/drug/edit/${drugId}`, button('inventory.receive')],
]

/** What is pressed next, or something done on the way. */
type Step = (person: Person) => Locator | Promise<void>
type Opening = readonly [file: string, path: string, ...steps: Step[]]

const button =
  (key: MessageKey, values?: Record<string, string>): Step =>
  (person) =>
    person.page.getByRole('button', { name: person.say(key, values), exact: true }).first()
const item =
  (key: MessageKey): Step =>
  (person) =>
    person.page.getByRole('menuitem', { name: person.say(key), exact: true })
/** A button whose label ends with a name. */
const nameBegins =
  (key: MessageKey): Step =>
  (person) =>
    person.page.getByRole('button', { name: person.say(key, { name: '' }).trim() }).first()
/** The menu of a row, found by a text of the row. */
const menuOf =
  (text: string): Step =>
  ({ page }) =>
    page.getByRole('row').filter({ hasText: text }).first().getByRole('button').last()

/** Waits for the backup that the previous step requested. */
const madeBackup: Step = ({ page }) =>
  page.getByRole('button', { name: /^Download sanad-/ }).first()

/** A way to each dialog by keyboard. */
const dialogsOf = (records: Records): Opening[] => {
  const {
    clinicId,
    userId,
    patientId,
    otherPatientId,
    drugId,
    prescriptionId,
    eventId,
    importId,
    refusedId,
  } = records
  const patient = `/app/patients/${patientId}`
  const stock = '/app/inventory/clinic-inventory'
  return [
    ['record/visits/VisitDialog', patient, button('visits.open')],
    ['day/queue/BoardLink', `/app/queue?clinicId=${clinicId}`, button('queue.board')],
    ['care/vitals/VitalDialog', patient, button('vitals.add')],
    [
      'reports/runs/RunPanel',
      '/app/reports/opd-morbidity?period=%222026-01%22',
      button('reports.close'),
    ],
    [
      'people/patients/deletions/DeletePatient',
      patient,
      button('patientPage.actions'),
      item('patientPage.delete'),
    ],
    [
      'people/patients/photos/PatientPhoto',
      patient,
      button('photos.change'),
      item('photos.remove'),
    ],
    ['people/patients/EditPatient', `${patient}?tab=details`, button('common.edit')],
    [
      'day/followups/messages/PatientConsents',
      `${patient}?tab=details`,
      nameBegins('consents.recordOf'),
    ],
    ['care/vitals/VitalsTable', `${patient}?tab=vitals`, menuOf('137.5'), item('vitals.delete')],
    ['care/vitals/VitalDialog', `${patient}?tab=vitals`, menuOf('137.5'), item('vitals.edit')],
    ['care/problems/ProblemDialog', `${patient}?tab=problems`, button('problems.add')],
    [
      'care/referrals/ReferralDialog',
      '/app/referrals',
      menuOf('City hospital'),
      item('common.edit'),
    ],
    ...Object.values(ENTITIES).flatMap(({ noun, tab, dialog, table, shows }): Opening[] => [
      [dialog, `${patient}?tab=${tab}`, button(`${noun}.add` as MessageKey)],
      [table, `${patient}?tab=${tab}`, menuOf(shows), item(`${noun}.delete` as MessageKey)],
    ]),
    [
      'care/problems/ProblemsTable',
      `${patient}?tab=problems`,
      menuOf('Asthma'),
      item('problems.delete'),
    ],
    [
      'medicines/prescriptions/sets/UseSetDialog',
      `/app/prescriptions/edit/${prescriptionId}`,
      button('prescriptionSets.use'),
    ],
    [
      'medicines/prescriptions/sets/SaveSetDialog',
      `/app/prescriptions/edit/${prescriptionId}`,
      button('prescriptionSets.save'),
    ],
    [
      'medicines/taken/MedicineReviewDialog',
      `/app/prescriptions/edit/${prescriptionId}`,
      button('reconciliations.open'),
    ],
    ['care/programs/EnrollmentDialog', patient, button('programs.enroll')],
    ['day/followups/messages/MessageDialog', '/app/follow-up', nameBegins('messages.writeTo')],
    [
      'day/followups/messages/MessageTextsTable',
      '/app/follow-up/texts',
      menuOf('Hypertension'),
      item('common.edit'),
    ],
    ['day/followups/CallDialog', '/app/follow-up', nameBegins('followups.recordOf')],
    [
      'day/followups/SchedulesTable',
      '/app/follow-up/schedules',
      menuOf('Hypertension'),
      item('common.edit'),
    ],
    ['care/pregnancies/PregnancyDialog', patient, button('pregnancies.change')],
    [
      'care/pregnancies/PatientPregnancy',
      patient,
      button('pregnancies.earlier'),
      pregnancyDeletion,
    ],
    ['record/visits/VisitCard', `${patient}?tab=visits`, visitMenu, item('visits.delete')],
    ['routes/visits/open', `/app/visits/open?clinicId=${clinicId}`, button('visits.closeEarlier')],
    ['office/users/AskForPasswords', '/app/users', button('users.ask')],
    ['office/users/UserActions', '/app/users', menuOf('Rana'), item('users.delete')],
    ['office/users/ResetPasswordDialog', '/app/users', menuOf('Rana'), item('users.resetPassword')],
    [
      'office/users/PermissionCard',
      `/app/users/manage-permissions/${userId}`,
      button('permissions.revoke'),
    ],
    ['office/clinics/ClinicMenu', '/app/clinics', menuOf('Hillside'), item('clinics.delete')],
    ['office/clinics/DepartmentDialog', `/app/clinics/${clinicId}`, button('departments.add')],
    [
      'office/clinics/Departments',
      `/app/clinics/${clinicId}`,
      menuOf('Blood tests'),
      item('departments.makeInactive'),
    ],
    [
      'day/appointments/AppointmentMenu',
      APPOINTMENTS,
      menuOf('Layla'),
      item('appointments.delete'),
    ],
    [
      'day/appointments/AppointmentStatusMenu',
      APPOINTMENTS,
      statusMenu,
      item('appointments.completed'),
    ],
    [
      'forms/event-forms/EventFormMenu',
      '/app/event-forms',
      menuOf('PHQ-2'),
      item('eventForms.delete'),
    ],
    ['reports/definitions/BindingDialog', '/app/reports/bindings', button('reportBindings.add')],
    ['reports/exchange/ImportDataSet', '/app/reports/definitions', button('dhis2.import')],
    ['routes/reports/bindings', '/app/reports/bindings', button('reportBindings.add')],
    [
      'medicines/drugs/DrugMenu',
      '/app/inventory/drug-catalogue',
      menuOf('Zinc'),
      item('drugs.delete'),
    ],
    [
      'medicines/inventory/changes/ReceiveDialog',
      `${stock}/drug/edit/${drugId}`,
      button('inventory.receive'),
    ],
    [
      'medicines/inventory/BatchAction',
      `${stock}/drug/edit/${drugId}`,
      menuOf('B-1'),
      item('batches.do_adjust'),
    ],
    [
      'medicines/inventory/changes/SettleDialog',
      `${stock}/shortfalls`,
      menuOf('Zinc'),
      item('inventory.settle'),
    ],
    ['medicines/drugs/ScanDialog', '/app/inventory/drug-catalogue/edit/new', button('drugs.scan')],
    [
      'medicines/prescriptions/PrescriptionStatus',
      '/app/prescriptions',
      prescriptionMenu,
      item('prescriptions.statuses.picked-up'),
    ],
    [
      'medicines/prescriptions/PrescriptionsTable',
      '/app/prescriptions',
      menuOf('Salma'),
      item('prescriptions.delete'),
    ],
    [
      'medicines/safety/RulesDialog',
      `/app/prescriptions/edit/${prescriptionId}`,
      button('safety.pairs'),
    ],
    ['medicines/safety/SwitchRuleDialog', '/app/settings/rules', ruleSwitch],
    ['medicines/safety/OverridesTable', '/app/prescriptions/overrides', button('safety.review')],
    [
      'medicines/dispensing/RecordsTable',
      '/app/dispensing?show=records',
      menuOf('Zinc'),
      item('dispensing.reverse'),
    ],
    ['forms/events/EventActions', `/app/events/${eventId}`, button('events.delete')],
    [
      'forms/events/filling/FillForm',
      `/app/events/edit/${eventId}`,
      keptAnswers,
      button('events.discard'),
    ],
    [
      'people/patients/duplicates/MarkedPatients',
      '/app/patients',
      selected('Salma'),
      button('patientSearch.deleteSelected'),
    ],
    [
      'people/patients/duplicates/MergeList',
      '/app/patients/merge',
      menuOf('Salma'),
      item('merge.unmerge'),
    ],
    [
      'routes/patients/merge',
      `/app/patients/merge?winner=${patientId}&loser=${otherPatientId}`,
      button('merge.merge'),
    ],
    ['office/backups/Copies', '/app/settings/backups', button('copies.choose')],
    ['office/backups/DownloadBackup', '/app/settings/backups', button('backups.start'), madeBackup],
    ['routes/settings/phones', '/app/settings/phones', menuOf('192.0.2.9'), item('hub.revoke')],
    [
      'routes/settings/api-clients',
      '/app/settings/api-clients',
      menuOf('Laboratory'),
      item('apiClients.revoke'),
    ],
    ['office/api-clients/ApiClientDialog', '/app/settings/api-clients', button('apiClients.add')],
    ['office/devices/RefusedRow', '/app/settings/quarantine', refusedRow],
    [
      'routes/settings/quarantine',
      `/app/settings/quarantine?id=${refusedId}`,
      button('devices.reject'),
    ],
    [
      'exchange/imports/ImportMapping',
      `/app/settings/imports?id=${importId}`,
      button('imports.start'),
    ],
    [
      'exchange/imports/ImportProgress',
      `/app/settings/imports?id=${importId}`,
      button('imports.undo'),
    ],
    ['routes/settings/imports', '/app/settings/imports', button('imports.new')],
    ['office/sessions/two-factor/TwoFactor', '/app/account', button('twoFactor.start')],
    ['office/sessions/EndSession', '/app/account', button('sessions.endOthers')],
    ['office/sessions/app-passwords/AppPasswordDialog', '/app/account', button('appPasswords.add')],
    [
      'office/sessions/app-passwords/AppPasswords',
      '/app/account',
      menuOf('Ward phone'),
      item('appPasswords.revoke'),
    ],
    // last: it leaves a change that is not saved; without confirmation the switch says so,
    // which has the focus then
    [
      'office/settings/ConfigurationsForm',
      '/app/settings/configurations',
      (person) => permissionSwitch(person).press('Space'),
      permissionSwitch,
    ],
  ]
}
/** Of a patient that another clinic knows, and of a registration that was left. */
const dialogsOfRegistrar = ({ stranger }: Records): Opening[] => [
  [
    'people/patients/RegisterPatient',
    '/app/patients/register',
    keptRegistration,
    button('registration.discard'),
  ],
  [
    'people/patients/ReasonDialog',
    '/app/patients/register',
    typed(stranger),
    button('duplicates.link', { clinic: 'Hillside' }),
  ],
]
const APPOINTMENTS = '/app/appointments?when=all'
const visitMenu: Step = (person) =>
  person.page
    .getByRole('button', { name: person.say('visits.actionsOf', { day: '' }).trim() })
    .first()
const statusMenu: Step = ({ page }) =>
  page.getByRole('row').filter({ hasText: 'Layla' }).getByRole('button').first()

const pregnancyDeletion: Step = (person) =>
  person.page
    .getByRole('button', { name: person.say('pregnancies.deleteOf', { day: '' }).trim() })
    .first()
const ruleSwitch: Step = (person) =>
  person.page
    .getByRole('button', { name: new RegExp(`^${person.say('safety.rules.off')}:`) })
    .first()
const prescriptionMenu: Step = ({ page }) =>
  page.getByRole('row').filter({ hasText: 'Salma' }).getByRole('button').first()
const refusedRow: Step = ({ page }) =>
  page.getByRole('row').filter({ hasText: 'Layla' }).getByRole('link').first()
const selected =
  (text: string): Step =>
  ({ page }) =>
    page.getByRole('row').filter({ hasText: text }).getByRole('checkbox').press('Space')
const permissionSwitch = (person: Person) =>
  person.page.getByRole('switch', { name: person.say('settings.disableChecking') })
/** A form that was left begins with what was typed. */
const leftAndBack = async (person: Person, path: string) => {
  await person.goesTo('/app/clinics')
  await person.goesTo(path)
}
const keptAnswers: Step = async (person) => {
  const { pathname } = new URL(person.page.url())
  await person.page.getByRole('textbox', { name: 'In a word' }).fill('dry')
  await leftAndBack(person, pathname)
}
const keptRegistration: Step = async (person) => {
  await person.fill('devices.column_given_name', 'Hala')
  await leftAndBack(person, '/app/patients/register')
}
const typed =
  (values: Records['stranger']): Step =>
  async ({ page }) => {
    for (const [name, text] of Object.entries(values))
      await page.locator(`input[name="${name}"]`).fill(text)
  }

/** Not opened here, and why. */
const NOT_OPENED: Record<string, string> = {
  'exchange/documents/UndoDocument': 'asks before a document is undone: patient-page.test.ts',
  'record/sharing/EmergencyDialog':
    'is for providers, and patients of other clinics: a RecordDialog',
  'record/sharing/OpeningsTable': 'asks about access that another clinic has opened',
  'people/patients/photos/CameraDialog':
    'is offered only where there is a camera: registration.test.ts',
  'medicines/safety/second/SecondSignIn': 'calls an operation of that name, and opens none',
  'day/appointments/calendar/CalendarGrid':
    'asks where an appointment is dragged to a day that has passed',
  'day/followups/CalledTable': 'asks before a call is reversed, as every list does',
  'exchange/imports/record-files/NewPasswords':
    'asks after an import of users, before passwords are shown once',
  'office/hub/HubSettings': 'asks while the hub is on and phones use it: test/commands/hub.test.ts',
  'routes/event-forms/edit/{-$formId}':
    'comes when a new version of Sanad brings another text of a starter form',
  'reports/exchange/Dhis2ServerForm': 'asks before a server is removed, which none is set up for',
  'day/followups/messages/GatewayForm':
    'asks before a gateway is removed, which none is set up for',
  'reports/exchange/Sendings': 'asks before a closed report is sent: exchange.test.ts',
  'routes/reports/definitions/index': 'asks before a report is deleted, as every list does',
  'shell/AppFrame': 'is the menu of a narrow screen',
  'shell/IdleLock':
    'comes by itself after minutes without a key, and has nothing to go back to: slow.test.ts',
  'shell/OtherUser':
    'comes by itself when another user has signed in below the page: registration.test.ts',
  'shell/SessionExpired': 'comes by itself when the session has ended',
}

const PREFIXES: Record<string, string> = { 'src/routes/app': 'routes/', 'src/shell': 'shell/' }

/** The files that open a dialog or ask a question, as `dialogsOf` calls them. */
const filesWithDialogs = () =>
  ['src/features', 'src/routes/app', 'src/shell'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.tsx'))
      .filter((name) =>
        /<(Dialog|RecordDialog|RecordList|Modal|Drawer)\b|\b(confirm|askReason|useDelete)\(/.test(
          readFileSync(`${folder}/${name}`, 'utf8'),
        ),
      )
      .map((name) => `${PREFIXES[folder] ?? ''}${name.replace(/\.tsx$/, '')}`),
  )

/** Says what is wrong, if anything is. */
async function opensAndGivesBack(
  person: Person,
  steps: readonly Step[],
): Promise<string | undefined> {
  const { page } = person
  let trigger: ElementHandle | null = null
  for (const step of steps) {
    const found = await step(person)
    if (!found) continue
    await found.waitFor({ timeout: 10_000 })
    if ((await found.getAttribute('role')) !== 'menuitem') trigger = await found.elementHandle()
    // a record that has an address may be a dialog itself, and ask in another
    await page
      .getByRole('dialog')
      .evaluateAll((boxes) => boxes.map((box) => box.setAttribute('data-earlier', '')))
    await found.press('Enter')
  }
  const dialog = page.locator('[role=dialog]:not([data-earlier])')
  await dialog.waitFor({ timeout: 10_000 })
  const isAtStart = () =>
    dialog.evaluate((box) => {
      const first = box.querySelector(
        '.mantine-FileInput-input, input:not([type="hidden"], [type="file"]), select, textarea',
      )
      if (first) return document.activeElement === first
      // a question: neither what it asks for nor the cross
      if (box.querySelector('form'))
        return document.activeElement?.matches('.mantine-Modal-body button[type="button"]') === true
      return box.contains(document.activeElement)
    })
  if (!(await settles(isAtStart))) return `opened on ${await person.focused()}`
  // suggestions close first, also while the list is still empty and so not visible
  if (await page.locator(':focus[data-expanded]').count()) await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached', timeout: 10_000 })
  if (
    !(await settles(async () => trigger!.evaluate((element) => element === document.activeElement)))
  )
    return `Escape left the focus on "${await person.focused()}"`
  return undefined
}

const settles = (isSo: () => Promise<boolean>) =>
  expect
    .poll(isSo, { timeout: 5_000 })
    .toBe(true)
    .then(
      () => true,
      () => false,
    )

type Setting = { id: string; key: string; value: unknown; last_modified: string }
type Records = Awaited<ReturnType<typeof makeRecords>>
let records: Promise<Records> | undefined
const recordsToOpen = (site: Site, db: Kysely<DB>, clinic: Ids) =>
  (records ??= makeRecords(site, db, clinic))

/** One of what has a menu or a dialog of its own. */
async function makeRecords(site: Site, db: Kysely<DB>, ids: Ids) {
  const call = await administrator(site)
  const make = makeFactories(db)
  const [drugId, departmentId, appointmentId, visitId] = [newId(), newId(), newId(), newId()]
  const clinic = { clinic_id: ids.clinicId }
  const patient = { patient_id: ids.patientId }
  const now = new Date().toISOString()
  const laboratory = {
    can_dispense_medications: false,
    can_perform_labs: true,
    can_perform_imaging: false,
  }
  await call('appPasswords.create', { name: 'Ward phone', password })
  await make.hubPhone({ id: ids.userId }, { last_address: '192.0.2.9' })
  await make.apiClient({ id: ids.userId }, { name: 'Laboratory' })
  await call('departments.save', {
    id: departmentId,
    ...clinic,
    name: 'Blood tests',
    ...laboratory,
    additional_capabilities: [],
  })
  const later = { timestamp: '2035-03-01T09:00:00Z', duration: 30, reason: 'checkup' }
  await call('appointments.save', {
    id: appointmentId,
    ...clinic,
    ...patient,
    ...later,
    department_ids: [departmentId],
  })
  await call('visits.save', { id: visitId, ...clinic, ...patient, check_in_timestamp: now })
  await call('vitals.save', {
    id: newId(),
    ...patient,
    visit_id: visitId,
    timestamp: now,
    weight_kg: 137.5,
  })
  await call('visits.close', { id: visitId })
  for (const { noun, saved } of Object.values(ENTITIES))
    await call(`${noun}.save`, { id: newId(), ...patient, ...saved() })
  const asthma = { problem_code_system: 'icd10', problem_code: 'J45.9', problem_label: 'Asthma' }
  const status = { clinical_status: 'active', verification_status: 'confirmed' }
  await call('problems.save', { id: newId(), ...patient, ...asthma, ...status })
  // overdue: the last visit of the program was 60 days ago
  const before = new Date(Date.now() - 60 * 86_400_000)
  const enrolled = await make.enrollment({ clinic_id: ids.clinicId, program: 'hypertension' })
  const seen = { patient_id: enrolled.patient_id, ...clinic, check_in_timestamp: before }
  await make.vital({
    patient_id: enrolled.patient_id,
    visit_id: (await make.visit(seen)).id,
    timestamp: before,
    systolic_bp: 150,
    diastolic_bp: 95,
  })
  await call('programs.enroll', {
    id: newId(),
    ...patient,
    program: 'hypertension',
    clinic_id: ids.clinicId,
    enrolled_on: new Date(Date.now() - 60 * 86_400_000).toISOString().slice(0, 10),
  })
  await call('pregnancies.record', {
    id: newId(),
    patientId: ids.patientId,
    state: 'pregnant',
    weeks: 12,
  })
  const zinc = {
    generic_name: 'Zinc',
    ingredients: ['zinc'],
    form: 'tablet',
    route: 'oral',
    dosage_quantity: 20,
  }
  const kept = {
    dosage_units: 'mg',
    min_stock_level: 1,
    is_controlled: false,
    requires_refrigeration: false,
  }
  await call('drugs.save', { id: drugId, ...zinc, ...kept, is_active: true })
  const batch = { batch_number: 'B-1', expiry_date: '2035-01-31', received_date: '2026-01-05' }
  const confirmed = ['old_day']
  await call('batches.create', {
    id: newId(),
    drug_id: drugId,
    ...clinic,
    ...batch,
    quantity: 100,
    confirmed,
  })
  const found = db.selectFrom('drug_batches').select('id').where('drug_id', '=', drugId)
  const { id: batchId } = await found.executeTakeFirstOrThrow()
  const made = await makeHandedOut(call, { ...ids, drugId, batchId })
  const warning = {
    key: 'duplicate',
    kind: 'duplicate',
    drugId,
    drug: 'Zinc',
    ingredient: 'zinc',
    other: 'Zinc',
  }
  const override = {
    id: newId(),
    patient_id: ids.patientId,
    clinic_id: ids.clinicId,
    drug_id: drugId,
    stage: 'prescribing',
    kind: 'duplicate',
  }
  const reason = 'The dose is being raised'
  await db
    .insertInto('safety_overrides')
    .values({ ...override, warning: JSON.stringify(warning), reason })
    .execute()
  const formId = newId()
  await call('eventForms.save', { id: formId, ...EVENT_FORM, translations: [], clinic_ids: [] })
  const event = await make.event({ ...patient, visit_id: visitId, form_id: formId })
  const shortfall = { clinic_id: ids.clinicId, drug_id: drugId, quantity: 3, reference_id: newId() }
  await db.insertInto('stock_shortfalls').values(shortfall).execute()
  const me = await call<{ id: string }>('users.current')
  const refused = await make.refusedRow({ id: ids.patientId, primary_clinic_id: ids.clinicId }, me)
  const upload = await make.upload('Given name,Surname\nAmal,Haddad\n', clinic)
  const change = {
    import_id: upload.id,
    table_name: 'patients',
    row_id: ids.patientId,
    after: '{}',
  }
  await db.insertInto('import_changes').values(change).execute()
  const stranger = { given_name: 'Wilhelmina', surname: 'Ashbrook', date_of_birth: '1957-11-23' }
  await make.patient({ ...stranger, primary_clinic_id: (await make.clinic()).id })
  await call('eventForms.installStarter', { id: newId(), key: 'phq-2', clinic_ids: [ids.clinicId] })
  const image = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer()
  await call('photos.save', { id: ids.patientId, image: image.toString('base64') })
  const others = { eventId: event.id, importId: upload.id, refusedId: refused.id, stranger }
  return { ...ids, ...others, ...made, drugId, appointmentId }
}

type Call = Awaited<ReturnType<typeof administrator>>
type Of = Ids & { drugId: string; batchId: string }

/** Two prescriptions of one medicine, with something handed out; and another patient, merged, with one. */
async function makeHandedOut(call: Call, { clinicId, patientId, drugId, batchId }: Of) {
  const me = await call<{ id: string }>('users.current')
  const prescribe = async (patient_id: string) => {
    const item = {
      id: newId(),
      drug_id: drugId,
      dosage_instructions: 'Twice a day',
      quantity_prescribed: 20,
    }
    const prescription = {
      id: newId(),
      patient_id,
      provider_id: me.id,
      pickup_clinic_id: clinicId,
      notes: '',
      allergies_reason: 'The patient does not answer',
    }
    await call('prescriptions.save', { ...prescription, items: [item] })
    return { id: prescription.id, itemId: item.id }
  }
  const { id: prescriptionId } = await prescribe(patientId)
  const { id, itemId } = await prescribe(patientId)
  const items = [{ itemId, records: [{ id: newId(), batchId, quantity: 4 }] }]
  await call('dispensing.dispense', {
    prescriptionId: id,
    items,
    allergies_reason: 'The patient does not answer',
  })

  const [otherPatientId, twinId] = [newId(), newId()]
  const other = {
    given_name: 'Salma',
    surname: 'Haddad',
    sex: 'female',
    date_of_birth: '1971-02-03',
  }
  for (const person of [otherPatientId, twinId])
    await call('patients.create', {
      id: person,
      primary_clinic_id: clinicId,
      ...other,
      answers: {},
    })
  await call('patients.merge', {
    id: newId(),
    winnerId: otherPatientId,
    loserId: twinId,
    choices: {},
  })
  await prescribe(otherPatientId)
  return { prescriptionId, otherPatientId }
}

const isWithinContent = (person: Person) =>
  person.page.evaluate(() => Boolean(document.activeElement?.closest('#content')))

const signedIn = (person: Person, who: string) => withSession(person, emailOf(who))

async function isValidToken(site: Site, cookie: string): Promise<boolean> {
  const response = await fetch(`${site.url}/api/auth/is-valid-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
  })
  return ((await response.json()) as { isValid: boolean }).isValid
}
