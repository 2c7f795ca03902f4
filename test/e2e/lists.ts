import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/**
 * Scrolls to an element as a person can. Runs in the page. A script also scrolls a box that clips (`overflow: hidden`),
 * which has neither a wheel nor a bar: what lies outside of it nobody ever sees.
 */
function scrollsTo(element: Element, block: ScrollLogicalPosition) {
  const before: (() => void)[] = []
  for (let box = element.parentElement; box; box = box.parentElement) {
    const own = box
    const { scrollTop: top, scrollLeft: left } = own
    // what is set on the body is that of the window
    const { overflowX, overflowY } = getComputedStyle(
      own === document.documentElement ? document.body : own,
    )
    if (overflowY === 'hidden') before.push(() => own.scrollTo({ top, behavior: 'instant' }))
    if (overflowX === 'hidden') before.push(() => own.scrollTo({ left, behavior: 'instant' }))
  }
  element.scrollIntoView({ block, behavior: 'instant' })
  for (const back of before) back()
}

/** Whether no box around it clips a part of it, wherever on the page it is. Runs in the page. */
function isWhole(element: Element) {
  return new Promise<boolean>((resolve) => {
    const observer = new IntersectionObserver(
      ([seen]) => {
        observer.disconnect()
        resolve(seen!.intersectionRatio > 0.98)
      },
      { rootMargin: '9999px' },
    )
    observer.observe(element)
  })
}

/** What lies at the middle of an element; of an entry of a list, also whether the list is there as a whole. */
const middleOf = async (target: Locator) => {
  const { isEntry, ...middle } = await target.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    const [x, y] = [(left + right) / 2, (top + bottom) / 2]
    const hit = document.elementFromPoint(x, y)
    return {
      x,
      y,
      hit: hit && element.contains(hit) ? 'itself' : (hit?.outerHTML.slice(0, 200) ?? ''),
      isEntry: element.matches('[data-position] :is([role=option], [role^=menuitem])'),
    }
  })
  if (!isEntry || middle.hit !== 'itself') return middle
  const list = target.locator('xpath=ancestor::*[@data-position]').last()
  return (await list.evaluate(isWhole)) ? middle : { ...middle, hit: 'a part of a clipped list' }
}

/** Waits until the mouse reaches the middle of an element, which a person can scroll to. */
export async function isReached(target: Locator) {
  await target.waitFor()
  // what has come meanwhile may have moved it: a person scrolls again
  const hit = async () => {
    await target.evaluate(scrollsTo, 'center' as const)
    return (await middleOf(target)).hit
  }
  await expect.poll(hit, { timeout: 5_000 }).toBe('itself')
}

/** Clicks with the mouse on what lies at the middle of an element, which must be a part of it. */
export async function clicksMiddle(page: Page, target: Locator) {
  await isReached(target)
  const { x, y } = await middleOf(target)
  await page.mouse.click(x, y)
}

/** What is clicked next: a point of the screen and the name that a failure is reported by. */
type Spot = { x: number; y: number; key: string; kind: Kind }
/** `isOver`: everything in a popover has been opened, and it can be closed. */
type Next = Spot | { key: string; flaw: string } | { key: string; isOver: true }
type Kind = 'listbox' | 'menu' | 'dialog'
/** The first entry of what a click has opened, or what is wrong with it. */
type Entry = { x: number; y: number } | { flaw: string } | 'empty' | 'outer' | 'typed'

/** How the keys of lists begin that are on every screen. */
export const FRAME = 'frame: '

/** Not a flaw: Escape would close the dialog around the list. */
const CLOSED = 'closed'

/** What a walk has found, and whether an entry has led to another screen before everything was opened. */
type Walk = { flaws: string[]; isLeft: boolean }

/**
 * Opens each list, menu and calendar of the screen with the mouse and clicks what lies at the middle of its first
 * entry. Returns what is wrong: a list that no click opens, an entry that is covered, clipped or not painted, and an
 * entry that does not react. The items of menus receive the click, but do nothing: the first may delete.
 *
 * `done` names what was opened before; it is added to.
 */
export async function flawsOfLists(page: Page, done: Set<string>): Promise<Walk> {
  const flaws: string[] = []
  // a machine that stood still for a moment is no flaw
  const repeated = new Set<string>()
  const { pathname } = new URL(page.url())
  await page.evaluate(
    `window.scrollsTo = ${String(scrollsTo)}; window.isWhole = ${String(isWhole)}`,
  )
  await page.evaluate(install, [FRAME, CLOSED] as const)
  for (;;) {
    const spot = await page.evaluate((known) => window.lists.next(known), [...done])
    if (spot === null) return { flaws, isLeft: false }
    done.add(spot.key)
    const flaw = await flawOf(page, spot)
    if (flaw && !repeated.has(spot.key)) {
      repeated.add(spot.key)
      done.delete(spot.key)
    } else if (flaw) flaws.push(`${spot.key}: ${flaw}`)
    if (new URL(page.url()).pathname !== pathname) return { flaws, isLeft: true }
    // what is left open would lie over the next one
    if (flaw) await page.keyboard.press('Escape')
  }
}

async function flawOf(page: Page, spot: Next): Promise<string | undefined> {
  if ('flaw' in spot) return spot.flaw
  if ('isOver' in spot) {
    await page.keyboard.press('Escape')
    return (await page.evaluate(() => window.lists.closed())) ?? undefined
  }
  await page.mouse.click(spot.x, spot.y)
  let entry = await page.evaluate(() => window.lists.entry(false))
  if (entry === 'typed') {
    // it offers something once a letter is typed
    await page.keyboard.type('a')
    entry = await page.evaluate(() => window.lists.entry(true))
  }
  if (entry === 'outer') return undefined
  if (entry === 'empty' || entry === 'typed') {
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    return undefined
  }
  if ('flaw' in entry) return entry.flaw
  await page.mouse.click(entry.x, entry.y)
  const flaw = await page.evaluate((kind) => window.lists.reaction(kind), spot.kind)
  if (flaw) return flaw === CLOSED ? flawOfKeys(page) : flaw
  // a list of which several are chosen stays open, and so does the menu whose item did nothing
  await page.keyboard.press('Escape')
  return (await page.evaluate(() => window.lists.closed())) ?? (await flawOfKeys(page))
}

/**
 * Of a list that is searched by typing: Enter and Tab take the only match of what was typed; a text that was not taken
 * stays in red, and Enter sends no form.
 */
async function flawOfKeys(page: Page): Promise<string | undefined> {
  for (const key of ['Tab', 'Enter']) {
    const text = await page.evaluate(() => window.lists.another())
    if (text === null) break
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type(text)
    if (!(await page.evaluate(() => window.lists.isOnly()))) break
    await page.keyboard.press(key)
    const flaw = await page.evaluate((own) => window.lists.taken(own), text)
    if (flaw) return `${key}: ${flaw}`
    if (key !== 'Enter' || text.length < 4) continue
    // so does the option that is chosen already
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type(text.slice(0, -1))
    if (!(await page.evaluate(() => window.lists.isOnly()))) continue
    await page.keyboard.press('Enter')
    const again = await page.evaluate((own) => window.lists.taken(own), text)
    if (again) return `Enter, the chosen one again: ${again}`
  }
  if (!(await page.evaluate(() => window.lists.search()))) return undefined
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(UNKNOWN)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  return (await page.evaluate((text) => window.lists.left(text), UNKNOWN)) ?? undefined
}

/** In no list of options. */
const UNKNOWN = 'zzq'

declare global {
  interface Window {
    scrollsTo: typeof scrollsTo
    isWhole: typeof isWhole
    lists: {
      next: (known: readonly string[]) => Next | null
      entry: (isTyped: boolean) => Promise<Entry>
      reaction: (kind: Kind) => Promise<string | null>
      closed: () => Promise<string | null>
      another: () => string | null
      isOnly: () => Promise<boolean>
      taken: (text: string) => Promise<string | null>
      search: () => boolean
      left: (text: string) => Promise<string | null>
    }
  }
}

/** Runs in the page. */
function install([FRAME, CLOSED]: readonly [string, string]) {
  if (Object.hasOwn(window, 'lists')) return
  const OPENERS = '[role=combobox], input[aria-haspopup=listbox], button[aria-haspopup]'
  const OPTIONS = '[role=option]:not([data-combobox-disabled])'
  const ITEMS = '[role^=menuitem]:not([data-disabled], :disabled)'
  /** Lists that only propose words, or fill the fields below. */
  const OWN_WORDS = '.mantine-TagsInput-root, .mantine-Autocomplete-root, [data-own-fields]'
  /** A day; otherwise the first box or button of what opened. */
  const PARTS = ['td button:not(:disabled)', 'input:not([type=hidden]), button:not(:disabled)']
  let opener: HTMLElement | null = null
  let entry: HTMLElement | null = null
  let popup: HTMLElement | null = null
  let wasChosen: string | null = null
  let received = false
  let isSent = false
  /** The options of the list that was opened last. */
  let texts: string[] = []

  const hasMenu = (element: Element) => element.matches('[aria-haspopup=menu]')
  const isDrawn = (element: Element) =>
    element.getClientRects().length > 0 && element.checkVisibility({ visibilityProperty: true })
  const name = (element: HTMLElement) =>
    (
      element.getAttribute('aria-label') ??
      ((element as HTMLInputElement).labels?.[0]?.textContent || element.textContent)
    )
      .replaceAll(/[\u2066-\u2069*]/g, '')
      .trim()
  /** One key for the lists of a column: they are the same in each row. */
  const keyOf = (element: HTMLElement, at: number) => {
    const kind = element.getAttribute('aria-haspopup') ?? 'listbox'
    const cell = element.closest('td')
    const table = cell?.closest('table')
    if (cell && table)
      return `${kind} in column ${cell.cellIndex} of table ${[...document.querySelectorAll('table')].indexOf(table)}`
    const where = element.closest('header') ? FRAME : ''
    return `${where}${kind} "${name(element)}"${at ? ` (${at + 1})` : ''}`
  }
  const middle = (element: Element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    return { x: (left + right) / 2, y: (top + bottom) / 2 }
  }
  const what = (element: Element | null) =>
    element ? `${element.tagName.toLowerCase()}.${[...element.classList].join('.')}` : 'nothing'
  /** What lies at the middle of an element, if that is neither the element nor a part of it. */
  const cover = (element: Element) => {
    const { x, y } = middle(element)
    const top = document.elementFromPoint(x, y)
    return top && element.contains(top) ? null : what(top)
  }
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  async function until<T>(look: () => T | null | undefined | false, seconds = 4) {
    for (let left = seconds * 60; left > 0; left -= 1) {
      const found = look()
      if (found) return found
      await frame()
    }
    return null
  }
  /** The newest dialog that is open, or the whole page; a popover that holds lists is a part of it. */
  const scope = () => {
    const modals = [...document.querySelectorAll<HTMLElement>('[role=dialog][aria-modal=true]')]
    return modals.findLast(isDrawn) ?? document.body
  }
  const outer = () =>
    [...document.querySelectorAll<HTMLElement>('[data-position][role=dialog]')].findLast(isDrawn)

  const controlled = (element: HTMLElement) => {
    const id = element.getAttribute('aria-controls')
    const own = id ? document.getElementById(id) : null
    return own?.closest<HTMLElement>('[data-position]') ?? own
  }

  window.lists = {
    next(known) {
      const within = outer() ?? scope()
      // filters that a narrow screen keeps behind a button
      for (const button of within.querySelectorAll<HTMLElement>(
        'section > button[aria-expanded=false]',
      ))
        if (isDrawn(button)) button.click()
      const counts = new Map<string, number>()
      // a filter may leave no row, and so no menu of a row
      const all = [...within.querySelectorAll<HTMLElement>(OPENERS)]
      const menusFirst = all.toSorted((a, b) => Number(hasMenu(b)) - Number(hasMenu(a)))
      for (const element of menusFirst) {
        if (!isDrawn(element) || element.matches(':disabled, [readonly][data-disabled]')) continue
        const base = keyOf(element, 0)
        const at = counts.get(base) ?? 0
        counts.set(base, at + 1)
        const key = element.closest('td') ? base : keyOf(element, at)
        if (known.includes(key)) continue
        opener = element
        window.scrollsTo(element, 'center')
        const box = element.closest('.mantine-InputWrapper-root, label') ?? element
        const { x, y } = middle(element)
        const top = document.elementFromPoint(x, y)
        if (!top || !box.contains(top)) return { key, flaw: `is covered by ${what(top)}` }
        const kind = (element.getAttribute('aria-haspopup') ?? 'listbox') as Kind
        return { x, y, key, kind }
      }
      // everything in a popover has been opened
      popup = outer() ?? null
      return popup && { key: `all in popover ${known.length}`, isOver: true }
    },
    async entry(isTyped) {
      if (!opener) return { flaw: 'is not on the page any more' }
      const own = opener
      popup = await until(
        () => {
          const one = controlled(own)
          return one && isDrawn(one) ? one : null
        },
        // of a list that opens only by typing, a shorter wait tells
        isTyped || !own.matches('input:not([readonly])') ? 4 : 1,
      )
      if (!popup && own.matches('input:not([readonly])')) {
        if (!isTyped) return 'typed'
        // a list of what the clinic has, which has none of it
        if (controlled(own) && !controlled(own)!.querySelector('[role=option]')) return 'empty'
      }
      if (!popup) return { flaw: 'no click opens it' }
      const opened = popup
      const isMenu = opened.matches('[role=menu]')
      if (isMenu && !(await until(() => opened.contains(document.activeElement))))
        return { flaw: 'does not take the focus: no arrow and no Escape reaches it' }
      const isPopover = opened.matches('[role=dialog]')
      if (isPopover && opened.querySelector(OPENERS)) {
        const first = opened.querySelector('input, button')!
        const over = cover(first)
        return over ? { flaw: `its first field is covered by ${over}` } : 'outer'
      }
      const selectors = isPopover ? PARTS : [OPTIONS, ITEMS]
      const find = () =>
        selectors
          .map((selector) => [...opened.querySelectorAll<HTMLElement>(selector)].find(isDrawn))
          .find(Boolean)
      entry = (await until(find, 2)) ?? null
      texts = [...opened.querySelectorAll<HTMLElement>(OPTIONS)].map(({ textContent }) =>
        textContent.trim(),
      )
      if (!entry) {
        const over = cover(opened)
        return over ? { flaw: `its box is covered by ${over}` } : 'empty'
      }
      // placed, and scrolled into view if the list begins further up
      window.scrollsTo(entry, 'nearest')
      let before = ''
      await until(() => {
        const now = JSON.stringify(middle(entry!))
        const isStill = now === before
        before = now
        return isStill
      })
      const target = entry
      // an animation may still draw it
      const isFree = await until(() => cover(target) === null, 0.5)
      if (!isFree) return { flaw: `"${name(target)}" is covered by ${cover(target)}` }
      if (!(await window.isWhole(opened))) return { flaw: 'is clipped' }
      received = false
      wasChosen = target.getAttribute('aria-selected')
      window.addEventListener(
        'click',
        (event) => {
          received = event.isTrusted && target.contains(event.target as Node)
          if (!target.matches('[role^=menuitem]')) return
          event.stopImmediatePropagation()
          event.preventDefault()
        },
        { capture: true, once: true },
      )
      return middle(target)
    },
    async reaction(kind) {
      if (!received) return 'the first entry does not get the click'
      if (kind !== 'listbox') return null
      const reacted = await until(
        () =>
          !isDrawn(popup!) ||
          !entry!.isConnected ||
          entry!.getAttribute('aria-selected') !== wasChosen,
      )
      if (!reacted) return 'a click on its first entry chooses nothing'
      return isDrawn(popup!) ? null : CLOSED
    },
    another() {
      // what is searched on the server takes a marked option alone
      if (opener?.closest('[data-late-list]') || !window.lists.search()) return null
      const box = opener as HTMLInputElement
      // an option that is no part of a longer one, and has a text that a keyboard types
      return (
        texts.findLast(
          (text) =>
            text !== '' &&
            text !== box.value &&
            !/[\u2066-\u2069\n]/.test(text) &&
            texts.filter((other) => other.toLowerCase().includes(text.toLowerCase())).length === 1,
        ) ?? null
      )
    },
    async isOnly() {
      const own = opener!
      const options = () => {
        const list = document.getElementById(own.getAttribute('aria-controls') ?? '')
        return [...(list?.querySelectorAll<HTMLElement>(OPTIONS) ?? [])].filter(isDrawn)
      }
      return Boolean(await until(() => options().length === 1, 1))
    },
    async taken(text) {
      if (isSent) return `sends the form instead of taking "${text}"`
      const box = opener as HTMLInputElement
      // of a list for several, the box is empty again
      const isTaken = await until(
        () =>
          !box.isConnected ||
          ((box.value === text || box.value === '') && box.getAttribute('aria-invalid') !== 'true'),
      )
      return isTaken ? null : `"${text}" is the only match and is not taken: "${box.value}"`
    },
    search() {
      const isSearched = opener?.isConnected && opener.matches('input:not([readonly], :disabled)')
      if (!isSearched || !isDrawn(opener!) || opener!.closest(OWN_WORDS)) return false
      opener!.focus()
      isSent = false
      window.addEventListener('submit', () => (isSent = true), { capture: true, once: true })
      return true
    },
    async left(text) {
      if (isSent) return 'Enter sends the form'
      const box = opener as HTMLInputElement
      const isInRed = () => box.value === text && box.getAttribute('aria-invalid') === 'true'
      // a list without a match has taken it as one's own words
      const isTaken = () => box.value === '' && document.body.innerText.includes(text)
      const stays = await until(() => isInRed() || isTaken())
      return stays ? null : `a text that was not taken is "${box.value}" and not in red`
    },
    async closed() {
      return (await until(() => !popup!.isConnected || !isDrawn(popup!))) ? null : 'stays open'
    },
  }
}
