import type { Locator, Page } from 'playwright-core'

/** One input of a form as a user sees it: its accessible label and what it holds. */
export type Control = { label: string; value: string }

/** The attribute that numbers the inputs of a form while a test looks at them. */
const MARK = 'data-control'

/**
 * Lists every input that a form draws, a group of radio buttons or check boxes as one. Repeated
 * labels get a number.
 */
export async function controlsOf(form: Locator): Promise<Control[]> {
  return form.evaluate((root, mark) => {
    const clean = (text: string | null | undefined) =>
      (text ?? '')
        .replaceAll(/[\u2066-\u2069]/g, '')
        .replace(/\s*\*\s*$/, '')
        .replaceAll(/\s+/g, ' ')
        .trim()
    const textOf = (ids: string) =>
      ids
        .split(' ')
        .map((id) => document.getElementById(id)?.textContent)
        .join(' ')
    /** A switch holds its hint within its label. */
    function withoutHint(label: HTMLLabelElement) {
      const copy = label.cloneNode(true) as HTMLLabelElement
      for (const hint of copy.querySelectorAll('[id$=-description], [id$=-error]')) hint.remove()
      return copy.textContent
    }
    const labelOf = (element: Element) =>
      clean(
        element.getAttribute('aria-label') ??
          (element.hasAttribute('aria-labelledby')
            ? textOf(element.getAttribute('aria-labelledby')!)
            : [...((element as HTMLInputElement).labels ?? [])].map(withoutHint).join(' ')),
      )
    const isChecked = (input: Element) => (input as HTMLInputElement).checked
    const groupOf = (input: HTMLInputElement) =>
      input.type === 'radio'
        ? input.closest('[role=radiogroup]')
        : input.type === 'checkbox'
          ? input.closest('[role=group]')
          : null
    const WRAPPER = '[class*=InputWrapper-root]'
    /** Around a search box, with what was picked by it. */
    const around = (element: Element) => element.closest(WRAPPER)?.parentElement?.closest(WRAPPER)
    function valueOf(element: Element) {
      const namesIn = (within: Element | null | undefined) =>
        [...(within?.querySelectorAll('[class*=Paper-root] bdi') ?? [])]
          .filter((name) => !name.closest('[role=option]'))
          .map((name) => clean(name.textContent))
      if (element.querySelector('input[type=file]')) return namesIn(element).join(' + ')
      if (!(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement))
        return [...element.querySelectorAll('input')].filter(isChecked).map(labelOf).join(' + ')
      if (element.type === 'checkbox') return String(isChecked(element))
      const pills = element
        .closest('[class*=PillGroup-group]')
        ?.querySelectorAll('[class*=Pill-label]')
      const picked = [...(pills ?? [])].map((pill) => clean(pill.textContent))
      return [...picked, ...namesIn(around(element)), element.value].filter(Boolean).join(' + ')
    }
    for (const old of root.querySelectorAll(`[${mark}]`)) old.removeAttribute(mark)
    const seen = new Map<string, number>()
    const found = new Set<Element>()
    for (const input of root.querySelectorAll<HTMLInputElement>('input, textarea'))
      if (input.type === 'file') found.add(input.closest('fieldset') ?? input)
      else if (input.type !== 'hidden' && input.checkVisibility())
        found.add(groupOf(input) ?? input)
    return [...found].map((element) => {
      const name = labelOf(element)
      const times = (seen.get(name) ?? 0) + 1
      seen.set(name, times)
      const label = times === 1 ? name : `${name} (${times})`
      element.setAttribute(mark, label)
      return { label, value: valueOf(element) }
    })
  }, MARK)
}

/** What a user does with one input. */
export type Deed =
  | { type: string }
  /** One option of a list or of radio buttons; `search` is typed where the list is long. */
  | { choose: string; search?: string }
  /** Options added to those that are chosen already. */
  | { pick: string[] }
  /** A word added to those that are there. */
  | { add: string }
  | { toggle: true }
  /** A PDF of this name, added to the files that are there. */
  | { attach: string }

const marked = (form: Locator, label: string) => form.locator(`[${MARK}=${JSON.stringify(label)}]`)

/** Changes one input that `controlsOf` lists; it is asked again when an earlier answer has brought that input. */
export async function answer(page: Page, form: Locator, label: string, deed: Deed) {
  const box = marked(form, label)
  if ((await box.count()) !== 1) await controlsOf(form)
  if ('toggle' in deed) {
    // a switch that saves at once waits for its answer
    await box.and(form.locator(':enabled')).waitFor()
    return box.press('Space')
  }
  if ('attach' in deed) {
    const buffer = Buffer.from(`%PDF-1.7 ${deed.attach}`)
    await box
      .locator('input[type=file]')
      .setInputFiles({ name: deed.attach, mimeType: 'application/pdf', buffer })
    return box.getByText(deed.attach).waitFor()
  }
  if ('type' in deed) {
    await box.fill(deed.type)
    return box.blur()
  }
  if ('add' in deed) {
    await box.fill(deed.add)
    // of a list of codes, the last line takes the words as written
    const isOfCodes = await box.evaluate((element) => element.closest('[data-late-list]') !== null)
    if (isOfCodes) await page.getByRole('option').filter({ hasText: deed.add }).last().click()
    else await box.press('Enter')
    return box.blur()
  }
  const isGroup = await box.evaluate((element) => !element.matches('input, textarea'))
  for (const option of 'pick' in deed ? deed.pick : [deed.choose]) {
    if (isGroup) {
      await box.getByLabel(option, { exact: true }).press('Space')
      continue
    }
    await box.click()
    if ('search' in deed && deed.search) await box.fill(deed.search)
    await (await optionNamed(page, option)).click()
  }
  if (!isGroup) await box.blur()
}

/** By its name as it stands, else by how it begins: some options say more than that. */
async function optionNamed(page: Page, name: string) {
  const options = page.getByRole('option').filter({ visible: true })
  await options.filter({ hasText: name }).first().waitFor()
  const exact = options.and(page.getByRole('option', { name, exact: true }))
  return (await exact.count()) > 0 ? exact.first() : options.filter({ hasText: name }).first()
}
