import { createHmac } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { openSession, reusableToken } from '~/features/office/sessions/issue.server'
import { type SetBy, setPassword } from '~/features/office/sessions/passwords/password.server'
import type { OpenContext, RequestFacts } from '~/server/operation'
import { contextFor, cookieName, findRequestSession } from '~/server/session.server'

type Caller = {
  token?: string
  /** The cookie of a browser on which a user has signed in before. */
  browser?: string
  via?: RequestFacts['via']
  address?: string
  userAgent?: string
}

/** What an operation knows of a request: the cookie of a browser, or the Bearer token of any other client. */
export async function asking(db: Kysely<DB>, caller: Caller = {}): Promise<OpenContext> {
  const { token, browser, via = 'web', address = '192.0.2.1', userAgent } = caller
  const headers = new Headers()
  if (userAgent) headers.set('user-agent', userAgent)
  const cookies = [
    token && via === 'web' && `${cookieName(false)}=${token}`,
    browser && `sanad_browser=${browser}`,
  ].filter(Boolean)
  if (cookies.length) headers.set('cookie', cookies.join('; '))
  if (token && via !== 'web') headers.set('authorization', `Bearer ${token}`)
  const facts = { id: crypto.randomUUID(), via, address, headers }
  return contextFor(db, facts, await findRequestSession(db, headers, via))
}

/** Signs a user in without a form. In a browser: the cookie `sanad_session` (`__Host-sanad_session` over https). */
export const sessionFor = async (db: Kysely<DB>, userId: string) =>
  openSession(await asking(db), userId, 'browser')

/** The same as a Bearer token, for tRPC and HTTP. */
export const tokenFor = async (db: Kysely<DB>, userId: string) =>
  reusableToken(await asking(db), userId)

export const PASSWORD = 'seven green herons'
export const givePassword = (
  db: Kysely<DB>,
  user: { id: string; email: string },
  password = PASSWORD,
  setBy: SetBy = 'owner',
) => setPassword(db, user, password, { setBy })

/** What an authenticator app shows (RFC 6238): computed here anew, from the key as a person would type it. */
export function codeOf(secret: string, at = Date.now()): string {
  const bits = Array.from(secret)
    .map((sign) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(sign).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)))
  const mac = createHmac('sha1', key).update(counter).digest()
  const number = mac.readUInt32BE(mac[19]! & 15) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}
