import { readdirSync, readFileSync, statSync } from 'node:fs'
import { expect } from 'vitest'
import { newId } from '~/shared/id'
import { addDays, clinicTimeZone, dayIn, startOfDay } from '~/shared/zone'
import { built } from '../built'
import {
  addUser,
  administrator,
  emailOf,
  password,
  Person,
  type Site,
  test,
  withSession,
} from './browser'

test('on a slow line, input typed before the page responds is kept, and Enter does not discard it', async ({
  visit,
}) => {
  const person = await visit('en', 1280, { savesData: false })
  await onASlowLine(person)
  await person.page.goto('/setup', { waitUntil: 'commit' })
  const name = person.page.getByRole('textbox', { name: person.say('sessions.name') })
  await name.fill('Amal Haddad')
  const submit = person.page.getByRole('button', { name: person.say('setup.submit') })
  expect(await submit.isDisabled()).toBe(true)
  await name.press('Enter')

  await expect.poll(() => submit.isEnabled()).toBe(true)
  expect(await name.inputValue()).toBe('Amal Haddad')
  await name.press('Enter')
  await person.sees(person.say('validation.required'))
  expect(await name.inputValue()).toBe('Amal Haddad')
  expect(new URL(person.page.url()).search).toBe('')
})

test(
  'what a user types, chooses or presses before the page answers is not lost',
  { timeout: 180_000 },
  async ({ site, visit }) => {
    await aClinic(site)
    const person = await withSession(
      await visit('en', 1280, { savesData: false }),
      emailOf('admin'),
    )
    const { page } = person
    await onASlowLine(person)
    const early = (path: string) => page.goto(path, { waitUntil: 'commit' })

    const menu = page.getByRole('button', { name: person.say('shell.userMenu', { name: 'Amal' }) })
    for (const press of [() => menu.click(), () => menu.press('Enter')]) {
      await early('/app/patients')
      await press()
      expect(await page.getByRole('menu').count()).toBe(0)
      await page.getByRole('menu').waitFor()
    }

    await early('/app/patients')
    await page
      .getByRole('checkbox', { name: person.say('table.select', { name: 'Layla Mansour' }) })
      .check()
    await person.sees(person.say('patientSearch.selected', { count: 1 }))

    await early('/app/prescriptions/edit/new')
    await page.getByRole('combobox', { name: person.say('prescriptions.priority') }).click()
    await page.getByRole('option', { name: person.say('prescriptions.priorities.high') }).waitFor()

    await early('/app/appointments/edit/new')
    const patient = page
      .getByRole('combobox', { name: person.say('appointments.patient'), exact: true })
      .first()
    await patient.fill('Lay')
    await page.getByRole('option', { name: /Layla Mansour/ }).waitFor()
    expect(await patient.inputValue()).toBe('Lay')

    // a form that is sent before the page answers is not sent by the browser itself, which would leave the screen
    await early('/app/prescriptions/edit/new')
    await page.getByRole('button', { name: person.say('prescriptions.create') }).click()
    await person.sees(person.say('prescriptions.noItems'))
    expect(new URL(page.url()).pathname).toBe('/app/prescriptions/edit/new')
  },
)

test(
  'a user who goes back before the page answers gets the whole page that they went to',
  { timeout: 60_000 },
  async ({ visit }) => {
    const person = await withSession(
      await visit('en', 1280, { savesData: false }),
      emailOf('admin'),
    )
    const { page } = person
    await page.goto('/app/patients')
    await person.follow('nav.appointments')
    await person.seesHeading(person.say('appointments.title'))
    await onASlowLine(person)
    await page.reload({ waitUntil: 'commit' })
    await person.seesHeading(person.say('appointments.title'))
    await page.evaluate(() => history.back())
    await person.seesHeading(person.say('patients.title'))
    await page.getByRole('button', { name: person.say('palette.open') }).click()
    await page.getByRole('dialog').waitFor()
    expect(person.problems).toEqual([])
  },
)

test('without script, a user chooses a language, signs in and gets the screen that was asked for', async ({
  site,
  browser,
}) => {
  await administrator(site)
  const context = await browser.newContext({
    baseURL: site.url,
    locale: 'en',
    viewport: { width: 375, height: 800 },
    javaScriptEnabled: false,
  })
  const page = await context.newPage()
  const english = new Person(page, 'en', [])
  const arabic = new Person(page, 'ar', [])

  await page.goto('/app/patients?search=Layla')
  await english.fill('sessions.email', emailOf('admin'))
  await page.getByRole('button', { name: 'العربية' }).click()
  await arabic.seesHeading(arabic.say('sessions.title'))
  await arabic.fill('sessions.password', 'not the password')
  await arabic.press('sessions.signIn')
  await arabic.sees(arabic.say('sessions.wrong'))
  await arabic.screenFits()
  await expect.poll(() => arabic.focused()).toBe(`INPUT ${arabic.say('sessions.password')}`)
  await arabic.fill('sessions.password', password)
  await arabic.press('sessions.signIn')
  await page.waitForURL('**/app/patients?search=Layla')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await context.close()
})

test('an idle page fetches the scripts of the screens that the menu leads to, unless the user saves data', async ({
  site,
  visit,
}) => {
  await aClinic(site)
  for (const savesData of [true, false]) {
    const person = await withSession(await visit('en', 1280, { savesData }), emailOf('admin'))
    const { page } = person
    const scripts: string[] = []
    const has = (name: RegExp) => scripts.some((path) => name.test(path))
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (/^\/assets\/.*\.js$/.test(pathname)) scripts.push(pathname)
    })
    await page.goto('/app')
    // toasts come when the page is idle, the form for a new patient is the last of the screens
    await expect.poll(() => has(/\/Toasts-/)).toBe(true)
    if (!savesData) {
      await expect.poll(() => has(/\/register-/)).toBe(true)
      continue
    }
    expect(has(/\/register-/)).toBe(false)
    await person.goesTo('/app/patients/register')
    await person.seesHeading(person.say('registration.title'))
    expect(has(/\/register-/)).toBe(true)
  }
})

test('the next screen does not wait to hear who the user is, and shows what has changed about them', async ({
  site,
  db,
  visit,
  onTestFinished,
}) => {
  const call = await administrator(site)
  const [{ id: clinic_id }] = await call<[{ id: string }]>('clinics.list')
  const email = emailOf('omar')
  const omar = { id: newId(), name: 'Omar', email, role: 'registrar', clinic_id }
  await addUser(site, omar)
  const person = await withSession(await visit('en'), email)
  const { page } = person
  // a list without users: a change of one does not draw it anew
  await page.goto('/app/patients')
  const menuOf = (name: string) =>
    page.getByRole('button', { name: person.say('shell.userMenu', { name }), exact: true })
  await menuOf('Omar').waitFor()
  await db.updateTable('users').set({ name: 'Omar Nasser' }).where('id', '=', omar.id).execute()

  await page.clock.setSystemTime(Date.now() + 31_000)
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>()
  onTestFinished(() => answer())
  // of the screens' requests, only this one has no input
  const viewers = ({ pathname, search }: URL) => pathname.startsWith('/_serverFn/') && !search
  await page.route(viewers, async (route) => {
    await mayAnswer
    await route.continue()
  })
  await person.goesTo('/app/appointments')
  await person.seesHeading(person.say('appointments.title'))
  expect(await menuOf('Omar').isVisible()).toBe(true)
  answer()
  await menuOf('Omar Nasser').waitFor()
  await person.screenFits()

  // what it shows of today is of yesterday after midnight, though nobody has changed anything
  const midnight = startOfDay(addDays(dayIn(new Date(), clinicTimeZone()), 1))
  await page.clock.install({ time: midnight.getTime() - 10_000 })
  await page.goto('/app/queue')
  await page.waitForFunction(() => !window.early)
  await person.seesHeading(person.say('queue.title'))
  const again = page.waitForRequest((request) => request.url().includes('queue.list'))
  await page.clock.runFor(30_000)
  await again
})

test('a row of a list is made of few parts, and its menus when they are opened', async ({
  site,
  visit,
}) => {
  await aClinic(site)
  const call = await administrator(site)
  const [{ id: clinic_id }] = await call<[{ id: string }]>('clinics.list')
  const { patients } = await call<{ patients: { id: string }[] }>('patients.list')
  await call('appointments.save', {
    id: newId(),
    patient_id: patients[0]!.id,
    clinic_id,
    timestamp: '2035-03-01T09:00:00Z',
    duration: 30,
    reason: 'checkup',
  })
  const person = await withSession(await visit('en'), emailOf('admin'))
  const { page } = person
  await page.goto('/app/appointments')
  const row = page.getByRole('row').filter({ hasText: 'Layla' })
  await page.waitForFunction(() => !window.early)
  // 75 with a component for each cell and two menus
  expect(await row.evaluate(componentsOf)).toBeLessThan(40)

  const button = row.getByRole('button', {
    name: person.say('table.actionsFor', { name: 'Layla Mansour' }),
  })
  const menu = page.getByRole('menu', {
    name: person.say('table.actionsFor', { name: 'Layla Mansour' }),
  })
  for (const open of [() => button.click(), () => button.press('Enter')]) {
    await open()
    await menu.waitFor()
    expect(await button.getAttribute('aria-expanded')).toBe('true')
    await person.screenIsSound()
    await expect.poll(() => person.focused()).toContain(person.say('common.edit'))
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
    await expect.poll(() => person.focused()).toContain('Layla Mansour')
  }
})

/** The components below an element that React has made: what it has to take over on a page that was loaded. */
function componentsOf(element: Element): number {
  type Fiber = { type: unknown; child: Fiber | null; sibling: Fiber | null }
  const key = Object.keys(element).find((name) => name.startsWith('__reactFiber$'))
  const own = key && (element as unknown as Record<string, Fiber>)[key]
  const count = (fiber: Fiber | null): number =>
    fiber === null
      ? 0
      : Number(
          typeof fiber.type === 'function' ||
            (typeof fiber.type === 'object' && fiber.type !== null),
        ) +
        count(fiber.child) +
        count(fiber.sibling)
  return own ? count(own.child) : Infinity
}

test('the script of the first screen stays small, and has no charts in it', () => {
  const assets = built('client/assets')
  const sizes = readdirSync(assets)
    .filter((name) => /^app-.*\.js\.br$/.test(name))
    .map((name) => [statSync(`${assets}/${name}`).size, name.replace(/\.br$/, '')] as const)
  const [size = 0, name = ''] = sizes.toSorted(([a], [b]) => b - a)[0] ?? []
  expect(size).toBeLessThan(227_000)
  expect(readFileSync(`${assets}/${name}`, 'utf8')).not.toContain('recharts')
})

async function aClinic(site: Site) {
  const call = await administrator(site)
  const [{ id: primary_clinic_id }] = await call<[{ id: string }]>('clinics.list')
  const who = {
    given_name: 'Layla',
    surname: 'Mansour',
    sex: 'female',
    date_of_birth: '1990-05-17',
  }
  await call('patients.create', { id: newId(), primary_clinic_id, ...who, answers: {} })
}

/** Its scripts come late, one and a half seconds each. */
const onASlowLine = (person: Person) =>
  person.page.route('**/assets/*.js', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    await route.continue()
  })
