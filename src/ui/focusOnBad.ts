/** Brings a keyboard, a screen reader and a small screen to the first thing to mend, once it is marked as such. */
export const focusOnBad = (form: HTMLElement | null) =>
  setTimeout(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
