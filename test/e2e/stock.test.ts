import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { newId } from '~/shared/id'
import {
  administrator,
  chosenBy,
  emailOf,
  openBrowser,
  type Person,
  rpc,
  type Site,
  test,
  tokenOf,
  withSession,
} from './browser'
import { film, filmInsteadOfCamera } from './camera'

/** A GS1 code as a scanner types it: number, expiry, batch. */
const SCANNED = '0109504000059101172912311042A'

test(
  'a medicine is added and its delivery received by scanning, counted, written off, and the movements tell it',
  { timeout: 400_000 },
  async ({ site, visit }) => {
    await administrator(site)
    const person = await signedIn(await visit('en'))
    const { page } = person

    await page.goto('/app/inventory/drug-catalogue')
    await person.sees('No medicines in the catalogue yet')
    await person.screenIsSound()
    await person.goesTo('/app/inventory/drug-catalogue/edit/new')
    await person.press('common.save')
    await person.sees('Enter the generic name')
    await person.fill('drugs.generic_name', 'Amoxicillin')
    await person.fill('drugs.dosage_quantity', '500')
    await choose(person, 'Dosage form', 'Capsule')
    await choose(person, 'Route', 'Oral')
    await choose(person, 'Unit', 'mg')
    const ingredients = page.getByLabel(person.say('drugs.ingredients')).first()
    await ingredients.fill('amoxicillin')
    await ingredients.press('Enter')
    await person.fill('drugs.min_stock_level', '50')
    const barcode = page.getByRole('textbox', { name: person.say('drugs.barcode') })
    // the scanner's Enter must not send the form
    await barcode.fill('09504000059101')
    await barcode.press('Enter')
    // here is no camera: it says so, and the field is there to type in
    await person.press('drugs.scan')
    await page.getByRole('alert').getByText(person.say('drugs.scanNoCamera')).waitFor()
    await person.screenIsSound()
    await person.press('drugs.typeInstead')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await barcode.inputValue()).toBe('09504000059101')
    await person.press('common.save')
    await page.waitForURL('**/drug-catalogue')
    await person.sees('Amoxicillin')

    await person.goesTo('/app/inventory/clinic-inventory')
    await person.sees('Nothing in stock yet')
    await person.goesTo('/app/inventory/clinic-inventory/drug/edit/new')
    const picker = page.getByRole('combobox', { name: person.say('drugs.choose') })
    await picker.fill(SCANNED)
    await picker.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    expect(
      await dialog.getByRole('textbox', { name: person.say('batches.number') }).inputValue(),
    ).toBe('42A')
    expect(
      await dialog.getByRole('textbox', { name: person.say('batches.expiry') }).inputValue(),
    ).toBe('2029-12-31')
    // typed as packages print it: said what it was read as, asked where there are two, and never lost
    const expiry = dialog.getByRole('textbox', { name: person.say('batches.expiry') })
    await expiry.fill('12/2029')
    await dialog.getByText('Expires December 31, 2029').waitFor()
    await expiry.fill('13/2029')
    await expiry.blur()
    await dialog.getByText(person.say('validation.date')).waitFor()
    expect([await expiry.inputValue(), await expiry.getAttribute('aria-invalid')]).toEqual([
      '13/2029',
      'true',
    ])
    await expiry.fill('01/02/2030')
    await dialog.getByRole('group', { name: person.say('validation.whichDay') }).waitFor()
    await person.screenIsSound()
    await dialog.getByRole('button', { name: 'January 2, 2030' }).click()
    expect(await expiry.inputValue()).toBe('2030-01-02')
    await dialog
      .getByRole('button', { name: person.say('form.openCalendar') })
      .first()
      .click()
    await page.getByRole('button', { name: person.say('form.nextMonth') }).waitFor()
    await person.screenIsSound()
    await page.keyboard.press('Escape')
    await page
      .getByRole('button', { name: person.say('form.nextMonth') })
      .waitFor({ state: 'hidden' })
    await expiry.fill('DEC 29')
    await dialog.getByRole('textbox', { name: person.say('inventory.quantity') }).fill('40')
    await dialog.getByRole('button', { name: person.say('inventory.receive') }).click()
    await person.sees('Received 40')
    await person.screenIsSound()

    await person.goesTo('/app/inventory/clinic-inventory')
    await person.sees('Amoxicillin')
    await person.sees('Low')
    await person.goesTo('/app/inventory/clinic-inventory/count')
    await page.getByRole('textbox', { name: /^Counted: .*Amoxicillin/ }).fill('38')
    // a search, however slow, takes nothing away that was counted
    await page.route('**/_serverFn/**', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      await route.continue()
    })
    await page.getByRole('searchbox', { name: person.say('drugs.search') }).fill('paracetamol')
    await person.sees(person.say('table.noMatch'))
    await page.unroute('**/_serverFn/**')
    await person.press('inventory.countReview')
    await person.sees('1 difference to confirm')
    await person.screenIsSound()
    // the server fails: what was counted stands there still, also when the screen cannot be read again
    await page.route('**/_serverFn/**', (route) => route.fulfill({ status: 500 }))
    await person.press('inventory.countConfirm')
    await person.sees(person.say('errors.unsaved', { code: '500', request: 'none' }))
    await person.isReadAgain()
    await person.sees(person.say('shell.outdated'))
    await person.sees('1 difference to confirm')
    await page.unroute('**/_serverFn/**')
    for (const problem of person.problems.splice(0)) expect(problem).toMatch(/status of 500/)
    await person.press('inventory.countConfirm')
    await page.waitForURL('**/clinic-inventory?**')
    await person.goesTo('/app/inventory/clinic-inventory/ledger')
    await person.sees('Counted 2 less than expected')
    await person.screenFits()
  },
)

test(
  'the camera reads a package: its number for the catalogue, its batch and expiry for a delivery',
  { timeout: 240_000 },
  async ({ site, visit }) => {
    const drug = await stocked(site)
    const seen = join(tmpdir(), `sanad-camera-${process.pid}.y4m`)
    await film(seen, 'EAN-13', '9504000059101')
    onTestFinished(() => rmSync(seen))
    /** At a browser whose user allows the camera, or denies it. */
    const asked = async (answer: 'allow' | 'deny') => {
      const browser = await openBrowser(filmInsteadOfCamera(seen, answer))
      onTestFinished(() => browser.close())
      const person = await signedIn(await visit('en', 1280, { own: browser }))
      await person.page.goto('/app/inventory/drug-catalogue/edit/new')
      await person.fill('drugs.barcode', '1')
      await person.press('drugs.scan')
      return person
    }
    const refusing = await asked('deny')
    const alert = refusing.page.getByRole('alert')
    await alert.getByText(refusing.say('drugs.scanNotAllowed')).waitFor()
    await refusing.press('drugs.typeInstead')
    const typed = refusing.page.getByRole('textbox', { name: refusing.say('drugs.barcode') })
    expect(await typed.inputValue()).toBe('1')

    const person = await asked('allow')
    const { page } = person
    const barcode = page.getByRole('textbox', { name: person.say('drugs.barcode') })
    await expect.poll(() => barcode.inputValue()).toBe('9504000059101')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })

    await film(seen, 'DataMatrix', '(01)09504000059101(17)291200(10)42B', 'gs1,forceSquare')
    await page.goto('/app/inventory/clinic-inventory/drug/edit/new')
    await person.press('drugs.scan')
    await page.waitForURL(`**/drug/edit/${drug}?**`)
    const dialog = page.getByRole('dialog')
    const number = dialog.getByRole('textbox', { name: person.say('batches.number') })
    await expect.poll(() => number.inputValue()).toBe('42B')
    expect(
      await dialog.getByRole('textbox', { name: person.say('batches.expiry') }).inputValue(),
    ).toBe('2029-12-31')
    await person.screenFits()
  },
)

test(
  'a list of medicines is imported: what is rejected comes back with its reason, and the same file again adds nothing',
  { timeout: 240_000 },
  async ({ site, visit }) => {
    await administrator(site)
    const person = await signedIn(await visit('en'))
    const { page } = person
    const bring = async (lines: string) => {
      await page.goto('/app/inventory/drug-catalogue')
      await person.follow('drugs.import')
      const dialog = page.getByRole('dialog')
      const list = dialog.getByRole('combobox', { name: person.say('imports.list') })
      const textbox = dialog.getByRole('textbox', { name: person.say('imports.list') })
      await expect
        .poll(() => list.or(textbox).first().inputValue())
        .toBe(person.say('imports.lists.medicines'))
      const file = { name: 'catalogue.csv', mimeType: 'text/csv', buffer: Buffer.from(lines) }
      await page.locator('input[type=file]').setInputFiles(file)
      await dialog.getByRole('button', { name: person.say('imports.upload'), exact: true }).click()
      await page.getByRole('heading', { name: person.say('imports.preview') }).waitFor()
    }
    const good = [
      'Generic name,Form,Strength,Barcode,Notes',
      'Ibuprofen,Tabs,400 mg,,',
      'Salbutamol inhaler 100 mcg,,,,',
    ]
    await bring([...good, 'Codeine,tablet,30 mg,6.28E+12,=1+1'].join('\n'))
    expect(await page.getByRole('cell', { name: '400 mg', exact: true }).count()).toBe(1)
    await person.screenIsSound()
    await person.press('imports.check')
    await page.getByText(person.say('imports.wouldImport')).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      person.press('imports.download'),
    ])
    const rejected = readFileSync(await download.path(), 'utf8')
    expect(rejected.split('\r\n')).toEqual([
      `\uFEFF${good[0]},Sanad: line,Sanad: reason`,
      expect.stringMatching(/^Codeine,tablet,30 mg,6\.28E\+12,'=1\+1,4,/),
      '',
    ])
    const start = async () => {
      await person.press('imports.start')
      const sure = page.getByRole('dialog')
      await sure.getByRole('button', { name: person.say('imports.start'), exact: true }).click()
      await page.getByText(person.say('imports.statusImported')).first().waitFor()
    }
    await start()
    await page.goto('/app/inventory/drug-catalogue')
    await page.getByRole('table').getByText('Salbutamol').first().waitFor()

    // the file of rejected rows is corrected and imported again
    await bring(rejected.replace('6.28E+12', '6281234567890'))
    await start()
    await page.goto('/app/inventory/drug-catalogue?search=codeine')
    await page.getByRole('table').getByText('Codeine').first().waitFor()

    await bring(good.join('\n'))
    await person.press('imports.check')
    const same = page.getByText(person.say('imports.repeated'), { exact: true })
    await same.locator('..').getByText('2 rows').waitFor()
  },
)

test(
  'the screens are sound in Arabic on a phone and in Spanish on a desk',
  { timeout: 400_000 },
  async ({ site, visit }) => {
    const drug = await stocked(site)
    const screens = [
      'drug-catalogue',
      'drug-catalogue/edit/new',
      'clinic-inventory',
      `clinic-inventory/drug/edit/${drug}`,
      'clinic-inventory/drug/edit/new',
      'clinic-inventory/count',
      'clinic-inventory/ledger',
      'clinic-inventory/shortfalls',
      `clinic-inventory/bin-card/${drug}`,
    ]
    for (const [language, width] of [
      ['ar', 375],
      ['es', 1280],
    ] as const) {
      const person = await signedIn(await visit(language, width))
      await person.page.goto('/app/inventory/drug-catalogue')
      for (const screen of screens) {
        await person.goesTo(`/app/inventory/${screen}`)
        await person.page.getByRole('heading', { level: 1 }).waitFor()
        if (screen === 'clinic-inventory') await person.sees('Amoxicillin')
        await person.screenIsSoundInArabic()
      }
    }
  },
)

test(
  'when the stock cannot be fetched, it says so and shows no old numbers',
  { timeout: 240_000 },
  async ({ site, visit }) => {
    await stocked(site)
    const person = await signedIn(await visit('en'))
    const { page } = person
    await page.goto('/app/inventory/clinic-inventory')
    await person.sees('Amoxicillin')
    // the inventory's alone: what the frame around it asks for gets through
    const cut = /_serverFn.*offset/
    await page.route(cut, (route) => route.abort())
    await page.getByText('Expiring soon', { exact: true }).click()
    await person.sees(person.say('errors.unreachable'))
    expect(await page.getByText('Amoxicillin').count()).toBe(0)
    await page.unroute(cut)
    await person.press('errors.tryAgain')
    await person.sees('Nothing expires within 90 days')
  },
)

test(
  'actions that a user may not do are not offered',
  { timeout: 240_000 },
  async ({ site, visit }) => {
    await stocked(site)
    const registrar = [
      '--email',
      emailOf('sara'),
      '--name',
      'Sara',
      '--role',
      'registrar',
      '--clinic',
      'Hillside',
    ]
    await chosenBy(site, emailOf('sara'), (first) =>
      site.admin(['create-user', ...registrar, '--password-stdin'], first),
    )
    const person = await signedIn(await visit('en'), emailOf('sara'))
    await person.page.goto('/app/inventory/clinic-inventory')
    await person.sees('Amoxicillin')
    for (const key of ['inventory.receive', 'inventory.stockTake'] as const) {
      expect(await person.page.getByText(person.say(key), { exact: true }).count()).toBe(0)
    }
    const { error } = await rpc(
      site,
      'drugs.import',
      { rows: [{}] },
      await tokenOf(site, emailOf('sara')),
    )
    expect(error?.message).toBe(person.say('errors.forbidden'))
  },
)

async function choose(person: Person, label: string, option: string) {
  await person.page.getByRole('combobox', { name: label, exact: false }).first().click()
  await person.page.getByRole('option', { name: option, exact: true }).click()
}

/** A medicine of which the clinic has some; its id. */
async function stocked(site: Site): Promise<string> {
  const call = await administrator(site)
  const [found] = await call<{ id: string }[]>('drugs.search', { searchQuery: 'Amoxicillin' })
  if (found) return found.id
  const [clinic] = await call<[{ id: string }]>('clinics.names')
  const id = newId()
  const drug = {
    generic_name: 'Amoxicillin',
    barcode: '09504000059101',
    form: 'capsule',
    route: 'oral',
    dosage_quantity: 500,
    dosage_units: 'mg',
  }
  const switches = {
    is_controlled: false,
    requires_refrigeration: false,
    is_active: true,
    min_stock_level: 50,
  }
  await call('drugs.save', { id, ...drug, ...switches, ingredients: ['amoxicillin'] })
  const batch = { batch_number: '42A', expiry_date: '2099-12-31', received_date: '2026-01-05' }
  await call('batches.create', {
    id: newId(),
    drug_id: id,
    clinic_id: clinic.id,
    quantity: 40,
    confirmed: ['old_day', 'unlikely_date'],
    ...batch,
  })
  return id
}

function signedIn(person: Person, as = emailOf('admin')): Promise<Person> {
  // the machine that tests may have other work
  person.page.context().setDefaultTimeout(45_000)
  return withSession(person, as)
}
