import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import type { OpenContext } from '~/server/operation'
import { toShow } from '~/server/serve.server'
import { AppError, httpStatus } from '~/shared/errors'
import { isLanguage, type Language } from '~/shared/language'
import { sentence } from '~/shared/sentence'
import { NewPassword, refusedField as notAccepted, type Refused } from '../session'
import {
  currentOf,
  replacePassword,
  signIn,
  signOutSession,
  unlockSession,
  verifyTwoFactor,
} from '../sessions.server'
import { type Complaint, type PageProps, SignInPage, type SignInStep } from './SignInPage'

/** What became of a posted form. Cookies and redirects are the route's. */
type Taken =
  | { became: 'signedIn' | 'halfway'; token?: string }
  | { became: 'left' | 'outdated' }
  | { became: 'inLanguage'; language: Language }
  | { became: 'refused'; status: number; retryAfter?: number; complaint: Complaint }

type Outcome = { ok: true; token?: string; twoFactor?: boolean } | Refused

/** Each step is the operation that the screens of a script call, too. */
const steps: Record<SignInStep, (ctx: OpenContext, typed: URLSearchParams) => Promise<Outcome>> = {
  signIn: (ctx, typed) =>
    signIn(ctx, { email: typed.get('email') ?? '', password: typed.get('password') ?? '' }),
  verify: (ctx, typed) => verifyTwoFactor(ctx, { code: typed.get('code') ?? '' }),
  replace,
  unlock: (ctx, typed) => unlockSession(ctx, { password: typed.get('password') ?? '' }),
  unlockByCode: (ctx, typed) => unlockSession(ctx, { code: typed.get('code') ?? '' }),
}

/** The new password is typed twice: a slip in it would lock its owner out. */
async function replace(ctx: OpenContext, typed: URLSearchParams): Promise<Outcome> {
  const newPassword = typed.get('newPassword') ?? ''
  const { success } = NewPassword.safeParse({ newPassword })
  // the errors of the password itself come first
  if (success && typed.get('repeated') !== newPassword)
    return notAccepted('repeated', 'sessions.passwordsDiffer')
  return replacePassword(ctx, { newPassword })
}

const isStep = (text: string | null): text is SignInStep =>
  text !== null && Object.hasOwn(steps, text)

/** Takes one step of the sign-in form. Throws nothing that a user may be shown. */
export async function takeStep(ctx: OpenContext, typed: URLSearchParams): Promise<Taken> {
  const language = typed.get('language')
  if (isLanguage(language)) return { became: 'inLanguage', language }
  if (typed.has('leave')) {
    await signOutSession(ctx, undefined)
    return { became: 'left' }
  }
  const step = typed.get('step')
  if (!isStep(step)) return { became: 'outdated' }
  try {
    const outcome = await steps[step](ctx, typed)
    if (!outcome.ok) return refused(httpStatus.invalid, { fields: outcome.fields })
    return { became: outcome.twoFactor ? 'halfway' : 'signedIn', token: outcome.token }
  } catch (error) {
    const shown = toShow(error, ctx.request.id)
    if (!(shown instanceof AppError)) {
      const values = { code: '500', request: shown.requestId }
      return refused(500, { text: { key: 'errors.unsaved', values }, fields: {} })
    }
    // the session of the second step is over, or another tab has taken it
    if (shown.code === 'unauthenticated') return { became: 'outdated' }
    const hasFields = Object.keys(shown.fields).length > 0
    const complaint = { text: hasFields ? undefined : shown.text, fields: shown.fields }
    return refused(httpStatus[shown.code], complaint, shown.retryAfter)
  }
}

const refused = (status: number, complaint: Complaint, retryAfter?: number): Taken => ({
  became: 'refused',
  status,
  retryAfter,
  complaint,
})

/** What the page asks for now, by the state of the session. */
export async function stepNow(ctx: OpenContext, byCode: boolean) {
  const { state, actor } = await currentOf(ctx, undefined)
  const next: Record<Exclude<typeof state, 'open'>, SignInStep> = {
    none: 'signIn',
    pending: 'verify',
    mustChange: 'replace',
    locked: byCode ? 'unlockByCode' : 'unlock',
  }
  // a session that opens screens, in a form that was posted: the user signs in anew
  return { step: state === 'open' ? next.none : next[state], name: actor?.name ?? '' }
}

/** The page as a document. */
export const signInPage = (props: Omit<PageProps, 'say'>): string =>
  `<!doctype html>${renderToStaticMarkup(
    createElement(SignInPage, {
      ...props,
      say: (what) => {
        if (typeof what === 'string') return sentence(props.language, { key: what })
        return 'text' in what ? what.text : sentence(props.language, what)
      },
    }),
  )}`
