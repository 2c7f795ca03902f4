import type { Locator } from 'playwright-core'

/** Counts what hands do: each press of a button, each key. */
export class Presses {
  count = 0
  /** Those of `count` that are keys of texts. */
  keys = 0
  async press(what: Locator) {
    this.count += 1
    await what.click()
  }
  /** Moved to by Tab: one key more. */
  async type(box: Locator, text: string) {
    this.count += 1 + text.length
    this.keys += 1 + text.length
    await box.fill(text)
  }
}
