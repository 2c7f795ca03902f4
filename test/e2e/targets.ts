import type { Page } from 'playwright-core'

/**
 * The controls of the screen that are smaller than 24 by 24 CSS pixels, with their size (WCAG 2.2, 2.5.8). As there, a
 * link within a sentence may be smaller, and so may a control around which a circle of 24 pixels meets no other
 * control. A check box or radio button is as large as it is with its label.
 */
export const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const LEAST = 24
    const CONTROLS =
      'a[href]:not([href^="#"]), button, input:not([type=hidden]), select, textarea, summary, [role=button], ' +
      '[role=tab], [role=menuitem], [role=option], [role=switch], [role=checkbox], [role=radio], [tabindex="0"][role]'
    const isDrawn = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
      element.getClientRects().length > 0
    /** The box that reacts to the pointer: with the label, of what a click on the label presses. */
    const boxOf = (element: HTMLElement) => {
      const labels =
        element instanceof HTMLInputElement && /^(?:checkbox|radio|file)$/.test(element.type)
          ? [...(element.labels ?? [])]
          : []
      // a click anywhere in the box of several chosen options begins to type
      const own =
        element.parentElement?.closest('.mantine-MultiSelect-input, .mantine-TagsInput-input') ??
        element
      const boxes = [own, ...labels].filter(isDrawn).map((each) => each.getBoundingClientRect())
      const left = Math.min(...boxes.map((box) => box.left))
      const right = Math.max(...boxes.map((box) => box.right))
      const top = Math.min(...boxes.map((box) => box.top))
      const bottom = Math.max(...boxes.map((box) => box.bottom))
      return { left, right, top, bottom, width: right - left, height: bottom - top }
    }
    const isInSentence = (element: HTMLElement) =>
      getComputedStyle(element).display === 'inline' &&
      [...(element.parentElement?.childNodes ?? [])].some(
        (node) => node !== element && node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
      )
    const controls = [...document.querySelectorAll<HTMLElement>(CONTROLS)]
      .filter((element) => isDrawn(element) && !element.closest('[inert], [aria-hidden=true]'))
      .map((element) => ({ element, box: boxOf(element) }))
      // of a screen reader alone: a pixel, or outside of the screen until it has the focus
      .filter(({ box }) => box.width > 1 && box.height > 1 && box.right > 0 && box.bottom > 0)
    /** What scrolls or stays in place together: of two, one is scrolled away from below the other. */
    const layerOf = (element: HTMLElement) => {
      for (let one = element.parentElement; one; one = one.parentElement) {
        const { position, overflowX, overflowY } = getComputedStyle(one)
        if (/fixed|sticky|absolute/.test(position) || overflowX + overflowY !== 'visiblevisible')
          return one
      }
      return null
    }
    // where two lie over each other, the later one reacts
    for (const [at, { element, box }] of controls.entries())
      for (const later of controls.slice(at + 1)) {
        const isOver =
          later.box.left < box.right &&
          later.box.right > box.left &&
          later.box.top < box.bottom &&
          later.box.bottom > box.top
        if (!isOver || element.contains(later.element) || later.element.contains(element)) continue
        if (layerOf(element) !== layerOf(later.element)) continue
        if (later.box.top > box.top) box.bottom = Math.min(box.bottom, later.box.top)
        else if (later.box.bottom < box.bottom) box.top = Math.max(box.top, later.box.bottom)
        box.height = box.bottom - box.top
      }
    const isSmall = ({ box }: (typeof controls)[number]) =>
      box.width < LEAST - 0.1 || box.height < LEAST - 0.1
    const middle = ({ box }: (typeof controls)[number]) => ({
      x: (box.left + box.right) / 2,
      y: (box.top + box.bottom) / 2,
    })
    const isCrowded = (one: (typeof controls)[number]) => {
      const { x, y } = middle(one)
      return controls.some((other) => {
        if (
          other === one ||
          one.element.contains(other.element) ||
          other.element.contains(one.element)
        )
          return false
        if (isSmall(other)) {
          const there = middle(other)
          return Math.hypot(x - there.x, y - there.y) < LEAST
        }
        const { left, right, top, bottom } = other.box
        const dx = Math.max(left - x, 0, x - right)
        const dy = Math.max(top - y, 0, y - bottom)
        return Math.hypot(dx, dy) < LEAST / 2
      })
    }
    return controls
      .filter((one) => isSmall(one) && !isInSentence(one.element) && isCrowded(one))
      .map(({ element, box }) => {
        const name = element.getAttribute('aria-label') ?? element.textContent.trim()
        const size = `${Math.round(box.width)} x ${Math.round(box.height)}`
        return `${element.tagName.toLowerCase()} "${name.slice(0, 40)}" ${size}: ${element.className.slice(0, 90)}`
      })
  })
