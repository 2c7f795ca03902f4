import { expect } from 'vitest'
import { newId } from '~/shared/id'
import { addDays } from '~/shared/zone'
import { administrator, emailOf, test, withSession } from './browser'

test('a call is recorded, reversed and recorded anew, and the patient’s page says what came of it', async ({
  site,
  visit,
}) => {
  const ask = await administrator(site)
  const clinicId = newId()
  const id = newId()
  await ask('clinics.save', { id: clinicId, name: `Follow-up clinic ${clinicId.slice(-6)}` })
  const answers = { given_name: 'Huda', surname: 'Nasser', sex: 'female', answers: {} }
  const born = { date_of_birth: '1970-02-03' }
  await ask('patients.create', { id, primary_clinic_id: clinicId, ...answers, ...born })
  const today = new Date().toISOString().slice(0, 10)
  await ask('programs.enroll', {
    id: newId(),
    patient_id: id,
    program: 'hypertension',
    clinic_id: clinicId,
    enrolled_on: addDays(today, -90),
  })

  const nurse = await withSession(await visit('en'), emailOf('admin'))
  const { page } = nurse
  const row = () => page.getByRole('row').filter({ hasText: 'Huda Nasser' })
  const records = async (result: string, more: () => Promise<void>) => {
    await nurse.press('followups.recordOf', { name: 'Huda Nasser' })
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: nurse.say('followups.result') }).click()
    await page.getByRole('option', { name: result, exact: true }).click()
    await more()
    await dialog.getByRole('button', { name: nurse.say('common.save') }).click()
    await dialog.waitFor({ state: 'hidden' })
  }

  await page.goto(`/app/follow-up?clinicId=${clinicId}`)
  await page.waitForFunction(() => !window.early)
  await row().waitFor()
  await records(nurse.say('followups.result_agreed_to_visit'), async () => {
    await nurse.field('followups.agreedOn').fill(addDays(today, 3))
    // an appointment would stay when the call is reversed
    await page.getByLabel(nurse.say('followups.book')).uncheck()
    await nurse.field('followups.notes').fill('Comes with her son')
  })
  // until the agreed day, the patient is not called again
  await nurse.sees(nurse.say('followups.noMatch'))

  await nurse.goesTo(`/app/patients/${id}`)
  const calls = page.getByRole('region', { name: nurse.say('followups.whatIsDue') })
  await calls.getByText('Comes with her son').waitFor()
  await calls.getByText(nurse.say('followups.result_agreed_to_visit')).waitFor()
  await nurse.screenIsSound()

  await nurse.goesTo(`/app/follow-up?clinicId=${clinicId}&list=called`)
  await row().getByRole('button').click()
  await page.getByRole('menuitem', { name: nurse.say('followups.takeBack') }).click()
  await nurse.press('followups.takeBack')
  await nurse.sees(nurse.say('followups.emptyCalled'))

  await nurse.goesTo(`/app/follow-up?clinicId=${clinicId}`)
  await records(nurse.say('followups.result_remind_to_call_later'), async () => {
    await page.getByLabel(nurse.say('followups.didNotAnswer')).check()
  })
  await nurse.sees(nurse.say('followups.noMatch'))
  await nurse.goesTo(`/app/patients/${id}`)
  await calls.getByText(nurse.say('followups.noAnswer')).waitFor()
  expect(await calls.getByText('Comes with her son').count()).toBe(0)
})
