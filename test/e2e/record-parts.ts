import type { Locator } from 'playwright-core'
import type { Person } from './browser'
import { clicksMiddle } from './lists'

const partMenu = (person: Person) =>
  person.page.getByRole('button', { name: person.say('patientPage.more'), exact: true })

/** The names of all parts of the record on screen: those of the tabs, and those of the menu beside them. */
export async function partNames(person: Person): Promise<string[]> {
  const { page } = person
  const shown = await page.getByRole('tab').allTextContents()
  if ((await partMenu(person).count()) === 0) return shown
  await partMenu(person).click()
  const items = page.getByRole('menu').getByRole('menuitem')
  await items.first().waitFor()
  const others = await items.allTextContents()
  await page.keyboard.press('Escape')
  await items.first().waitFor({ state: 'detached' })
  return [...shown, ...others]
}

/** Opens a part by its tab, or by the menu beside the tabs: with the mouse, or as `press` says. */
export async function opensPart(
  person: Person,
  name: string,
  press: (at: Locator) => Promise<unknown> = (at) => clicksMiddle(person.page, at),
): Promise<void> {
  const { page } = person
  const tab = page.getByRole('tab', { name, exact: true })
  if ((await tab.count()) > 0) await press(tab)
  else {
    await press(partMenu(person))
    await press(page.getByRole('menuitem', { name, exact: true }))
  }
  await page.getByRole('tab', { name, exact: true, selected: true }).waitFor()
}
