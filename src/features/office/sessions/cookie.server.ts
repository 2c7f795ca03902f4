import { deleteCookie, getRequest, setCookie } from '@tanstack/react-start/server'
import { db } from '~/db/db.server'
import { clientInfo } from '~/server/http-client.server'
import type { Operation } from '~/server/operation'
import { serve } from '~/server/serve.server'
import { cookieName, parseCookies, findRequestSession } from '~/server/session.server'
import { sessionSettings } from '~/server/session-settings'
import { isLanguage, type Language, preferredLanguage } from '~/shared/language'
import { type Theme, THEMES } from '~/shared/viewer'
import { browserCookie, browserCookieName } from './passwords/known-browser.server'

const YEAR_IN_SECONDS = 31_536_000

type WithoutToken<R> = R extends unknown ? Omit<R, 'token'> : never

/**
 * Runs an operation that signs in: its token goes into the cookie, where no script reads it, and
 * nowhere else.
 */
// the rest spread of a union loses its members, hence the casts
export const signing =
  <I, R extends { ok: boolean; token?: string }>(operation: Operation<I, R>) =>
  async (call: { data: I }): Promise<WithoutToken<R>> => {
    const { token, ...rest } = await serve(operation)(call)
    if (token) await keepToken(token)
    return rest as WithoutToken<R>
  }

/** Puts the token of a session into the cookie of the present answer. */
export async function keepToken(token: string) {
  const https = isHttps()
  const maxAge = Math.round(sessionSettings().hours * 3600)
  const kept = { httpOnly: true, secure: https, sameSite: 'lax', path: '/' } as const
  setCookie(cookieName(https), token, { ...kept, maxAge })
  const browser = await browserKnownTo(token)
  if (browser) setCookie(browserCookieName(https), browser, { ...kept, maxAge: YEAR_IN_SECONDS })
}

/** The cookie of a browser on which a user has signed in; null before the second factor. */
async function browserKnownTo(token: string): Promise<string | null> {
  const session = await findRequestSession(
    db,
    new Headers({ authorization: `Bearer ${token}` }),
    'web',
  )
  if (session?.kind !== 'browser') return null
  return browserCookie(getRequest().headers, session.actor.userId)
}

export function forgetCookie() {
  const https = isHttps()
  deleteCookie(cookieName(https), { httpOnly: true, secure: https, sameSite: 'lax', path: '/' })
}

/** For before the next sign-in: the language and the theme of this browser. */
export function keepPreferences({ language, theme }: { language?: Language; theme?: Theme }) {
  const https = isHttps()
  const how = { httpOnly: true, secure: https, sameSite: 'lax', path: '/' } as const
  const kept = { ...how, maxAge: YEAR_IN_SECONDS }
  if (language) setCookie(preferenceCookie('language', https), language, kept)
  if (theme) setCookie(preferenceCookie('theme', https), theme, kept)
}

/** What `keepPreferences` stored in the browser that asks; else the language that it prefers. */
export function readPreferences(request: Request): { language: Language; theme: Theme } {
  const cookies = parseCookies(request.headers)
  const { https } = clientInfo(request)
  const language = cookies.get(preferenceCookie('language', https))
  const theme = cookies.get(preferenceCookie('theme', https))
  return {
    language: isLanguage(language)
      ? language
      : preferredLanguage(request.headers.get('accept-language')),
    theme: isTheme(theme) ? theme : 'system',
  }
}
const isTheme = (value: unknown): value is Theme => THEMES.includes(value as Theme)

const preferenceCookie = (preference: 'language' | 'theme', https: boolean) =>
  https ? `__Host-sanad_${preference}` : `sanad_${preference}`

const isHttps = () => clientInfo(getRequest()).https
