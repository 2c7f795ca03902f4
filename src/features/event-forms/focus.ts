/** As a `ref`: what has just appeared because somebody asked for it takes the keyboard. */
export const focus = (node: HTMLElement | null) => node?.focus()
