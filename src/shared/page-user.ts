/**
 * The user that a page of the browser was rendered for. Every call of the page carries the id, and the server refuses a
 * write in the session of another user: it would be recorded as theirs. Programs send no such header.
 */
export const PAGE_USER = 'sanad-page-user'

type PageUser = { userId: string; name: string }

let pageUser: PageUser | null = null
const EVENT = 'sanad:other-user'

/** Null before the first signed-in screen, and on the server. */
export const currentPageUser = () => pageUser

/** From now on the page is this user's: at its first screen, or when another user takes it over. */
export const setPageUser = (user: PageUser | null) => {
  pageUser = user
}

export function withPageUser(headers: HeadersInit | undefined): Headers {
  const all = new Headers(headers)
  if (pageUser) all.set(PAGE_USER, pageUser.userId)
  return all
}

/** Says that another user is signed in below this page. The page stays; a dialog offers both ways on. */
export const announceOtherUser = (name: string) =>
  window.dispatchEvent(new CustomEvent(EVENT, { detail: name }))

/** Returns how to stop. */
export function onOtherUser(hear: (name: string) => void): () => void {
  const listen = (event: Event) => hear(String((event as CustomEvent<unknown>).detail))
  window.addEventListener(EVENT, listen)
  return () => window.removeEventListener(EVENT, listen)
}
