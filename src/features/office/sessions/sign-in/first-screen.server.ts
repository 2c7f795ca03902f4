import arabic from '@fontsource/ibm-plex-sans-arabic/files/ibm-plex-sans-arabic-arabic-400-normal.woff2?url'
import latin from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url'
import type { Language } from '~/shared/language'
import styles from '~/ui/global.css?url'

/** The routes of the screen that follows the sign-in. */
const ROUTES = ['__root__', '/app', '/app/']

/**
 * Addresses of what the first signed-in screen needs, in the order of their use: script and style, then the fonts. The
 * sign-in page fetches them while the user types.
 */
export async function firstScreenAssets(language: Language): Promise<string[]> {
  const { tsrStartManifest } = await import('tanstack-start-manifest:v')
  const { routes } = tsrStartManifest()
  const of = ROUTES.map((id) => routes[id] ?? {})
  const scripts = of.flatMap(({ preloads = [] }) => preloads.map(linkAddress))
  const sheets = of.flatMap(({ css = [] }) => css.map(linkAddress))
  return [
    ...new Set([styles, ...sheets, ...scripts, latin, ...(language === 'ar' ? [arabic] : [])]),
  ]
}

const linkAddress = (link: string | { href: string }) =>
  typeof link === 'string' ? link : link.href
