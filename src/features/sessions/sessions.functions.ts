import { createServerFn } from '@tanstack/react-start'
import { getCookie, getRequestHeader, setCookie } from '@tanstack/react-start/server'
import * as z from 'zod'
import { isLanguage, LANGUAGES, preferredLanguage } from '~/shared/language'
import { type Theme, THEMES, type Viewer } from '~/shared/viewer'

const isTheme = (value: unknown): value is Theme => THEMES.includes(value as Theme)
const YEAR_IN_SECONDS = 31_536_000

/** Who looks at the screen, in which language and theme. */
export const getViewer = createServerFn().handler((): Viewer => {
  const language = getCookie('sanad_language')
  const theme = getCookie('sanad_theme')
  return {
    actor: null,
    language: isLanguage(language) ? language : preferredLanguage(getRequestHeader('accept-language')),
    theme: isTheme(theme) ? theme : 'system',
  }
})

const Preferences = z.object({ language: z.enum(LANGUAGES).optional(), theme: z.enum(THEMES).optional() })

/** Keeps the language and the theme that the person chose. */
export const savePreferences = createServerFn({ method: 'POST' })
  .validator(Preferences)
  .handler(({ data }) => {
    const kept = { path: '/', maxAge: YEAR_IN_SECONDS, sameSite: 'lax' } as const
    if (data.language) setCookie('sanad_language', data.language, kept)
    if (data.theme) setCookie('sanad_theme', data.theme, kept)
  })

export const signOut = createServerFn({ method: 'POST' }).handler(() => {})
