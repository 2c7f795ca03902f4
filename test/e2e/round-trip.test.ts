import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import type { Locator } from 'playwright-core'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { newId } from '~/shared/id'
import { administrator, emailOf, type Person, test, withSession } from './browser'
import {
  ANY_ID,
  EDITS_NOTHING,
  FORMS_OF_NO_RECORD,
  type Opened,
  type Rows,
  SCREENS,
} from './edit-screens'
import { makeWorld } from './edit-world'
import { answer, type Control, controlsOf } from './form-screen'
import { refusesNoNumbers } from './number-boxes'
import { turnOf } from '../turn'

const ADD = 'test/e2e/edit-screens.ts'
const isWhole = process.env['SANAD_ROUND_TRIPS'] === 'all'
const entryElse = (list: string) =>
  `If one edits a record, add an entry with all its fields to SCREENS in ${ADD}; ` +
  `else add it to ${list} with the reason.`

test('every route and every form is in the round trip, or says why not', () => {
  const routes = filesIn('src/routes/app').filter(
    (path) => path.endsWith('.tsx') && path !== 'route.tsx',
  )
  const tripped = SCREENS.map(({ route }) => route)
  const unknown = routes.filter((path) => !tripped.includes(path) && !(path in EDITS_NOTHING))
  expect(unknown, `New routes. ${entryElse('EDITS_NOTHING')}`).toEqual([])
  const forms = filesIn('src/features').filter(
    (path) =>
      path.endsWith('.tsx') &&
      /<FieldForm|<RecordDialog|<form\b|use(FormState|StockSheet)[<(]/.test(
        text(`src/features/${path}`),
      ),
  )
  const drawn = SCREENS.flatMap(({ forms }) => forms)
  expect(
    forms.filter((path) => !drawn.includes(path) && !(path in FORMS_OF_NO_RECORD)),
    `New forms. ${entryElse('FORMS_OF_NO_RECORD')}`,
  ).toEqual([])
  const listed = [...Object.keys(EDITS_NOTHING), ...tripped].filter(
    (path) => !routes.includes(path),
  )
  const listedForms = [...Object.keys(FORMS_OF_NO_RECORD), ...drawn].filter(
    (path) => !forms.includes(path),
  )
  expect([...listed, ...listedForms], `Files that ${ADD} names and that no longer exist.`).toEqual(
    [],
  )
})

/**
 * Every field of a screen in English, one of them in Arabic: here a third of the screens each, in turn; all of them in
 * `npm run prove -- screens`, in tests that a slow machine can finish in time.
 */
const PARTS = 3
const parts: readonly (readonly ['en' | 'ar', number, number])[] = isWhole
  ? [...Array.from({ length: PARTS }, (_, part) => ['en', part + 1, PARTS] as const), ['ar', 1, 1]]
  : [
      ['en', turnOf(PARTS) + 1, PARTS],
      ['ar', ((turnOf(PARTS) + 1) % PARTS) + 1, PARTS],
    ]

test.for(parts)(
  'every edit screen saves what a user changes, all of it and nothing else: %s, %i of %i',
  { timeout: 600_000 },
  async ([language, first, every], { site, visit, db }) => {
    const call = await administrator(site)
    const person = await withSession(await visit(language), emailOf('admin'))
    const world = await makeWorld(db, call, language)
    await person.page.goto('/app')
    for (const screen of SCREENS.filter((_, at) => at % every === first - 1)) {
      try {
        const it = await screen.of(world, person, person.say.bind(person))
        await (language === 'en' ? changesEverything(db, person, it) : changesOne(db, person, it))
      } catch (error) {
        throw new Error(`The round trip of “${screen.record}” failed`, { cause: error })
      }
    }
    expect(person.problems).toEqual([])
  },
)

test('a concurrent save by another user is kept: an untouched field is updated, a changed one asks', async ({
  site,
  visit,
}) => {
  const call = await administrator(site)
  const person = await withSession(await visit('en'), emailOf('admin'))
  const [id, other] = [newId(), newId()]
  await call('clinics.save', { id: other, name: `Elsewhere ${other.slice(-6)}` })
  const user = {
    id,
    name: 'Rana',
    email: `${id}@clinic.example`,
    role: 'provider',
    clinic_id: other,
  }
  await call('users.save', user)
  const someoneSaves = async (values: object) => {
    const { user: now } = await call<{ user: { last_modified: string } }>('users.get', { id })
    await call('users.save', {
      ...user,
      ...values,
      last_modified: now.last_modified,
      password: null,
    })
    await person.isReadAgain()
  }
  const name = person.page.getByRole('textbox', { name: person.say('users.name') })
  await person.page.goto(`/app/users/edit/${id}`)
  await person.page.waitForFunction(() => !window.early)
  await name.fill('')
  // each refused save focuses the first error, also if the same field is still wrong
  for (let presses = 0; presses < 2; presses += 1) {
    await person.press('common.save')
    await expect.poll(() => name.evaluate((box) => box === document.activeElement)).toBe(true)
  }
  await name.fill('Rana Aziz')
  await someoneSaves({ email: `new.${id}@clinic.example` })
  const email = person.page.getByRole('textbox', { name: person.say('users.email') })
  await expect.poll(() => email.inputValue()).toBe(`new.${id}@clinic.example`)
  expect(await name.inputValue()).toBe('Rana Aziz')

  // a change that comes while a save is on its way is followed when that save fails
  let giveUp = () => {}
  await person.page.route('**/_serverFn/**', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    await new Promise<void>((resolve) => (giveUp = resolve))
    return route.abort()
  })
  const sent = person.page.waitForRequest((request) => request.method() === 'POST')
  await person.press('common.save')
  await sent
  await someoneSaves({ email: `newer.${id}@clinic.example` })
  giveUp()
  await expect.poll(() => email.inputValue()).toBe(`newer.${id}@clinic.example`)
  expect(await name.inputValue()).toBe('Rana Aziz')
  await person.page.unroute('**/_serverFn/**')

  await someoneSaves({ name: 'Rana Saab', email: `new.${id}@clinic.example` })
  await person.press('form.keepMine')
  await person.press('common.save')
  await person.page.waitForURL('**/app/users')
  const { user: saved } = await call<{ user: object }>('users.get', { id })
  expect(saved).toMatchObject({
    name: 'Rana Aziz',
    email: `new.${id}@clinic.example`,
    clinic_id: other,
  })
})

/** Changes each field, saves, loads the page anew and compares the form and the rows with what was typed. */
async function changesEverything(db: Kysely<DB>, person: Person, it: Opened) {
  const { page } = person
  const before = await rowsOf(db, it.rows)
  await person.goesTo(it.path)
  const typed: Control[][] = []
  const expected: Record<string, unknown> = {}
  for (const part of it.parts) {
    await part.open?.()
    const form = part.form()
    await isDrawn(form)
    const found = await controlsOf(form)
    const known = new Set([
      ...part.fields.map(({ label }) => label),
      ...Object.keys(part.left ?? {}),
      ...Object.keys(part.askedOnce ?? {}),
    ])
    for (const { label, deed, lands } of part.fields) {
      await answer(page, form, label, deed)
      Object.assign(expected, lands)
    }
    let now = await controlsOf(form)
    const keeps = ({ label }: { label: string }) => valueIn(found, label) === valueIn(now, label)
    // a switch that saves at once changes with the answer
    for (let left = 20; left > 0 && part.fields.some(keeps); left -= 1) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      now = await controlsOf(form)
    }
    // with those that appeared on the way
    expect(
      [...new Set([...found, ...now].map(({ label }) => label))].filter(
        (label) => !known.has(label),
      ),
      `Fields that no test changes: add them to the entry in ${ADD}, or to what it leaves, and why.`,
    ).toEqual([])
    expect(
      part.fields.filter(keeps).map(({ label }) => label),
      'Fields that kept their value.',
    ).toEqual([])
    const lasting = now.filter(({ label }) => !(label in (part.askedOnce ?? {})))
    typed.push(
      lasting.map((control) => ({
        ...control,
        value: part.shown?.[control.label] ?? control.value,
      })),
    )
  }
  if (it.save) {
    // some of the screen's own choices are saved at once
    const saved = await rowsOf(db, it.rows)
    await refusesNoNumbers(it.parts.at(-1)!.form(), it.save)
    expect(changes(saved, await rowsOf(db, it.rows)), 'Saved with a number box in error').toEqual(
      {},
    )
  }
  await saves(person, it)
  if (it.save) await focusIsKept(person, it.path)
  else await expect.poll(async () => changes(before, await rowsOf(db, it.rows))).toEqual(expected)
  await page.goto(it.path)
  await page.waitForFunction(() => !window.early)
  for (const [at, part] of it.parts.entries()) {
    await part.open?.()
    await isDrawn(part.form())
    expect(await settled(part.form, typed[at]!)).toEqual(typed[at])
  }
  const landed = changes(before, await rowsOf(db, it.rows))
  for (const [path, value] of Object.entries(expected))
    if (value === ANY_ID && typeof landed[path] === 'string') expected[path] = landed[path]
  expect(landed).toEqual({ ...expected, ...it.also })
}

/**
 * After a save a keyboard goes on from the heading of the screen that follows, or from where it was
 * on the same screen.
 */
async function focusIsKept(person: Person, path: string) {
  const { pathname } = new URL(path, person.page.url())
  await expect
    .poll(
      async () => {
        const isElsewhere = new URL(person.page.url()).pathname !== pathname
        const focused = await person.focused()
        return (isElsewhere ? /^H1 / : /./).test(focused)
          ? ''
          : `${person.page.url()}: "${focused}"`
      },
      { timeout: 10_000 },
    )
    .toBe('')
}

/** Changes one field and saves; then opens the form anew and saves it as it is, which changes nothing. */
async function changesOne(db: Kysely<DB>, person: Person, it: Opened) {
  const { page } = person
  const before = await rowsOf(db, it.rows)
  const [part] = it.parts as [Opened['parts'][number]]
  const field = part.fields.find(({ label }) => label === it.one)
  if (!field) throw new Error(`The entry changes ${it.one} in Arabic, which is none of its fields`)
  const open = async () => {
    if (!page.url().endsWith(it.path)) await person.goesTo(it.path)
    else if ((await part.form().count()) === 0) {
      // a dialog keeps the row that it was opened from, and a list shows its cached rows until it has been read again
      await page.goto(it.path)
      await page.waitForFunction(() => !window.early)
    } else {
      await person.goesTo('/app/help')
      await person.goesTo(it.path)
    }
    await part.open?.()
    await isDrawn(part.form())
  }
  await open()
  const found = await controlsOf(part.form())
  await answer(page, part.form(), field.label, field.deed)
  if (!it.save)
    await expect.poll(async () => changes(before, await rowsOf(db, it.rows))).toEqual(field.lands)
  const typed = it.save
    ? await controlsOf(part.form())
    : found.map((control) =>
        control.label === field.label
          ? { ...control, value: String(control.value !== 'true') }
          : control,
      )
  expect(valueIn(typed, field.label)).not.toBe(valueIn(found, field.label))
  await saves(person, it)
  // a dialog closes once its list has been read again
  await expect.poll(() => page.getByRole('dialog').count(), { timeout: 10_000 }).toBe(0)
  const after = await rowsOf(db, it.rows)
  const landed = changes(before, after)
  expect(Object.keys(landed)).toEqual(expect.arrayContaining(Object.keys(field.lands)))
  expect(landed).toMatchObject(field.lands)

  await open()
  const shown = typed.map((control) => ({
    ...control,
    value:
      control.label === field.label
        ? (part.shown?.[control.label] ?? control.value)
        : control.value,
  }))
  expect(await settled(part.form, shown)).toEqual(shown)
  if (!it.save || it.savesOnlyChanges) return
  await saves(person, it)
  expect(changes(after, await rowsOf(db, it.rows)), 'Saved without a change').toEqual({})
}

/** A date is a box to look at until its calendar has come. */
async function isDrawn(form: Locator) {
  await form.waitFor()
  await expect.poll(() => form.locator('input[readonly][placeholder="YYYY-MM-DD"]').count()).toBe(0)
}

const valueIn = (controls: readonly Control[], label: string) =>
  controls.find((one) => one.label === label)?.value

/** What the form holds once what it reads from elsewhere has come; at the latest what it holds after a while. */
async function settled(form: Opened['parts'][number]['form'], wanted: readonly Control[]) {
  let found = await controlsOf(form())
  for (let left = 20; left > 0 && JSON.stringify(found) !== JSON.stringify(wanted); left -= 1) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    found = await controlsOf(form())
  }
  return found
}

/** Presses Save and waits for the answer; a refusal fails with what the screen says. */
async function saves(person: Person, it: Opened) {
  const { page } = person
  if (!it.save) return
  const answered = page.waitForResponse(
    (response) => response.request().method() === 'POST' && response.url().includes('/_serverFn/'),
    { timeout: 15_000 },
  )
  await it.save()
  const response = await answered.catch(() => null)
  if (response?.ok()) {
    await response.finished()
    // the screen that follows comes some moments after the answer
    const saving = page.locator('form button[type=submit]:disabled')
    return expect.poll(() => saving.count(), { timeout: 10_000 }).toBe(0)
  }
  const said = await page.locator('[role=alert], [class*=Input-error]').allInnerTexts()
  throw new Error(
    `Save was ${response ? `answered with ${response.status()}` : 'never sent'}: ${said.join(' | ')}`,
  )
}

/** Each row as flat paths: `patients.given_name`, `events.form_data.0.value`. */
async function rowsOf(db: Kysely<DB>, rows: Rows) {
  const flat: Record<string, unknown> = {}
  for (const [alias, { table, where }] of Object.entries(rows)) {
    const found = await sql<{ row: Record<string, unknown> }>`
      select to_jsonb(t) as row from ${sql.table(table)} t
      where to_jsonb(t) @> ${JSON.stringify(where)}::jsonb`.execute(db)
    flatten(flat, alias, found.rows[0]?.row ?? null)
  }
  return flat
}

function flatten(into: Record<string, unknown>, path: string, value: unknown) {
  if (value === null || typeof value !== 'object') {
    into[path] = value
    return
  }
  if (Object.keys(value).length === 0) into[path] = Array.isArray(value) ? '[]' : '{}'
  for (const [name, part] of Object.entries(value))
    flatten(into, `${path}.${fieldOf(part) ?? name}`, part)
}

/** Answers and translations go by the field that they are of, wherever they stand. */
const fieldOf = (part: unknown) =>
  (part as { fieldId?: string; name?: unknown } | null)?.name !== undefined
    ? (part as { fieldId?: string }).fieldId
    : undefined

/** The database stamps these by itself at every save. */
const STAMPS = /\.(last_modified|updated_at|last_modified_by|updatedAt)$/

function changes(before: Record<string, unknown>, after: Record<string, unknown>) {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)])
  return Object.fromEntries(
    [...paths]
      .filter((path) => !STAMPS.test(path) && before[path] !== after[path])
      .map((path) => [path, after[path]]),
  )
}

const text = (path: string) => readFileSync(path, 'utf8')
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
