import { createRouter } from '@tanstack/react-router'
import { getGlobalStartContext } from '@tanstack/react-start'
import { routeTree } from './routeTree.gen'
import { parsedSearch } from './client/search-parser'
import type { Message } from './shared/errors'
import { ErrorView } from './ui/ErrorView'
import { NotFoundView } from './ui/NotFoundView'
import { keepWhatIsShown } from './client/outdated'

export function getRouter() {
  const router = createRouter({
    routeTree,
    parseSearch: parsedSearch,
    scrollRestoration: true,
    // a table scrolls in a frame of its own: its next page begins at the top
    scrollToTopSelectors: ['[data-scroll-restoration-id]'],
    defaultPreload: 'intent',
    // preloaded data is fetched again when the screen really opens
    defaultPreloadStaleTime: 0,
    defaultNotFoundComponent: ({ data }) => <NotFoundView text={data as Message | undefined} />,
    defaultErrorComponent: ErrorView,
    ssr: { nonce: nonce() },
  })
  if (typeof window !== 'undefined') keepWhatIsShown(router)
  return router
}

const nonce = () => (getGlobalStartContext() as { nonce?: string } | undefined)?.nonce

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof getRouter>
  }
}
