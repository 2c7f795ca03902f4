import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { LANGUAGES } from '~/shared/language'
import { administrator, emailOf, test, withSession } from './browser'
import { type Box, type PaperPage, readPaper } from './paper'
import { inTurn, turnOf } from '../turn'
import {
  DAY,
  HOURS,
  linesOfReason,
  makeRecord,
  marks,
  type PaperRecord,
  type Size,
  SIZES,
} from './paper-world'

type Kind = {
  path: (record: PaperRecord) => string
  /** What must be on the paper once. */
  marks: (size: Size) => string[]
  /** The user chooses one above the sheet. */
  sizes?: readonly ('A4' | 'A5')[]
  /** Of a page that leaves the paper to the printer. */
  printer?: readonly ('A4' | 'A5' | 'A4 landscape')[]
  /** Every page names the patient, the date of birth and the day; a list of patients names the day alone. */
  names: 'patient' | 'day' | 'nothing'
  /** A page in lists that other kinds try, too: tried once. */
  isTriedOnce?: true
  /** What is typed above the sheet. */
  types?: (page: Page, size: Size) => Promise<void>
  /** Most that may be empty at the end of a page, of its height: a slip to tear off stays in one piece. */
  empty?: number
}

const items = ({ rows, lines }: Size) => [
  ...marks('MD', rows),
  ...(rows > 1 ? marks('DI', lines) : []),
]
const SIZES_OF_SHEETS = ['A4', 'A5'] as const
const PRINTERS = ['A4', 'A5', 'A4 landscape'] as const
/** A list of the patient's page. */
const tabOf = (tab: string, its: Kind['marks']): Kind => ({
  path: ({ patientId }) => `/app/patients/${patientId}?tab=${tab}`,
  marks: its,
  printer: ['A4'],
  names: 'patient',
  isTriedOnce: true,
})

/** Everything that the product prints of a record. */
const KINDS: Record<string, Kind> = {
  'visit summary': {
    sizes: SIZES_OF_SHEETS,
    path: ({ visitId }) => `/app/visits/print/${visitId}`,
    marks: (size) => [
      ...marks('RE', size.lines),
      ...marks('HX', size.lines),
      'PL001',
      ...['PR', 'AL', 'LT'].flatMap((name) => marks(name, size.rows)),
      ...items(size),
    ],
    names: 'patient',
  },
  'laboratory request': {
    sizes: SIZES_OF_SHEETS,
    path: ({ visitId }) => `/app/visits/laboratory/${visitId}`,
    marks: ({ lines, rows }) => [...marks('RE', lines), ...marks('PR', rows), ...marks('TS', rows)],
    names: 'patient',
    types: async (page, { rows }) =>
      page.getByRole('textbox').first().fill(marks('TS', rows).join('\n')),
  },
  'referral letter': {
    sizes: SIZES_OF_SHEETS,
    path: ({ referralId }) => `/app/referrals/print/${referralId}`,
    marks: (size) => [
      ...marks('RF', size.lines),
      // what was prescribed is no longer taken
      ...['PR', 'AL', 'LT', 'TK'].flatMap((name) => marks(name, size.rows)),
    ],
    names: 'patient',
    empty: 0.5,
  },
  prescription: {
    sizes: SIZES_OF_SHEETS,
    path: ({ prescriptionId }) => `/app/prescriptions/print/${prescriptionId}`,
    marks: (size) => [...marks('NO', size.lines), ...marks('AL', size.rows), ...items(size)],
    names: 'patient',
  },
  letter: {
    sizes: SIZES_OF_SHEETS,
    path: ({ messageId }) => `/app/follow-up/letter/${messageId}`,
    marks: ({ lines }) => marks('MB', lines),
    names: 'patient',
  },
  'appointment slip': {
    sizes: SIZES_OF_SHEETS,
    path: ({ appointmentId }) => `/app/appointments/print/${appointmentId}`,
    marks: () => [],
    names: 'patient',
  },
  'patient card': {
    sizes: SIZES_OF_SHEETS,
    path: ({ patientId }) => `/app/patients/card/${patientId}`,
    marks: () => [],
    names: 'nothing',
  },
  'immunization card': {
    sizes: SIZES_OF_SHEETS,
    path: ({ patientId }) => `/app/patients/immunization-card/${patientId}`,
    marks: ({ rows }) => marks('LT', rows),
    names: 'patient',
  },
  label: {
    path: ({ prescriptionId, recordId }) =>
      `/app/dispensing/label/${prescriptionId}?record=${recordId}`,
    marks: ({ lines }) => marks('LB', lines),
    printer: ['A4'],
    names: 'nothing',
  },
  'register of a day': {
    path: ({ placeId }) => `/app/registers?clinic=${placeId}&day=${DAY}`,
    marks: ({ rows, lines }) => [...marks('NM', rows), ...(rows > 0 ? marks('DG', lines) : [])],
    names: 'day',
  },
  'register of a program': {
    path: ({ placeId }) => `/app/registers?clinic=${placeId}&program=hypertension`,
    marks: ({ rows }) => marks('NM', rows),
    names: 'day',
  },
  'overrides of a day': {
    path: ({ placeId }) => `/app/prescriptions/overrides-of-day?clinic=${placeId}&day=${DAY}`,
    marks: ({ rows, lines }) => [
      ...marks('NM', rows),
      ...(rows > 0 ? marks('OR', linesOfReason(lines)) : []),
    ],
    names: 'day',
  },
  'list of a day': {
    path: ({ placeId }) => `/app/appointments/calendar?clinicId=${placeId}&day=${DAY}`,
    marks: ({ rows }) => marks('NM', rows),
    printer: PRINTERS,
    names: 'day',
  },
  'bin card': {
    path: ({ placeId, drugId }) =>
      `/app/inventory/clinic-inventory/bin-card/${drugId}?clinic=${placeId}`,
    marks: ({ rows }) => marks('BC', rows),
    printer: PRINTERS,
    names: 'nothing',
  },
  report: {
    path: ({ reportCode, placeId }) => `/app/reports/print/${reportCode}?clinic=${placeId}`,
    marks: ({ rows }) => [...marks('RW', rows), ...marks('HR', HOURS), 'RX001', 'RX002'],
    names: 'nothing',
  },
  'filled-in form': {
    path: ({ eventId }) => `/app/events/${eventId}`,
    marks: ({ lines }) => [...marks('HX', lines), 'PL001'],
    printer: PRINTERS,
    names: 'patient',
  },
  visits: tabOf('visits', ({ lines, rows }) => [...marks('RE', lines), ...marks('PR', rows)]),
  problems: tabOf('problems', ({ rows }) => marks('PR', rows)),
  allergies: tabOf('allergies', () => []),
  immunizations: tabOf('immunizations', ({ rows }) => marks('LT', rows)),
  medicines: tabOf('prescriptions', ({ rows }) => marks('TK', rows)),
  timeline: tabOf('timeline', () => []),
  accesses: {
    path: ({ patientId }) => `/app/patients/seen/${patientId}`,
    marks: () => [],
    printer: ['A4'],
    names: 'patient',
    isTriedOnce: true,
  },
}

/** Names a folder for the pictures of all pages, to look at. */
const pictures = process.env['SANAD_PAPER_PICTURES']

/** How a kind is printed: the size of its own paper, or that of the printer. */
const printsOf = ({ printer, sizes }: Kind) =>
  printer
    ? printer.map((name) => ({
        name,
        query: '',
        format: name.slice(0, 2),
        landscape: /landscape/.test(name),
      }))
    : (sizes ?? ['']).map((name) => ({
        name,
        query: name && `paper=${name}`,
        format: 'A4',
        landscape: false,
      }))

/** `npm run prove -- paper` */
const isWholeMatrix = process.env['SANAD_PAPER'] === 'all'

// the languages differ in letters and direction; the kinds of each take two turns
test.for(isWholeMatrix ? LANGUAGES : inTurn(['en', 'ar'] as const, 2))(
  'each line of a record is on paper once, nothing covers it, and every page says whose it is: %s',
  { timeout: isWholeMatrix ? 3_600_000 : 600_000 },
  async (language, { site, db, visit }) => {
    const call = await administrator(site)
    const [{ id: clinicId }] = await call<[{ id: string }]>('clinics.list')
    // both sizes are tried, the longer one on all papers
    const tried = isWholeMatrix ? SIZE_NAMES : (['short', 'long'] as const)
    const records = await Promise.all(
      tried.map(async (size) => [size, await makeRecord(db, clinicId, SIZES[size])] as const),
    )
    const { page, problems } = await withSession(await visit(language), emailOf('admin'))
    await page.goto('/app')
    const faults: string[] = []
    const kinds = Object.entries(KINDS).filter(
      (_, at) => isWholeMatrix || at % 2 === Math.floor(turnOf(4) / 2),
    )
    for (const [name, kind] of kinds)
      for (const [size, record] of records) {
        const isEach = isWholeMatrix || size === 'long'
        if (kind.isTriedOnce && !isEach) continue
        for (const print of printsOf(kind).slice(isEach ? 0 : -1)) {
          const path = kind.path(record)
          await goesTo(
            page,
            [path, print.query].filter(Boolean).join(path.includes('?') ? '&' : '?'),
          )
          await kind.types?.(page, SIZES[size])
          const { format, landscape } = print
          const pdf = await page.pdf({ preferCSSPageSize: true, format, landscape, margin: MARGIN })
          const pages = await readPaper(pdf)
          const what = [name, size, print.name, language].filter(Boolean).join(', ')
          const beside = await printedBeside(page)
          faults.push(
            ...faultsOf(pages, kind, SIZES[size]).map((fault) => `${what}: ${fault}`),
            ...beside.map((part) => `${what}: beside the sheet, ${part} is printed`),
          )
          if (pictures) await draws(pages, join(pictures, what.replaceAll(/[ ,]+/g, '-')))
        }
      }
    expect(faults).toEqual([])
    expect(problems).toEqual([])
  },
)

const SIZE_NAMES = ['short', 'middle', 'long'] as const

/** As a browser's own; sheets that name their paper have margins of their own. */
const MARGIN = { top: '10mm', bottom: '10mm', left: '10mm', right: '10mm' }

/** What a page that has a sheet prints besides it. */
async function printedBeside(page: Page): Promise<string[]> {
  await page.emulateMedia({ media: 'print' })
  const beside = await page.evaluate(() =>
    document.querySelector('[data-sheet]')
      ? [...document.querySelectorAll('body *')]
          .filter((each) => !each.closest('[data-sheet]') && !each.querySelector('[data-sheet]'))
          .filter((each) => each.checkVisibility({ visibilityProperty: true }))
          .map((each) => each.outerHTML.slice(0, 80))
      : [],
  )
  const padded = await page.evaluate(() => {
    const [sheet] = document.querySelectorAll<HTMLElement>('[data-sheet]')
    const frames = sheet ? [sheet] : []
    // what holds all of the sheet
    for (const frame of frames)
      if (frame.children.length === 1 && frames.length < 9)
        frames.push(frame.children[0] as HTMLElement)
    return frames.some(
      (frame) =>
        frame.matches('.mantine-Paper-root') &&
        // as a prop of the screen; a label has one of its own, on paper too
        frame.style.padding !== '' &&
        Number.parseFloat(getComputedStyle(frame).paddingBottom) > 0,
    )
  })
  await page.emulateMedia({ media: null })
  // below a full page it makes an empty one
  return padded ? [...beside, 'the padding of the screen'] : beside
}

/** As a link leads there. */
async function goesTo(page: Page, path: string) {
  await page.waitForFunction(() => !window.early)
  await page.evaluate((href) => window.__TSR_ROUTER__!.navigate({ href }), path)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
}

async function draws(pages: readonly PaperPage[], path: string) {
  for (const [index, { png }] of pages.entries())
    writeFileSync(`${path}-${index + 1}.png`, await png())
}

/** At the top of a page, in points. */
const HEAD = 75
/** The margin with the number of the page. */
const FOOT = 45
/** Of the smaller box. */
const MOST_SHARED = 0.2
const NAMES = { patient: ['Layla', '1990', '2026'], day: ['2026'], nothing: [] }

/** What is wrong with these pages. */
function faultsOf(pages: readonly PaperPage[], kind: Kind, size: Size): string[] {
  const expected = new Set(kind.marks(size))
  const seen = new Map<string, number>()
  const faults = pages.flatMap(({ words, width, height }, index) => {
    const at = `page ${index + 1} of ${pages.length}`
    const shown = words.filter(({ isVisible }) => isVisible)
    const cut = shown
      .filter(({ box }) => box.left < 0 || box.right > width)
      .map(({ text }) => `${at}: "${text.slice(0, 20)}" is cut by the edge`)
    const covered = shown.flatMap((word) => {
      const [mark] = /[A-Z]{2}\d{3}/.exec(word.text) ?? []
      if (!mark) return []
      seen.set(mark, (seen.get(mark) ?? 0) + 1)
      const over = shown.find((one) => one !== word && shared(one.box, word.box) > MOST_SHARED)
      const { top, bottom } = word.box
      const isCut = top < 0 || bottom > height
      return [
        ...(over ? [`${at}: ${over.text} lies over ${mark}`] : []),
        ...(isCut ? [`${at}: ${mark} is cut by the edge`] : []),
      ]
    })
    const head = shown.flatMap(({ text, box }) => (box.top < HEAD ? [text] : [])).join(' ')
    const nameless = NAMES[kind.names]
      .filter((name) => !head.includes(name))
      .map((name) => `${at}: "${head}" does not say ${name}`)
    const bottoms = shown.map(({ box }) => box.bottom).filter((bottom) => bottom < height - FOOT)
    const empty = 1 - Math.max(0, ...bottoms) / (height - FOOT)
    const isEmpty = index < pages.length - 1 && empty > (kind.empty ?? 1 / 3)
    return [
      ...cut,
      ...covered,
      ...nameless,
      ...(isEmpty ? [`${at}: ${Math.round(empty * 100)} % at its end are empty`] : []),
    ]
  })
  const missing = [...expected]
    .filter((mark) => !seen.has(mark))
    .map((mark) => `${mark} is missing`)
  const repeated = [...seen]
    .filter(([mark, times]) => times > 1 && expected.has(mark))
    .map(([mark, times]) => `${mark} is there ${times} times`)
  return [...faults, ...missing, ...repeated]
}

/** How much of the smaller box lies in the other one. */
function shared(one: Box, other: Box) {
  const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left)
  const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
  if (wide <= 0 || high <= 0) return 0
  const area = ({ left, right, top, bottom }: Box) => (right - left) * (bottom - top)
  return (wide * high) / Math.min(area(one), area(other))
}
