import { expect } from 'vitest'
import { test } from './browser'

test('on a slow line, what somebody typed before the page answers is still there, and Enter does not send it away', async ({
  visit,
}) => {
  const person = await visit('en')
  await person.page.route('**/assets/*.js', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    await route.continue()
  })
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
