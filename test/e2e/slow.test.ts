import { expect } from 'vitest'
import { type Person, test, withSession } from './browser'

test('on a slow line, what somebody typed before the page answers is still there, and Enter does not send it away', async ({
  visit,
}) => {
  const person = await visit('en')
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

test('a button that somebody presses before the page answers is not pressed in vain', async ({ site, visit }) => {
  const password = 'olive-branch-in-spring'
  site.admin(
    ['create-super-admin', '--email', 'amal@clinic.example', '--name', 'Amal', '--clinic', 'A', '--password-stdin'],
    password,
  )
  const person = await withSession(await visit('en'), 'amal@clinic.example', password)
  await onASlowLine(person)
  await person.page.goto('/app/patients', { waitUntil: 'commit' })
  const menu = person.page.getByRole('button', { name: person.say('shell.userMenu', { name: 'Amal' }) })
  await menu.click()
  expect(await person.page.getByRole('menu').count()).toBe(0)
  await person.page.getByRole('menu').waitFor()

  await person.page.goto('/app/patients', { waitUntil: 'commit' })
  await menu.focus()
  await person.page.keyboard.press('Enter')
  expect(await person.page.getByRole('menu').count()).toBe(0)
  await person.page.getByRole('menu').waitFor()
})

/** Its scripts come late, one and a half seconds each. */
const onASlowLine = (person: Person) =>
  person.page.route('**/assets/*.js', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    await route.continue()
  })
