import { v5 } from 'uuid'
import { expect } from 'vitest'
import { withOwnIds } from '~/forms/starters'
import { FIELD_KINDS, type FieldKindName } from '~/forms/field-kinds'
import { newId } from '~/shared/id'
import type { Language, MessageKey } from '~/shared/language'
import { administrator, emailOf, type Person, test, withSession, looks } from './browser'
import { clicksMiddle } from './lists'

const written = {
  en: { form: 'Wound care', option: ['Clean', 'Infected'] },
  ar: { form: 'العناية بالجروح', option: ['نظيف', 'ملتهب'] },
}

test.for(looks(['en', 'ar'] as const, 1))(
  'a field of every kind is built by keyboard, saved and found again: %s',
  { timeout: 120_000 },
  async (language, { site, visit }) => {
    await administrator(site)
    const person = await signedIn(await visit(language))
    const { page } = person
    const { keyboard } = page
    const { form, option } = written[language]
    await page.goto('/app/event-forms/edit/new')
    // the name of a new form is typed first, wherever the page was pressed before
    await expect
      .poll(() => named(person, 'formBuilder.nameIn').first().evaluate(isFocused))
      .toBe(true)
    await keyboard.insertText(form)
    for (const [at, kind] of FIELD_KINDS.entries()) {
      await addByKeyboard(person, kind)
      if (kind === 'separator') continue
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.tagName))
        .toMatch(/INPUT|TEXTAREA/)
      if (kind !== 'diagnosis' && kind !== 'medicine') await keyboard.insertText(`${form} ${at}`)
      if (kind !== 'options') continue
      const [first, second] = option
      await page.getByRole('textbox', { name: optionIn(person, 1) }).focus()
      await keyboard.insertText(first!)
      await keyboard.press('Enter')
      await expect
        .poll(() => page.getByRole('textbox', { name: optionIn(person, 2) }).evaluate(isFocused))
        .toBe(true)
      await keyboard.insertText(second!)
    }
    await pressByKeyboard(person, 'common.save')
    await page.waitForURL(/event-forms\/edit\/[\da-f-]{36}$/)

    await page.reload()
    const fields = page.getByRole('list', { name: person.say('eventForms.fields') })
    await expect.poll(() => fields.locator('> li').count()).toBe(FIELD_KINDS.length)
    const options = fields
      .getByRole('button', { name: `${form} ${FIELD_KINDS.indexOf('options')}` })
      .last()
    await options.focus()
    await keyboard.press('Enter')
    const second = page.getByRole('textbox', { name: optionIn(person, 2) })
    await expect.poll(() => second.inputValue()).toBe(option[1])
    // with the field open, and in the preview every kind of question
    await person.screenIsSoundInArabic()

    // the bar with Save stays, and hides no button that takes the focus from above
    await page.setViewportSize({ width: 1000, height: 600 })
    await page.evaluate(() => window.scrollTo(0, 0))
    const hidden: (string | null)[] = []
    for (const button of await fields.getByRole('button').filter({ visible: true }).all()) {
      await button.focus()
      if (await person.hidesFocus()) hidden.push(await button.textContent())
    }
    expect(hidden).toEqual([])
  },
)

test('what was built survives a reload; leaving asks; a refused field says why beside it', async ({
  site,
  visit,
}) => {
  await administrator(site)
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

test('“None of these” clears the others by the mouse, and buttons move a field', async ({
  site,
  visit,
  db,
}) => {
  const call = await administrator(site)
  const person = await signedIn(await visit('en'))
  const { page } = person
  const id = newId()
  const field = (name: string, more: object) => ({
    id: name,
    name,
    description: '',
    required: false,
    ...more,
  })
  await call('eventForms.save', {
    id,
    name: 'Signs',
    description: '',
    language: 'en',
    form_fields: [
      field('Danger', {
        fieldType: 'options',
        inputType: 'select',
        multi: true,
        options: ['Cough', 'Fever', 'None of these'].map((value) => ({
          id: value.split(' ')[0],
          label: value,
          value,
        })),
      }),
      field('Children', { fieldType: 'free-text', inputType: 'number', length: 'short' }),
    ],
    translations: [],
    is_editable: true,
    is_snapshot_form: false,
    clinic_ids: [],
  })
  await page.goto(`/app/event-forms/edit/${id}`)
  const line = (name: string) =>
    page.getByRole('button', { name, exact: false, expanded: false }).filter({ hasText: name })
  await clicksMiddle(page, line('Danger'))
  await clicksMiddle(page, page.getByLabel(person.say('formBuilder.exclusive')).first())
  await clicksMiddle(page, page.getByRole('option', { name: 'None of these' }))
  await page.keyboard.press('Escape')
  // in the preview beside it
  const box = (name: string) => page.getByRole('checkbox', { name, exact: true })
  const chosen = async () => {
    const names = ['Cough', 'Fever', 'None of these']
    const checked = await Promise.all(names.map((name) => box(name).isChecked()))
    return names.filter((_, at) => checked[at])
  }
  for (const [click, expected] of [
    ['Cough', ['Cough']],
    ['Fever', ['Cough', 'Fever']],
    ['None of these', ['None of these']],
    ['Fever', ['Fever']],
  ] as const) {
    await clicksMiddle(page, box(click))
    await expect.poll(chosen).toEqual(expected)
  }
  const down = person.say('formEditor.moveDown', { name: 'Danger' })
  await clicksMiddle(page, page.getByRole('button', { name: down }))
  await clicksMiddle(page, line('Children'))
  await page.getByRole('checkbox', { name: person.say('formBuilder.whole') }).check()
  await person.press('common.save')
  await person.sees(person.say('formBuilder.saved'))
  const { form_fields } = await db
    .selectFrom('event_forms')
    .select('form_fields')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(form_fields).toMatchObject([
    { id: 'Children', rules: { whole: true } },
    { id: 'Danger', rules: { exclusive: ['None'] } },
  ])
  await person.screenIsSound()
})

test('a form of the library is looked at in three languages, installed, removed from and taken back', async ({
  site,
  visit,
  db,
}) => {
  const call = await administrator(site)
  const person = await signedIn(await visit('en'))
  const { page } = person
  // a form as an earlier version installed it takes the newer text, after a question
  const id = newId()
  const newest = await call<Parameters<typeof withOwnIds>[0]>('eventForms.starter', {
    key: 'child-under-five',
  })
  const form = withOwnIds(newest, (fieldId) => v5(fieldId, id))
  await db
    .insertInto('event_forms')
    .values({
      id,
      name: form.name,
      language: 'en',
      form_fields: JSON.stringify(form.form_fields.slice(0, 20)),
      translations: JSON.stringify(form.translations),
      clinic_ids: [],
    })
    .execute()
  await page.goto(`/app/event-forms/edit/${id}`)
  await person.sees(person.say('eventForms.updateAvailable'))
  await person.screenIsSound()
  await person.press('eventForms.update')
  const question = page.getByRole('dialog', { name: person.say('eventForms.update') })
  await question.getByText(person.say('eventForms.updateAsks')).waitFor()
  await question.getByRole('button', { name: person.say('eventForms.update'), exact: true }).click()
  await person.sees(person.say('eventForms.updated'))
  await expect.poll(() => page.getByText(person.say('eventForms.updateAvailable')).count()).toBe(0)
  await person.sees('Version 2')

  await page.goto('/app/event-forms/library?show=phq-2')
  await page.getByText('العربية').last().click()
  await person.sees('أكثر من نصف الأيام')
  await person.screenIsSound()
  await person.press('eventForms.install')
  await page.waitForURL(/event-forms\/edit\/[\da-f-]{36}/)

  await page
    .getByRole('button', { name: 'Plan agreed with the patient', exact: false })
    .last()
    .click()
  await person.press('formBuilder.removeField')
  await person.press('common.undo')
  await page
    .getByRole('button', { name: 'Plan agreed with the patient', exact: false })
    .last()
    .waitFor()

  await named(person, 'formBuilder.nameIn').first().fill('Mood')
  await person.press('common.save')
  await person.sees(person.say('formBuilder.saved'))
  await person.follow('eventForms.versions')
  await person.sees(
    person.say('eventForms.diff_formRenamed', { from: 'PHQ-2: mood screening', to: 'Mood' }),
  )
  await person.screenIsSound()
})

const isFocused = (box: Element) => box === document.activeElement

async function pressByKeyboard(person: Person, key: MessageKey) {
  const button = person.page.getByRole('button', { name: person.say(key), exact: true })
  await button.focus()
  await person.page.keyboard.press('Enter')
}

/** Down the menu to the kind, and Enter. */
async function addByKeyboard(person: Person, kind: FieldKindName) {
  const { page } = person
  await pressByKeyboard(person, 'formBuilder.add')
  const item = page.getByRole('menuitem', {
    name: person.say(`formBuilder.kind_${kind}`),
    exact: true,
  })
  await item.waitFor()
  for (let steps = 0; steps <= FIELD_KINDS.length && !(await item.evaluate(isFocused)); steps += 1)
    await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await item.waitFor({ state: 'detached' })
}

const optionIn = (person: Person, number: number) =>
  person.say('formBuilder.optionIn', {
    number,
    language: languageName(person.language, person.language),
  })

const named = (person: Person, key: 'formBuilder.nameIn') =>
  person.page.getByRole('textbox', {
    name: person.say(key, { language: languageName(person.language, person.language) }),
  })
const languageName = (language: Language, of: Language) =>
  new Intl.DisplayNames(language, { type: 'language' }).of(of) ?? ''

const signedIn = (person: Person) => withSession(person, emailOf('admin'))
