import { db } from '~/db/db.server'
import { headersOfPage, newNonce } from '~/server/page-headers'
import { recent } from '~/server/recent'
import { requestContext } from '~/server/serve.server'
import { sessionToken } from '~/server/session.server'
import { isRestored, isSetupOpen } from '~/server/startup.server'
import type { Language } from '~/shared/language'
import { toScreenAddress } from '~/shared/screen-address'
import type { Theme } from '~/shared/viewer'
import { forgetCookie, keepPreferences, keepToken, readPreferences } from '../cookie.server'
import { getViewer } from '../sessions.functions'
import { setupState } from '../setup/setup.server'
import { firstScreenAssets } from './first-screen.server'
import { signInPage, stepNow, takeStep } from './sign-in.server'
import { actionFor, type PageProps } from './SignInPage'

const seeOther = (location: string) => new Response(null, { status: 303, headers: { location } })

/** Texts of a template that no page of ours contains. */
const NONCE = 'NONCE-OF-THE-ANSWER'
const TO = '/app/SCREEN-OF-THE-REQUEST'
const templates = new Map<string, Promise<string>>()

/** The page at its first step, rendered once for each language and theme; each answer has a nonce of its own. */
async function templateIn(language: Language, theme: Theme): Promise<string> {
  const assets = await firstScreenAssets(language)
  const first = { step: 'signIn', name: '', typed: {}, complaint: null } as const
  return signInPage({ ...first, to: TO, nonce: NONCE, language, theme, assets })
}

/** Milliseconds. */
const FRESH = 1_000
const askIfSetUp = recent(async () => {
  wasSetUp = !(await isSetupOpen(db)) && !(await isRestored(db))
}, FRESH)
let wasSetUp = false

/** Whether the first user exists and has a password. Once they do, the answer waits for no database. */
async function isSetUp(): Promise<boolean> {
  const asked = askIfSetUp()
  if (!wasSetUp) await asked
  // a database that fails is reported by what needs it
  else asked.catch(() => {})
  return wasSetUp
}

/**
 * `GET /` and `HEAD /` without a session, from memory: phones ask for it to find out whether a server is there, and it
 * must not wait for others. Undefined where it takes more than that.
 */
export async function respondFromMemory(request: Request): Promise<Response | undefined> {
  if (sessionToken(request.headers, 'web') || !(await isSetUp())) return undefined
  const { language, theme } = readPreferences(request)
  const key = `${language} ${theme}`
  const template = templates.get(key) ?? templateIn(language, theme)
  templates.set(key, template)
  const nonce = newNonce()
  const { to } = askedBy(request)
  const action = (screen: string | null) => `action="${screen ? actionFor(screen) : '/'}"`
  const html = (await template)
    .replaceAll(NONCE, () => nonce)
    .replace(action(TO), () => action(to).replaceAll("'", '&#x27;'))
  return new Response(html, {
    headers: { 'content-type': 'text/html; charset=utf-8', ...headersOfPage(nonce) },
  })
}

/** `GET /`: the sign-in page at its present step, or a redirect if there is nothing to sign in to. */
export async function respondPage(request: Request, nonce: string): Promise<Response> {
  const { actor } = await getViewer()
  const { to, byCode } = askedBy(request)
  if (actor) return seeOther(to ?? '/app')
  const ctx = await requestContext(request, 'web')
  const { isOpen, isRestored: wasRestored } = await setupState(ctx, undefined)
  if (isOpen || wasRestored) return seeOther('/setup')
  return page(request, { ...(await stepNow(ctx, byCode)), nonce })
}

/** `POST /`: takes the step that was filled in. */
export async function respondForm(request: Request, nonce: string): Promise<Response> {
  const ctx = await requestContext(request, 'web')
  const typed = new URLSearchParams(await request.text())
  const { to } = askedBy(request)
  const again = to ? `/?to=${encodeURIComponent(to)}` : '/'
  const taken = await takeStep(ctx, typed)
  switch (taken.became) {
    case 'signedIn':
      if (taken.token) await keepToken(taken.token)
      return seeOther(to ?? '/app')
    case 'halfway':
      if (taken.token) await keepToken(taken.token)
      return seeOther(again)
    case 'left':
      forgetCookie()
      return seeOther('/')
    case 'outdated':
      return seeOther(again)
    case 'inLanguage': {
      const { language } = taken
      keepPreferences({ language })
      const now = await stepNow(ctx, typed.get('step') === 'unlockByCode')
      return page(request, { ...now, nonce, language, typed: kept(typed) })
    }
    case 'refused': {
      const { status, retryAfter, complaint } = taken
      const now = await stepNow(ctx, typed.get('step') === 'unlockByCode')
      const drawn = await page(request, { ...now, nonce, complaint, typed: kept(typed) }, status)
      if (retryAfter) drawn.headers.set('retry-after', String(retryAfter))
      return drawn
    }
  }
}

/** The address alone: a code is used once, and a password is never sent back. */
const kept = (typed: URLSearchParams) => ({ email: typed.get('email') ?? '' })

function askedBy({ url }: Request) {
  const { searchParams } = new URL(url)
  return {
    to: toScreenAddress(searchParams.get('to') ?? '') ?? null,
    byCode: searchParams.get('by') === 'code',
  }
}

type Shown = Pick<PageProps, 'step' | 'name' | 'nonce'> &
  Partial<Pick<PageProps, 'language' | 'typed' | 'complaint'>>

async function page(request: Request, shown: Shown, status = 200): Promise<Response> {
  const { language, theme } = await getViewer()
  const html = signInPage({
    to: askedBy(request).to,
    language,
    theme,
    typed: {},
    complaint: null,
    assets: await firstScreenAssets(shown.language ?? language),
    ...shown,
  })
  return new Response(html, { status, headers: { 'content-type': 'text/html; charset=utf-8' } })
}
