import { ColorSchemeScript } from '@mantine/core'
import { createRootRoute, HeadContent, Outlet, Scripts, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { getViewer } from '~/features/office/sessions/sessions.functions'
import { directionOf } from '~/shared/language'
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
 * The server answers each page. The browser keeps a signed-in viewer for half a minute of
 * navigation; a save invalidates the route, which asks again.
 */
async function currentViewer(isInvalid: boolean): Promise<Viewer> {
  if (typeof window === 'undefined') return getViewer()
  if (known?.viewer.actor && !isInvalid && Date.now() - known.at < FRESH_MS) return known.viewer
  try {
    known = { viewer: await getViewer(), at: Date.now() }
  } catch (error) {
    // keep the frame and its language: the screen's own loader reports the failure inside it
    if (!known) throw error
  }
  return known.viewer
}

function Root() {
  const { viewer, ...context } = Route.useRouteContext()
  const nonce = useRouter().options.ssr?.nonce
  // the time of the page, not of each navigation
  const [drawnAt] = useState(context.drawnAt)
  // the viewer of the server-rendered page: never fresh (`at: 0`), but kept if the server cannot be reached
  useEffect(() => {
    known ??= { viewer, at: 0 }
  }, [viewer])
  const scheme = viewer.theme === 'system' ? 'auto' : viewer.theme
  return (
    // the colour scheme script changes this element before hydration
    <html
      lang={viewer.language}
      dir={directionOf(viewer.language)}
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
