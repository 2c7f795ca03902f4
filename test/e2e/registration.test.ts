import sharp from 'sharp'
import { expect } from 'vitest'
import { newId } from '~/shared/id'
import {
  addUser,
  administrator,
  as,
  emailOf,
  type Person,
  type Site,
  test,
  withSession,
} from './browser'
import { clicksMiddle } from './lists'

/** What a registrar types about a patient with only a known age. */
const people: Record<
  'en' | 'ar',
  { name: string; surname: string; birth: string; sex: string; keys: number }
> = {
  en: { name: 'Nour', surname: 'Haddad', birth: '34', sex: 'f', keys: 17 },
  ar: { name: 'نور', surname: 'حداد', birth: '٣٤', sex: 'ا', keys: 14 },
}

test('a patient is registered by keyboard alone, in few keys, in English and in Arabic', async ({
  site,
  visit,
}) => {
  for (const language of ['en', 'ar'] as const) {
    const { name, surname, birth, sex, keys } = people[language]
    const person = await atTheDesk(site, await visit(language))
    const keyboard = await keyboardOf(person)
    await keyboard.type(name)
    await keyboard.press('Tab')
    await keyboard.type(surname)
    await keyboard.press('Tab')
    await keyboard.type(birth)
    await person.sees(`${new Date().getFullYear() - 34}`.slice(0, 3))
    await keyboard.press('Tab')
    await keyboard.type(sex)
    await person.screenIsSoundInArabic()
    await keyboard.press('Enter')
    await person.page.waitForURL(/patients\/[\da-f-]{36}/)
    await person.seesHeading(`${name} ${surname}`)
    expect(keyboard.pressed()).toBe(keys)
  }
})

test('what was typed survives a lost connection and a reload, and saving twice makes one patient', async ({
  site,
  visit,
}) => {
  const person = await atTheDesk(site, await visit('en'))
  const { page } = person
  const given = page.getByRole('textbox', { name: person.say('devices.column_given_name') })
  await given.fill('Layla')
  await page
    .getByRole('textbox', { name: person.say('devices.column_date_of_birth') })
    .fill('17051990')
  await page.getByRole('radio', { name: 'Female' }).check()
  const photo = page.getByRole('img', { name: person.say('photos.photo') })
  const pixels = sharp({ create: { width: 40, height: 40, channels: 3, background: '#808080' } })
  await page
    .locator('input[type=file]')
    .last()
    .setInputFiles({
      name: 'layla.png',
      mimeType: 'image/png',
      buffer: await pixels.png().toBuffer(),
    })
  await photo.waitFor()
  // a reload keeps the photo, but it does not stay on a shared computer
  const stored = () => page.evaluate(() => Object.values({ ...localStorage }).join())
  await expect.poll(stored).toContain('Layla')
  expect(await stored()).not.toContain('data:image')
  await page.context().setOffline(true)
  await person.press('registration.register')
  await person.sees(person.say('errors.unreachable'))

  await page.context().setOffline(false)
  await page.reload()
  await person.sees('was restored.')
  expect(await given.inputValue()).toBe('Layla')
  await photo.waitFor()
  await page
    .getByRole('button', { name: person.say('registration.register'), exact: true })
    .dblclick()
  await page.waitForURL(/patients\/[\da-f-]{36}/)

  await person.goesTo('/app/patients?search=Layla')
  await person.sees('Layla')
  expect(await page.getByRole('row').filter({ hasText: 'Layla' }).count()).toBe(1)

  // signing out is on every screen, and removes what was typed from this computer
  await person.goesTo('/app/patients/register')
  await given.fill('Samira')
  await expect.poll(stored).toContain('Samira')
  await page.locator('header').getByRole('button').last().click()
  await page.getByRole('menuitem', { name: person.say('shell.signOut') }).click()
  await page.waitForURL(/\/(\?.*)?$/)
  expect(await stored()).not.toContain('Samira')
})

test('a page is saved by another user only once they take it over, and without invisible characters', async ({
  site,
  visit,
  db,
}) => {
  const person = await atTheDesk(site, await visit('en'))
  const { page } = person
  const basma = { id: newId(), name: 'Basma', email: emailOf('basma'), role: 'admin' }
  await addUser(site, basma)
  const given = page.getByRole('textbox', { name: person.say('devices.column_given_name') })
  await given.fill('\u202EZaki\u200B')
  await person.sees(person.say('form.charactersRemoved'))
  await page
    .getByRole('textbox', { name: person.say('devices.column_date_of_birth') })
    .fill('May 2024')
  await page.getByRole('radio', { name: 'Female' }).check()
  const saved = () =>
    db
      .selectFrom('patients')
      .select(['given_name', 'last_modified_by', 'date_of_birth'])
      .where('given_name', 'like', '%Zaki%')
      .execute()

  // in a tab beside this one
  await withSession(person, basma.email)
  const register = page.getByRole('button', {
    name: person.say('registration.register'),
    exact: true,
  })
  await register.click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(person.say('shell.otherUserTitle', { other: 'Basma' })).waitFor()
  await dialog
    .getByRole('button', { name: person.say('shell.signInAsFirst', { first: 'Amal' }) })
    .waitFor()
  expect(await saved()).toEqual([])
  await person.screenIsSound()
  await clicksMiddle(
    page,
    dialog.getByRole('button', { name: person.say('shell.takeOverPage', { other: 'Basma' }) }),
  )
  await dialog.waitFor({ state: 'detached' })
  await register.click()
  await page.waitForURL(/patients\/[\da-f-]{36}/)
  await person.sees(person.say('form.charactersWereRemoved'))
  // a name of 70 letters without a space leaves the other columns in place
  const call = await as(site, 'basma')
  const [clinic] = await call<{ id: string }[]>('clinics.names')
  const long = { given_name: 'W'.repeat(70), sex: 'female', date_of_birth: '1990' }
  await call('patients.create', { id: newId(), primary_clinic_id: clinic!.id, ...long })
  await person.goesTo('/app/patients')
  const cell = page.locator('td, th').filter({ hasText: long.given_name }).first()
  await expect.poll(async () => (await cell.boundingBox())?.width ?? Infinity).toBeLessThan(450)
  expect(await saved()).toEqual([
    { given_name: 'Zaki', last_modified_by: basma.id, date_of_birth: '2024-05-15' },
  ])
})

async function atTheDesk(site: Site, person: Person): Promise<Person> {
  await administrator(site)
  await withSession(person, emailOf('admin'))
  await person.page.goto('/app/patients/register')
  await person.page.waitForFunction(
    () => document.activeElement?.getAttribute('name') === 'given_name',
  )
  return person
}

/** Real key events, of letters that no Latin keyboard has too; counts them. */
async function keyboardOf({ page }: Person) {
  const session = await page.context().newCDPSession(page)
  let count = 0
  return {
    pressed: () => count,
    async press(key: string) {
      count += 1
      await page.keyboard.press(key)
    },
    async type(text: string) {
      for (const key of text) {
        count += 1
        await session.send('Input.dispatchKeyEvent', {
          type: 'keyDown',
          key,
          text: key,
          unmodifiedText: key,
        })
        await session.send('Input.dispatchKeyEvent', { type: 'keyUp', key })
      }
    },
  }
}
