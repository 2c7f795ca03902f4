import { sql } from 'kysely'
import type { Locator } from 'playwright-core'
import { expect } from 'vitest'
import { newId } from '~/shared/id'
import type { MessageKey } from '~/shared/language'
import { PAGE_SIZE } from '~/shared/record'
import { aDocument } from '../foreign-document'
import {
  addUser,
  administrator,
  emailOf,
  looks,
  type Person,
  type Site,
  test,
  withSession,
} from './browser'
import { clicksMiddle } from './lists'
import { opensPart, partNames } from './record-parts'

/** What a record of one clinic in each language says: its names are in the clinic's language. */
const words = {
  en: {
    clinic: 'Hillside',
    name: 'Layla Mansour',
    child: 'Sami Mansour',
    reason: 'Cough since Monday',
  },
  ar: { clinic: 'عيادة التل', name: 'ليلى منصور', child: 'سامي منصور', reason: 'سعال منذ الاثنين' },
}

test.for(looks(['en', 'ar'] as const, 1))(
  'a provider works through the page of a patient by keyboard: %s',
  { timeout: 180_000 },
  async (language, { site, visit }) => {
    const record = await aRecord(site, language)
    const provider = await signedIn(await visit(language), record.provider)
    await provider.page.goto(`/app/patients/${record.patientId}`)
    await provider.seesHeading(words[language].name)
    await provider.screenIsSoundInArabic()

    await opensVisit(provider, words[language].reason)
    await entersVitals(provider)
    await recordsProblem(provider)
    await changesWhoItIs(provider)
    await closesVisit(provider)
    await seesEveryTab(provider)
    await printsIt(provider, words[language].name)
    const call = await administrator(site)
    await expect.poll(() => prints(call, record.patientId)).toEqual(['prints.record'])
  },
)

test(
  'the growth of a child is drawn against the standards, and said in a table',
  { timeout: 120_000 },
  async ({ site, visit }) => {
    const { childId, provider } = await aRecord(site, 'en')
    for (const width of [1280, 375]) {
      const person = await signedIn(await visit('en', width), provider)
      await person.page.goto(`/app/patients/${childId}?tab=growth`)
      await person.sees(person.say('growth.weight'))
      await person.sees(person.say('growth.source'))
      await person.page.getByText('12.2').first().waitFor()
      await (width === 375 ? person.screenIsSound() : person.screenFits())
    }
  },
)

test(
  'on a phone every part of the record fits the screen',
  { timeout: 180_000 },
  async ({ site, visit }) => {
    const record = await aRecord(site, 'en')
    const provider = await signedIn(await visit('en', 375), record.provider)
    await provider.page.goto(`/app/patients/${record.patientId}`)
    await provider.seesHeading(words.en.name)
    await seesEveryTab(provider)
    await provider.press('vitals.add')
    await provider.page.getByRole('dialog').waitFor()
    await provider.screenIsSound()
  },
)

test.for(looks(['en', 'ar'] as const, 1))(
  'a deletion of 20,000 answers says how far it is, is stopped, and then done: %s',
  { timeout: 120_000 },
  async (language, { site, visit, db }) => {
    const { patientId } = await aRecord(site, language)
    await sql`insert into patient_additional_attributes (id, patient_id, attribute_id, attribute, string_value)
      select gen_random_uuid(), ${patientId}::uuid, gen_random_uuid()::text, 'x', 'y'
      from generate_series(1, 20000)`.execute(db)
    const live = () =>
      db
        .selectFrom('patient_additional_attributes')
        .select(({ fn }) => fn.countAll<number>().as('answers'))
        .where('patient_id', '=', patientId)
        .where('is_deleted', '=', false)
        .executeTakeFirstOrThrow()
    const admin = await withSession(await visit(language), emailOf('admin'))
    const deletes = async () => {
      await admin.page.goto(`/app/patients/${patientId}`)
      await admin.seesHeading(words[language].name)
      await clicksMiddle(
        admin.page,
        admin.page.getByRole('button', { name: admin.say('patientPage.actions') }),
      )
      const item = admin.page.getByRole('menuitem', { name: admin.say('patientPage.delete') })
      await clicksMiddle(admin.page, item)
      const dialog = admin.page.getByRole('dialog')
      await dialog.getByRole('textbox').fill(words[language].name)
      await clicksMiddle(
        admin.page,
        dialog.getByRole('button', { name: admin.say('patientPage.delete') }),
      )
    }
    await deletes()
    const stop = admin.page.getByRole('button', { name: admin.say('common.stop') })
    await clicksMiddle(admin.page, stop)
    await admin.sees(admin.say('patientPage.deletionStopped'))
    expect((await live()).answers).toBe(20_000)
    await deletes()
    await admin.sees(admin.say('patientPage.deletedDone', { name: words[language].name }))
    expect((await live()).answers).toBe(0)
    await clicksMiddle(
      admin.page,
      admin.page.getByRole('button', { name: admin.say('common.undo') }),
    )
    await admin.sees(admin.say('common.undone'))
    expect((await live()).answers).toBe(20_000)
  },
)

test(
  'a merge that the record contradicts is asked about, and done only once the user means it',
  { timeout: 120_000 },
  async ({ site, visit }) => {
    const { patientId, childId } = await aRecord(site, 'en')
    const call = await administrator(site)
    await call('pregnancies.record', { id: newId(), patientId, state: 'pregnant', weeks: 12 })
    const admin = await signedIn(await visit('en'), 'admin')
    const { page } = admin
    await page.goto(`/app/patients/merge?winner=${childId}&loser=${patientId}`)
    const mergesAndSays = async (answer: MessageKey) => {
      await clicksMiddle(
        page,
        page.getByRole('button', { name: admin.say('merge.merge'), exact: true }),
      )
      const button = (dialog: MessageKey, name: MessageKey) =>
        page
          .getByRole('dialog', { name: admin.say(dialog) })
          .getByRole('button', { name: admin.say(name), exact: true })
      await clicksMiddle(page, button('merge.mergeTitle', 'merge.merge'))
      await admin.sees(admin.say('patients.recordsPregnancy'))
      await clicksMiddle(page, button('asked.against_record', answer))
    }
    await mergesAndSays('common.cancel')
    await mergesAndSays('asked.yes')
    await admin.sees(admin.say('merge.merged'))
  },
)

test.for([
  [1280, 800],
  [375, 740],
] as const)(
  'what is known of a patient begins in the upper part of a screen of %i by %i, and what can be done is in view',
  async ([width, height], { site, visit }) => {
    const record = await aRecord(site, 'en')
    const person = await signedIn(await visit('en', width), record.provider)
    const { page } = person
    await page.setViewportSize({ width, height })
    await page.goto(`/app/patients/${record.patientId}`)
    await person.seesHeading(words.en.name)
    const box = async (at: Locator) => (await at.boundingBox())!
    const first = page.getByRole('region', { name: person.say('patientPage.activeProblems') })
    expect((await box(first)).y).toBeLessThan(300)
    const tabs = await page.getByRole('tab').all()
    const tops = await Promise.all(tabs.map(async (at) => Math.round((await box(at)).y)))
    expect(new Set(tops).size).toBe(1)
    for (const key of ['vitals.add', 'patientPage.actions'] as const) {
      const action = await box(page.getByRole('button', { name: person.say(key), exact: true }))
      expect(action.y + action.height).toBeLessThanOrEqual(height)
      if (width === 375) expect(action.height).toBeGreaterThanOrEqual(44)
    }
    await clicksMiddle(page, page.getByRole('button', { name: person.say('vitals.add') }))
    await page.getByRole('dialog').waitFor()
  },
)

test('a registrar sees who the patient is, but no medical history', async ({ site, visit }) => {
  const record = await aRecord(site, 'en')
  const registrar = await signedIn(await visit('en', 375), record.registrar)
  await registrar.page.goto(`/app/patients/${record.patientId}?tab=vitals`)
  await registrar.seesHeading(words.en.name)
  await registrar.sees(registrar.say('patientPage.identityOnly'))
  const tabs = await partNames(registrar)
  for (const hidden of ['overview', 'visits', 'vitals', 'problems', 'timeline'] as const)
    expect(tabs).not.toContain(registrar.say(`patientPage.${hidden}`))
  expect(
    await registrar.page.getByRole('button', { name: registrar.say('vitals.add') }).count(),
  ).toBe(0)
  await registrar.screenIsSound()
})

test('a patient who does not exist is "not found"; a missing choice is named as well', async ({
  site,
  visit,
}) => {
  const { provider } = await aRecord(site, 'en')
  const person = await signedIn(await visit('en'), provider)
  for (const id of [newId(), 'nonsense']) {
    const answer = await person.page.goto(`/app/patients/${id}`)
    expect(answer?.status()).toBe(404)
    await person.sees(person.say('patients.notFound'))
  }
  await person.screenIsSound()
  await person.goesTo('/app/patients/new')
  await person.sees(person.say('patientPage.noneTitle'))
  await person.screenIsSound()
})

test(
  'the screens around the record are sound in Arabic on a phone and in Spanish on a desk',
  { timeout: 300_000 },
  async ({ site, visit }) => {
    const { patientId, childId } = await aRecord(site, 'en')
    for (const [language, width] of [
      ['ar', 375],
      ['es', 1280],
    ] as const) {
      const admin = await signedIn(await visit(language, width), 'admin')
      await admin.page.goto('/app/patients')
      for (const address of [
        '/app/patients',
        '/app/patients/register',
        '/app/patients/customize-registration-form',
        `/app/patients/merge?winner=${patientId}&loser=${childId}`,
        '/app/settings/imports',
        '/app/settings/backups',
      ]) {
        await admin.goesTo(address)
        await admin.page.getByRole('heading', { level: 1 }).waitFor()
        await admin.screenIsSoundInArabic()
      }
      await admin.goesTo(`/app/patients/${patientId}`)
      await admin.press('patientPage.actions')
      await admin.page.getByRole('menuitem', { name: admin.say('patientPage.delete') }).waitFor()
      await admin.screenIsSoundInArabic()
      const tops = await admin.page
        .getByRole('tab')
        .evaluateAll((tabs) => tabs.map((tab) => tab.getBoundingClientRect().top))
      if (width === 1280) expect([tops.length, new Set(tops).size]).toEqual([6, 1])
    }
  },
)

test(
  'a save that another user overtook is made with either button, the time too',
  { timeout: 180_000 },
  async ({ site, visit, db }) => {
    const { patientId, provider } = await aRecord(site, 'en')
    const call = await administrator(site)
    const { patient } = await call<{ patient: { primary_clinic_id: string } }>('patients.get', {
      id: patientId,
    })
    const id = newId()
    const at = {
      clinic_id: patient.primary_clinic_id,
      check_in_timestamp: `${dayBefore(2)}T09:00:00Z`,
    }
    await call('visits.save', { id, patient_id: patientId, ...at })
    const stored = () =>
      db
        .selectFrom('visits')
        .select(['reason', 'check_in_timestamp'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    const [mine, other] = [
      await signedIn(await visit('en'), provider),
      await signedIn(await visit('en'), 'admin'),
    ]
    // nothing is said before the save: that is another way to the same buttons
    await mine.page.route('**/api/live*', (route) => route.abort())
    const dialogOf = (person: Person) => {
      const { page } = person
      const dialog = page.getByRole('dialog')
      const button = (key: MessageKey) => dialog.getByRole('button', { name: person.say(key) })
      return {
        presses: (key: MessageKey) => clicksMiddle(page, button(key)),
        reason: dialog.getByLabel(person.say('visits.reason')),
        time: dialog.getByRole('textbox', { name: person.say('form.time.label'), exact: true }),
        closes: () => dialog.waitFor({ state: 'detached' }),
        /** Save came before the version of the other user had been read: the choice is there again. */
        asksAgain: (key: MessageKey) =>
          Promise.race([
            button(key)
              .waitFor()
              .then(() => true),
            dialog.waitFor({ state: 'detached' }).then(() => false),
          ]),
      }
    }
    const types = async (person: Person, reason: string, time: string) => {
      const { page } = person
      await page.goto(`/app/patients/${patientId}?tab=visits`)
      await clicksMiddle(page, page.getByRole('button', { name: /^Actions for the visit/ }).last())
      await clicksMiddle(page, page.getByRole('menuitem', { name: person.say('common.edit') }))
      await dialogOf(person).reason.fill(reason)
      await dialogOf(person).time.fill(time)
    }
    const my = dialogOf(mine)
    for (const [button, typed, reason, time] of [
      ['form.keepMine', 'Cough', 'Cough', '10:10'],
      ['form.takeNewest', 'Chills', 'Fever', '11:20'],
    ] as const) {
      await types(mine, typed, '10:10')
      await types(other, 'Fever', '11:20')
      await dialogOf(other).presses('common.save')
      await dialogOf(other).closes()
      const ofOther = (await stored()).check_in_timestamp.getTime()
      await my.presses('common.save')
      await my.presses(button)
      await expect.poll(() => my.reason.inputValue()).toBe(reason)
      expect(await my.time.inputValue()).toBe(time)
      await my.presses('common.save')
      if (await my.asksAgain(button)) {
        await my.presses(button)
        await my.presses('common.save')
      }
      await my.closes()
      const now = await stored()
      expect(now.reason).toBe(reason)
      expect(ofOther - now.check_in_timestamp.getTime()).toBe(reason === 'Cough' ? 4_200_000 : 0)
    }

    // the other user's change takes the visit off the page that is shown
    const older = (days: number) => ({
      id: newId(),
      ...at,
      patient_id: patientId,
      check_in_timestamp: new Date(`${dayBefore(days)}T09:00:00Z`),
      closed_at: new Date(`${dayBefore(days)}T10:00:00Z`),
    })
    const page = Array.from({ length: PAGE_SIZE }, (_, days) => older(days + 4))
    await db.insertInto('visits').values(page).execute()
    await mine.page.goto(`/app/patients/${patientId}?tab=visits`)
    const menus = mine.page.getByRole('button', { name: /^Actions for the visit/ })
    await clicksMiddle(mine.page, menus.nth(1))
    await clicksMiddle(
      mine.page,
      mine.page.getByRole('menuitem', { name: mine.say('common.edit') }),
    )
    await expect.poll(() => my.reason.inputValue()).toBe('Fever')
    await my.reason.fill('Rash')
    const { last_modified } = await call<{ last_modified: string }>('visits.get', { id })
    await call('visits.save', {
      id,
      patient_id: patientId,
      ...at,
      last_modified,
      reason: 'Burn',
      check_in_timestamp: `${dayBefore(60)}T09:00:00Z`,
    })
    await my.presses('common.save')
    await my.presses('form.keepMine')
    await my.presses('common.save')
    if (await my.asksAgain('form.keepMine')) {
      await my.presses('form.keepMine')
      await my.presses('common.save')
    }
    await my.closes()
    const moved = await stored()
    expect([moved.reason, moved.check_in_timestamp.toISOString()]).toEqual([
      'Rash',
      `${dayBefore(60)}T09:00:00.000Z`,
    ])
  },
)

test(
  'a visit that nobody closed takes nothing of today by itself; who waits shows the number, not "Check in"',
  { timeout: 180_000 },
  async ({ site, visit }) => {
    const { patientId, childId, provider, registrar } = await aRecord(site, 'en')
    const call = await administrator(site)
    const { patient } = await call<{ patient: { primary_clinic_id: string } }>('patients.get', {
      id: patientId,
    })
    const clinic_id = patient.primary_clinic_id
    const [old, other] = [newId(), newId()]
    for (const [id, patient_id] of [
      [old, patientId],
      [other, childId],
    ])
      await call('visits.save', {
        id,
        patient_id,
        clinic_id,
        check_in_timestamp: `${dayBefore(2)}T09:00:00Z`,
      })
    const person = await signedIn(await visit('en'), provider)
    const { page } = person
    const button = (key: MessageKey) =>
      page.getByRole('button', { name: person.say(key), exact: true }).first()
    await page.goto(`/app/patients/${patientId}`)
    await page.getByText('was never closed').waitFor()
    // offered once, where the old visit is
    const opens = page.getByRole('button', { name: person.say('visits.open'), exact: true })
    expect(await opens.count()).toBe(1)
    await clicksMiddle(page, button('vitals.add'))
    await person.fill('vitals.temperature_celsius', '39.4')
    await clicksMiddle(page, button('common.save'))
    await person.sees(person.say('vitals.savedDone'))
    // what is out of the ordinary is a sentence in a message of its own
    await page
      .locator('[data-sonner-toast]')
      .filter({ hasText: person.say('vitals.abnormal') })
      .waitFor()
    const open = await call<{ id: string }[]>('visits.open', { patientId })
    expect(open).toHaveLength(1)
    expect(open[0]!.id).not.toBe(old)
    const now = await call<{ vitals: unknown[] }>('visits.get', { id: open[0]!.id })
    expect(now.vitals).toMatchObject([{ temperature_celsius: 39.4 }])
    expect(await call('visits.get', { id: old })).toMatchObject({
      vitals: [],
      closed_as: 'last_entry',
    })

    await page.goto('/app/visits/open')
    await person.seesHeading(person.say('visits.openList'))
    await person.screenIsSound()
    await clicksMiddle(page, button('visits.closeEarlier'))
    await clicksMiddle(
      page,
      page.getByRole('dialog').getByRole('button', { name: person.say('visits.closeEarlier') }),
    )
    await person.sees(person.say('visits.closedEarlier', { count: 1 }))
    expect(await call('visits.get', { id: other })).toMatchObject({ closed_as: 'last_entry' })

    const { token } = await call<{ token: number }>('queue.checkIn', {
      id: newId(),
      patientId: childId,
      clinicId: clinic_id,
    })
    const desk = await signedIn(await visit('en'), registrar)
    await desk.page.goto(`/app/patients/${childId}`)
    await desk.page.getByRole('link', { name: desk.say('queue.waitsHere', { token }) }).waitFor()
    expect(
      await desk.page
        .locator('header')
        .getByRole('button', { name: desk.say('appointments.checkIn') })
        .count(),
    ).toBe(0)
  },
)

test(
  'lines of a document from elsewhere are taken and undone by mouse, after the question whose it is',
  { timeout: 120_000 },
  async ({ site, visit }) => {
    const { patientId, provider } = await aRecord(site, 'en')
    const person = await signedIn(await visit('en', 375), provider)
    const { page } = person
    await page.goto(`/app/patients/${patientId}`)
    await clicksMiddle(page, page.getByRole('button', { name: person.say('patientPage.actions') }))
    await clicksMiddle(page, page.getByRole('menuitem', { name: person.say('documents.title') }))
    await person.seesHeading(person.say('documents.title'))
    await page.locator('input[type=file]').setInputFiles({
      name: 'summary.json',
      mimeType: 'application/json',
      buffer: Buffer.from(aDocument()),
    })
    const medicines = page.getByRole('region', { name: person.say('documents.section_medicines') })
    await clicksMiddle(page, medicines.getByRole('button'))
    await person.screenIsSound()
    const take = page.getByRole('button', { name: person.say('documents.take', { count: 2 }) })
    await clicksMiddle(page, take)
    await person.sees(person.say('documents.answerFirst'))
    await page.getByRole('radio', { name: person.say('documents.samePerson') }).check()
    await clicksMiddle(page, take)
    await person.sees(person.say('documents.takenDone', { taken: 2, left: 0 }))
    await medicines.getByText(person.say('documents.alreadyTaken')).first().waitFor()
    const call = await administrator(site)
    const { rows } = await call<{ rows: { name: string; from_document: object }[] }>(
      'medicines.list',
      { patientId },
    )
    expect(rows.map(({ name }) => name).toSorted()).toEqual(['Enalapril 10 mg', 'Metformina'])
    expect(rows[0]!.from_document).toMatchObject({
      from: 'Hospital San Juan',
      file: 'summary.json',
    })

    // one of them is worked on, and the document is undone
    const worked = rows.find(({ name }) => name === 'Metformina')!
    await call('medicines.save', { ...worked, patient_id: patientId, notes: 'Asked again' })
    await clicksMiddle(
      page,
      page.getByRole('button', {
        name: person.say('documents.undoOf', { name: 'Hospital San Juan' }),
      }),
    )
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Enalapril 10 mg').waitFor()
    await person.sees(person.say('documents.stays', { count: 1 }))
    await person.screenIsSound()
    await clicksMiddle(page, dialog.getByRole('button', { name: person.say('documents.undo') }))
    await person.sees(person.say('documents.undoneDone', { undone: 1, left: 1 }))
    await person.sees(person.say('documents.stayed'))
    const stayed = await call<{ rows: { name: string }[] }>('medicines.list', { patientId })
    expect(stayed.rows.map(({ name }) => name)).toEqual(['Metformina'])
  },
)

/**
 * A dialog opens with the focus on its first field; Escape brings it back to the button that opened
 * it. Leaves it open.
 */
async function opensOnAndReturns(person: Person, button: MessageKey, field: MessageKey) {
  const dialog = person.page.getByRole('dialog')
  await pressByKeyboard(person, button)
  await expect.poll(() => person.focused()).toBe(`INPUT ${person.say(field)}`)
  await person.page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => person.focused()).toBe(`BUTTON ${person.say(button)}`)
  await pressByKeyboard(person, button)
  await expect.poll(() => person.focused()).toBe(`INPUT ${person.say(field)}`)
}

async function opensVisit(person: Person, reason: string) {
  const dialog = person.page.getByRole('dialog')
  await opensOnAndReturns(person, 'visits.open', 'clinics.one')
  await dialog.getByRole('textbox', { name: person.say('visits.reason') }).fill(reason)
  await person.screenIsSoundInArabic()
  await dialog.getByRole('button', { name: person.say('visits.open') }).press('Enter')
  await person.sees(person.say('visits.openedDone'))
  await dialog.waitFor({ state: 'detached' })
}

/** An impossible value is refused beside its box; nothing that was typed is lost. */
async function entersVitals(person: Person) {
  const dialog = person.page.getByRole('dialog')
  await opensOnAndReturns(person, 'vitals.add', 'vitals.systolic_bp')
  const box = (name: Parameters<Person['say']>[0]) =>
    dialog.getByRole('textbox', { name: person.say(name) })
  await box('vitals.systolic_bp').focus()
  for (const value of ['182', '195']) {
    await person.page.keyboard.type(value)
    await person.page.keyboard.press('Tab')
  }
  await box('vitals.temperature_celsius').fill('386')
  await box('vitals.weight_kg').fill('61.5')
  await person.page.keyboard.press('Enter')
  await dialog.locator('[aria-invalid=true]').first().waitFor()
  // the impossible value and the two that contradict each other, at once
  expect(await dialog.locator('[aria-invalid=true]').count()).toBe(2)
  await dialog.getByText(person.say('vitals.diastolicBelow'), { exact: true }).waitFor()
  await person.screenIsSoundInArabic()
  // the summary names the field, leads to it, and goes once the value is right
  const summary = dialog.getByText(person.say('errors.invalid'))
  const link = dialog.getByRole('link', { name: person.say('vitals.temperature_celsius') })
  await summary.waitFor()
  await link.click()
  await expect
    .poll(() => person.focused())
    .toBe(`INPUT ${person.say('vitals.temperature_celsius')}`)
  expect(await box('vitals.systolic_bp').inputValue()).toBe('182')
  expect(await box('vitals.weight_kg').inputValue()).toBe('61.5')

  // a click beside the dialog and Escape ask before they discard what was typed
  const question = person.page.getByRole('dialog', { name: person.say('form.discardTitle') })
  for (const leave of [
    () => person.page.mouse.click(3, 450),
    () => person.page.keyboard.press('Escape'),
  ]) {
    await leave()
    await clicksMiddle(person.page, question.getByRole('button', { name: person.say('form.stay') }))
    await question.waitFor({ state: 'detached' })
    expect(await box('vitals.weight_kg').inputValue()).toBe('61.5')
  }
  await box('vitals.diastolic_bp').fill('95')
  await box('vitals.temperature_celsius').fill('38.6')
  await person.page.keyboard.press('Enter')
  await person.sees(person.say('vitals.savedDone'))
  await dialog.waitFor({ state: 'detached' })
  await tab(person, 'vitals')
  await person.page.getByText(numberOf(person, 38.6)).first().waitFor()
  await person.screenIsSoundInArabic()
}

/** From the list of codes, then changed. */
async function recordsProblem(person: Person) {
  await tab(person, 'problems')
  await pressByKeyboard(person, 'problems.add')
  const dialog = person.page.getByRole('dialog', { name: person.say('problems.add') })
  await dialog.getByRole('textbox', { name: person.say('problems.search') }).fill('hypertension')
  await person.page.getByRole('option').first().waitFor()
  await person.screenIsSoundInArabic()
  // Enter alone takes nothing of a list with several results, and saves nothing
  await person.page.keyboard.press('ArrowDown')
  await person.page.keyboard.press('Enter')
  const label = dialog.getByRole('textbox', { name: person.say('problems.label'), exact: true })
  await expect.poll(() => label.inputValue()).not.toBe('')
  const name = await label.inputValue()
  // what was only chosen is not discarded unasked either
  const question = person.page.getByRole('dialog', { name: person.say('form.discardTitle') })
  await person.page.mouse.click(3, 450)
  await clicksMiddle(person.page, question.getByRole('button', { name: person.say('form.stay') }))
  await question.waitFor({ state: 'detached' })
  await dialog.getByRole('button', { name: person.say('common.save') }).press('Enter')
  await dialog.waitFor({ state: 'detached' })
  const row = person.page.getByRole('row').filter({ hasText: name })
  await row.waitFor()

  await row.getByRole('button').press('Enter')
  await person.page.getByRole('menuitem', { name: person.say('common.edit') }).press('Enter')
  const edit = person.page.getByRole('dialog', { name: person.say('problems.edit') })
  await edit.waitFor()
  const severity = edit.getByRole('textbox', { name: person.say('problems.severity') })
  await severity.fill('14')
  await edit.getByRole('button', { name: person.say('common.save') }).press('Enter')
  await edit.locator('[aria-invalid=true]').first().waitFor()
  expect(await severity.inputValue()).toBe('14')
  await edit.getByText(person.say('errors.invalid')).waitFor()
  await severity.fill('4')
  // corrected: nothing is left to check
  await edit.getByText(person.say('errors.invalid')).waitFor({ state: 'hidden' })
  await edit.getByRole('button', { name: person.say('common.save') }).press('Enter')
  await edit.waitFor({ state: 'detached' })
  // opened from a menu: back on the menu's button
  await expect
    .poll(() => row.getByRole('button').evaluate((button) => button === document.activeElement))
    .toBe(true)
}

async function changesWhoItIs(person: Person) {
  await tab(person, 'details')
  await pressByKeyboard(person, 'common.edit')
  await expect.poll(() => person.page.title()).toContain(person.say('patientPage.details'))
  const dialog = person.page.getByRole('dialog')
  const phone = dialog.getByRole('textbox', { name: person.say('patientPage.phone') })
  await phone.fill('03 123 456')
  await person.screenIsSoundInArabic()
  await person.page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await person.page.getByRole('link', { name: '03 123 456' }).waitFor()
}

async function closesVisit(person: Person) {
  await tab(person, 'visits')
  await person.page.getByRole('article').getByText(person.say('visits.isOpen')).first().waitFor()
  await pressByKeyboard(person, 'visits.close')
  await person.sees(person.say('visits.closedDone'))
  await expect
    .poll(() => person.page.getByText(person.say('visits.isOpen'), { exact: true }).count())
    .toBe(0)
}

async function seesEveryTab(person: Person) {
  const names = await partNames(person)
  expect(names.length).toBeGreaterThan(4)
  for (const name of names) {
    await opensPart(person, name)
    await person.page.getByRole('tabpanel').waitFor()
    await person.screenIsSoundInArabic()
    const scrolls = await person.page
      .getByRole('tabpanel')
      .locator('section:has(> table)')
      .evaluateAll((lists) =>
        lists
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ ariaLabel }) => ariaLabel),
      )
    expect(scrolls, 'lists that scroll sideways below the menus of their rows').toEqual([])
  }
  await opensPart(person, names[0]!)
  await person.page.getByRole('tab').first().focus()
  // in the direction of reading
  await person.page.keyboard.press(person.language === 'ar' ? 'ArrowLeft' : 'ArrowRight')
  await person.page.getByRole('tab', { name: names[1]!, exact: true, selected: true }).waitFor()
}

async function printsIt(person: Person, name: string) {
  await person.page.emulateMedia({ media: 'print' })
  await person.seesHeading(name)
  expect(await person.page.getByRole('navigation').first().isVisible()).toBe(false)
  expect(await person.page.getByRole('tab').first().isVisible()).toBe(false)
  expect(
    await person.page
      .getByText(person.say('patientPage.printedOn', { time: '' }).trim())
      .first()
      .isVisible(),
  ).toBe(true)
  await person.page.emulateMedia({ media: 'screen' })
  // as with Ctrl+P, no button of ours
  await person.page.pdf()
}

type Calling = Awaited<ReturnType<typeof administrator>>

/** The entries of the access log about prints of a record. */
async function prints(call: Calling, patientId: string) {
  const { rows } = await call<{ rows: { operations: string[] }[] }>('patients.accesses', {
    patientId,
  })
  return rows.flatMap(({ operations }) => operations).filter((name) => name === 'prints.record')
}

const tab = (person: Person, name: 'vitals' | 'problems' | 'details' | 'visits') =>
  opensPart(person, person.say(`patientPage.${name}`), (at) => at.press('Enter'))

const numberOf = (person: Person, value: number) =>
  new Intl.NumberFormat(person.language).format(value)

async function pressByKeyboard(person: Person, key: Parameters<Person['say']>[0]) {
  const button = person.page.getByRole('button', { name: person.say(key), exact: true }).first()
  await button.focus()
  await person.page.keyboard.press('Enter')
}

let made = 0

/** A patient with a visit that is over, a child with a measurement; people who may see one thing and another. */
async function aRecord(site: Site, language: 'en' | 'ar') {
  const { clinic, name, child } = words[language]
  const call = await administrator(site)
  made += 1
  const [clinicId, patientId, childId, visitId] = [newId(), newId(), newId(), newId()]
  await call('clinics.save', { id: clinicId, name: `${clinic} ${made}` })
  const [provider, registrar] = [`provider${made}`, `registrar${made}`]
  await addUser(site, {
    id: newId(),
    name: 'Omar',
    email: emailOf(provider),
    role: 'provider',
    clinic_id: clinicId,
  })
  await addUser(site, {
    id: newId(),
    name: 'Rosa',
    email: emailOf(registrar),
    role: 'registrar',
    clinic_id: clinicId,
  })
  const register = (id: string, names: string, more: object) => {
    const [given_name, surname] = names.split(' ')
    return call('patients.create', {
      id,
      primary_clinic_id: clinicId,
      given_name,
      surname,
      ...more,
    })
  }
  await register(patientId, name, { sex: 'female', date_of_birth: '1960-05-17' })
  await register(childId, child, { sex: 'male', date_of_birth: dayBefore(730) })
  for (const [id, patient_id] of [
    [visitId, patientId],
    [newId(), childId],
  ]) {
    await call('visits.save', {
      id,
      patient_id,
      clinic_id: clinicId,
      check_in_timestamp: new Date().toISOString(),
    })
    const measured =
      patient_id === childId ? { weight_kg: 12.2, height_cm: 87.1 } : { temperature_celsius: 36.8 }
    await call('vitals.save', {
      id: newId(),
      patient_id,
      visit_id: id,
      timestamp: new Date().toISOString(),
      ...measured,
    })
    await call('visits.close', { id })
  }
  await call('referrals.save', {
    id: newId(),
    patient_id: patientId,
    visit_id: null,
    to_name: 'National Cardiology Hospital, outpatient department',
    reason: 'Chest pain on effort for two weeks. Please assess for coronary disease.',
    urgency: 'emergency',
    due_on: dayBefore(-14),
    status: 'replied',
    reply: 'Angiography normal. Continue aspirin, review in three months.',
  })
  return { patientId, childId, provider, registrar }
}

const dayBefore = (days: number) =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

const signedIn = (person: Person, who: string) => withSession(person, emailOf(who))
