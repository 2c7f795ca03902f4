import { ColorSchemeScript } from '@mantine/core'
import {
  type AnyRouter,
  createRootRoute,
  HeadContent,
  Outlet,
  Scripts,
  useRouter,
} from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { getViewer } from '~/features/office/sessions/sessions.functions'
import { textDirection } from '~/shared/language'
import type { Viewer } from '~/shared/viewer'
import { tellTimeZone } from '~/shared/zone'
import styles from '~/ui/global.css?url'
import { rememberEarly } from '~/ui/early'
import { loadMessagesAt } from '~/ui/messages'
import { ProgressBar } from '~/ui/ProgressBar'
import { Providers } from '~/ui/Providers'

export const Route = createRootRoute({
  beforeLoad: async ({ matches, location }) => {
    const viewer = await currentViewer(matches[0]?.invalid ?? true)
    // the server sets its own zone from the settings
    if (typeof window !== 'undefined') tellTimeZone(viewer.timeZone)
    await loadMessagesAt(location.pathname, viewer.language)
    return { viewer, drawnAt: new Date() }
  },
  head: () => ({
    meta: [
      { charSet: 'utf-8' },
      { name: 'viewport', content: 'width=device-width, initial-scale=1' },
      { name: 'color-scheme', content: 'light dark' },
      { name: 'robots', content: 'noindex' },
    ],
    links: [
      { rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' },
      { rel: 'manifest', href: '/manifest.webmanifest' },
      { rel: 'stylesheet', href: styles },
    ],
  }),
  component: Root,
})

let known: { viewer: Viewer; at: number } | undefined
const FRESH_MS = 30_000

/**
 * The server answers each page. The browser keeps a signed-in viewer, so that a screen waits for its own data alone;
 * a save invalidates the route, which asks again, and so does `useRenewal` after half a minute.
 */
async function currentViewer(isInvalid: boolean): Promise<Viewer> {
  if (typeof window === 'undefined') return getViewer()
  if (known?.viewer.actor && !isInvalid) return known.viewer
  try {
    known = { viewer: await getViewer(), at: Date.now() }
  } catch (error) {
    // keep the frame and its language: the screen's own loader reports the failure inside it
    if (!known) throw error
  }
  return known.viewer
}

/** Asks for the viewer again if the last answer is old, and draws the page anew if it differs. */
async function renew(router: AnyRouter) {
  if (!known || Date.now() - known.at < FRESH_MS) return
  const before = known.viewer
  try {
    known = { viewer: await getViewer(), at: Date.now() }
  } catch {
    return // the next screen asks again
  }
  if (JSON.stringify(known.viewer) !== JSON.stringify(before)) await router.invalidate()
}

/** Renews the viewer after each screen. */
function useRenewal(viewer: Viewer) {
  const router = useRouter()
  useEffect(() => {
    // of the server-rendered page
    known ??= { viewer, at: Date.now() }
  }, [viewer])
  useEffect(() => router.subscribe('onResolved', () => void renew(router)), [router])
}

function Root() {
  const { viewer, ...context } = Route.useRouteContext()
  const nonce = useRouter().options.ssr?.nonce
  // the time of the page, not of each navigation
  const [drawnAt] = useState(context.drawnAt)
  useRenewal(viewer)
  const scheme = viewer.theme === 'system' ? 'auto' : viewer.theme
  return (
    // the colour scheme script changes this element before hydration
    <html
      lang={viewer.language}
      dir={textDirection(viewer.language)}
      data-time-zone={viewer.timeZone}
      suppressHydrationWarning
    >
      <head>
        <HeadContent />
        <ColorSchemeScript nonce={nonce} defaultColorScheme={scheme} suppressHydrationWarning />
        <script
          nonce={nonce}
          dangerouslySetInnerHTML={{ __html: rememberEarly }}
          suppressHydrationWarning
        />
      </head>
      <body>
        <Providers viewer={viewer} drawnAt={drawnAt} nonce={nonce}>
          <ProgressBar />
          <Outlet />
        </Providers>
        <Scripts />
      </body>
    </html>
  )
}
