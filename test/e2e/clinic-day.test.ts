import { expect } from 'vitest'
import type { Urgency } from '~/features/rules/transitions/urgency'
import { newId } from '~/shared/id'
import type { MessageKey } from '~/shared/language'
import { defaultPermissions, type Permission, PERMISSIONS, type Role } from '~/shared/permissions'
import { makeFactories } from '../factories'
import {
  addUser,
  administrator,
  as,
  emailOf,
  Person,
  type Site,
  test,
  withSession,
} from './browser'
import { clicksMiddle } from './lists'
import { Presses } from './presses'

const languages = { registrar: 'en', provider: 'ar', pharmacist: 'es' } as const
type Who = keyof typeof languages

test(
  'a day of a clinic, from booking to dispensing and completion; every screen updates by itself',
  { timeout: 600_000 },
  async ({ site, visit }) => {
    const clinic = await aClinic(site)
    const registrar = await signedIn(await visit('en'), clinic.people.registrar)
    const provider = await signedIn(await visit('ar'), clinic.people.provider)
    const pharmacist = await signedIn(await visit('es'), clinic.people.pharmacist)
    const everybody = [registrar, provider, pharmacist]

    // the screens stay open on the queue without a reload
    const screens: Person[] = []
    for (const person of everybody) screens.push(await onQueue(person))
    for (const screen of screens) await screen.sees(screen.say('queue.noneWaiting'))

    // the desk books a patient for today; every screen shows the patient as expected
    const desk = await aside(registrar)
    await book(desk, clinic.today, 'Layla Mansour', ['Triage', 'Doctor'])
    for (const screen of screens) await screen.sees('Layla Mansour')

    // a patient walks in and waits
    await desk.goesTo('/app/appointments/edit/new?walkIn=true')
    await choosePatient(desk, 'Omar Darwish')
    await chooseDepartments(desk, ['Triage'])
    await desk.screenIsSound()
    await desk.press('appointments.checkIn')
    await desk.page.waitForURL('**/app/queue**')
    for (const screen of screens) await cardOf(screen, 'queue.waiting', 'Omar Darwish').waitFor()

    // the booked patient comes and gets a number with one press
    await cardOf(desk, 'queue.expected', 'Layla Mansour')
      .getByRole('button', { name: desk.say('appointments.checkIn') })
      .click()
    for (const screen of screens) await cardOf(screen, 'queue.waiting', 'Layla Mansour').waitFor()
    await desk.screenIsSound()

    // an emergency goes first on every screen, by two presses, and back by one
    const urgencyOf = (name: string, urgency: Urgency) =>
      cardOf(desk, 'queue.waiting', name).getByRole('button', {
        name: desk.say('urgency.change', { name, urgency: desk.say(`urgency.${urgency}`) }),
      })
    const first = (screen: Person, name: string) =>
      section(screen, 'queue.waiting').locator('li').first().filter({ hasText: name }).waitFor()
    await clicksMiddle(desk.page, urgencyOf('Layla Mansour', 'routine'))
    await clicksMiddle(
      desk.page,
      desk.page.getByRole('menuitem', { name: desk.say('urgency.emergency'), exact: true }),
    )
    for (const screen of screens) await first(screen, 'Layla Mansour')
    await desk.screenIsSound()
    await desk.page
      .locator('[data-sonner-toast]')
      .getByRole('button', { name: desk.say('common.undo') })
      .first()
      .click()
    for (const screen of screens) await first(screen, 'Omar Darwish')

    // the provider calls by a key, then by the button: who waited longest, and the next
    const [, doctor] = screens as [Person, Person, Person]
    await doctor.page.locator('body').press('n')
    for (const screen of screens)
      await cardOf(screen, 'queue.waiting', 'Omar Darwish', '[data-called]').waitFor()
    await doctor.press('queue.callNext')
    for (const screen of screens)
      await cardOf(screen, 'queue.waiting', 'Layla Mansour', '[data-called]').waitFor()
    const board = await visit('en')
    await board.page.goto('/board')
    await board.sees(board.say('queue.boardNeedsLink'))
    await board.page.goto(await boardAddress(await visit('en'), clinic.id))
    await board.sees('Triage')
    expect(await board.page.locator('body').textContent()).not.toMatch(/Layla|Omar/)
    await board.screenIsSound()
    // a fault of the server: this screen recovers by itself
    await board.page.route('**/_serverFn/**', (route) => route.fulfill({ status: 500 }))

    // triage: with the provider now, measured, and on to the doctor
    await press(doctor, 'queue.waiting', 'Layla Mansour', 'queue.start')
    await doctor.page.waitForURL(`**/app/patients/${clinic.layla}`)
    await doctor.goesTo('/app/queue')
    for (const screen of screens) await cardOf(screen, 'queue.beingSeen', 'Layla Mansour').waitFor()
    await board.sees(board.say('queue.boardLate'))
    await board.page.unroute('**/_serverFn/**')
    await doctor.screenIsSound()
    const measuring = await aside(provider, `/app/patients/${clinic.layla}`)
    await measuring.press('vitals.add')
    await measuring.fill('vitals.temperature_celsius', '38.2')
    await measuring.press('common.save')
    await measuring.sees(measuring.say('vitals.savedDone'))
    await press(doctor, 'queue.beingSeen', 'Layla Mansour', 'queue.finish')
    for (const screen of screens) {
      await cardOf(screen, 'queue.waiting', 'Layla Mansour').getByText('Doctor').waitFor()
    }

    // the doctor fills in a form and prescribes
    await press(doctor, 'queue.waiting', 'Layla Mansour', 'queue.start')
    await doctor.page.waitForURL(`**/app/patients/${clinic.layla}`)
    await doctor.goesTo('/app/queue')
    await cardOf(doctor, 'queue.beingSeen', 'Layla Mansour').waitFor()
    const ask = await as(site, clinic.people.provider)
    const open = await ask<{ id: string }[]>('visits.open', { patientId: clinic.layla })
    expect(open).toMatchObject([{ provider_name: 'provider' }])
    await measuring.goesTo(`/app/events/edit/new?visitId=${open[0]!.id}&formId=${clinic.form}`)
    await measuring.page.getByRole('textbox', { name: 'Complaint' }).fill('Cough for three days')
    await measuring.press('common.save')
    await measuring.page.waitForURL((url) => !url.pathname.includes('/events/edit'))
    const prescription = await prescribe(measuring, clinic, open[0]!.id)

    // the pharmacist hands out, while the queue stands open beside it
    const counter = await aside(pharmacist, `/app/dispensing/${prescription}`)
    await counter.seesHeading('Layla Mansour')
    await counter.press('dispensing.handOut')
    await counter.sees(counter.say('dispensing.history'))

    await board.sees('Doctor')

    // the last department is done: the appointment is completed, the visit ended, on every screen
    await press(doctor, 'queue.beingSeen', 'Layla Mansour', 'queue.finish')
    for (const screen of screens)
      await section(screen, 'queue.done').getByText('Layla Mansour').waitFor()
    const { rows } = await ask<{ rows: unknown }>('appointments.byPatient', {
      patientId: clinic.layla,
    })
    expect(rows).toMatchObject([
      {
        status: 'completed',
        fulfilled_visit_id: open[0]!.id,
        departments: [{ status: 'completed' }, { status: 'completed' }],
      },
    ])
    for (const screen of screens) await screen.screenIsSoundInArabic()
  },
)

test(
  'registered to waiting takes 2 clicks; a follow-up with vital signs and a prescription at most 25',
  { timeout: 600_000 },
  async ({ site, visit }) => {
    const clinic = await aClinic(site)
    const person = await signedIn(await visit('en'), clinic.people.registrar)
    const { page } = person
    const ask = await as(site, clinic.people.registrar)
    const waiting = async () =>
      (
        await ask<{ people: { patient: string }[] }>('queue.list', { clinicId: clinic.id })
      ).people.map(({ patient }) => patient)
    const register = async (given: string, surname: string) => {
      await page.goto('/app/patients/register')
      await page.waitForFunction(() => !window.early)
      await page.getByRole('textbox', { name: /given name/i }).fill(given)
      await page.getByRole('textbox', { name: /surname/i }).fill(surname)
      await page.getByRole('textbox', { name: /date of birth/i }).fill('1990-05-17')
      await page.getByRole('radio', { name: 'Female', exact: true }).check()
      await person.press('registration.register')
      await person.seesHeading(`${given} ${surname}`)
    }
    const arrival = new Presses()
    await register('Huda', 'Nasser')
    const toast = page
      .locator('[data-sonner-toast]')
      .getByRole('button', { name: person.say('appointments.checkIn') })
    await arrival.press(toast)
    await arrival.press(
      page.getByRole('dialog').getByRole('button', { name: 'Triage', exact: true }),
    )
    await expect.poll(waiting).toEqual(['Huda Nasser'])
    expect(arrival.count).toBeLessThanOrEqual(2)

    await register('Karim', 'Saleh')
    const onPage = new Presses()
    await onPage.press(
      page.locator('header').getByRole('button', { name: person.say('appointments.checkIn') }),
    )
    await page.getByRole('dialog').waitFor()
    await person.screenIsSound()
    await onPage.press(
      page.getByRole('dialog').getByRole('button', { name: 'Doctor', exact: true }),
    )
    await expect.poll(waiting).toEqual(['Huda Nasser', 'Karim Saleh'])
    expect(onPage.count).toBeLessThanOrEqual(2)
    await page.goto('/app')
    await person.sees(person.say('registration.title'))
    expect(await page.getByText(person.say('dashboard.stock'), { exact: true }).count()).toBe(0)
    await person.screenIsSound()

    // the follow-up: received, measured, prescribed, done
    const provider = await signedIn(await visit('en'), clinic.people.provider)
    const room = provider.page
    await room.goto('/app/queue')
    await room.waitForFunction(() => !window.early)
    const visitPresses = new Presses()
    const button = (key: MessageKey) =>
      room.getByRole('button', { name: provider.say(key), exact: true }).first()
    const card = cardOf(provider, 'queue.waiting', 'Karim Saleh')
    await visitPresses.press(
      card.getByRole('button', { name: provider.say('queue.start'), exact: true }),
    )
    await provider.seesHeading('Karim Saleh')
    await visitPresses.press(button('vitals.add'))
    for (const [key, value] of [
      ['vitals.systolic_bp', '128'],
      ['vitals.diastolic_bp', '82'],
    ] as const) {
      await visitPresses.type(room.getByRole('textbox', { name: provider.say(key) }).first(), value)
    }
    await visitPresses.press(button('common.save'))
    await provider.sees(provider.say('vitals.savedDone'))
    const patient = room.url().split('/').at(-1)!.split('?')[0]!
    const open = await (
      await as(site, clinic.people.provider)
    )<{ id: string; provider_name: string }[]>('visits.open', {
      patientId: patient,
    })
    expect(open).toMatchObject([{ provider_name: 'provider' }])
    const prescribing = room.getByRole('link', { name: /^(new prescription|prescribe)$/i }).first()
    if (!(await prescribing.isVisible()))
      await visitPresses.press(room.getByRole('tab', { name: /prescriptions/i }))
    await visitPresses.press(prescribing)
    await room.waitForURL('**/app/prescriptions/edit/**')
    await room.waitForFunction(() => !window.early)
    // asking about allergies is one press, counted apart
    const asking = new Presses()
    await asking.press(button('banner.noneKnown'))
    await provider.sees(provider.say('allergies.recordedNone'))
    expect(asking.count).toBe(1)
    const medicine = room.getByRole('region', {
      name: provider.say('prescriptions.medicationNumber', { number: 1 }),
    })
    // names typed are not counted
    await medicine
      .getByRole('combobox', { name: provider.say('prescriptions.medication') })
      .fill('Ibuprofen')
    await visitPresses.press(room.getByRole('option', { name: 'Ibuprofen' }).first())
    await visitPresses.type(
      medicine.getByRole('textbox', { name: provider.say('prescriptions.dosageInstructions') }),
      '1-0-1',
    )
    await visitPresses.type(
      medicine.getByRole('textbox', { name: provider.say('prescriptions.quantity') }),
      '10',
    )
    await visitPresses.press(button('prescriptions.create'))
    await room.waitForURL('**/app/patients/**')
    console.info(
      `registered to waiting: ${arrival.count} presses; a follow-up visit: ${visitPresses.count}`,
    )
    expect(visitPresses.count).toBeLessThanOrEqual(25)
  },
)

test(
  'a month is reported: a number opens its patients, a value is entered, the report is closed, signed and amended',
  { timeout: 300_000 },
  async ({ site, db, visit }) => {
    const clinic = await aClinic(site)
    const ask = await administrator(site)
    await ask('visits.save', {
      id: newId(),
      patient_id: clinic.layla,
      clinic_id: clinic.id,
      check_in_timestamp: '2026-01-05T08:00:00Z',
    })
    const make = makeFactories(db)
    const { code } = await make.report()
    const admin = await withSession(await visit('en'), emailOf('admin'))
    const { page } = admin
    await page.goto('/app/reports')
    await admin.seesHeading(admin.say('reports.title'))
    await admin.screenIsSound()
    await admin.goesTo(
      `/app/reports/${code}?period=%222026-01%22&clinics=${encodeURIComponent(JSON.stringify([clinic.id]))}`,
    )

    // the number opens the patient behind it
    const row = page.getByRole('row').filter({ hasText: '1 Visits' })
    await row.getByRole('link', { name: '1', exact: true }).click()
    await admin.seesHeading(admin.say('reports.people'))
    await page.getByRole('link', { name: 'Layla Mansour' }).waitFor()
    await admin.screenIsSound()
    await page.getByRole('navigation').getByRole('link', { name: 'Visits' }).click()

    // a value is entered in its place
    const beds = page.getByRole('textbox', { name: /^Beds/ })
    const answer = Promise.withResolvers<void>()
    await page.route('**/_serverFn/**', async (route) => {
      // what the screen reads may come at any time, also while the route ends
      if (route.request().method() !== 'POST') return route.fallback()
      const response = await route.fetch()
      await answer.promise
      await route.fulfill({ response })
    })
    await beds.fill('12')
    await beds.press('Enter')
    // until the answer comes, nothing is typed that the stored value would replace
    expect(await beds.isEditable()).toBe(false)
    await expect
      .poll(
        async () => (await db.selectFrom('report_manual_values').select('value').execute()).length,
      )
      .toBe(1)
    answer.resolve()
    await expect.poll(() => beds.isEditable()).toBe(true)
    await page.unroute('**/_serverFn/**')

    // a text that is not a number stays beside its error and replaces nothing
    await beds.fill('12x')
    await beds.press('Tab')
    await page.getByText(admin.say('validation.number')).waitFor()
    const values = await db.selectFrom('report_manual_values').select('value').execute()
    expect(values.map(({ value }) => value)).toEqual([12])
    await beds.fill('12')
    await beds.press('Tab')

    const agree = async (key: MessageKey) => {
      await page
        .getByRole('dialog')
        .getByRole('button', { name: admin.say(key) })
        .click()
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
    }
    await admin.press('reports.close')
    await agree('reports.close')
    // the value is part of the closed report, where nothing can be entered
    await page.getByRole('button', { name: admin.say('reports.sign_prepared') }).waitFor()
    await expect.poll(() => beds.count()).toBe(0)
    await page.getByRole('cell', { name: '12', exact: true }).waitFor()
    await admin.press('reports.sign_prepared')
    await agree('reports.sign_prepared')
    await admin.press('reports.amend')
    await page.getByRole('textbox', { name: admin.say('reports.reason') }).fill('A late visit')
    await agree('reports.amend')
    await page.getByText('A late visit').first().waitFor()
    await admin.press('reports.showLate')
    await admin.sees(admin.say('reports.lateEmpty'))
    await admin.screenIsSound()

    await page.getByRole('link', { name: admin.say('reports.charts') }).click()
    await admin.seesHeading(admin.say('reports.charts'))
    await page
      .getByRole('button', { name: admin.say('reports.showTable') })
      .first()
      .click()
    await admin.screenIsSound()

    // codes are entered under the names of the sheet
    const rows = [{ id: 'visits', names: { en: 'Visits' }, measure: 'visits' }]
    const columns = { axis: 'sex' }
    const { id } = await make.report({
      axes: { sex: ['male', 'female'] },
      sections: [{ id: 'sexes', names: { en: 'By sex' }, columns, rows }],
    })
    await admin.goesTo(`/app/reports/definitions/codes/${id}`)
    await page.getByRole('columnheader', { name: admin.say('reports.sex_female') }).waitFor()

    // an answer is bound in any of the clinic's forms: there are more than a list shows at once
    for (let at = 0; at < 60; at += 1) await make.eventForm({ name: `Form ${100 + at}` })
    await make.eventForm({ name: 'Zoster review' })
    await admin.goesTo('/app/reports/bindings')
    await admin.press('reportBindings.add')
    await page.getByRole('combobox', { name: admin.say('reportBindings.form_id') }).fill('zoster')
    await page.getByRole('option', { name: 'Zoster review' }).click()
    await admin.screenIsSound()
    expect(admin.problems).toEqual([])
  },
)

test(
  'every field of an appointment is edited from the calendar and read back; a former provider stays',
  { timeout: 600_000 },
  async ({ site, visit }) => {
    const clinic = await aClinic(site)
    const annex = await aClinic(site)
    const admin = await administrator(site)
    await grant(admin, clinic.ids.registrar, annex.id, defaultPermissions('registrar'))
    const ask = await as(site, clinic.people.registrar)
    const departments = await ask<{ id: string; name: string }[]>('departments.names', {
      clinicId: clinic.id,
    })
    const triage = departments.find(({ name }) => name === 'Triage')!
    const id = newId()
    await ask('appointments.save', {
      id,
      patient_id: clinic.layla,
      clinic_id: clinic.id,
      provider_id: clinic.ids.pharmacist,
      timestamp: '2031-05-06T09:00:00.000Z',
      duration: 45,
      reason: 'checkup',
      notes: 'Brings papers',
      department_ids: [triage.id],
    })
    await grant(admin, clinic.ids.pharmacist, clinic.id, ['can_dispense_medications'])

    const person = await signedIn(await visit('en'), clinic.people.registrar)
    const { page } = person
    const input = (key: MessageKey) => page.getByRole('textbox', { name: person.say(key) }).first()
    const box = (key: MessageKey) => page.getByRole('combobox', { name: person.say(key) }).first()
    const shown = async () => ({
      clinic: await box('clinics.one').inputValue(),
      provider: await box('appointments.provider').inputValue(),
      date: await input('appointments.date').inputValue(),
      time: await input('form.time.label').inputValue(),
      duration: await input('appointments.duration').inputValue(),
      reason: await box('appointments.reason').inputValue(),
      departments: await page.locator('form .mantine-Pill-label').allTextContents(),
      notes: await input('appointments.notes').inputValue(),
    })
    const opened = async (day: string) => {
      await page.goto(`/app/appointments/calendar?day=${day}`)
      await page.getByRole('button', { name: /Layla Mansour/ }).click()
      await person.seesHeading(person.say('appointments.edit'))
      await person.sees('Layla Mansour')
      await page.locator('form .mantine-Pill-label').first().waitFor()
      await page.waitForFunction(() => !window.early)
    }
    const choiceOf = (group: MessageKey, name: string) =>
      page.getByRole('group', { name: person.say(group) }).getByRole('button', { name })
    const choose = async (key: MessageKey, option: string) => {
      await box(key).click()
      await page.getByRole('option', { name: option, exact: true }).click()
    }

    await opened('2031-05-06')
    expect(await shown()).toEqual({
      clinic: clinic.name,
      provider: 'pharmacist',
      date: '2031-05-06',
      time: '09:00',
      duration: '45',
      reason: person.say('appointments.reasons.checkup'),
      departments: ['Triage'],
      notes: 'Brings papers',
    })
    await input('appointments.notes').fill('Comes with her brother')
    await person.press('common.save')
    await page.waitForURL('**/app/appointments')

    // another clinic: neither its departments nor the provider come along
    await opened('2031-05-06')
    await choose('clinics.one', annex.name)
    await expect.poll(shown).toMatchObject({ clinic: annex.name, provider: '', departments: [] })
    await choose('appointments.provider', 'provider')
    await chooseDepartments(person, ['Doctor', 'Triage'])
    // the click that enters a filled box selects what is in it: what is typed replaces it
    await input('appointments.date').click()
    await page.keyboard.type('7 May 2031')
    await input('form.time.label').click()
    await page.keyboard.type('25:00')
    await person.press('common.save')
    await person.sees(person.say('appointments.notATime'))
    expect(await input('form.time.label').inputValue()).toBe('25:00')
    expect(await input('form.time.label').getAttribute('aria-invalid')).toBe('true')
    // by mouse, in the middle of what is seen
    await clicksMiddle(page, page.getByRole('button', { name: person.say('form.time.open') }))
    await clicksMiddle(page, choiceOf('form.time.hour', '14'))
    await clicksMiddle(page, choiceOf('form.time.minutes', '30'))
    expect(await input('form.time.label').inputValue()).toBe('14:30')
    await input('appointments.duration').fill('20')
    await choose('appointments.reason', person.say('appointments.reasons.referral'))
    await input('appointments.notes').fill('Letter from the hospital')
    await person.screenIsSound()
    await person.press('common.save')
    await page.waitForURL('**/app/appointments')
    expect(await ask('appointments.get', { id })).toMatchObject({
      patient_id: clinic.layla,
      clinic_id: annex.id,
      provider_id: annex.ids.provider,
      timestamp: '2031-05-07T14:30:00.000Z',
      duration: 20,
      reason: 'referral',
      notes: 'Letter from the hospital',
      departments: [{ name: 'Doctor' }, { name: 'Triage' }],
    })
    await opened('2031-05-07')
    expect(await shown()).toEqual({
      clinic: annex.name,
      provider: 'provider',
      date: '2031-05-07',
      time: '14:30',
      duration: '20',
      reason: person.say('appointments.reasons.referral'),
      departments: ['Doctor', 'Triage'],
      notes: 'Letter from the hospital',
    })
    await person.screenFits()
  },
)

test(
  'the calendar is moved through and an appointment in it is moved, by mouse and by keyboard; the toast takes it back',
  { timeout: 600_000 },
  async ({ site, visit }) => {
    const clinic = await aClinic(site)
    const person = await signedIn(await visit('en'), clinic.people.registrar)
    const ask = await as(site, clinic.people.registrar)
    const id = newId()
    const timestamp = '2031-03-04T09:00:00.000Z'
    const asked = {
      id,
      patient_id: clinic.layla,
      clinic_id: clinic.id,
      provider_id: null,
      timestamp,
      reason: 'checkup',
    }
    await ask('appointments.save', asked)
    const time = async () =>
      (await ask<{ timestamp: string }>('appointments.get', { id })).timestamp.slice(11, 16)

    await person.page.goto('/app/appointments/calendar?day=2031-03-04')
    await person.screenIsSound()
    const item = person.page.getByRole('button', { name: /9:00 AM/ })
    const box = (await item.boundingBox())!
    await person.page.mouse.move(box.x + 30, box.y + 10)
    await person.page.mouse.down()
    // an hour further: it lasts an hour
    await person.page.mouse.move(box.x + 30, box.y + 12 + box.height, { steps: 8 })
    await person.page.mouse.up()
    await expect.poll(time).toBe('10:00')
    await person.press('common.undo')
    await expect.poll(time).toBe('09:00')

    await person.page.getByRole('button', { name: /9:00 AM/ }).focus()
    for (const key of ['Space', 'ArrowDown', 'ArrowDown', 'Space'])
      await person.page.keyboard.press(key)
    await expect.poll(time).toBe('09:30')
    for (const view of ['week', 'month']) {
      await person.goesTo(`/app/appointments/calendar?view=${view}&day=2031-03-04`)
      await person.page
        .locator('main')
        .getByText(/^9:30 AM/)
        .first()
        .waitFor()
      await person.screenFits()
    }

    // two at one time, of one provider
    const both = {
      ...asked,
      timestamp: '2031-03-04T14:00:00.000Z',
      duration: 15,
      provider_id: clinic.ids.provider,
    }
    for (const each of [newId(), newId()]) await ask('appointments.save', { ...both, id: each })
    await person.goesTo('/app/appointments/calendar?day=2031-03-04')
    await person.page.locator('button[data-short]').nth(1).waitFor()
    expect(await cutEntries(person)).toEqual([])

    const phone = await signedIn(await visit('ar', 375), clinic.people.provider)
    await phone.page.goto('/app/appointments')
    for (const path of [
      '/app/appointments',
      '/app/appointments/calendar?day=2031-03-04',
      '/app/queue',
      `/app/appointments/edit/${id}`,
    ]) {
      await phone.goesTo(path)
      await phone.page.locator('main h1').waitFor()
      await phone.screenIsSound()
    }

    await phone.page.setViewportSize({ width: 320, height: 800 })
    await phone.goesTo('/app/appointments/calendar?day=2031-03-04')
    const entry = phone.page.locator('button[data-short]').first()
    await entry.waitFor()
    expect(await cutEntries(phone)).toEqual([])
    // "09:00 ص": the digits come first, on the right
    const hour = phone.page.locator('span', { hasText: /^\d+:00 ص$/ }).first()
    const [digits, half] = await hour.evaluate((span) => {
      const leftOf = (from: number, to: number) => {
        const range = document.createRange()
        range.setStart(span.firstChild!, from)
        range.setEnd(span.firstChild!, to)
        return range.getBoundingClientRect().left
      }
      const { length } = span.textContent
      return [leftOf(0, 1), leftOf(length - 1, length)]
    })
    expect(digits).toBeGreaterThan(half!)
    // who opens one of them reads of the other, in colours that can be read
    await entry.press('Enter')
    await phone.sees(phone.say('appointments.overlaps'))
    await phone.screenIsSound()
  },
)

/** The entries of the calendar without room for a line of text, or for the time and the given name in it. */
const cutEntries = ({ page }: Person) =>
  page.locator('button[data-short]').evaluateAll((entries) =>
    entries
      .filter((entry) => {
        const name = entry.querySelector('bdi')!.firstChild as Text
        const range = document.createRange()
        range.setStart(name, 0)
        range.setEnd(name, name.data.indexOf(' '))
        const text = range.getBoundingClientRect()
        const boxes = [entry, name.parentElement!].map((box) => box.getBoundingClientRect())
        const isCut = boxes.some(
          ({ left, right }) => text.left < left - 1 || text.right > right + 1,
        )
        return isCut || entry.scrollHeight > entry.clientHeight + 1
      })
      .map((entry) => entry.getAttribute('title')),
  )

type Clinic = {
  id: string
  name: string
  ids: Record<Who, string>
  today: string
  layla: string
  form: string
  people: Record<Who, string>
}

let made = 0

/** A clinic with its people, two patients, a form, and a medicine in stock. */
async function aClinic(site: Site): Promise<Clinic> {
  const ask = await administrator(site)
  made += 1
  const id = newId()
  const name = `Riverside ${made}`
  await ask('clinics.save', { id, name })
  const people = {
    registrar: `registrar${made}`,
    provider: `provider${made}`,
    pharmacist: `pharmacist${made}`,
  }
  const switches = {
    can_dispense_medications: false,
    can_perform_labs: false,
    can_perform_imaging: false,
  }
  for (const one of ['Triage', 'Doctor']) {
    const department = {
      id: newId(),
      clinic_id: id,
      name: one,
      code: null,
      description: null,
      additional_capabilities: [],
    }
    await ask('departments.save', { ...department, ...switches })
  }
  const add = async (who: Who, role: Role, more: Permission[] = []) => {
    const userId = newId()
    await addUser(site, {
      id: userId,
      name: who,
      email: emailOf(people[who]),
      role,
      clinic_id: id,
    })
    if (more.length > 0) await grant(ask, userId, id, [...defaultPermissions(role), ...more])
    const himself = await as(site, people[who])
    await himself('account.savePreferences', { language: languages[who] })
    return userId
  }
  const ids = {
    registrar: await add('registrar', 'registrar'),
    provider: await add('provider', 'provider'),
    pharmacist: await add('pharmacist', 'provider', ['can_dispense_medications']),
  }
  const person = async (given_name: string, surname: string) => {
    const patientId = newId()
    const answers = { given_name, surname, sex: 'female', date_of_birth: '1990-05-17', answers: {} }
    await ask('patients.create', { id: patientId, primary_clinic_id: id, ...answers })
    return patientId
  }
  const layla = await person('Layla', 'Mansour')
  await ask('allergies.recordNone', { id: newId(), patientId: layla })
  await person('Omar', 'Darwish')
  const { day: today } = await ask<{ day: string }>('queue.list', { clinicId: id })
  await aMedicine(ask, id)
  return { id, name, ids, today, layla, form: await aForm(ask), people }
}

type Ask = Awaited<ReturnType<typeof as>>

async function grant(ask: Ask, userId: string, clinicId: string, held: readonly Permission[]) {
  const rows = await ask<{ clinic_id: string; last_modified: string }[]>('permissions.list', {
    userId,
  })
  const last_modified = rows.find(({ clinic_id }) => clinic_id === clinicId)?.last_modified
  const switches = Object.fromEntries(PERMISSIONS.map((name) => [name, held.includes(name)]))
  await ask('permissions.save', { userId, clinicId, last_modified, ...switches })
}

async function aForm(ask: Ask) {
  const id = newId()
  const field = {
    id: 'complaint',
    name: 'Complaint',
    description: '',
    required: true,
    fieldType: 'free-text',
  }
  await ask('eventForms.save', {
    id,
    name: 'Consultation',
    description: '',
    language: 'en',
    form_fields: [{ ...field, inputType: 'text', length: 'short' }],
    translations: [],
    is_editable: true,
    is_snapshot_form: false,
    clinic_ids: [],
  })
  return id
}

async function aMedicine(ask: Ask, clinicId: string) {
  const id = newId()
  await ask('drugs.save', {
    id,
    generic_name: 'Ibuprofen',
    brand_name: null,
    ingredients: ['ibuprofen'],
    form: 'tablet',
    route: 'oral',
    dosage_quantity: 400,
    dosage_units: 'mg',
    barcode: null,
    manufacturer: null,
    sale_price: null,
    sale_currency: null,
    min_stock_level: 10,
    max_stock_level: null,
    is_controlled: false,
    requires_refrigeration: false,
    is_active: true,
    notes: null,
  })
  const batch = { batch_number: 'L-2201', expiry_date: '2099-06-30', received_date: '2026-01-05' }
  await ask('batches.create', {
    id: newId(),
    drug_id: id,
    clinic_id: clinicId,
    quantity: 100,
    confirmed: ['old_day', 'unlikely_date'],
    ...batch,
  })
}

/** Through the form, in the provider's own language. Returns the prescription's id. */
async function prescribe(provider: Person, { layla }: Clinic, visitId: string) {
  const { page } = provider
  await provider.goesTo(`/app/prescriptions/edit/new?patientId=${layla}&visitId=${visitId}`)
  const card = page.getByRole('region', {
    name: provider.say('prescriptions.medicationNumber', { number: 1 }),
  })
  await card
    .getByRole('combobox', { name: provider.say('prescriptions.medication') })
    .fill('Ibuprofen')
  await page.getByRole('option', { name: 'Ibuprofen' }).first().click()
  await card
    .getByRole('textbox', { name: provider.say('prescriptions.dosageInstructions') })
    .fill('حبة مرتين يوميًا')
  await card.getByRole('textbox', { name: provider.say('prescriptions.quantity') }).fill('10')
  await provider.screenIsSound()
  await provider.press('prescriptions.create')
  await page.waitForURL(`**/app/patients/${layla}?tab=prescriptions`)
  const link = page.getByRole('row').nth(1).getByRole('link').first()
  return (await link.getAttribute('href'))!.split('/').at(-1)!
}

const signedIn = (person: Person, who: string) => {
  // three people at once, on a machine that is no faster than a clinic's
  person.page.context().setDefaultTimeout(60_000)
  return withSession(person, emailOf(who))
}

async function onQueue(person: Person) {
  await person.page.goto('/app/queue')
  await person.seesHeading(person.say('queue.title'))
  return person
}

/** Another window of the same person. */
/** An administrator creates the link of the waiting-room screen. */
async function boardAddress(person: Person, clinicId: string) {
  const admin = await signedIn(person, 'admin')
  await admin.page.goto(`/app/queue?clinicId=${clinicId}`)
  await admin.press('queue.board')
  await admin.press('queue.boardLinkMake')
  const link = admin.page.getByRole('textbox', { name: admin.say('queue.boardLink') })
  await admin.screenIsSound()
  return link.inputValue()
}

async function aside({ page, language, problems }: Person, path = '/app/queue') {
  const other = await page.context().newPage()
  await other.goto(path)
  return new Person(other, language, problems)
}

type Part = 'queue.waiting' | 'queue.beingSeen' | 'queue.expected' | 'queue.done'
const section = (person: Person, part: Part) =>
  person.page.getByRole('region', { name: person.say(part), exact: true })
const cardOf = (person: Person, part: Part, name: string, which = '') =>
  section(person, part).locator(`li${which}`).filter({ hasText: name })
const press = (person: Person, part: Part, name: string, key: 'queue.start' | 'queue.finish') =>
  cardOf(person, part, name)
    .getByRole('button', { name: person.say(key), exact: true })
    .click()

async function choosePatient(person: Person, name: string) {
  const picker = person.page
    .getByRole('combobox', { name: person.say('appointments.patient'), exact: true })
    .first()
  await picker.fill(name)
  await person.page.getByRole('option', { name: new RegExp(name) }).click()
}

async function chooseDepartments(person: Person, names: string[]) {
  const input = person.page.getByLabel(person.say('appointments.departments')).first()
  await input.click()
  // the list stays open until everything is chosen
  for (const name of names) {
    await person.page.getByRole('option', { name, exact: true }).click()
  }
  await person.page.keyboard.press('Escape')
}

async function book(person: Person, day: string, name: string, departments: string[]) {
  await person.goesTo('/app/appointments/edit/new')
  await choosePatient(person, name)
  await person.isReadAgain()
  await chooseDepartments(person, departments)
  const box = (key: MessageKey) =>
    person.page.getByRole('textbox', { name: person.say(key), exact: true })
  await box('appointments.date').fill(day)
  await box('form.time.label').fill('١١:٣٠ م')
  await person.screenIsSound()
  await person.press('appointments.book')
  await person.page.waitForURL('**/app/appointments')
  await person.goesTo('/app/queue')
}
