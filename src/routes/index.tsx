import { createFileRoute } from '@tanstack/react-router'
import { createCsrfMiddleware } from '@tanstack/react-start'
import { respondForm, respondPage } from '~/features/office/sessions/sign-in/respond.server'

/** As for server functions: a form of another site is refused before it is read. */
const fromOurPages = createCsrfMiddleware({ filter: ({ request }) => request.method === 'POST' })

/** The sign-in page: a document of its own, which the server draws and no script takes over. */
export const Route = createFileRoute('/')({
  server: {
    middleware: [fromOurPages],
    handlers: {
      GET: ({ request, context }) => respondPage(request, context.nonce),
      POST: ({ request, context }) => respondForm(request, context.nonce),
    },
  },
})
