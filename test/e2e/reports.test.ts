import type { Locator } from 'playwright-core'
import { expect } from 'vitest'
import type {
  CellKind,
  CellOfKind,
  ReportDefinition,
  Test,
} from '~/features/reports/cells/definition'
import { starterReport } from '~/features/reports/starter/starter-reports'
import { newId } from '~/shared/id'
import { LANGUAGES, type Language, type MessageKey } from '~/shared/language'
import { makeFactories } from '../factories'
import { administrator, emailOf, type Person, test, withSession } from './browser'
import { Presses } from './presses'

/** What is searched for; the first code that is found becomes a row. */
const DISEASES = [
  'malaria',
  'measles',
  'typhoid',
  'cholera',
  'pneumonia',
  'asthma',
  'scabies',
  'chickenpox',
  'mumps',
  'epilepsy',
  'hypertension',
  'anaemia',
]
const ACTIVITY: readonly (readonly [string, MessageKey])[] = [
  ['Consultations', 'reportWords.source_visits'],
  ['New patients', 'reportWords.source_registrations'],
  ['Deaths', 'reportWords.source_deaths'],
  ['Referred', 'reportWords.source_referrals'],
  ['Vaccine doses', 'reportWords.source_doses'],
  ['Appointments', 'reportWords.source_appointments'],
  ['Beds', 'reportEditor.manual_integer'],
  ['Water is safe', 'reportEditor.manual_yesno'],
]
const IS_MALE: Test = ['patient.sex', 'is', 'male']
const ROWS = DISEASES.length + ACTIVITY.length

test(
  'a clinic makes a form of 20 rows, opens it again and changes every field of it',
  { timeout: 300_000 },
  async ({ site, visit }) => {
    const call = await administrator(site)
    const person = await withSession(await visit('en'), emailOf('admin'))
    const { page } = person
    const editor = new Editor(person)
    const { presses } = editor

    // a repeated run makes its own
    const title = `Clinic ${newId().slice(-6)}`
    const code = title.toLowerCase().replace(' ', '-')
    // made: columns by sex and age, twelve diseases, eight lines on the work of the clinic
    await page.goto('/app/reports/definitions/edit/new')
    await page.waitForFunction(() => !window.early)
    await presses.type(editor.name('en', page.getByRole('tabpanel')), title)
    await editor.opensTab('reportEditor.tab_axes')
    for (const axis of ['reportEditor.axis_sex', 'reportEditor.axis_underFive'] as const) {
      await presses.press(editor.button('reportEditor.addAxis'))
      await presses.press(page.getByRole('menuitem', { name: person.say(axis), exact: true }))
    }
    await editor.opensTab('reportEditor.tab_form')
    const diseases = editor.section(0)
    await presses.type(editor.name('en', diseases), 'Diseases')
    await editor.choosesColumns(diseases, ['sex', 'age'])
    await presses.press(editor.check('reportEditor.total', diseases))
    for (const disease of DISEASES) {
      await presses.type(editor.box('reportEditor.addDiagnosis', diseases), disease)
      await presses.press(
        diseases
          .page()
          .getByRole('option')
          .filter({ hasText: new RegExp(disease, 'i') })
          .first(),
      )
    }
    await presses.press(editor.button('reportEditor.addSection'))
    const activity = editor.section(1)
    await presses.type(editor.name('en', activity), 'Activity')
    for (const [at, [name, what]] of ACTIVITY.entries()) {
      await presses.press(editor.button('reportEditor.addRow', activity))
      const row = editor.row(activity, at)
      await presses.type(editor.name('en', row), name)
      await editor.chooses('reportEditor.what', what, row)
    }
    await editor.saves()
    await page.waitForURL(/definitions\/edit\/[\da-f-]{36}$/)
    console.info(
      `a report of ${ROWS} rows: ${presses.count} presses, ${presses.keys} of them keys of texts`,
    )
    expect(presses.count).toBeLessThanOrEqual(400)

    const id = page.url().split('/').at(-1)!
    const stored = async () => {
      const { body } = await call<{ body: ReportDefinition }>('reportDefinitions.get', { id })
      return body
    }
    const made = await stored()
    expect(made.code).toBe(code)
    expect(made.sections.map(({ rows }) => rows.length)).toEqual([12, 8])
    expect(made.sections[0]).toMatchObject({
      measure: { count: 'cases', in: 'period' },
      columns: { cross: ['sex', 'age'], total: true },
    })
    // a code of the list brings its names, a group, and the condition of its row
    for (const { names, where } of made.sections[0]!.rows) {
      expect(Object.values(names).filter(Boolean)).toHaveLength(LANGUAGES.length)
      expect(Object.keys(made.groups!)).toContain((where as string[])[2])
    }
    expect(made.sections[1]!.rows.map(({ names, measure }) => [names.en, measure])).toEqual([
      ['Consultations', { count: 'visits', in: 'period' }],
      ['New patients', { count: 'registrations', in: 'period' }],
      ['Deaths', { count: 'deaths', in: 'period' }],
      ['Referred', { count: 'referrals', in: 'period' }],
      ['Vaccine doses', { count: 'doses', in: 'period' }],
      ['Appointments', { count: 'appointments', in: 'period' }],
      ['Beds', { manual: 'integer' }],
      ['Water is safe', { manual: 'yesno' }],
    ])

    // opened again, and every field is changed
    await page.goto('/app/reports/definitions')
    await page.getByRole('row').filter({ hasText: title }).getByRole('link').first().click()
    await page.waitForURL(`**/edit/${id}`)
    await page.waitForFunction(() => !window.early)
    const form = page.getByRole('tabpanel')
    for (const language of LANGUAGES)
      await presses.type(editor.name(language, form), written(language, 'report'))
    await editor.chooses('reportEditor.period', 'reportEditor.period_quarter')
    await editor.chooses('reportEditor.bpOfDay', 'reportEditor.bpOfDay_mean')
    await presses.type(editor.box('reportEditor.closableFrom', form), '9')
    await presses.type(editor.box('reportEditor.code', form), `${code}-quarter`)
    await presses.type(editor.combobox('reportEditor.page', form), 'A5')
    const expected: ReportDefinition['sections'] = []
    for (const [at, { id: sectionId, rows }] of made.sections.entries()) {
      const card = editor.section(at)
      for (const language of LANGUAGES)
        await presses.type(editor.name(language, card), written(language, `section ${at}`))
      await editor.chooses('reportEditor.what', 'reportWords.source_visits', card)
      // of the first section the sexes leave, in the second the ages come
      await editor.choosesColumns(card, [at === 0 ? 'sex' : 'age'])
      await presses.press(editor.check('reportEditor.total', card))
      await presses.press(editor.check('reportEditor.exclusive', card))
      for (const [index, { where }] of rows.entries()) {
        const line = editor.row(card, index)
        const what = `row ${at}.${index}`
        await presses.press(line.locator('button[aria-expanded]').first())
        if (what === 'row 0.0') {
          // each key would else render nineteen more rows
          const rendered = await editor.rowsRenderedBy(() => editor.name('en', line).press('x'))
          expect(rendered).toBe(1)
        }
        for (const language of LANGUAGES)
          await presses.type(editor.name(language, line), written(language, what))
        if (where)
          await presses.press(editor.button('reportEditor.removeTest', line, { number: 1 }))
        await editor.chooses('reportEditor.what', 'reportWords.source_bp', line)
        await presses.press(editor.button('reportEditor.addTest', line).last())
        await editor.chooses('reportEditor.field', 'reportWords.field_bp_diastolic', line)
        await editor.chooses('reportEditor.op', 'reportWords.op_below', line)
        await presses.type(editor.box('reportEditor.value', line), `${90 + index}`)
        await presses.type(editor.box('reportEditor.number', line), `${at}.${index}`)
        await presses.type(editor.box('reportEditor.goal', line), `${index + 1}`)
        await presses.type(editor.box('reportEditor.unit', line), `unit ${index}`)
        await presses.type(editor.box('reportEditor.dhis2', line), `CODE_${at}_${index}`)
      }
      expected.push({
        id: sectionId,
        names: namesOf(`section ${at}`),
        measure: { count: 'visits', in: 'period' },
        columns: { axis: 'age', ...(at === 1 && { total: true }) },
        exclusive: true,
        rows: rows.map(({ id: rowId }, index) => ({
          id: rowId,
          names: namesOf(`row ${at}.${index}`),
          measure: { count: 'bp', in: 'period' },
          where: ['bp.diastolic', 'below', 90 + index],
          number: `${at}.${index}`,
          goal: index + 1,
          unit: `unit ${index}`,
          dhis2: `CODE_${at}_${index}`,
        })),
      })
    }
    await editor.saves()
    const saved = await stored()
    expect(saved).toMatchObject({
      code: `${code}-quarter`,
      names: namesOf('report'),
      period: 'quarter',
      closable_from: 9,
      page: 'A5',
      bp_of_day: 'mean',
    })
    expect(saved.sections).toEqual(expected)
    await person.screenFits()
  },
)

/** Of the shipped report of medicines, the row that counts parts, with three medicines: all take long to draw. */
function sharesOfStock(code: string): ReportDefinition {
  const { measures = {}, sections, ...shipped } = starterReport('medicines')!
  const section = sections.find(({ rows }) => rows.some(({ id }) => id === 'without-stock-out'))!
  // how many have a number, and how many of those are zero
  const few = ['out-albendazole', 'out-amlodipine', 'out-zinc']
  return {
    ...shipped,
    code,
    measures: {
      ...Object.fromEntries([...few, 'stockout'].map((name) => [name, measures[name]!])),
      tracers: { add: few, counts: 'known' },
      without_stock_out: { add: few, counts: 'zero' },
      without_stock_out_rate: { ratio: ['without_stock_out', 'tracers'], times: 100 },
    },
    sections: [{ ...section, rows: section.rows.filter(({ id }) => id === 'without-stock-out') }],
  }
}

test(
  'a sum of a report keeps how its parts are counted when one is taken out and put back',
  { timeout: 120_000 },
  async ({ site, db, visit }) => {
    const call = await administrator(site)
    const [{ id: clinicId }] = await call<[{ id: string }]>('clinics.list')
    const make = makeFactories(db)
    const { id: drug_id } = await make.drug({
      generic_name: `Amlodipine ${newId().slice(-6)}`,
      ingredients: ['amlodipine'],
    })
    await make.stock(clinicId, 100, { drug_id })
    const id = newId()
    const code = `stock-${id.slice(-6)}`
    await call('reportDefinitions.save', { id, last_modified: null, body: sharesOfStock(code) })
    const stored = () => call<{ body: ReportDefinition }>('reportDefinitions.get', { id })
    const share = async () => {
      const input = { code, clinic_ids: [clinicId], period: '2026-10' }
      const { cells } = await call<{ cells: { row: string; value: number | null }[] }>(
        'reports.run',
        input,
      )
      return cells.find(({ row }) => row === 'without-stock-out')?.value
    }
    const before = await stored()
    expect(await share()).toBe(100)

    const person = await withSession(await visit('en'), emailOf('admin'))
    const editor = new Editor(person)
    await person.page.goto(`/app/reports/definitions/edit/${id}`)
    await person.page.waitForFunction(() => !window.early)
    await editor.opensTab('reportEditor.tab_measures')
    const sum = editor.measure('without_stock_out')
    expect(await editor.combobox('reportEditor.counted', sum).inputValue()).toBe(
      person.say('reportEditor.counted_zero'),
    )
    await sum.locator('.mantine-Pill-remove').last().click()
    await editor.combobox('reportEditor.sumOf', sum).fill('out-zinc')
    await person.page.getByRole('option', { name: 'out-zinc', exact: true }).click()
    await person.screenFits()
    await editor.opensTab('reportEditor.tab_form')
    await editor.name('en', person.page.getByRole('tabpanel')).fill('Stock of the clinic')
    await editor.saves()
    const { names } = before.body
    const { body } = await stored()
    expect({ body, share: await share() }).toEqual({
      body: { ...before.body, names: { ...names, en: 'Stock of the clinic' } },
      share: 100,
    })
  },
)

test(
  'each box of each kind of cell, changed and changed back, leaves the cell as it was',
  { timeout: 180_000 },
  async ({ site, visit }) => {
    const call = await administrator(site)
    const id = newId()
    const code = `kinds-${id.slice(-6)}`
    const measures: { [K in CellKind]: Required<CellOfKind<K>> } = {
      count: { count: 'visits', distinct: 'patient', where: IS_MALE, in: 'period' },
      sum: { sum: 'dispensed.quantity', of: 'dispensed', where: IS_MALE, in: 'period' },
      median: {
        median: 'appointment.wait_minutes',
        of: 'appointments',
        where: IS_MALE,
        in: 'period',
      },
      ratio: { ratio: ['count', 'manual'], times: 'month', cap: 90, share: 0.5 },
      add: { add: ['count', 'manual'], counts: 'known' },
      weighted: { weighted: { count: 2, manual: 3 } },
      subtract: { subtract: ['count', 'manual'] },
      like: { like: 'count', and: IS_MALE },
      days: { days: 'stock', where: ['stock.usable', 'atMost', 0], in: 'period', each: 'clinic' },
      clinics: { clinics: 'count', is: ['atLeast', 2] },
      manual: { manual: 'integer' },
    }
    const body: ReportDefinition = {
      code,
      names: { en: code },
      period: 'month',
      measures,
      axes: { mixed: [{ id: 'own', names: { en: 'Own' }, measure: 'count' }] },
      sections: [
        {
          id: 's',
          names: { en: 'S' },
          measure: 'count',
          columns: { axis: 'mixed' },
          rows: [{ id: 'r', names: { en: 'R' } }],
        },
      ],
    }
    await call('reportDefinitions.save', { id, last_modified: null, body })
    const person = await withSession(await visit('en'), emailOf('admin'))
    const { page } = person
    const editor = new Editor(person)
    await page.goto(`/app/reports/definitions/edit/${id}`)
    await page.waitForFunction(() => !window.early)
    await editor.opensTab('reportEditor.tab_measures')
    const times = editor.combobox('reportEditor.times', editor.measure('ratio'))
    expect(await times.inputValue()).toBe(person.say('reportEditor.times_month'))

    const boxes: Partial<Record<CellKind, { choices?: MessageKey[]; numbers?: MessageKey[] }>> = {
      count: { choices: ['reportEditor.each'] },
      sum: { choices: ['reportEditor.field'] },
      ratio: {
        choices: ['reportEditor.numerator', 'reportEditor.denominator', 'reportEditor.times'],
        numbers: ['reportEditor.cap', 'reportEditor.share'],
      },
      add: { choices: ['reportEditor.counted'] },
      subtract: { choices: ['reportEditor.from', 'reportEditor.less'] },
      like: { choices: ['reportEditor.like'] },
      clinics: {
        choices: ['reportEditor.like', 'reportEditor.op'],
        numbers: ['reportEditor.value'],
      },
    }
    for (const [kind, { choices = [], numbers = [] }] of Object.entries(boxes)) {
      const part = editor.measure(kind)
      for (const key of choices) await editor.choosesThereAndBack(key, part)
      for (const key of numbers) {
        const box = editor.box(key, part)
        const typed = await box.inputValue()
        await box.fill('7')
        await box.fill('')
        await box.fill(typed)
      }
    }
    await editor.opensTab('reportEditor.tab_axes')
    await page
      .getByRole('textbox', { name: person.say('reportEditor.bandName', { number: 1 }) })
      .fill('Own column')
    await editor.saves()
    const saved = await call<{ body: ReportDefinition }>('reportDefinitions.get', { id })
    expect(saved.body.measures).toEqual(measures)
    expect(saved.body.axes).toEqual({
      mixed: [{ id: 'own', names: { en: 'Own column' }, measure: 'count' }],
    })
  },
)

test('a chart appears at once and fills period by period, until the user stops it', async ({
  site,
  visit,
}) => {
  await administrator(site)
  const person = await withSession(await visit('en'), emailOf('admin'))
  const { page } = person
  // the line is slow from the fourth period on
  let asked = 0
  const held: (() => void)[] = []
  await page.route('**/_serverFn/**', async (route) => {
    const isOfOne = /reports\.trend(?!.*closed)/.test(decodeURIComponent(route.request().url()))
    if (isOfOne && ++asked > 3) await new Promise<void>((go) => held.push(go))
    // a request that the screen has given up has nowhere to go
    await route.continue().catch(() => undefined)
  })
  await page.goto('/app/reports')
  await page.waitForFunction(() => !window.early)
  await person.goesTo('/app/reports/charts/opd-morbidity')
  const shown = (done: number) => person.say('reports.shownOf', { done, total: 18 })
  await person.sees(shown(3))
  expect(await page.getByRole('figure').count()).toBeGreaterThan(3)
  await person.screenIsSound()
  await person.press('reports.stopComputing')
  held.splice(0).forEach((go) => go())
  await person.press('reports.continueComputing')
  await expect.poll(() => held.length).toBe(1)
  // what had been asked when the user stopped is asked again
  expect(asked).toBe(5)
  await person.sees(shown(3))
  asked = -100
  held.splice(0).forEach((go) => go())
  await expect.poll(() => page.getByText('Periods shown').count()).toBe(0)
  await page
    .getByRole('button', { name: person.say('reports.showTable') })
    .first()
    .click()
  expect(await page.getByRole('table').first().getByRole('row').count()).toBe(19)
  await person.screenFits()
})

const written = (language: Language, what: string) =>
  ({ en: `New ${what}`, ar: `جديد ${what}`, es: `Nuevo ${what}` })[language]
const namesOf = (what: string) =>
  Object.fromEntries(
    LANGUAGES.map((language) => [language, written(language, what)]),
  ) as ReportDefinition['names']

/** The editor of a report as hands use it; every press is counted. */
class Editor {
  readonly presses = new Presses()
  constructor(readonly person: Person) {}
  get #page() {
    return this.person.page
  }
  section(at: number) {
    return this.#page.getByRole('tabpanel').locator('section').nth(at)
  }
  /** A measure by its name, on the tab of measures. */
  measure(name: string) {
    return this.#page.getByRole('region', { name, exact: true })
  }
  row(section: Locator, at: number) {
    return section
      .getByRole('list', { name: this.person.say('reportEditor.rows') })
      .locator('> li')
      .nth(at)
  }
  button(key: MessageKey, within = this.#page.getByRole('main'), values?: { number: number }) {
    return within.getByRole('button', { name: this.person.say(key, values), exact: true })
  }
  box(key: MessageKey, within: Locator) {
    return within.getByRole('textbox', { name: this.person.say(key) }).first()
  }
  combobox(key: MessageKey, within: Locator) {
    return within.getByRole('combobox', { name: this.person.say(key) }).first()
  }
  check(key: MessageKey, within: Locator) {
    return within.getByRole('checkbox', { name: this.person.say(key) })
  }
  name(language: Language, within: Locator) {
    const { language: own } = this.person
    const name = new Intl.DisplayNames(own, { type: 'language' }).of(language)!
    return within
      .getByRole('textbox', { name: this.person.say('formBuilder.nameIn', { language: name }) })
      .first()
  }
  /** Of all sections. React gives the elements that it renders anew new props. */
  async rowsRenderedBy(act: () => Promise<void>): Promise<number> {
    const rows = this.#page
      .getByRole('list', { name: this.person.say('reportEditor.rows') })
      .locator('> li > :first-child')
    /** How many have other props than when they were looked at last. */
    const look = (elements: Element[]) => {
      const found = elements.map((element) => {
        const key = Object.keys(element).find((name) => name.startsWith('__reactProps$'))!
        return (element as unknown as Record<string, unknown>)[key]
      })
      const seen = window as { seenProps?: unknown[] }
      const other = found.filter((one, at) => one !== seen.seenProps?.[at]).length
      seen.seenProps = found
      return other
    }
    await rows.evaluateAll(look)
    await act()
    // a moment after the last key
    let rendered = 0
    await expect.poll(async () => (rendered = await rows.evaluateAll(look))).toBeGreaterThan(0)
    return rendered
  }
  async opensTab(key: MessageKey) {
    await this.presses.press(this.#page.getByRole('tab', { name: this.person.say(key) }))
  }
  async chooses(key: MessageKey, option: MessageKey, within = this.#page.getByRole('tabpanel')) {
    await this.presses.press(this.combobox(key, within))
    await this.presses.press(
      this.#page
        .getByRole('option', { name: this.person.say(option), exact: true })
        .filter({ visible: true }),
    )
  }
  /** Chooses another option, and the one that was chosen before. */
  async choosesThereAndBack(key: MessageKey, within: Locator) {
    const box = this.combobox(key, within)
    const chosen = await box.inputValue()
    const options = this.#page.getByRole('option').filter({ visible: true })
    await box.click()
    await options.and(this.#page.locator(':not([aria-selected=true])')).first().click()
    expect(await box.inputValue()).not.toBe(chosen)
    await box.click()
    await this.#page
      .getByRole('option', { name: chosen, exact: true })
      .filter({ visible: true })
      .click()
    expect(await box.inputValue()).toBe(chosen)
  }
  /** Each press adds a column, or takes it away. */
  async choosesColumns(section: Locator, names: readonly string[]) {
    // of a chosen column its pill lies over the box itself
    await this.presses.press(section.locator('.mantine-MultiSelect-input').first())
    for (const name of names)
      await this.presses.press(
        this.#page.getByRole('option', { name, exact: true }).filter({ visible: true }),
      )
  }
  async saves() {
    await this.presses.press(this.button('common.save'))
    await this.person.sees(this.person.say('reportDefinitions.saved'))
  }
}
