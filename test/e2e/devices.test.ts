import { sql } from 'kysely'
import type { Locator } from 'playwright-core'
import { expect } from 'vitest'
import { connect } from '~/db/connect'
import type { Language, MessageKey } from '~/shared/language'
import { databaseUrl } from '../commands/sanad'
import { makeFactories } from '../factories'
import { codeOf, givePassword, PASSWORD } from '../sessions'
import { aPatient } from '../sync/chart'
import { EVERYTHING } from '../sync/clinic'
import { Phone } from '../sync/phone'
import { looks, type Person, type Site, test, withSession } from './browser'

test('a value that two phones changed is settled side by side, and both phones receive the chosen value', async ({
  site,
  visit,
}) => {
  const { one, other, patientId, administrator } = await twoPhones(site)
  await disagree(one, other, patientId)
  const person = await signedIn(await visit('en'), administrator)
  const { page } = person
  await page.goto('/app/settings/conflicts')
  await person.seesHeading(person.say('devices.conflicts'))
  await person.screenIsSound()

  const card = (column: 'column_phone' | 'column_hometown') =>
    page.getByRole('article').filter({ hasText: `· ${person.say(`devices.${column}`)} ·` })
  const here = card('column_phone').getByRole('group', { name: person.say('devices.here') })
  expect(await here.textContent()).toContain('01 111')
  expect(await here.textContent()).toContain('Amal Haddad')
  const there = card('column_phone').getByRole('group', { name: person.say('devices.onPhone') })
  expect(await there.textContent()).toContain('01 222')
  expect(await there.textContent()).toContain('Omar Saab')

  await card('column_phone')
    .getByRole('button', { name: person.say('devices.takePhone') })
    .click()
  await expect.poll(() => card('column_phone').count()).toBe(0)
  await card('column_hometown')
    .getByRole('button', { name: person.say('devices.writeOther') })
    .click()
  await page.getByLabel(person.say('devices.otherValue')).fill('Baalbek')
  await page.keyboard.press('Enter')
  await person.sees(person.say('devices.conflictsEmpty'))
  await person.screenIsSound()

  for (const phone of [one, other]) {
    await phone.sync()
    expect(await phone.find('patients', patientId)).toMatchObject({
      phone: '01 222',
      hometown: 'Baalbek',
    })
  }
  await page.getByRole('radio', { name: person.say('devices.open') }).focus()
  await page.keyboard.press('ArrowRight')
  await person.sees(person.say('devices.outcome_other', { name: 'Nour Khoury' }))
})

test('a refused row is corrected and applied, and comes back to the phone that sent it', async ({
  site,
  visit,
}) => {
  const { one, clinic, administrator } = await twoPhones(site)
  const id = await one.create(
    'patients',
    aPatient(clinic, { given_name: 'Rami', date_of_birth: '1990-02-30' }),
  )
  await one.sync()
  const person = await signedIn(await visit('en'), administrator)
  const { page } = person
  await page.goto('/app/settings/quarantine')
  await rowOf(person).click()
  const dialog = page.getByRole('dialog')
  const birth = dialog.getByLabel(person.say('devices.column_date_of_birth'))
  await birth.waitFor()
  await person.screenIsSound()

  // as wrong as before: it is said, and it still waits
  await dialog.getByRole('button', { name: person.say('devices.apply') }).click()
  await person.sees(person.say('errors.invalid'))
  await birth.fill('1990-02-28')
  await dialog.getByRole('button', { name: person.say('devices.apply') }).click()
  await person.sees(person.say('devices.refusedEmpty'))
  await one.sync()
  expect(await one.find('patients', id)).toMatchObject({
    given_name: 'Rami',
    date_of_birth: '1990-02-28',
  })
  expect(await one.unsent('patients')).toBe(0)
})

const EACH: [Language, number][] = [
  ['en', 1280],
  ['ar', 375],
  ['es', 1280],
]

test.for(looks(EACH, 1))(
  'the screens about phones are sound: %s, %i pixels',
  async ([language, width], { site, visit }) => {
    const { one, other, clinic, patientId, administrator } = await twoPhones(site)
    await disagree(one, other, patientId)
    await one.create('patients', aPatient(clinic, { date_of_birth: '1990-02-30' }))
    await one.sync()
    const person = await signedIn(await visit(language, width), administrator)
    await person.page.goto('/app/settings/phones')
    for (const screen of ['phones', 'conflicts', 'quarantine'] as const) {
      await person.goesTo(`/app/settings/${screen}`)
      await person.sees('Amal Haddad')
      await person.screenIsSoundInArabic()
      const list = person.page.locator('section:has(> table)')
      const isCut = (lists: Element[]) =>
        lists.some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      expect(await list.evaluateAll(isCut), 'columns below the menus of the rows').toBe(false)
    }
    await rowOf(person).click()
    await person.page
      .getByRole('dialog')
      .getByLabel(person.say('devices.column_given_name'))
      .waitFor()
    await person.screenIsSoundInArabic()
  },
)

test.for(looks(EACH, 2))(
  'an administrator gives a phone that waits since a restore the server’s state: %s, %i pixels',
  async ([language, width], { site, visit }) => {
    const { one, patientId, root } = await twoPhones(site)
    const db = connect(databaseUrl(site.dataDir))
    // as after a restore: the phone may hold what the server lost
    const { rows } = await sql<{ id: string }>`update sync_pulls p set withheld = 'upload'
      from sync_chains c, users u where c.id = p.chain_id and u.id = c.user_id and u.email = ${one.email}
      returning c.id`.execute(db)
    const id = rows[0]!.id
    const isSent = () =>
      one.lastPull!.changes['patients']!.updated.some((row) => row['id'] === patientId)
    await one.sync()
    expect(isSent()).toBe(false)

    const person = await signedIn(await visit(language, width), root)
    const { page } = person
    await page.goto('/app/settings/phones')
    await person.sees(person.say('devices.waitsSinceRestore'))
    await person.screenIsSound()
    const give = async (answer: MessageKey) => {
      await clickMiddle(
        page
          .locator('tr, article')
          .filter({ hasText: person.say('devices.waitsSinceRestore') })
          .first()
          .getByRole('button')
          .last(),
      )
      await clickMiddle(page.getByRole('menuitem', { name: person.say('devices.giveState') }))
      await page.getByRole('dialog').getByText(person.say('devices.giveStateText')).waitFor()
      await person.screenIsSound()
      await clickMiddle(
        page.getByRole('dialog').getByRole('button', { name: person.say(answer), exact: true }),
      )
    }
    const given = async () =>
      (
        await db
          .selectFrom('sync_chains')
          .select('given_state_at')
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
      ).given_state_at
    await give('common.cancel')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect(await given()).toBe(null)
    await give('devices.giveState')
    await person.sees(person.say('devices.willReceiveState'))
    expect(await given()).toBeInstanceOf(Date)
    await one.sync()
    expect(isSent()).toBe(true)
    await page.reload()
    await person.sees('Amal Haddad')
    expect(await page.getByText(person.say('devices.willReceiveState')).count()).toBe(0)
    await db.destroy()
  },
)

/** With the mouse, in the middle of the target. */
async function clickMiddle(target: Locator) {
  await target.scrollIntoViewIfNeeded()
  const box = (await target.boundingBox())!
  await target.page().mouse.click(box.x + box.width / 2, box.y + box.height / 2)
}

test('two-step verification offers a password for a phone, which syncs with it until it is revoked', async ({
  site,
  visit,
}) => {
  const { one } = await twoPhones(site)
  const person = await signedIn(await visit('ar', 375), one.email)
  const { page } = person
  const say: Person['say'] = (...words) => person.say(...words)
  const dialog = page.getByRole('dialog')
  await page.goto('/app/account')
  await person.seesHeading(say('account.title'))
  await page.getByRole('button', { name: say('twoFactor.start'), exact: true }).click()
  await dialog.getByText(say('twoFactor.phonesStop')).waitFor()
  await person.screenIsSound()
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
  const key = await dialog.locator('code').innerText()
  await page.keyboard.type(codeOf(key.replaceAll(' ', '')))
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: say('twoFactor.kept') }).click()
  await expect(one.sync()).rejects.toThrow('401')

  await dialog.getByText(say('twoFactor.phonesStop')).waitFor()
  await page.keyboard.type('هاتف أمل')
  await page.keyboard.press('Enter')
  one.password = await dialog.getByLabel(say('appPasswords.code')).innerText()
  await person.screenIsSound()
  await page.getByRole('button', { name: say('appPasswords.entered') }).click()
  await one.sync()

  await page.reload()
  const section = page.getByRole('region', { name: say('appPasswords.title') })
  await section.getByText('هاتف أمل').waitFor()
  await section.getByText('127.0.0.1').waitFor()
  await person.screenIsSound()
  await section.getByRole('button', { name: /هاتف أمل/ }).click()
  await page.getByRole('menuitem', { name: say('appPasswords.revoke') }).click()
  await dialog.getByRole('button', { name: say('appPasswords.revoke'), exact: true }).click()
  await person.sees(say('appPasswords.empty'))
  await expect(one.sync()).rejects.toThrow('401')
})

/** Phones of two people who both show one patient, and who may settle what comes of it. */
async function twoPhones(site: Site) {
  const db = connect(databaseUrl(site.dataDir))
  const make = makeFactories(db)
  const clinic = await make.clinic()
  const root = await make.user({ name: 'Root', role: 'super_admin' })
  await givePassword(db, root)
  const [amal, omar, nour] = [
    await make.user({ name: 'Amal Haddad' }),
    await make.user({ name: 'Omar Saab' }),
    await make.user({ name: 'Nour Khoury' }),
  ]
  for (const user of [amal, omar, nour]) {
    await givePassword(db, user)
    await make.permission(user, clinic.id, EVERYTHING)
  }
  await db.destroy()
  const [one, other] = [amal, omar].map(({ email }) => new Phone(site.url, email, PASSWORD)) as [
    Phone,
    Phone,
  ]
  await one.sync()
  const patientId = await one.create('patients', aPatient(clinic))
  for (const phone of [one, other]) await phone.sync()
  return { one, other, clinic, patientId, administrator: nour.email, root: root.email }
}

/** Two of a patient's columns, each changed on both. */
async function disagree(one: Phone, other: Phone, patientId: string) {
  await one.update('patients', patientId, { phone: '01 111', hometown: 'Tyre' })
  await other.update('patients', patientId, { phone: '01 222', hometown: 'Sidon' })
  await one.sync()
  await other.sync()
}

/** The first row of the list, by the link that leads to it. */
const rowOf = ({ page }: Person) => page.getByRole('table').getByRole('link').first()

const signedIn = (person: Person, email: string) => withSession(person, email, PASSWORD)
