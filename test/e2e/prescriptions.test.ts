import type { Locator } from 'playwright-core'
import sharp from 'sharp'
import { expect } from 'vitest'
import { prescriptionNumber } from '~/features/medicines/prescriptions/number'
import { newId } from '~/shared/id'
import type { MessageKey } from '~/shared/language'
import {
  administrator,
  type as,
  emailOf,
  looks,
  password,
  type Person,
  type Site,
  test,
  withSession,
} from './browser'

/** The texts of docs/specification.md, "Prescription form", word for word. */
const english = {
  'prescriptions.patientAndProvider': 'Patient & Provider Information',
  'prescriptions.medications': 'Medications',
  'prescriptions.pickupClinic': 'Pickup Clinic',
  'prescriptions.priority': 'Priority',
  'prescriptions.status': 'Status',
  'prescriptions.expirationDate': 'Expiration Date',
  'prescriptions.expirationHint': 'Optional: When this prescription expires',
  'prescriptions.notes': 'Prescription Notes',
  'prescriptions.addMedication': 'Add Medication',
  'prescriptions.noMedications': 'No medications added yet. Click "Add Medication" to start.',
  'prescriptions.dosageInstructions': 'Dosage Instructions',
  'prescriptions.quantity': 'Quantity',
  'prescriptions.refills': 'Refills Authorized',
  'prescriptions.itemNotes': 'Item Notes',
  'prescriptions.create': 'Create Prescription',
  'prescriptions.update': 'Update Prescription',
  'prescriptions.saving': 'Saving...',
  'prescriptions.patientRequired': 'Patient is required',
  'prescriptions.providerRequired': 'Provider is required',
  'prescriptions.pickupClinicRequired': 'Pickup clinic is required',
  'prescriptions.selectMedication': 'Please select a medication',
  'prescriptions.dosageRequired': 'Dosage instructions are required',
  'prescriptions.quantityAtLeast1': 'Quantity must be at least 1',
  'prescriptions.fillItems': 'Please fill in all required fields for medications',
  'prescriptions.noItems': 'Please add at least one medication',
} as const

const EACH = [
  ['en', 1280],
  ['ar', 375],
  ['es', 1280],
] as const

test.for(looks(EACH, 0, 1))(
  'the form says and does what is specified, in %s at %i pixels',
  { timeout: 400_000 },
  async ([language, width], { site, visit }) => {
    const { patientId, name, visitId } = await aClinicAtWork(site)
    const person = await signedIn(await visit(language, width))
    const { page } = person
    if (language === 'en')
      for (const [key, text] of Object.entries(english)) expect(person.say(key as never)).toBe(text)

    await page.goto('/app/prescriptions/edit/new')
    for (const key of ['prescriptions.patientAndProvider', 'prescriptions.medications'] as const)
      await page.getByRole('heading', { level: 2, name: person.say(key), exact: true }).waitFor()
    for (const key of ['prescriptions.expirationHint', 'prescriptions.noMedications'] as const)
      await person.sees(person.say(key))
    expect(
      await page
        .getByRole('textbox', { name: person.say('prescriptions.notes') })
        .getAttribute('rows'),
    ).toBe('3')
    expect(await picked(person, 'prescriptions.priority')).toBe(
      person.say('prescriptions.priorities.normal'),
    )
    expect(await picked(person, 'prescriptions.status')).toBe(
      person.say('prescriptions.statuses.pending'),
    )
    expect(await choices(person, 'prescriptions.priority')).toHaveLength(4)
    expect(await choices(person, 'prescriptions.status')).toHaveLength(7)
    await person.screenFits()

    // what is missing is said at the form, beside its field and in the log
    await person.press('prescriptions.create')
    await page.getByRole('alert').getByText(person.say('prescriptions.noItems')).waitFor()
    await person.sees(person.say('prescriptions.patientRequired'))
    expect(person.problems.splice(0)).toEqual([person.say('prescriptions.noItems')])
    await person.press('prescriptions.addMedication')
    const card = page.getByRole('region', {
      name: person.say('prescriptions.medicationNumber', { number: 1 }),
    })
    await card
      .getByText(person.say('prescriptions.itemStatuses.active'), { exact: true })
      .first()
      .waitFor()
    await person.press('prescriptions.create')
    await page.getByRole('alert').getByText(person.say('prescriptions.fillItems')).waitFor()
    await card.getByText(person.say('prescriptions.selectMedication')).waitFor()
    await card.getByText(person.say('prescriptions.dosageRequired')).waitFor()
    expect(person.problems.splice(0)).toEqual([person.say('prescriptions.fillItems')])
    await person.screenIsSoundInArabic()

    // numbers fall back to 1 and 0, and arrive as they are typed: a lost point or digit is another dose
    const box = (key: 'prescriptions.quantity' | 'prescriptions.refills') =>
      card.getByRole('textbox', { name: person.say(key), exact: true })
    for (const [key, least, typed, meant] of [
      ['prescriptions.quantity', '1', '2.5', '2.5'],
      ['prescriptions.refills', '0', '١٢', '12'],
    ] as const) {
      expect(await box(key).inputValue()).toBe(least)
      await box(key).fill('')
      await box(key).pressSequentially(typed)
      await box(key).blur()
      await expect.poll(() => box(key).inputValue()).toBe(meant)
      await box(key).fill('')
      await box(key).blur()
      await expect.poll(() => box(key).inputValue()).toBe(least)
    }
    // a number beyond the limit is replaced by it, and the box says so
    await box('prescriptions.refills').fill('2500')
    await box('prescriptions.refills').blur()
    await card.getByText(person.say('validation.outside', { typed: 2500, value: 1000 })).waitFor()
    expect(await box('prescriptions.refills').inputValue()).toBe('1000')
    await box('prescriptions.refills').fill('0')

    // the address chooses the patient; the picker shows what is in stock
    await page.goto(`/app/prescriptions/edit/new?patientId=${patientId}&visitId=${visitId}`)
    const line = page.getByRole('region', { name: person.say('banner.patient'), exact: true })
    await line.getByText(name).waitFor()
    expect(await page.title()).toMatch(new RegExp(`^${name}, \\S.* · .* · Sanad EHR$`))
    // the provider and the clinic are filled in: the first medicine and its warning are above the fold
    const firstField = page
      .getByRole('region', { name: person.say('prescriptions.medicationNumber', { number: 1 }) })
      .getByRole('combobox', { name: person.say('prescriptions.medication') })
    await firstField.waitFor()
    const place = (await firstField.boundingBox())!
    expect(place.y + place.height).toBeLessThanOrEqual(width === 375 ? 740 : 800)
    // the line stays in view below the header, however far the page is scrolled
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
    const above = (await line.boundingBox())!
    expect(above.y).toBeGreaterThanOrEqual(0)
    expect(above.y + above.height).toBeLessThanOrEqual(300)
    await page.evaluate(() => window.scrollTo(0, 0))
    await person.press('prescriptions.moreOptions')
    expect(await picked(person, 'prescriptions.patient')).toBe(name)
    await person.press('prescriptions.fewerOptions')
    // what the check knows of the patient is said before a medicine is chosen, and what it does not know
    const facts = page.getByRole('region', { name: person.say('safety.facts.title') })
    await facts.getByText(person.say('pregnancies.states.not_known')).waitFor()
    expect(await facts.getByText(person.say('safety.facts.notRecorded')).count()).toBe(2)
    await facts.getByRole('button', { name: person.say('pregnancies.change') }).click()
    const asked = page.getByRole('dialog', { name: person.say('pregnancies.change') })
    await asked.getByRole('combobox', { name: person.say('pregnancies.state') }).click()
    await page
      .getByRole('option', { name: person.say('pregnancies.states.pregnant'), exact: true })
      .click()
    await asked.getByRole('textbox', { name: person.say('pregnancies.weeks') }).fill('24')
    await asked.getByRole('button', { name: person.say('common.save') }).click()
    await facts.getByText(person.say('pregnancies.week', { weeks: 24 })).waitFor()
    await pickMedication(person, 1, 'Metformin')
    for (const text of ['Glucophage', '850', '40'])
      await card.getByText(text, { exact: false }).first().waitFor()
    for (const key of [
      'genericName',
      'brandName',
      'form',
      'route',
      'dosage',
      'quantityRemaining',
    ] as const)
      await card.getByText(person.say(`prescriptions.${key}`), { exact: true }).waitFor()
    // a dose by keyboard alone: a number and Enter choose how often, and Enter does not save
    await card.getByRole('textbox', { name: person.say('dose.amount') }).fill('1')
    const often = card.getByRole('combobox', { name: person.say('dose.often') })
    await often.focus()
    await page.keyboard.type('2')
    await page.keyboard.press('Enter')
    expect(await often.inputValue()).toBe(person.say('dose.times', { count: 2 }))
    // typed faster than the list draws itself, or left without Enter: nothing is lost
    await often.blur()
    await often.evaluate(async (input: HTMLInputElement) => {
      const drawn = async () => {
        for (let i = 0; i < 20; i += 1) await Promise.resolve()
      }
      input.focus()
      await drawn()
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(input, '3')
      input.dispatchEvent(new InputEvent('input', { bubbles: true }))
      await drawn()
      const enter = { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true }
      input.dispatchEvent(new KeyboardEvent('keydown', enter))
    })
    await page.keyboard.press('Tab')
    expect(await often.inputValue()).toBe(person.say('dose.times', { count: 3 }))
    await often.focus()
    await page.keyboard.type('2')
    await page.keyboard.press('Tab')
    expect(await often.inputValue()).toBe(person.say('dose.times', { count: 2 }))
    await card
      .getByRole('textbox', { name: person.say('prescriptions.dosageInstructions') })
      .fill('1 × 2')
    await box('prescriptions.quantity').fill('20')

    // the card folds its details away
    const title = person.say('prescriptions.medicationNumber', { number: 1 })
    await card.getByRole('button', { name: person.say('prescriptions.fold', { title }) }).click()
    await box('prescriptions.quantity').waitFor({ state: 'hidden' })
    await card.getByRole('button', { name: person.say('prescriptions.unfold', { title }) }).click()
    await box('prescriptions.quantity').waitFor()

    // a medicine that the patient is allergic to asks for a reason
    await person.press('prescriptions.addMedication')
    await pickMedication(person, 2, 'Amoxicillin')
    const second = page.getByRole('region', {
      name: person.say('prescriptions.medicationNumber', { number: 2 }),
    })
    await second
      .getByRole('textbox', { name: person.say('prescriptions.dosageInstructions') })
      .fill('1 × 3')
    await page.getByRole('heading', { level: 3, name: person.say('safety.title') }).waitFor()
    await person.press('prescriptions.create')
    await page.getByRole('alert').getByText(person.say('safety.needReasons')).waitFor()
    await person.screenIsSoundInArabic()
    await page.getByRole('combobox', { name: person.say('safety.reason') }).click()
    await page.getByRole('option', { name: person.say('safety.code.tolerated') }).click()
    await page
      .getByRole('textbox', { name: person.say('safety.reasonText') })
      .fill('Skin test was negative')
    // a severe reaction is recorded: a reason is not enough, the name of the medicine is typed
    const named = page.getByRole('textbox', { name: /Amox/ })
    await named.fill('Metformin')
    await person.press('prescriptions.create')
    await page.getByRole('alert').getByText(person.say('safety.needReasons')).waitFor()
    await named.fill('amoxicillin')
    const answered = Promise.withResolvers<void>()
    await page.route('**/_serverFn/**', async (route) => {
      await answered.promise
      await route.continue()
    })
    await person.press('prescriptions.create')
    const saving = page.getByRole('button', {
      name: person.say('prescriptions.saving'),
      exact: true,
    })
    await saving.waitFor()
    expect(await saving.isDisabled()).toBe(true)
    answered.resolve()
    await page.waitForURL(`**/app/patients/${patientId}?tab=prescriptions`)
    await person.sees('Metformin')
    await person.screenFits()

    // changing it: the patient stands fast, a medicine is called off
    await page.getByRole('row').nth(1).getByRole('link').first().click()
    await page.getByRole('button', { name: person.say('prescriptions.update') }).waitFor()
    const patient = page.getByRole('textbox', { name: person.say('prescriptions.patient') })
    expect([await patient.inputValue(), await patient.getAttribute('readonly')]).toEqual([name, ''])
    await person.sees('Skin test was negative')
    const offered = second.getByRole('combobox', { name: person.say('prescriptions.status') })
    await offered.click()
    await page
      .getByRole('option', { name: person.say('prescriptions.itemStatuses.cancelled') })
      .click()
    await person.screenIsSoundInArabic()
    await person.press('prescriptions.update')
    await page.waitForURL('**/app/prescriptions')
    await person.sees(name)
    await person.screenIsSoundInArabic()
  },
)

test.for(looks(EACH, 2))(
  'a number box in error refuses the save; a quantity left empty is 1, which is seen first: %s',
  { timeout: 120_000 },
  async ([language, width], { site, visit, db }) => {
    const { prescriptionId } = await aPrescription(site)
    const person = await signedIn(await visit(language, width))
    const { page } = person
    const stored = async () => {
      const items = db.selectFrom('prescription_items').selectAll()
      return items.where('prescription_id', '=', prescriptionId).executeTakeFirstOrThrow()
    }
    const before = await stored()
    await page.goto(`/app/prescriptions/edit/${prescriptionId}`)
    await page.waitForFunction(() => !window.early)
    const card = page.getByRole('region', {
      name: person.say('prescriptions.medicationNumber', { number: 1 }),
    })
    const named = (key: MessageKey) =>
      card.getByRole('textbox', { name: person.say(key), exact: true })
    const update = page.getByRole('button', { name: person.say('prescriptions.update') })
    const typesInto = async (box: Locator, text: string) => {
      await box.click()
      await page.keyboard.press('Control+a')
      await page.keyboard.type(text)
    }
    const refuses = async (box: Locator, text: string) => {
      await update.click()
      await expect.poll(() => box.evaluate((own) => own === document.activeElement)).toBe(true)
      expect([await box.inputValue(), await box.getAttribute('aria-invalid')]).toEqual([
        text,
        'true',
      ])
      expect(await stored()).toEqual(before)
    }
    const quantity = named('prescriptions.quantity')
    for (const text of ['1,000', '١٬٠٠٠', 'x']) {
      await typesInto(quantity, text)
      await refuses(quantity, text)
    }
    // a card with such a box does not fold
    const title = person.say('prescriptions.medicationNumber', { number: 1 })
    await card.getByRole('button', { name: person.say('prescriptions.fold', { title }) }).click()
    await refuses(quantity, 'x')
    await typesInto(quantity, '20')
    const dose = [
      'dose.amount',
      'dose.daysLabel',
      'dose.maxLabel',
      'prescriptions.refills',
    ] as const
    for (const key of dose) {
      const was = await named(key).inputValue()
      await typesInto(named(key), '1,000')
      await refuses(named(key), '1,000')
      if (key !== 'dose.amount') {
        await typesInto(named(key), '7.5')
        await refuses(named(key), '7.5')
      }
      await named(key).fill(was)
    }

    // by mouse and by keyboard: the 1 is seen before it is saved
    const emptied = person.say('validation.emptied', { value: 1 })
    for (const press of [() => update.click(), () => quantity.press('Enter')]) {
      await quantity.fill('')
      await press()
      await card.getByText(emptied).waitFor()
      expect(await quantity.inputValue()).toBe('1')
      await expect.poll(() => quantity.evaluate((own) => own === document.activeElement)).toBe(true)
      expect(await stored()).toEqual(before)
    }
    await person.screenIsSoundInArabic()
    await update.click()
    await page.waitForURL('**/app/prescriptions')
    expect((await stored()).quantity_prescribed).toBe(1)
  },
)

test.for(looks(['en', 'ar'] as const, 1))(
  'the check says which allergies and doses it did not compare, in %s',
  { timeout: 200_000 },
  async (language, { site, visit }) => {
    const { call, clinicId } = await (made ??= aClinic(site))
    const aPatient = async (date_of_birth: string, allergies: readonly string[], kg?: number) => {
      const id = newId()
      await call('patients.create', {
        id,
        primary_clinic_id: clinicId,
        given_name: 'Nour',
        surname: `Haddad ${id.slice(-4)}`,
        sex: 'female',
        date_of_birth,
        answers: {},
      })
      for (const substance of allergies)
        await call('allergies.save', { id: newId(), patient_id: id, substance, status: 'active' })
      // as a program or a phone stores it: no user was asked
      if (kg)
        await call('vitals.save', {
          id: newId(),
          patient_id: id,
          timestamp: new Date().toISOString(),
          weight_kg: kg,
        })
      return id
    }
    const months = 8 * 30.5 * 86_400_000
    const born = new Date(Date.now() - months).toISOString().slice(0, 10)
    const person = await signedIn(await visit(language, language === 'ar' ? 375 : 1280))
    const { page } = person
    const panelOf = async (patientId: string) => {
      await page.goto(`/app/prescriptions/edit/new?patientId=${patientId}`)
      await pickMedication(person, 1, 'Amoxicillin')
      const panel = page.getByRole('region', { name: person.say('safety.title') })
      await panel.getByText(person.say('safety.notEverything')).waitFor()
      return panel
    }

    const said = (compared: number, names: readonly string[]) =>
      person.say('safety.allergiesPartly', {
        compared,
        count: names.length + compared,
        names: new Intl.ListFormat(language, { type: 'conjunction' }).format(
          names.map((name) => `\u2068${name}\u2069`),
        ),
      })
    const antibiotics = await panelOf(await aPatient('1990-05-17', ['antibiotics']))
    await antibiotics.getByText(said(0, ['antibiotics'])).waitFor()
    await antibiotics
      .getByText(person.say('safety.uncheckedAllergy', { substance: 'antibiotics' }))
      .waitFor()
    // a dose that is text says so at its box
    const first = page.getByRole('region', {
      name: person.say('prescriptions.medicationNumber', { number: 1 }),
    })
    await first
      .getByRole('textbox', { name: person.say('prescriptions.dosageInstructions') })
      .fill('1 x 3')
    await first.getByText(person.say('safety.answer.text')).waitFor()
    const brand = await panelOf(await aPatient('1990-05-17', ['Zorbadol', 'penicillin']))
    await brand.getByText(said(1, ['Zorbadol'])).waitFor()
    await person.screenIsSoundInArabic()

    const baby = await panelOf(await aPatient(born, [], 75))
    const card = page.getByRole('region', {
      name: person.say('prescriptions.medicationNumber', { number: 1 }),
    })
    await card.getByRole('textbox', { name: person.say('dose.amount') }).fill('1')
    await card.getByRole('combobox', { name: person.say('dose.often') }).click()
    await page.getByRole('option', { name: person.say('dose.times', { count: 3 }) }).click()
    const notUsed = language === 'ar' ? /75\u2069? كغ .*غير معقول/ : /75 kg .* is implausible for/
    await card.getByText(notUsed).waitFor()
    const answer = (table: 'dose' | 'duplicate', why: 'warned' | 'noLimit') =>
      person.say(`safety.answer.${why}`, { list: person.say(`safety.table.${table}`), source: '' })
    await person.press('safety.answer.fold')
    await baby.getByText(answer('dose', 'warned')).waitFor()
    await baby.getByText(answer('duplicate', 'noLimit').trim()).waitFor()
    await page
      .getByRole('region', { name: person.say('safety.facts.title') })
      .getByText(notUsed)
      .waitFor()
    await person.screenIsSoundInArabic()
  },
)

test(
  'an unusual step asks and is marked; what is handed out and taken back moves stock and statuses',
  { timeout: 400_000 },
  async ({ site, visit }) => {
    const { prescriptionId, name } = await aPrescription(site)
    const person = await signedIn(await visit('en'))
    const { page } = person

    await page.goto(`/app/prescriptions?search=${encodeURIComponent(name)}`)
    const status = page.getByRole('button', { name: /^Status of the prescription/ }).first()
    await status.click()
    await page.getByRole('menuitem', { name: 'Picked up', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Change to “Picked up”' }).click()
    // nothing was dispensed: without a reason it stays pending
    await dialog.getByText(person.say('dispensing.reasonRequired')).waitFor()
    await person.screenIsSound()
    await dialog
      .getByRole('textbox', { name: person.say('dispensing.reason') })
      .fill('Bought elsewhere')
    await dialog.getByRole('button', { name: 'Change to “Picked up”' }).click()
    await person.sees('Unusual step from “Pending”')
    await person.sees('Nothing was dispensed: Bought elsewhere')
    await person.screenIsSound()
    await status.click()
    await page.getByRole('menuitem', { name: 'Other', exact: true }).click()
    await status.getByText('Other').waitFor()

    // the form asks as well, and saves nothing when the answer is no
    await person.goesTo(`/app/prescriptions/edit/${prescriptionId}`)
    await page
      .getByRole('combobox', { name: person.say('prescriptions.status') })
      .first()
      .click()
    await page.getByRole('option', { name: 'Picked up', exact: true }).click()
    await person.press('prescriptions.update')
    await dialog.getByRole('button', { name: person.say('common.cancel') }).click()
    await dialog.waitFor({ state: 'detached' })
    // as it was: leaving would ask about what is not saved
    await page
      .getByRole('combobox', { name: person.say('prescriptions.status') })
      .first()
      .click()
    await page.getByRole('option', { name: 'Other', exact: true }).click()

    await person.goesTo(`/app/dispensing/${prescriptionId}`)
    await person.sees('0 of 20 dispensed')
    await person.screenIsSound()
    for (const box of ['Quantity to dispense', 'Days’ supply']) {
      await page.getByRole('textbox', { name: box }).fill('1,000')
      await person.press('dispensing.handOut')
      const focused = page.locator('[aria-invalid=true]:focus')
      expect(await focused.inputValue()).toBe('1,000')
      await focused.fill('')
    }
    await page.getByRole('textbox', { name: 'Quantity to dispense' }).fill('12')
    await person.sees('12 ×')
    await person.press('dispensing.handOut')
    await person.sees('12 of 20 dispensed')
    await page
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click()
    await page.getByRole('menuitem', { name: 'Print label' }).click()
    await person.sees('Keep out of the reach of children')
    await page.getByText('العربية', { exact: true }).click()
    await person.sees('يُحفظ بعيدًا عن متناول الأطفال')
    await person.screenIsSound()

    await person.goesTo('/app/dispensing?show=records')
    await person.sees(name)
    await person.screenIsSound()
    await person.goesTo(`/app/dispensing/${prescriptionId}`)
    await page
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click()
    await page.getByRole('menuitem', { name: 'Reverse' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reverse' }).click()
    await person.sees('Enter a short reason')
    await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('Wrong box')
    await page.getByRole('dialog').getByRole('button', { name: 'Reverse' }).click()
    await person.sees('Reversal: Wrong box')
    await person.sees('0 of 20 dispensed')
    await person.screenFits()

    await page.goto(`/app/prescriptions/print/${prescriptionId}?language=ar`)
    await page.locator('[dir=rtl]').getByText('تعليمات الجرعة').waitFor()
    await person.screenIsSound()
    // on a phone the printed table scrolls by itself, also by keyboard
    await page.setViewportSize({ width: 375, height: 800 })
    await person.screenIsSound()
    const number = prescriptionNumber(prescriptionId)
    await person.sees(number)
    await page.setViewportSize({ width: 1280, height: 800 })

    // at the counter the number finds the prescription, whose next step is a button
    const waiting = await aPrescription(site)
    await person.goesTo('/app/dispensing')
    const search = page.getByRole('searchbox', { name: person.say('dispensing.search') })
    await search.fill(prescriptionNumber(waiting.prescriptionId).toLowerCase())
    await page.waitForURL(/search=/)
    const patient = waiting.name
    await page
      .getByRole('button', { name: person.say('dispensing.prepareFor', { patient }) })
      .click()
    await page
      .getByRole('link', { name: person.say('dispensing.dispenseFor', { patient }) })
      .click()
    await page.waitForURL(`**/app/dispensing/${waiting.prescriptionId}`)
    await person.goesTo('/app/dispensing')
    await person.screenIsSound()
  },
)

test(
  'allergies stand in the patient’s header; overridden warnings are reviewed; on a phone too',
  { timeout: 300_000 },
  async ({ site, visit }) => {
    const { patientId, call } = await aClinicAtWork(site)
    const person = await signedIn(await visit('en', 375))
    const { page } = person
    await page.goto(`/app/patients/${patientId}?tab=allergies`)
    const line = page.getByRole('region', { name: person.say('banner.patient'), exact: true })
    await line.getByText('Penicillins').waitFor()
    // on paper the list stands below the patient's line, too
    const onPaper = page.getByRole('region', { name: person.say('allergies.summary') })
    await page.emulateMedia({ media: 'print' })
    await onPaper.getByText('Penicillins').waitFor()
    await page.emulateMedia({ media: 'screen' })
    await onPaper.waitFor({ state: 'hidden' })
    await person.screenIsSound()
    await person.press('allergies.add')
    const substance = page.getByRole('dialog').getByRole('combobox', { name: 'Substance' })
    // Enter takes the suggestion, and saves nothing yet
    await substance.pressSequentially('codei')
    await page.getByRole('option', { name: 'codeine', exact: true }).waitFor()
    await substance.press('Enter')
    await expect.poll(() => substance.inputValue()).toBe('codeine')
    // the same allergy a second time is refused beside the field
    await substance.fill('penicillin')
    await substance.press('Escape')
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
    await person.sees(person.say('allergies.alreadyRecorded', { name: 'Penicillins' }))
    await substance.fill('Aspirin')
    await person.sees(person.say('allergies.checkedIngredient'))
    await person.screenFits()
    // a name in another script leaves the sentence its direction; columns without any value are left out
    for (const named of ['ماريفان 5', 'وارفارين'])
      await call('medicines.save', {
        id: newId(),
        patient_id: patientId,
        name: named,
        ingredients: [],
        source: 'pharmacy',
      })
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(`/app/patients/${patientId}?tab=prescriptions`)
    const taken = page.getByRole('region', { name: person.say('medicines.title') })
    const both = taken.getByText('warfarin', { exact: false }).first()
    expect(await both.evaluate((text) => getComputedStyle(text).direction)).toBe('ltr')
    await taken.getByRole('columnheader', { name: person.say('medicines.source') }).waitFor()
    expect(
      await taken.getByRole('columnheader', { name: person.say('medicines.notes') }).count(),
    ).toBe(0)
    await page.setViewportSize({ width: 375, height: 800 })
    // a visit would ask about what is typed
    await page.goto('/app/prescriptions/overrides?state=all')
    await person.seesHeading('Overridden warnings')
    await person.screenIsSound()
  },
)

const LISTS = [
  '/app/patients',
  '/app/patients/merge',
  '/app/appointments?when=all',
  '/app/prescriptions',
  '/app/prescriptions/overrides?state=all',
  '/app/dispensing',
  '/app/inventory/drug-catalogue',
  '/app/inventory/clinic-inventory',
  '/app/inventory/clinic-inventory/ledger',
  '/app/inventory/clinic-inventory/count',
  '/app/inventory/clinic-inventory/transfer',
  '/app/inventory/clinic-inventory/shortfalls',
  '/app/event-forms',
  '/app/event-forms/library',
  '/app/data/events',
  '/app/users',
  '/app/clinics',
  '/app/settings/phones',
  '/app/settings/quarantine',
  '/app/settings/conflicts',
  '/app/settings/imports',
  '/app/settings/backups',
  '/app/trash',
  '/app/audit',
  '/app/audit/accesses',
  '/app/account',
]

test.for(looks(['en', 'ar'] as const, 1))(
  'on a phone no list scrolls sideways, and two selected patients go to the merge (%s)',
  { timeout: 300_000 },
  async (language, { site, visit }) => {
    const [first, second] = [await aPrescription(site), await aPrescription(site)]
    const { call, clinicId } = await made!
    const [patient] = (await call<{ patients: [{ id: string }] }>('patients.list')).patients
    await call('appointments.save', {
      id: newId(),
      patient_id: patient.id,
      clinic_id: clinicId,
      provider_id: null,
      timestamp: '2031-03-04T09:00:00.000Z',
      reason: 'checkup',
    })
    await call('users.save', {
      id: newId(),
      name: 'Abdelrahman Al-Khatib Al-Mansour',
      email: `abdelrahman.alkhatib.${newId().slice(-8)}@clinic.example`,
      role: 'super_admin',
      password,
    })
    const person = await signedIn(await visit(language, 375))
    const { page } = person
    await page.goto('/app')
    for (const path of LISTS) {
      await person.goesTo(path)
      await page.waitForFunction((href) => location.pathname + location.search === href, path)
      await page.locator('h1').waitFor()
      await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0)
      for (const width of [375, 320]) {
        await page.setViewportSize({ width, height: 800 })
        await expect
          .poll(() =>
            page.evaluate(
              () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
            ),
          )
          .toBeLessThanOrEqual(0)
        await person.screenFits()
        // neither does a list within its own box, and nothing of it is cut
        const wide = await page
          .locator('section:has(> table)')
          .evaluateAll((boxes) =>
            boxes.flatMap((box) =>
              [box, ...box.querySelectorAll('td')]
                .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
                .map(({ outerHTML }) => outerHTML.slice(0, 200)),
            ),
          )
        expect([path, width, wide]).toEqual([path, width, []])
      }
    }

    await person.goesTo('/app/patients')
    // roles that a table loses when its rows become cards
    const row = page.getByRole('row').filter({ hasText: first.name })
    await row.getByRole('cell').first().waitFor()
    // the fuller record is proposed to keep, whichever was selected first: the newest patient has an appointment
    for (const { name } of [first, second])
      await page.getByRole('checkbox', { name: person.say('table.select', { name }) }).check()
    await page
      .getByRole('link', { name: person.say('patientSearch.mergeSelected'), exact: true })
      .click()
    await person.seesHeading(person.say('merge.title'))
    await expect
      .poll(async () => [
        await page
          .getByRole('combobox', { name: person.say('merge.winner') })
          .first()
          .inputValue(),
        await page
          .getByRole('combobox', { name: person.say('merge.loser') })
          .first()
          .inputValue(),
      ])
      .toEqual([expect.stringContaining(second.name), expect.stringContaining(first.name)])
    await person.screenIsSoundInArabic()
  },
)

test(
  'with forced colours, selected check boxes, switches, radio buttons and tabs stay recognizable',
  { timeout: 120_000 },
  async ({ site, visit }) => {
    const { patientId: winner, clinicId, call } = await aClinicAtWork(site)
    const { patientId: loser } = await aClinicAtWork(site)
    const userId = newId()
    const user = {
      id: userId,
      name: 'Rana',
      email: emailOf(userId),
      role: 'registrar',
      clinic_id: clinicId,
      password,
    }
    await call('users.save', user)
    const person = await signedIn(await visit('en'))
    const { page } = person
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
    const option = (key: MessageKey) => page.getByText(person.say(key), { exact: true }).first()
    const tab = (key: MessageKey) => page.getByRole('tab', { name: person.say(key) })
    const track = page.locator('.mantine-Switch-track').first()
    const screens: [path: string, control: Locator][] = [
      ['/app/patients', page.getByRole('row').getByRole('checkbox').nth(1)],
      ['/app/patients/register', page.getByRole('radio').first()],
      [`/app/patients/merge?winner=${winner}&loser=${loser}`, page.getByRole('radio').nth(1)],
      [`/app/patients/${winner}`, tab('patientPage.problems')],
      ['/app/settings/quarantine', tab('devices.conflicts')],
      ['/app/appointments', option('appointments.past')],
      ['/app/appointments/calendar', option('appointments.viewWeek')],
      // these are left with changes that are not saved
      ['/app/event-forms/edit/new', track],
      ['/app/settings/configurations', track],
      [`/app/users/manage-permissions/${userId}`, track],
    ]
    const pixels = async (control: Locator) => {
      // without the focus ring and the hover
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
      await page.mouse.move(0, 0)
      return sharp(await control.screenshot({ animations: 'disabled' }))
        .removeAlpha()
        .raw()
        .toBuffer()
    }
    for (const [path, control] of screens) {
      await page.goto(path)
      await page.waitForFunction(() => !window.early)
      await control.waitFor()
      const before = await pixels(control)
      await control.click()
      // some are drawn anew only when the address has changed
      await expect
        .poll(async () => clearlyOther(before, await pixels(control)), {
          message: path,
          timeout: 10_000,
        })
        .toBeGreaterThan(0.1)
    }
  },
)

/** The share of pixels that differ by a contrast of 3:1, as WCAG 2.2 asks of the state of a control (1.4.11). */
function clearlyOther(a: Buffer, b: Buffer): number {
  const pixels = Array.from({ length: a.length / 3 }, (_, at) => at * 3)
  return (
    pixels.filter((at) => contrast(luminance(a, at), luminance(b, at)) >= 3).length / pixels.length
  )
}
const contrast = (a: number, b: number) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
/** Relative luminance as WCAG 2.2 defines it. */
const luminance = (pixels: Buffer, at: number) =>
  [0.2126, 0.7152, 0.0722]
    .map((weight, channel) => weight * linear((pixels[at + channel] ?? 0) / 255))
    .reduce((sum, part) => sum + part)
const linear = (value: number) =>
  value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4

type Made = { clinicId: string; call: Awaited<ReturnType<typeof as>> }
let made: Promise<Made> | undefined

/** One clinic for all tests of this file, with two medicines in stock. */
async function aClinic(site: Site): Promise<Made> {
  const call = await administrator(site)
  const [{ id: clinicId }] = await call<[{ id: string }]>('clinics.list')
  const drug = async (
    generic_name: string,
    brand_name: string,
    ingredient: string,
    dosage_quantity: number,
  ) => {
    const id = newId()
    await call('drugs.save', {
      id,
      generic_name,
      brand_name,
      ingredients: [ingredient],
      form: 'tablet',
      route: 'oral',
      dosage_quantity,
      dosage_units: 'mg',
      min_stock_level: 0,
      is_controlled: false,
      requires_refrigeration: false,
      is_active: true,
    })
    await call('batches.create', {
      id: newId(),
      drug_id: id,
      clinic_id: clinicId,
      batch_number: `B-${dosage_quantity}`,
      expiry_date: '2099-12-31',
      received_date: '2026-01-05',
      confirmed: ['old_day', 'unlikely_date'],
      quantity: 40,
    })
    return id
  }
  await drug('Metformin', 'Glucophage', 'metformin', 850)
  await drug('Amoxicillin', 'Amoxil', 'amoxicillin', 500)
  return { clinicId, call }
}

/** A patient of the clinic with a penicillin allergy, and the visit. */
async function aClinicAtWork(site: Site) {
  const { clinicId, call } = await (made ??= aClinic(site))
  const [patientId, visitId] = [newId(), newId()]
  const surname = `Mansour ${patientId.slice(-4)}`
  await call('patients.create', {
    id: patientId,
    primary_clinic_id: clinicId,
    given_name: 'Layla',
    surname,
    sex: 'female',
    date_of_birth: '1990-05-17',
    answers: {},
  })
  await call('visits.save', {
    id: visitId,
    patient_id: patientId,
    clinic_id: clinicId,
    check_in_timestamp: new Date().toISOString(),
  })
  await call('allergies.save', {
    id: newId(),
    patient_id: patientId,
    substance: 'Penicillins',
    substance_kind: 'drug_class',
    substance_code: 'penicillins',
    severity: 'severe',
    status: 'active',
  })
  return { patientId, visitId, clinicId, call, name: `Layla ${surname}` }
}

async function aPrescription(site: Site) {
  const { patientId, clinicId, call, name } = await aClinicAtWork(site)
  const { id: me } = await call<{ id: string }>('users.current')
  const [drug] = await call<[{ id: string }]>('drugs.search', { searchQuery: 'Metformin' })
  const id = newId()
  const item = {
    id: newId(),
    drug_id: drug.id,
    dosage_instructions: 'Twice a day',
    quantity_prescribed: 20,
  }
  await call('prescriptions.save', {
    id,
    patient_id: patientId,
    provider_id: me,
    pickup_clinic_id: clinicId,
    notes: '',
    items: [item],
  })
  return { prescriptionId: id, name }
}

function signedIn(person: Person) {
  // the machine that tests may have other work
  person.page.context().setDefaultTimeout(45_000)
  return withSession(person, emailOf('admin'))
}

type Select = 'prescriptions.patient' | 'prescriptions.priority' | 'prescriptions.status'
const select = (person: Person, key: Select) =>
  person.page.getByRole('combobox', { name: person.say(key) }).first()
const picked = (person: Person, key: Select) => select(person, key).inputValue()
async function choices(person: Person, key: Select) {
  await select(person, key).click()
  await person.page.getByRole('option').first().waitFor()
  const names = await person.page.getByRole('option').allTextContents()
  await person.page.keyboard.press('Escape')
  return names
}

async function pickMedication(person: Person, number: number, name: string) {
  const card = person.page.getByRole('region', {
    name: person.say('prescriptions.medicationNumber', { number }),
  })
  await card.getByRole('combobox', { name: person.say('prescriptions.medication') }).fill(name)
  await person.page.getByRole('option', { name }).first().click()
}
