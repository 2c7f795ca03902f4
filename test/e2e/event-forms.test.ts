import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { newId } from '~/shared/id'
import type { Language, MessageKey } from '~/shared/language'
import { clicksMiddle } from './lists'
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

const option = (value: string, label: string) => ({ id: `o-${value}`, value, label })
const asked = (id: string, name: string, more: object) => ({
  id,
  name,
  description: '',
  required: false,
  ...more,
})
const parts = {
  name: '',
  route: ['oral'],
  form: [],
  frequency: '',
  intervals: '',
  dose: '',
  doseUnits: ['mg'],
  duration: '',
  durationUnits: ['days'],
}
/** A question of every kind, with a rule of every sort. */
const questions = [
  {
    id: 'head',
    name: '',
    description: '',
    required: false,
    fieldType: 'text',
    content: 'History',
    size: 'xl',
  },
  asked('complaint', 'Complaint', {
    required: true,
    fieldType: 'free-text',
    inputType: 'textarea',
    length: 'long',
  }),
  asked('smoker', 'Smoker', {
    fieldType: 'binary',
    inputType: 'radio',
    options: [option('yes', 'Yes'), option('no', 'No')],
  }),
  asked('packs', 'Packs a day', {
    fieldType: 'free-text',
    inputType: 'number',
    length: 'short',
    rules: {
      showIf: { match: 'all', tests: [{ fieldId: 'smoker', comparison: 'is', value: 'yes' }] },
      limits: { min: 0, max: 10 },
    },
  }),
  asked('weight', 'Weight', {
    fieldType: 'free-text',
    inputType: 'number',
    length: 'short',
    units: ['kg'],
  }),
  asked('height', 'Height', {
    fieldType: 'free-text',
    inputType: 'number',
    length: 'short',
    units: ['cm'],
  }),
  asked('bmi', 'BMI', {
    fieldType: 'free-text',
    inputType: 'number',
    length: 'short',
    rules: {
      compute: { function: 'bmi', fields: ['weight', 'height'] },
      normal: { min: 18.5, max: 25 },
    },
  }),
  { id: 'line', name: '', description: '', required: false, fieldType: 'separator' },
  asked('signs', 'Signs', {
    fieldType: 'options',
    inputType: 'select',
    multi: true,
    options: [option('cough', 'Cough'), option('fever', 'Fever')],
  }),
  asked('consent', 'May be called', {
    fieldType: 'binary',
    inputType: 'checkbox',
    options: [option('ok', 'Agreed')],
  }),
  asked('since', 'Ill since', { fieldType: 'date', inputType: 'date' }),
  asked('dx', 'Diagnoses', { fieldType: 'diagnosis', inputType: 'select', options: [] }),
  asked('meds', 'Medicines', {
    fieldType: 'medicine',
    inputType: 'input-group',
    options: [],
    fields: parts,
  }),
  asked('scan', 'Documents', {
    fieldType: 'file',
    inputType: 'file',
    allowedMimeTypes: ['application/pdf'],
    multiple: true,
    minItems: 0,
    maxItems: 2,
  }),
]
const words = {
  en: {
    form: 'Check-up',
    complaint: 'Complaint',
    smoker: 'Smoker',
    yes: 'Yes',
    packs: 'Packs a day',
    weight: 'Weight (kg)',
    height: 'Height (cm)',
    signs: 'Signs',
    cough: 'Cough',
    consent: 'May be called',
    since: 'Ill since',
    dx: 'Diagnoses',
    said: 'Cough for a week',
    search: 'asth',
    asthma: 'Asthma',
    medicine: 'Salbutamol',
    patient: 'Layla Mansour',
    kilogram: 'kg',
  },
  ar: {
    form: 'فحص عام',
    complaint: 'الشكوى',
    smoker: 'مدخن',
    yes: 'نعم',
    packs: 'علب في اليوم',
    weight: 'الوزن (كغ)',
    height: 'الطول (سم)',
    signs: 'العلامات',
    cough: 'سعال',
    consent: 'يمكن الاتصال به',
    since: 'مريض منذ',
    dx: 'التشخيصات',
    said: 'سعال منذ أسبوع',
    search: 'ربو',
    asthma: 'الربو',
    medicine: 'سالبوتامول',
    patient: 'ليلى منصور',
    kilogram: 'كغ',
  },
}
const inArabic = (fieldId: string, name: string, options: Record<string, string> = {}) => ({
  fieldId,
  name: { ar: name },
  description: {},
  options: Object.fromEntries(
    Object.entries(options).map(([value, label]) => [`o-${value}`, { ar: label }]),
  ),
})
const ar = words.ar
const translations = [
  inArabic('__form_name__', ar.form),
  inArabic('head', 'السيرة'),
  inArabic('complaint', ar.complaint),
  inArabic('smoker', ar.smoker, { yes: ar.yes, no: 'لا' }),
  inArabic('packs', ar.packs),
  inArabic('weight', 'الوزن'),
  inArabic('height', 'الطول'),
  inArabic('bmi', 'مؤشر كتلة الجسم'),
  inArabic('signs', ar.signs, { cough: ar.cough, fever: 'حمى' }),
  inArabic('consent', ar.consent, { ok: 'موافق' }),
  inArabic('since', ar.since),
  inArabic('dx', ar.dx),
  inArabic('meds', 'الأدوية'),
  inArabic('scan', 'المستندات'),
]

test.for(looks(['en', 'ar'] as const, 0))(
  'a form with every kind of question is filled in by keyboard, reopened, changed, explored and exported: %s',
  { timeout: 240_000 },
  async (language, { site, visit }) => {
    const clinic = await aClinic(site, language)
    const person = await signedIn(await visit(language), clinic.provider)
    await choosesForm(person, clinic.patientId, language)
    await isToldWhatIsMissing(person, language)
    await answersByKeyboard(person, language)
    await seesItSaved(person, language)
    await changesIt(person, language)
    await explores(person, clinic.formId, language)
  },
)

test('what is being answered survives a lost connection and a reload, and is saved once', async ({
  site,
  visit,
}) => {
  const clinic = await aClinic(site, 'en')
  const person = await signedIn(await visit('en'), clinic.provider)
  const { page } = person
  await choosesForm(person, clinic.patientId, 'en')
  await page.getByLabel('Complaint').fill('Typed before the power went')
  await page.context().setOffline(true)
  await person.press('common.save')
  await person.sees(person.say('errors.unreachable'))
  await page.context().setOffline(false)
  await page.reload()
  await page.getByText('It is not saved yet.').waitFor()
  expect(await page.getByLabel('Complaint').inputValue()).toBe('Typed before the power went')
  await page.getByRole('button', { name: person.say('common.save'), exact: true }).dblclick()
  // back to the patient
  await expect
    .poll(() => page.url(), { timeout: 30_000 })
    .toContain(`/app/patients/${clinic.patientId}?tab=visits`)
  const { rows } = await clinic.call<{ rows: unknown[] }>('events.list', {
    patientId: clinic.patientId,
  })
  expect(rows).toHaveLength(1)
})

test.for([
  ['en', 1280, 'hypertens'],
  ['ar', 375, 'ربو'],
] as const)(
  'the mouse reaches the forms of an open visit and the diagnoses of a form: %s, %i pixels',
  { timeout: 120_000 },
  async ([language, width, typed], { site, visit, db }) => {
    const clinic = await aClinic(site, language)
    const consultation = newId()
    const { clinicId } = clinic
    await clinic.call('eventForms.installStarter', {
      id: consultation,
      key: 'general-consultation',
      clinic_ids: [clinicId],
    })
    const person = await signedIn(await visit(language, width), clinic.provider)
    const { page } = person
    await page.goto(`/app/patients/${clinic.patientId}`)
    await page.waitForFunction(() => !window.early)
    await clicksMiddle(page, page.getByRole('button', { name: person.say('events.fill') }).first())
    const name = { en: 'General consultation', ar: 'معاينة عامة' }[language]
    await clicksMiddle(page, page.getByRole('option', { name }))
    await page.waitForURL(`**/app/events/edit/new?visitId=${clinic.visitId}&formId=${consultation}`)

    await page.getByRole('textbox').first().fill('…')
    await page.getByPlaceholder(person.say('answers.addDiagnosis')).click()
    await page.keyboard.type(typed)
    const option = page.getByRole('option').filter({ hasText: /[A-Z]\d\d/ })
    await option.first().waitFor()
    const [, code] = /([A-Z]\d\d(?:\.\d)?)/.exec(await option.first().innerText()) ?? []
    await clicksMiddle(page, option.first())
    await page.getByText(code!, { exact: true }).waitFor()
    await person.press('common.save')
    await page.waitForURL(/events\/[\da-f-]{36}$/)
    const { form_data } = await db
      .selectFrom('events')
      .select('form_data')
      .where('patient_id', '=', clinic.patientId)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(form_data)).toContain(`"code":"${code}"`)
  },
)

test(
  'on a phone the form, its page and its table fit the screen',
  { timeout: 120_000 },
  async ({ site, visit }) => {
    const clinic = await aClinic(site, 'ar')
    const person = await signedIn(await visit('ar', 375), clinic.provider)
    await choosesForm(person, clinic.patientId, 'ar')
    await person.page.getByRole('button', { name: person.say('answers.addMedicine') }).click()
    await person.screenIsSound()
    await person.page.goto(`/app/data/events/${clinic.formId}`)
    await person.seesHeading(words.ar.form)
    await person.screenIsSound()
  },
)

test('a user who may not read the history sees no answers, on any way in', async ({
  site,
  visit,
}) => {
  const clinic = await aClinic(site, 'en')
  const id = newId()
  await clinic.call('events.save', {
    id,
    patient_id: clinic.patientId,
    visit_id: clinic.visitId,
    form_id: clinic.formId,
    answers: [{ fieldId: 'complaint', value: '<img src=x onerror="document.title=1">' }],
  })
  const registrar = await signedIn(await visit('en'), clinic.registrar)
  for (const path of [
    `/app/events/${id}`,
    `/app/events/edit/${id}`,
    `/app/data/events/${clinic.formId}`,
  ]) {
    await registrar.page.goto(path)
    await registrar.page.getByRole('heading', { level: 1 }).waitFor()
    expect(await registrar.page.getByText('onerror').count()).toBe(0)
  }
  const provider = await signedIn(await visit('en'), clinic.provider)
  await provider.page.goto(`/app/events/${id}`)
  await provider.sees('<img src=x')
  await provider.screenIsSound()
})

async function choosesForm(person: Person, patientId: string, language: Language) {
  const { page } = person
  await page.goto(`/app/patients/${patientId}`)
  await page
    .getByRole('button', { name: person.say('events.fill') })
    .first()
    .focus()
  await page.keyboard.press('Enter')
  await page.getByRole('option', { name: wordsOf(language).form }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/events\/edit\/new/)
  await person.seesHeading(wordsOf(language).form)
  await person.screenIsSoundInArabic()
}

async function isToldWhatIsMissing(person: Person, language: Language) {
  await byKeyboard(person, 'common.save')
  await person.sees(person.say('validation.required'))
  // and is brought there
  const complaint = person.page.getByLabel(wordsOf(language).complaint)
  await expect.poll(() => complaint.evaluate((box) => box === document.activeElement)).toBe(true)
  await person.screenIsSoundInArabic()
}

async function answersByKeyboard(person: Person, language: Language) {
  const { page } = person
  const text = wordsOf(language)
  const { keyboard } = page
  await keyboard.insertText(text.said)
  await keyboard.press('Tab')
  // a radio is chosen by its first letter
  await page.getByRole('radio', { name: text.yes, exact: true }).focus()
  await keyboard.press('Space')
  await page.getByLabel(text.packs).focus()
  await keyboard.insertText('11')
  await page.getByLabel(text.weight).focus()
  await keyboard.insertText(language === 'ar' ? '٨٥' : '85')
  await keyboard.press('Tab')
  await keyboard.insertText('170')
  // worked out while typing, and marked
  await page.getByText('29.4').waitFor()
  await page.getByText(/18\.5–25/).waitFor()
  await page.getByRole('checkbox', { name: text.cough, exact: true }).focus()
  await keyboard.press('Space')
  await page.getByRole('checkbox', { name: text.consent }).focus()
  await keyboard.press('Space')
  await page.getByLabel(text.since).first().focus()
  await keyboard.insertText('2026-01-05')
  await keyboard.press('Tab')

  await page.getByRole('textbox', { name: text.dx }).focus()
  await keyboard.insertText(text.search)
  await page.getByRole('option', { name: text.asthma }).first().waitFor()
  await keyboard.press('ArrowDown')
  await keyboard.press('Enter')
  await page.getByText('J45.9').waitFor()

  await byKeyboard(person, 'answers.addMedicine')
  await page.getByRole('combobox', { name: person.say('answers.part_name') }).focus()
  await keyboard.insertText(text.medicine)
  await page.getByRole('textbox', { name: person.say('answers.part_dose'), exact: true }).focus()
  await keyboard.insertText('100')

  const pdf = {
    name: 'lab.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('%PDF-1.7 a lab slip'),
  }
  await page.locator('input[type=file]').setInputFiles({ ...pdf, buffer: Buffer.from('<html>') })
  await person.sees(person.say('answers.notAFile'))
  await page.locator('input[type=file]').setInputFiles(pdf)
  await page.getByRole('link', { name: 'lab.pdf' }).waitFor()
  await person.screenIsSoundInArabic()

  // too many packs: refused beside the question, and nothing is lost
  await byKeyboard(person, 'common.save')
  await person.sees(person.say('validation.tooLarge', { max: 10 }))
  expect(await page.getByLabel(text.complaint).inputValue()).toBe(text.said)
  await page.getByLabel(text.packs).fill('2')
  await byKeyboard(person, 'common.save')
  await page.waitForURL(/events\/[\da-f-]{36}$/)
}

async function seesItSaved(person: Person, language: Language) {
  const { page } = person
  const text = wordsOf(language)
  await person.seesHeading(text.form)
  for (const shown of [
    text.said,
    `85 ${text.kilogram}`,
    '29.4',
    '2026-01-05',
    text.medicine,
    '100',
    'lab.pdf',
  ])
    await person.sees(shown)
  await person.screenIsSoundInArabic()
  // a diagnosis becomes a problem
  await byKeyboard(person, 'events.addProblem', { name: text.asthma })
  await person.sees(person.say('events.amongProblems', { name: text.asthma }))
  const href = await page
    .getByRole('link', { name: person.say('events.prescribe') })
    .getAttribute('href')
  expect(href).toMatch(
    /^\/app\/prescriptions\/edit\/new\?patientId=[\da-f-]{36}&visitId=[\da-f-]{36}&eventId=[\da-f-]{36}$/,
  )
  const file = await page
    .context()
    .request.get((await page.getByRole('link', { name: 'lab.pdf' }).getAttribute('href'))!)
  expect(file.headers()['content-disposition']).toContain('attachment')
  expect(await file.text()).toBe('%PDF-1.7 a lab slip')
}

async function changesIt(person: Person, language: Language) {
  const { page } = person
  const { kilogram } = wordsOf(language)
  await page.getByRole('link', { name: person.say('common.edit') }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/events\/edit\/[\da-f-]{36}$/)
  const weight = page.locator('input[name=weight]')
  await expect.poll(() => weight.inputValue()).toBe('85')
  await weight.fill('80')
  await page.getByText('27.7').waitFor()
  await person.screenIsSoundInArabic()
  await byKeyboard(person, 'common.save')
  await page.waitForURL(/events\/[\da-f-]{36}$/)
  await person.sees(`80 ${kilogram}`)
  const history = page.getByRole('region', { name: person.say('events.history') })
  await history.getByText(`85 ${kilogram}`).waitFor()
  await person.screenIsSoundInArabic()
  await page.emulateMedia({ media: 'print' })
  expect(await history.isVisible()).toBe(false)
  await page.emulateMedia({ media: 'screen' })
}

async function explores(person: Person, formId: string, language: Language) {
  const { page } = person
  const text = wordsOf(language)
  await person.goesTo('/app/data/events')
  await page.getByRole('link', { name: text.form }).first().focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/app/data/events/${formId}`)
  await page.getByRole('row').filter({ hasText: text.patient }).waitFor()
  await person.screenIsSoundInArabic()
  // narrowed by an answer, and back
  await person.goesTo(`/app/data/events/${formId}?field=weight&least=90`)
  await person.sees(person.say('explore.noMatch'))
  await person.screenIsSoundInArabic()
  await byKeyboard(person, 'filters.clear')
  await page.getByRole('row').filter({ hasText: text.patient }).waitFor()

  await byKeyboard(person, 'listFile.save')
  const item = page.getByRole('menuitem', {
    name: person.say('explore.exportLabels', { format: 'CSV' }),
  })
  await item.waitFor()
  const [saved] = await Promise.all([page.waitForEvent('download'), item.press('Enter')])
  const csv = readFileSync(await saved.path(), 'utf8')
  expect(csv).toContain(text.patient)
  expect(csv).toContain(`80 ${text.kilogram}`)
  expect(csv.split('\r\n')[0]).toContain(text.complaint)
}

async function byKeyboard(
  person: Person,
  key: MessageKey,
  values?: Record<string, string | number>,
) {
  const button = person.page
    .getByRole('button', { name: person.say(key, values), exact: true })
    .first()
  await button.focus()
  await person.page.keyboard.press('Enter')
}

const wordsOf = (language: Language) => words[language === 'ar' ? 'ar' : 'en']
let made = 0

/** A clinic with a patient, an open visit and the form; a provider and a registrar who work there. */
async function aClinic(site: Site, language: Language) {
  const call = await administrator(site)
  made += 1
  const [clinicId, patientId, visitId, formId] = [newId(), newId(), newId(), newId()]
  await call('clinics.save', { id: clinicId, name: `Hillside ${made}` })
  const people = { provider: `provider${made}`, registrar: `registrar${made}` }
  for (const role of ['provider', 'registrar'] as const) {
    await addUser(site, {
      id: newId(),
      name: role,
      email: emailOf(people[role]),
      role,
      clinic_id: clinicId,
    })
  }
  const [given_name, surname] = wordsOf(language).patient.split(' ')
  await call('patients.create', {
    id: patientId,
    primary_clinic_id: clinicId,
    given_name,
    surname,
    sex: 'female',
    date_of_birth: '1990-05-17',
  })
  await call('allergies.recordNone', { id: newId(), patientId })
  const check_in_timestamp = new Date().toISOString()
  await call('visits.save', {
    id: visitId,
    patient_id: patientId,
    clinic_id: clinicId,
    check_in_timestamp,
  })
  await call('eventForms.save', {
    id: formId,
    name: words.en.form,
    description: '',
    language: 'en',
    form_fields: questions,
    translations,
    is_editable: true,
    is_snapshot_form: false,
    clinic_ids: [clinicId],
  })
  return { clinicId, patientId, visitId, formId, call, ...people }
}

const signedIn = (person: Person, who: string) => withSession(person, emailOf(who))
