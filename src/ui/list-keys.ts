/**
 * The one rule of the keys for every list of options (docs/rules.md, "Lists of options"): Enter does not send the form
 * while a list is open, and Enter and Tab take the only match of what was typed. Runs before the list's own handlers,
 * which take the option that the arrow keys have marked.
 */
export function followListKeys(): () => void {
  const follow = (event: KeyboardEvent) => {
    const input = event.target
    if (!(input instanceof HTMLInputElement) || event.isComposing) return
    const isEnter = event.key === 'Enter'
    const isOpen = input.dataset['expanded'] !== undefined
    if (!isOpen || (!isEnter && (event.key !== 'Tab' || event.shiftKey))) return
    if (isEnter) event.preventDefault()
    // a box for words of one's own keeps them; a list that is searched on the server may still show earlier results
    if (input.readOnly || input.closest(OTHERS)) return
    const list = document.getElementById(input.getAttribute('aria-controls') ?? '')
    const options = [...(list?.querySelectorAll<HTMLElement>(OPTION) ?? [])]
    const isMarked = options.some((option) => option.hasAttribute('data-combobox-selected'))
    const [only, another] = options
    const isChosen = only?.getAttribute('aria-selected') === 'true'
    if (isMarked || !only || another || isChosen || input.value.trim() === '') return
    if (isEnter) event.stopPropagation()
    only.click()
  }
  document.addEventListener('keydown', follow, true)
  return () => document.removeEventListener('keydown', follow, true)
}

const OPTION = '[data-combobox-option]:not([data-combobox-disabled])'
const OTHERS = '.mantine-TagsInput-root, .mantine-Autocomplete-root, [data-late-list]'
