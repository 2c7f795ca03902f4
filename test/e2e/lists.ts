import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** Clicks with the mouse on what lies at the middle of an element, which must be a part of it. */
export async function clicksMiddle(page: Page, target: Locator) {
  await target.waitFor()
  await target.evaluate((element) => element.scrollIntoView({ block: 'nearest' }))
  const middle = () =>
    target.evaluate((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect()
      const [x, y] = [(left + right) / 2, (top + bottom) / 2]
      const hit = document.elementFromPoint(x, y)
      return {
        x,
        y,
        hit: hit && element.contains(hit) ? 'itself' : (hit?.outerHTML.slice(0, 200) ?? ''),
      }
    })
  await expect.poll(async () => (await middle()).hit, { timeout: 5_000 }).toBe('itself')
  const { x, y } = await middle()
  await page.mouse.click(x, y)
}
