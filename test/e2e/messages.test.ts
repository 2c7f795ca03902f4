import { expect, onTestFinished } from 'vitest'
import { newId } from '~/shared/id'
import { openPhone } from '../sms-gateway'
import { administrator, emailOf, type Site, test, withSession } from './browser'

test(
  'a patient agrees, is sent one text message through the phone, and withdraws',
  { timeout: 180_000 },
  async ({ site, visit }) => {
    const phone = await openPhone()
    onTestFinished(phone.close)
    // a repeated run finds its own patient
    const name = `Layla ${newId().slice(-6)}`
    const patientId = await overduePatient(site, name)
    const details = `/app/patients/${patientId}?tab=details`
    const person = await withSession(await visit('en'), emailOf('admin'))
    const { page } = person
    const withName = (key: 'consents.recordOf' | 'consents.withdrawOf') =>
      page.getByRole('button', { name: person.say(key, { name: 'Text messages' }) })

    await page.goto('/app/settings/gateway')
    await person.fill('messageGateway.address', phone.address)
    await person.fill('messageGateway.username', 'sms')
    await person.fill('messageGateway.secret_android', 'local-secret')
    await person.fill('messageGateway.country', '963')
    await person.press('common.save')
    await person.press('messageGateway.check')
    await person.sees(person.say('messageGateway.connected'))

    // without consent nothing can be sent
    await page.goto('/app/follow-up')
    await page.getByRole('button', { name: person.say('messages.writeTo', { name }) }).click()
    await person.sees(person.say('messages.noConsent'))
    expect(await page.getByRole('button', { name: person.say('messages.send') }).count()).toBe(0)

    await page.goto(details)
    await page.setViewportSize({ width: 375, height: 800 })
    for (const line of await page
      .getByRole('region', { name: person.say('consents.title') })
      .getByRole('listitem')
      .all()) {
      const [own, button] = [await line.boundingBox(), await line.getByRole('button').boundingBox()]
      expect(button!.x + button!.width).toBeCloseTo(own!.x + own!.width, 0)
    }
    await page.setViewportSize({ width: 1280, height: 900 })
    await withName('consents.recordOf').click()
    await person.sees(person.say('consents.ask_sms'))
    await person.press('consents.agrees')
    await withName('consents.withdrawOf').waitFor()
    await person.screenIsSound()

    await page.goto('/app/follow-up')
    await page.getByRole('button', { name: person.say('messages.writeTo', { name }) }).click()
    await person.press('messages.send')
    await expect.poll(() => phone.sms, { timeout: 30_000 }).toHaveLength(1)
    expect(phone.sms[0]).toMatchObject({
      phoneNumbers: ['+963944123456'],
      message: expect.stringContaining(`Hello ${name},`),
    })

    await page.goto(details)
    await page.getByRole('region', { name: person.say('messages.title'), exact: true }).waitFor()
    await withName('consents.withdrawOf').click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: person.say('consents.withdraw') })
      .click()
    await withName('consents.recordOf').waitFor()
  },
)

test('a changed text goes back to the shipped one, and the toast undoes it', async ({
  site,
  visit,
}) => {
  await administrator(site)
  const person = await withSession(await visit('en'), emailOf('admin'))
  const { page } = person
  await page.goto('/app/follow-up/texts')
  const row = page.getByRole('row').filter({ hasText: 'Hola {name}' }).first()
  const name = 'Venga a {clinic}, por favor'
  const own = page.getByRole('row').filter({ hasText: name })
  const menuOf = async (of: typeof row, item: string) => {
    await of.getByRole('button').click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await row.getByRole('button').click()
  await page.getByRole('menuitem').first().waitFor()
  expect(await page.getByRole('menuitem').allTextContents()).toEqual([person.say('common.edit')])
  await page.getByRole('menuitem', { name: person.say('common.edit') }).click()
  await person.fill('messageTexts.body', name)
  await person.press('common.save')
  await own.waitFor()
  await menuOf(own, person.say('messageTexts.reset'))
  await person.sees(person.say('messageTexts.resetDone'))
  await own.waitFor({ state: 'detached' })
  await person.press('common.undo')
  await own.waitFor()
  await menuOf(own, person.say('messageTexts.reset'))
  await own.waitFor({ state: 'detached' })
  await person.screenIsSound()
})

/** In an organization where it is noon: messages leave by day. */
async function overduePatient(site: Site, name: string): Promise<string> {
  const call = await administrator(site)
  const ahead = 12 - new Date().getUTCHours()
  const { id, last_modified } = await call<{ id: string; last_modified: string }>(
    'configurations.get',
    { namespace: 'system', key: 'time-zone' },
  )
  // the signs of Etc are those of POSIX: west is plus
  const value = ahead === 0 ? 'UTC' : `Etc/GMT${ahead < 0 ? '+' : '-'}${Math.abs(ahead)}`
  await call('configurations.save', { id, last_modified, value })
  const [clinic] = await call<{ id: string }[]>('clinics.names')
  const patientId = newId()
  await call('patients.create', {
    id: patientId,
    primary_clinic_id: clinic!.id,
    given_name: name,
    sex: 'female',
    date_of_birth: '1960-05-17',
    phone: '0944 123 456',
  })
  await call('programs.enroll', {
    id: newId(),
    patient_id: patientId,
    program: 'hypertension',
    clinic_id: clinic!.id,
    enrolled_on: new Date(Date.now() - 60 * 86_400_000).toISOString().slice(0, 10),
  })
  return patientId
}
