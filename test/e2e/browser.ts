import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'
import { expect } from 'vitest'
import { connect } from '~/db/connect'
import { cookieName } from '~/server/session.server'
import type { Language, MessageKey } from '~/shared/language'
import { sentence } from '~/shared/sentence'
import { built } from '../built'
import { inTurn } from '../turn'
import { isReached } from './lists'
import { databaseUrl, freePort, settingsForUsed, test as base } from '../commands/sanad'

export type Site = {
  url: string
  dataDir: string
  setupCode: string
  admin: (args: string[], input?: string) => string
}

/** `npm run prove -- paths` */
const isEveryLook = process.env['SANAD_LOOKS'] === 'all'

/**
 * The look (language, or language with width) in which a path is walked: one of those at the named places of the list,
 * in turn, so that the tests together see each language and width; all of them in `npm run prove -- paths`.
 */
export const looks = <T>(all: readonly T[], ...tried: number[]): readonly T[] =>
  isEveryLook ? all : inTurn(tried, tried.length).map((at) => all[at]!)

/** As root Chromium has no sandbox; without the rest it looks for Google's hosts at every start. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // pages are short-lived: most of their code runs once, and compiling it well takes longer than running it
  '--js-flags=--max-lazy --single-threaded-gc --no-opt --no-maglev',
]

/** `npm test` names one; the first is the same engine without a window around each page. */
const executablePath =
  process.env['SANAD_CHROMIUM'] ??
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path))

/** `more`: what this one is started with beside what all are. */
export const openBrowser = (more: readonly string[] = []) =>
  chromium.launch({
    executablePath,
    args: [...flags, ...more],
  })

/** A server and a Chromium for all tests of a file: real ones, on a data directory of their own. */
export const test = base
  .extend('site', { scope: 'file' }, async ({}, { onCleanup }) => {
    const { mkdtempSync, rmSync } = await import('node:fs')
    const { tmpdir } = await import('node:os')
    const { join } = await import('node:path')
    const { startSanad } = await import('../commands/sanad')
    const dataDir = mkdtempSync(join(tmpdir(), 'sanad-e2e-'))
    const settings = { ...(await settingsForUsed(dataDir)), SANAD_DEMO_PAGES: 'yes' }
    const sanad = startSanad(settings)
    onCleanup(async () => {
      sanad.child.kill('SIGTERM')
      await sanad.exit
      rmSync(dataDir, { recursive: true, force: true })
    })
    const url = await sanad.ready
    const setupCode = /^ +([0-9A-Z]{4}(?:-[0-9A-Z]{4}){2})$/m.exec(sanad.said())?.[1] ?? ''
    const admin = (args: string[], input = '') => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [built('commands/admin.js'), ...args],
        {
          env: { PATH: process.env['PATH'], ...settings },
          input,
          encoding: 'utf8',
        },
      )
      if (status !== 0) throw new Error(`admin ${args[0]} ended with ${status}: ${stderr}`)
      return stdout
    }
    return { url, dataDir, setupCode, admin } satisfies Site
  })
  /** The server's own database, to make records of all kinds and to see what was saved. */
  .extend('db', { scope: 'file' }, async ({ site }, { onCleanup }) => {
    const db = connect(databaseUrl(site.dataDir), { max: 2 })
    onCleanup(() => db.destroy())
    return db
  })
  .extend('browser', { scope: 'file' }, async ({}, { onCleanup }) => {
    const browser = await openBrowser()
    onCleanup(() => browser.close())
    return browser
  })
  .extend('visit', async ({ browser, site, task }, { onCleanup }) => {
    const contexts: BrowserContext[] = []
    onCleanup(async () => {
      if (task.result?.state === 'fail') await showsWhatWasSeen(contexts)
      for (const context of contexts) await context.close()
    })
    /** A new user: no cookies yet, everything in one language. */
    return async (
      language: Language,
      width = 1280,
      { own = browser, savesData = true }: { own?: Browser; savesData?: boolean } = {},
    ) => {
      const context = await own.newContext({
        baseURL: site.url,
        locale: language,
        reducedMotion: 'reduce',
        viewport: { width, height: 900 },
      })
      context.setDefaultTimeout(30_000)
      contexts.push(context)
      const page = await context.newPage()
      if (savesData) await saveData(page)
      const problems: string[] = []
      page.on('pageerror', (error) => problems.push(String(error)))
      page.on('console', (message) => {
        if (message.type() === 'error' && !expectedRefusal.test(message.text()))
          problems.push(message.text())
      })
      return new Person(page, language, problems)
    }
  })

/**
 * As users set their browser on an expensive line. Elsewhere each page that is loaded fetches eighty
 * more files, the screens of the menu: slow.test.ts and the first days do without this.
 */
async function saveData(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setDataSaverOverride', { dataSaverEnabled: true })
}

/** What stood on every screen when a test failed: a timeout alone does not say why. */
async function showsWhatWasSeen(contexts: readonly BrowserContext[]) {
  for (const page of contexts.flatMap((context) => context.pages())) {
    const seen = await page.locator('body').innerText({ timeout: 5_000 }).catch(String)
    console.error(`${page.url()} showed:\n${seen.replaceAll(/\n+/g, ' | ')}`)
  }
}

/** The browser's own remark about a refusal that a test provokes, or a network that it takes away. */
const expectedRefusal =
  /^Failed to load resource: (the server responded with a status of 4\d\d|net::ERR_INTERNET_DISCONNECTED)/

/** A user at a screen: finds things by their names in the user's language. */
export class Person {
  constructor(
    readonly page: Page,
    readonly language: Language,
    readonly problems: string[],
  ) {}

  say(key: MessageKey, values?: Record<string, string | number>) {
    return sentence(this.language, { key, values })
  }
  field(key: MessageKey) {
    return this.page.getByLabel(this.say(key), { exact: false }).first()
  }
  async fill(key: MessageKey, text: string) {
    await this.page
      .getByRole('textbox', { name: this.say(key) })
      .first()
      .fill(text)
  }
  async press(key: MessageKey, values?: Record<string, string | number>) {
    await this.#clicks('button', this.say(key, values))
  }
  async follow(key: MessageKey) {
    await this.#clicks('link', this.say(key))
  }
  /** Playwright's own click also scrolls boxes that a person cannot scroll. */
  async #clicks(role: 'button' | 'link', name: string) {
    const target = this.page.getByRole(role, { name, exact: true }).first()
    await isReached(target)
    await target.click()
  }
  /** As a link on the screen leads there: nothing is loaded anew. */
  async goesTo(path: string) {
    await this.page.waitForFunction(() => !window.early)
    await this.page.evaluate((href) => window.__TSR_ROUTER__!.navigate({ href }), path)
  }
  /** As when a user elsewhere changes something that this screen shows. */
  async isReadAgain() {
    await this.page.evaluate(() => window.__TSR_ROUTER__!.invalidate())
  }
  /** What a keyboard would act on now: the focused element's tag and text or label; "" when the focus was lost. */
  focused() {
    return this.page.evaluate(() => {
      const { activeElement } = document
      if (!activeElement || activeElement === document.body) return ''
      const { labels } = activeElement as HTMLInputElement
      const name =
        activeElement.getAttribute('aria-label') ??
        labels?.[0]?.textContent ??
        activeElement.textContent
      return `${activeElement.tagName} ${name?.replace(/\s*\*$/, '').trim()}`
    })
  }
  /** Something else lies over what has the focus (WCAG 2.2, 2.4.11). */
  hidesFocus() {
    return this.page.evaluate(() => {
      const focused = document.activeElement!
      const { left, right, top, bottom } = focused.getBoundingClientRect()
      return [top + 2, bottom - 2].some(
        (y) => !focused.contains(document.elementFromPoint((left + right) / 2, y)),
      )
    })
  }
  /** Whether a toast lies over a button at the end of the screen, on a phone or on a desk. */
  async toastCovers(button: Locator): Promise<boolean> {
    const before = this.page.viewportSize()!
    await this.page.locator('[data-sonner-toast]').first().waitFor()
    const covers: boolean[] = []
    for (const width of [375, 1280]) {
      await this.page.setViewportSize({ width, height: 700 })
      await button.evaluate((element) => element.scrollIntoView({ block: 'end' }))
      const [own, ...toasts] = await Promise.all([
        button.boundingBox(),
        ...(await this.page.locator('[data-sonner-toast]').all()).map((toast) =>
          toast.boundingBox(),
        ),
      ])
      expect(toasts).not.toEqual([])
      covers.push(toasts.some((toast) => toast !== null && own !== null && meet(own, toast)))
    }
    await this.page.setViewportSize(before)
    return covers.includes(true)
  }
  async sees(text: string) {
    await this.page.getByText(text, { exact: false }).first().waitFor()
  }
  async seesHeading(text: string) {
    await this.page.getByRole('heading', { level: 1, name: text }).waitFor()
  }
  /** As `screenFits`, and axe finds nothing: for a state that no other test has looked at. */
  async screenIsSound() {
    expect(await violationsOfAxe(this.page)).toEqual([])
    await this.screenFits()
  }
  /**
   * For a state that a test looks at in several languages: axe does so in Arabic, the others differ
   * in their words alone.
   */
  async screenIsSoundInArabic() {
    await (this.language === 'ar' ? this.screenIsSound() : this.screenFits())
  }
  /** The screen runs the way of its language, does not scroll sideways, and nothing is in the console. */
  async screenFits() {
    expect(this.problems).toEqual([])
    const overflow = await this.page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(overflow, 'the page scrolls sideways').toBeLessThanOrEqual(0)
    expect(await this.page.evaluate(() => document.documentElement.dir)).toBe(
      this.language === 'ar' ? 'rtl' : 'ltr',
    )
  }
}

/** Half as much to send and to read as `axe.source`. */
const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)

type Box = { x: number; y: number; width: number; height: number }
const meet = (a: Box, b: Box) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

/**
 * What axe finds on the screen as it stands. It stays in the page, for the next screen that is
 * shown without a load.
 */
async function violationsOfAxe(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  return page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run({
      resultTypes: ['violations'],
      // the elements themselves are shown
      selectors: false,
      // style sheets are read for a rule that is still experimental and not run
      preload: { assets: ['media'] },
    })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  })
}

/** A user with a session, in the user's language, without the sign-in screen, which the first day tries. */
export async function withSession(person: Person, email: string, its = password): Promise<Person> {
  const context = person.page.context()
  const answer = await context.request.post('/api/auth/sign-in', { data: { email, password: its } })
  expect(answer.status()).toBe(200)
  const { token } = (await answer.json()) as { token: string }
  await context.addCookies([
    { name: cookieName(false), value: token, url: new URL(answer.url()).origin },
  ])
  const { language } = person
  const saved = await context.request.post('/api/trpc/account.savePreferences', {
    data: { language },
  })
  expect(saved.status()).toBe(200)
  return person
}

export const password = 'olive-branch-in-spring'
export const emailOf = (who: string) => `${who}@clinic.example`

const administrators = new WeakSet<Site>()

/** Amal, who runs Hillside: made once, whichever test of a file comes first or is tried again. What she may call. */
export async function administrator(site: Site) {
  if (!administrators.has(site)) {
    const who = [
      '--email',
      emailOf('admin'),
      '--name',
      'Amal',
      '--clinic',
      'Hillside',
      '--password-stdin',
    ]
    site.admin(['create-super-admin', ...who], password)
    administrators.add(site)
  }
  return as(site, 'admin')
}

type NewUser = {
  id: string
  name: string
  email: string
  role: string
  clinic_id?: string | null
}

/** A user added by an administrator, with the first password replaced by `password`. */
export async function addUser(site: Site, user: NewUser) {
  await chosenBy(site, user.email, async (first) => {
    const call = await administrator(site)
    await call('users.save', { ...user, password: first })
  })
}

/** Another user sets a first password by `set`; the user chooses `password` instead. */
export async function chosenBy(
  site: Site,
  email: string,
  set: (first: string) => unknown,
): Promise<void> {
  const first = `${password}, the first`
  await set(first)
  const token = await tokenOf(site, email, first)
  const { status } = await rpc(site, 'sessions.replacePassword', { newPassword: password }, token)
  expect(status).toBe(200)
}

/** Calls operations as a user: a refusal fails the test. */
export async function as(site: Site, who: string) {
  const token = await tokenOf(site, emailOf(who), password)
  return async <T = unknown>(name: string, input: unknown = {}): Promise<T> => {
    const { status, data, error } = await rpc(site, name, input, token)
    expect([name, status, error?.message, error?.data]).toEqual([name, 200, undefined, undefined])
    return data
  }
}

/** A program's call: tRPC as any program may use it. */
export async function rpc(site: { url: string }, name: string, input: unknown, token?: string) {
  const response = await fetch(`${site.url}/api/trpc/${name}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(input ?? {}),
  })
  const body = (await response.json()) as {
    result?: { data: unknown }
    error?: { message: string; data: Record<string, unknown> }
  }
  return { status: response.status, data: body.result?.data as never, error: body.error }
}

export async function tokenOf(
  site: { url: string },
  email: string,
  its = password,
): Promise<string> {
  const response = await fetch(`${site.url}/api/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: its }),
  })
  expect(response.status).toBe(200)
  return ((await response.json()) as { token: string }).token
}

export { freePort }
