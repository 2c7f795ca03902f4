import { expect } from 'vitest'
import type { Language } from '~/shared/language'
import { newId } from '~/shared/id'
import type { Permission } from '~/shared/permissions'
import type { Person, Site } from './browser'
import { emailOf, looks, password, rpc, tokenOf } from './browser'

/** Names as people of the place have them: the record is written in the clinic's language. */
const words = {
  en: {
    clinic: 'Hillside',
    second: 'Riverside',
    department: 'Pharmacy',
    admin: 'Amal Haddad',
    provider: 'Omar Nasser',
    registrar: 'Rosa Pérez',
    pharmacist: 'Hala Aoun',
  },
  ar: {
    clinic: 'عيادة التل',
    second: 'عيادة النهر',
    department: 'الصيدلية',
    admin: 'أمل حداد',
    provider: 'عمر ناصر',
    registrar: 'روزا بيريز',
    pharmacist: 'هالة عون',
  },
}

export const LOOKS = looks(['en', 'ar'] as const, 0, 1)

type Visit = (language: Language, width: number, device: { savesData: boolean }) => Promise<Person>
/** The screens of the menu are fetched ahead. */
const device = { savesData: false }

/**
 * From an empty server to a clinic at work, as its first administrator does it, and what each of
 * the other users may not do.
 */
export async function firstDay(site: Site, visit: Visit, language: 'en' | 'ar') {
  const names = words[language]
  const admin = await visit(language, 1280, device)

  await setUp(admin, site, names)
  await addClinic(admin, names)
  await addDepartment(admin, names)
  await addUser(admin, names.provider, 'provider', names.clinic)
  await addUser(admin, names.registrar, 'registrar', names.clinic)
  await addPharmacist(admin, names)
  const replay = await givePermission(admin, names)
  await lookAtTheRest(admin)

  for (const role of ['registrar', 'provider'] as const) {
    const person = await visit(language, role === 'registrar' ? 375 : 1280, device)
    await signIn(person, emailOf(role))
    await isRefused(person, site, role, replay, names)
  }
}

async function setUp(admin: Person, site: Site, names: (typeof words)['en']) {
  await admin.page.goto('/')
  await admin.seesHeading(admin.say('setup.title'))
  await admin.screenIsSoundInArabic()

  // a wrong code is refused beside its field, and what was typed is still there
  await admin.fill('setup.code', 'AAAA-BBBB-CCCC')
  await admin.fill('sessions.name', names.admin)
  await admin.fill('sessions.email', emailOf('admin'))
  await admin.fill('sessions.password', password)
  await admin.fill('setup.clinic', names.clinic)
  await admin.press('setup.submit')
  await admin.sees(admin.say('setup.wrongCode'))
  expect(
    await admin.page.getByRole('textbox', { name: admin.say('sessions.name') }).inputValue(),
  ).toBe(names.admin)

  await admin.fill('setup.code', site.setupCode)
  await admin.press('setup.submit')
  await admin.page.waitForURL('**/app')
  await admin.screenIsSoundInArabic()
}

async function addClinic(admin: Person, names: (typeof words)['en']) {
  await admin.follow('nav.clinics')
  await admin.seesHeading(admin.say('clinics.title'))
  await admin.sees(names.clinic)
  await admin.screenIsSoundInArabic()

  await admin.follow('clinics.add')
  await admin.press('common.save')
  await admin.sees(admin.say('clinics.nameRequired'))
  await admin.screenIsSoundInArabic()
  await admin.fill('clinics.name', names.clinic)
  await admin.press('common.save')
  await admin.sees(admin.say('clinics.nameTaken'))
  await admin.fill('clinics.name', names.second)
  await admin.press('common.save')
  await admin.seesHeading(names.second)
  await admin.sees(admin.say('departments.empty'))
  await admin.screenIsSoundInArabic()
}

async function addDepartment(admin: Person, names: (typeof words)['en']) {
  await admin.press('departments.add')
  await admin.fill('departments.name', names.department)
  await admin.screenIsSoundInArabic()
  await admin.press('common.save')
  const row = admin.page.getByRole('row').filter({ hasText: names.department })
  await row.waitFor()

  // what it can do is switched in place, and stays so
  const dispenses = `${names.department}: ${admin.say('departments.can_dispense_medications')}`
  await admin.page.getByRole('switch', { name: dispenses }).click({ force: true })
  await expect
    .poll(() => admin.page.getByRole('switch', { name: dispenses }).isChecked())
    .toBe(true)
  await admin.page.reload()
  await expect
    .poll(() => admin.page.getByRole('switch', { name: dispenses }).isChecked())
    .toBe(true)
  await admin.screenIsSoundInArabic()
}

async function addUser(
  admin: Person,
  name: string,
  role: 'provider' | 'registrar',
  clinic: string,
) {
  await admin.follow('nav.users')
  await admin.seesHeading(admin.say('users.title'))
  await admin.screenIsSoundInArabic()
  await admin.follow('users.add')
  await admin.fill('users.name', name)
  await admin.isReadAgain()
  await admin.fill('users.email', emailOf(role))
  await choose(admin, 'users.role', admin.say(`roles.${role}`))
  await choose(admin, 'users.clinic', clinic)
  // a common password
  await admin.fill('users.password', 'password')
  await admin.screenIsSoundInArabic()
  await admin.press('users.add')
  await admin.sees(admin.say('sessions.passwordCommon'))
  await admin.fill('users.password', first)
  await admin.press('users.add')
  const row = admin.page.getByRole('row').filter({ hasText: name })
  await row.getByText(admin.say('users.passwordToReplace')).waitFor()
}

/** Permissions for a job are chosen with the new user, and the role stays what it is. */
async function addPharmacist(admin: Person, names: (typeof words)['en']) {
  await admin.follow('nav.users')
  await admin.follow('users.add')
  await admin.fill('users.name', names.pharmacist)
  await admin.fill('users.email', 'hala@clinic.example')
  await choose(admin, 'users.role', admin.say('roles.provider'))
  await choose(admin, 'users.clinic', names.clinic)
  await choose(admin, 'permissions.presets', admin.say('permissions.preset_pharmacist'))
  await admin.press('users.add')
  const row = admin.page.getByRole('row').filter({ hasText: names.pharmacist })
  await row.getByText(admin.say('roles.provider')).waitFor()
  await row
    .getByRole('button', { name: admin.say('table.actionsFor', { name: names.pharmacist }) })
    .click()
  await admin.page.getByRole('menuitem', { name: admin.say('users.managePermissions') }).click()
  await admin.seesHeading(admin.say('permissions.of', { name: names.pharmacist }))
  const held = (permission: Permission) =>
    admin.page.getByRole('switch', { name: admin.say(`permissions.${permission}`) }).isChecked()
  expect(await held('can_dispense_medications')).toBe(true)
  expect(await held('can_manage_stock')).toBe(true)
  expect(await held('can_prescribe_medications')).toBe(false)
  await admin.follow('nav.users')
}

/** What the administrator types for a new user. */
const first = `${password}, the first`

const choose = async (
  person: Person,
  label: 'users.role' | 'users.clinic' | 'permissions.presets',
  option: string,
) => {
  await person.page.getByRole('combobox', { name: person.say(label) }).click()
  await person.page.getByRole('option', { name: option, exact: true }).click()
}

/** Returns the very call that the screen made, to be tried by others. */
async function givePermission(admin: Person, names: (typeof words)['en']) {
  const row = admin.page.getByRole('row').filter({ hasText: names.provider })
  await row
    .getByRole('button', { name: admin.say('table.actionsFor', { name: names.provider }) })
    .click()
  await admin.page.getByRole('menuitem', { name: admin.say('users.managePermissions') }).click()
  await admin.seesHeading(admin.say('permissions.of', { name: names.provider }))
  await admin.screenIsSoundInArabic()

  const dispense = admin.page.getByRole('switch', {
    name: admin.say('permissions.can_dispense_medications'),
  })
  await dispense.click({ force: true })
  const call = admin.page.waitForRequest(
    (request) => request.method() === 'POST' && request.url().includes('/_serverFn/'),
  )
  await admin.press('common.save')
  const request = await call
  await admin.sees(admin.say('permissions.saved'))
  return { url: request.url(), data: request.postData() ?? '', headers: request.headers() }
}

async function lookAtTheRest(admin: Person) {
  for (const [path, title] of [
    ['/app', undefined],
    ['/app/trash', 'trash.title'],
    ['/app/audit', 'audit.title'],
    ['/app/account', 'account.title'],
    ['/app/nowhere', undefined],
  ] as const) {
    await admin.goesTo(path)
    if (title) await admin.seesHeading(admin.say(title))
    await admin.screenIsSoundInArabic()
  }
  await admin.sees(admin.say('errors.notFound'))

  // the palette finds a screen by its name
  await admin.goesTo('/app')
  const palette = admin.page.getByPlaceholder(admin.say('palette.placeholder'))
  await expect
    .poll(async () => {
      // a key pressed before React is there is lost
      await admin.page.keyboard.press('Control+k')
      return palette.isVisible()
    })
    .toBe(true)
  await palette.fill(admin.say('nav.audit'))
  await admin.page.getByRole('button', { name: admin.say('nav.audit') }).waitFor()
  await admin.page.keyboard.press('Enter')
  await admin.seesHeading(admin.say('audit.title'))
}

async function signIn(person: Person, address: string) {
  await person.page.goto('/app/patients')
  await person.seesHeading(person.say('sessions.title'))
  await person.screenIsSoundInArabic()
  await person.fill('sessions.email', address)
  await person.fill('sessions.password', 'not the password')
  await person.press('sessions.signIn')
  await person.sees(person.say('sessions.wrong'))
  await person.fill('sessions.password', first)
  await person.press('sessions.signIn')
  await person.seesHeading(person.say('sessions.ownPassword'))
  await person.screenIsSoundInArabic()
  for (const [typed, repeated, problem] of [
    [first, first, 'sessions.passwordSame'],
    ['short', 'short', 'validation.tooShort'],
    [password, `${password}x`, 'sessions.passwordsDiffer'],
  ] as const) {
    await person.fill('sessions.newPassword', typed)
    await person.fill('sessions.repeatedPassword', repeated)
    await person.press('sessions.continue')
    await person.sees(person.say(problem, { min: 8 }))
  }
  await person.screenIsSoundInArabic()
  await person.fill('sessions.newPassword', password)
  await person.fill('sessions.repeatedPassword', password)
  await person.press('sessions.continue')
  await person.page.waitForURL('**/app/patients**')
}

type Call = Awaited<ReturnType<typeof givePermission>>

/** On the screen, by the server function of the screen, and by tRPC. */
async function isRefused(
  person: Person,
  site: Site,
  role: 'registrar' | 'provider',
  replay: Call,
  names: (typeof words)['en'],
) {
  await person.page.goto('/app')
  await person.screenIsSoundInArabic()
  const { request } = person.page
  for (const path of [
    '/app/trash',
    '/app/audit',
    '/app/clinics/edit/new',
    '/app/settings/configurations',
    '/app/settings/register-mobile-app',
  ]) {
    const answer = await request.get(path)
    expect([path, new URL(answer.url()).pathname, answer.status()]).toEqual([path, path, 403])
  }
  await person.page.goto('/app/users')
  await person.sees(role === 'registrar' ? person.say('errors.forbiddenPage') : names.provider)
  expect(await person.page.getByRole('link', { name: person.say('users.add') }).count()).toBe(0)

  const byServerFunction = await person.page.evaluate(
    async ({ url, data, type }) => {
      const response = await fetch(url, {
        method: 'POST',
        body: data,
        headers: { 'content-type': type, 'x-tsr-serverfn': 'true' },
      })
      return { status: response.status, body: await response.text() }
    },
    {
      url: replay.url,
      data: replay.data,
      type: replay.headers['content-type'] ?? 'application/json',
    },
  )
  expect(byServerFunction).toMatchObject({ status: 403 })

  const token = await tokenOf(site, emailOf(role))
  for (const [name, input] of [
    ['clinics.save', { id: newId(), name: 'Mine' }],
    ['trash.list', {}],
    ['audit.list', {}],
    ['permissions.list', { userId: newId() }],
  ] as const) {
    expect([name, (await rpc(site, name, input, token)).status]).toEqual([name, 403])
  }
  expect((await rpc(site, 'clinics.names', {}, token)).status).toBe(200)
  expect((await rpc(site, 'clinics.names', {})).status).toBe(401)
}
