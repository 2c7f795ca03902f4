/**
 * Runs the work once nothing is being pressed: a sentence that appears above a button or a box moves it away from the
 * pointer, and the click is lost.
 */
export function afterPress(work: () => void) {
  if (document.querySelector(':active:not(html, body)'))
    window.addEventListener('pointerup', () => setTimeout(work), { once: true })
  else work()
}
