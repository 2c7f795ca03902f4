import type { Locator } from 'playwright-core'
import { expect } from 'vitest'

/**
 * Types what is no number into each number box of a form and saves: the box is in error, has the focus and keeps the
 * text. Then the earlier text is put back. The dose of a form's medicine, which may be
 * words, is no number box.
 */
export async function refusesNoNumbers(form: Locator, save: () => Promise<unknown>) {
  const boxes = await form
    .locator('[inputmode=decimal][dir=ltr]:enabled')
    .filter({ visible: true })
    .all()
  for (const box of boxes) {
    const before = await box.inputValue()
    await box.fill('x')
    // a save that is refused sends nothing, for which some of these wait
    void save().catch(() => {})
    const state = () =>
      box.evaluate((own: HTMLInputElement) => [
        own.value,
        own.getAttribute('aria-invalid'),
        own === document.activeElement,
      ])
    await expect.poll(state, { timeout: 5_000 }).toEqual(['x', 'true', true])
    await box.fill(before)
  }
}
