/** As a `ref`: focuses an element that appeared at the user's request. */
export const focus = (node: HTMLElement | null) => node?.focus()
