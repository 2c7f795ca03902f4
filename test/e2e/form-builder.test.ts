import { expect } from 'vitest'
import type { Language } from '~/shared/language'
import { type Person, test, withSession } from './browser'

const password = 'olive-branch-in-spring'
const owner = ['--email', 'amal@clinic.example', '--name', 'Amal', '--clinic', 'Hillside', '--password-stdin']

test('what was built survives a reload; leaving asks; a refused field says why beside it', async ({ site, visit }) => {
  site.admin(['create-super-admin', ...owner], password)
  const person = await signedIn(await visit('en'))
  const { page } = person
  await page.goto('/app/event-forms/edit/new')
  await named(person, 'formBuilder.nameIn').first().fill('Kept')
  await person.press('formBuilder.add')
  await page.getByRole('menuitem', { name: person.say('formBuilder.kind_options') }).click()
  await person.press('common.save')
  await person.sees(person.say('formBuilder.nameNeeded'))
  await person.screenIsSound()

  await page.reload()
  await person.sees(person.say('formBuilder.draftFound'))
  expect(await named(person, 'formBuilder.nameIn').first().inputValue()).toBe('Kept')
  await person.follow('nav.clinics')
  await person.press('form.stay')
  expect(new URL(page.url()).pathname).toBe('/app/event-forms/edit/new')
  await person.press('formBuilder.discard')
})

test('a form of the library is looked at in three languages, installed, removed from and taken back', async ({
  visit,
}) => {
  const person = await signedIn(await visit('en'))
  const { page } = person
  await page.goto('/app/event-forms/library?show=phq-2')
  await page.getByText('العربية').last().click()
  await person.sees('أكثر من نصف الأيام')
  await person.screenIsSound()
  await person.press('eventForms.install')
  await page.waitForURL(/event-forms\/edit\/[\da-f-]{36}/)

  await page.getByRole('button', { name: 'Agreed with the person', exact: false }).last().click()
  await person.press('formBuilder.removeField')
  await person.press('common.undo')
  await page.getByRole('button', { name: 'Agreed with the person', exact: false }).last().waitFor()

  await named(person, 'formBuilder.nameIn').first().fill('Mood')
  await person.press('common.save')
  await person.sees(person.say('formBuilder.saved'))
  await person.follow('eventForms.versions')
  await person.sees(person.say('eventForms.diff_formRenamed', { from: 'PHQ-2: mood screening', to: 'Mood' }))
  await person.screenIsSound()
})

const named = (person: Person, key: 'formBuilder.nameIn') =>
  person.page.getByRole('textbox', {
    name: person.say(key, { language: languageName(person.language, person.language) }),
  })
const languageName = (language: Language, of: Language) =>
  new Intl.DisplayNames(language, { type: 'language' }).of(of) ?? ''

const signedIn = (person: Person) => withSession(person, 'amal@clinic.example', password)
