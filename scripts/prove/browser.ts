import { existsSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { openWorkbench, type Workbench } from '../bench/workbench'
import { wholeNumber } from '../command'
import { untilStopped } from '../import/kind'
import { OPERATION_HEADER } from '~/server/http-route'
import { type Proof, parseProofOptions } from './proof'

const help = `npm run prove -- browser [--patients 300] [--answers]

  --patients  number of invented patients (default: 300)
  --answers   lists what the measured visits received, the largest first

Chromium on a line of 400 kbit/s with 400 ms, with a sixth of this machine's processor: bytes of each screen, and
how long it takes until it can be used. The bytes must hold; the times are those of this machine.
SANAD_CHROMIUM names another browser than /usr/bin/chromium.
`

/** Bytes, compressed. */
const MOST = { signIn: 60_000, firstScript: 220_000, day: 3_000_000 }
const LINE = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }
const SLOWER = 6
const VISITS = 60
const MENU = ['/app/patients', '/app/appointments', '/app/prescriptions', '/app/queue']

type Screen = {
  name: string
  bytes: number
  script: number
  requests: number
  /** Milliseconds until it can be used. */
  ms: number
  /** Of a whole load: until it can be read, and what is typed is kept. */
  shownMs?: number
}

export const browser: Proof = {
  summary: 'what screens send and how long they take on a slow line; a day of 60 visits',
  async run(args) {
    const values = parseProofOptions(args, help, {
      patients: { type: 'string', default: '300' },
      answers: { type: 'boolean', default: false },
    })
    if (!values) return 0
    const executablePath = process.env['SANAD_CHROMIUM'] ?? '/usr/bin/chromium'
    if (!existsSync(executablePath)) {
      process.stderr.write(`There is no ${executablePath}: the package is chromium.\n`)
      return 3
    }
    const patients = wholeNumber('patients', values.patients, 100)
    const bench = await openWorkbench({ patients, signal: untilStopped() })
    const chrome = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu'],
    })
    try {
      const found = await measured(await chrome.newContext({ baseURL: bench.url }), bench)
      if (values.answers) process.stdout.write(formatAnswerSizes(found.answers))
      return report(found)
    } finally {
      await chrome.close()
      await bench.close()
      rmSync(bench.dataDir, { recursive: true, force: true })
    }
  },
}

async function measured(context: BrowserContext, { owner, patientAt }: Workbench) {
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const { traffic, settled } = await watched(context, page)
  const screens: Screen[] = []
  const measure = async (
    name: string,
    go: () => Promise<unknown>,
    shown?: () => Promise<unknown>,
  ) => {
    const before = { ...traffic }
    const started = performance.now()
    const taken = () => Math.round(performance.now() - started)
    await go()
    await shown?.()
    const shownMs = shown && taken()
    if (shown) await responds(page)
    const ms = taken()
    screens.push({ name, ms, shownMs, ...since(before, traffic) })
    process.stderr.write(`${name}: ${ms} ms\n`)
  }
  const heading = () => page.getByRole('heading', { level: 1 }).waitFor()

  await measure('sign-in page, cold', async () => {
    await page.goto('/', { waitUntil: 'commit' })
    await page.locator('#email').waitFor()
  })
  // a user types for this long; the page fetches what comes next
  await page.waitForLoadState('load')
  await page.waitForTimeout(15_000)
  await page.locator('#email').fill(owner.email)
  await page.locator('#password').fill(owner.password)
  await measure('dashboard after the sign-in', async () => {
    await page.locator('button.main').click()
    await page.waitForURL('**/app')
    await responds(page)
  })
  // the words and the screens of the menu come when nothing else is to be done
  await page.waitForTimeout(30_000)
  for (const path of MENU)
    await measure(path, async () => {
      await page.locator(`nav a[href="${path}"]`).first().click()
      await page.waitForURL(`**${path}`)
      // the heading of the screen before it stands until the answers are there
      await settled()
      await heading()
    })
  for (const path of MENU)
    await measure(`${path}, whole`, () => page.goto(path, { waitUntil: 'commit' }), heading)

  const day = { ...traffic }
  const answered = traffic.answers.length
  const rounds = 3
  for (let i = 0; i < rounds; i += 1) {
    const { id, surname } = patientAt(i)
    await opened(page, `/app/patients?search=${encodeURIComponent(surname)}`)
    await opened(page, `/app/patients/${id}`)
    await opened(page, '/app/queue')
  }
  await settled()
  // a script is fetched once, what it shows with each visit
  const { bytes, script } = since(day, traffic)
  const visits = script + (VISITS * (bytes - script)) / rounds

  const cold = await context.browser()!.newContext({ storageState: await context.storageState() })
  const second = await cold.newPage()
  const { traffic: own } = await watched(cold, second)
  const before = { ...own }
  const started = performance.now()
  await second.goto(new URL('/app', page.url()).href, { waitUntil: 'commit', timeout: 120_000 })
  await responds(second)
  const ms = Math.round(performance.now() - started)
  screens.push({ name: 'dashboard, cold', ms, ...since(before, own) })
  return { screens, visits, answers: traffic.answers.slice(answered) }
}

/** The page answers what the user types and presses. */
const responds = (page: Page) =>
  page.waitForFunction(() => document.body && !window.early, undefined, { timeout: 120_000 })

/** As a link leads there: no document is loaded. */
async function opened(page: Page, path: string) {
  await page.evaluate((href) => window.__TSR_ROUTER__!.navigate({ href }), path)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

/** Counts what a page receives on the slow line: an answer when it is over. `settled` waits for all but streams. */
async function watched(context: BrowserContext, page: Page) {
  const line = await context.newCDPSession(page)
  await line.send('Network.enable')
  await line.send('Network.emulateNetworkConditions', LINE)
  await line.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
  const traffic: Traffic = { bytes: 0, script: 0, requests: 0, answers: [] }
  const scripts = new Set<string>()
  const names = new Map<string, string>()
  const awaited = new Set<string>()
  line.on('Network.requestWillBeSent', ({ requestId, request, type }) => {
    names.set(requestId, new URL(request.url).pathname)
    // a new document abandons what the one before still waits for
    if (type === 'Document') awaited.clear()
    if (type !== 'EventSource') awaited.add(requestId)
  })
  line.on('Network.responseReceived', ({ requestId, response }) => {
    const operation = response.headers[OPERATION_HEADER]
    if (operation) names.set(requestId, operation)
    if (response.fromDiskCache || response.fromPrefetchCache) return
    if (response.url.endsWith('.js')) scripts.add(requestId)
  })
  line.on('Network.loadingFailed', ({ requestId }) => awaited.delete(requestId))
  line.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    awaited.delete(requestId)
    if (encodedDataLength === 0) return
    traffic.bytes += encodedDataLength
    traffic.requests += 1
    traffic.answers.push({ name: names.get(requestId) ?? '', bytes: encodedDataLength })
    if (scripts.has(requestId)) traffic.script += encodedDataLength
  })
  const settled = async () => {
    for (let quiet = 0; quiet < 5; quiet = awaited.size ? 0 : quiet + 1) await sleep(100)
  }
  return { traffic, settled }
}

type Answer = { name: string; bytes: number }
type Traffic = { bytes: number; script: number; requests: number; answers: Answer[] }
const since = (before: Traffic, now: Traffic): Omit<Traffic, 'answers'> => ({
  bytes: now.bytes - before.bytes,
  script: now.script - before.script,
  requests: now.requests - before.requests,
})

function formatAnswerSizes(answers: Answer[]): string {
  const byName = Map.groupBy(answers, ({ name }) => name)
  const sums = [...byName].map(([name, all]) => ({
    name,
    times: all.length,
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
  }))
  return sums
    .toSorted((a, b) => b.bytes - a.bytes)
    .map(({ name, times, bytes }) => `${String(bytes).padStart(8)} ${times} × ${name}\n`)
    .join('')
}

function report({ screens, visits }: Awaited<ReturnType<typeof measured>>): 0 | 1 {
  const kilo = (bytes: number) => (bytes / 1000).toFixed(1).padStart(8)
  const of = (name: string) => screens.find((screen) => screen.name === name)!
  const day = of('dashboard, cold').bytes + visits
  const lines = screens.map(
    ({ name, bytes, script, requests, shownMs, ms }) =>
      `| ${name.padEnd(28)} | ${kilo(bytes)} | ${kilo(script)} ` +
      `| ${String(requests).padStart(8)} | ${String(shownMs ?? '').padStart(8)} | ${String(ms).padStart(6)} |`,
  )
  const limits = [
    ['sign-in page', of('sign-in page, cold').bytes, MOST.signIn],
    ['script of the first screen', of('dashboard, cold').script, MOST.firstScript],
    [`a day of ${VISITS} visits`, day, MOST.day],
  ] as const
  process.stdout.write(
    [
      `| ${'screen'.padEnd(28)} |       kB |   script | requests | shown ms |     ms |`,
      `| ${'-'.repeat(28)} | -------: | -------: | -------: | -------: | -----: |`,
      ...lines,
      '',
      ...limits.map(
        ([name, bytes, most]) =>
          `${name}: ${kilo(bytes).trim()} kB of at most ${kilo(most).trim()}`,
      ),
      '',
    ].join('\n'),
  )
  return limits.some(([, bytes, most]) => bytes > most) ? 1 : 0
}
