import { randomBytes, timingSafeEqual } from 'node:crypto'
import { clientInfo } from '~/server/http-client.server'
import { keyed } from '~/server/secret.server'
import { parseCookies } from '~/server/session.server'

/** More users than share one computer at a counter; the least recent one is dropped. */
const MOST_USERS = 8
const ID = /^[\w-]{22}$/

/** The prefix keeps a page served over plain http from setting it. */
export const browserCookieName = (https: boolean) =>
  https ? '__Host-sanad_browser' : 'sanad_browser'

/**
 * The id of the browser or phone that sent the request if the user has signed in on it before. The
 * cookie opens nothing: wrong guesses from a known browser have a count of their own, and those of
 * other people at the same address do not make its user wait (OWASP, "device cookies").
 */
export function knownBrowser(headers: Headers, userId: string): string | null {
  const { id, marks } = read(headers)
  if (!id || marks.length === 0) return null
  const expected = Buffer.from(browserMark(id, userId))
  const isKnown = marks.some((mark) => timingSafeEqual(Buffer.from(mark), expected))
  return isKnown ? id : null
}

/** The value of the cookie once the user has signed in on this browser. */
export function browserCookie(headers: Headers, userId: string): string {
  const { id = randomBytes(16).toString('base64url'), marks } = read(headers)
  const own = browserMark(id, userId)
  return [id, own, ...marks.filter((mark) => mark !== own)].slice(0, MOST_USERS + 1).join('.')
}

const YEAR_IN_SECONDS = 31_536_000

/** `Set-Cookie` for a client that is no page of ours: a phone. */
export function setBrowserCookie(request: Request, userId: string): string {
  const { https } = clientInfo(request)
  const value = browserCookie(request.headers, userId)
  const secure = https ? '; Secure' : ''
  return (
    `${browserCookieName(https)}=${value}; Path=/; Max-Age=${YEAR_IN_SECONDS}; ` +
    `HttpOnly; SameSite=Lax${secure}`
  )
}

function read(headers: Headers): { id?: string; marks: string[] } {
  const cookies = parseCookies(headers)
  const value = cookies.get(browserCookieName(true)) ?? cookies.get(browserCookieName(false))
  const [id, ...marks] = (value ?? '').split('.').slice(0, MOST_USERS + 1)
  return id && ID.test(id) ? { id, marks: marks.filter((mark) => ID.test(mark)) } : { marks: [] }
}

const browserMark = (id: string, userId: string): string =>
  keyed('known browser', `${id} ${userId}`).subarray(0, 16).toString('base64url')
