import { createFileRoute, redirect } from '@tanstack/react-router'
import * as z from 'zod'
import { api } from '~/client/api'
import { SignIn } from '~/features/office/sessions/SignIn'
import { screenOf } from '~/shared/screen-address'

// only addresses of our own screens: a link to us must not lead to another site after sign-in
const asked = z
  .string()
  .transform((to) => screenOf(to))
  .optional()
  .catch(undefined)

export const Route = createFileRoute('/')({
  validateSearch: z.object({ to: asked }),
  beforeLoad: async ({ context: { viewer }, search: { to } }) => {
    if (viewer.actor) throw redirect({ href: to ?? '/app', replace: true })
    const { isOpen, isRestored } = await api.setup.state(undefined)
    if (isOpen || isRestored) throw redirect({ to: '/setup', replace: true })
  },
  loader: () => api.sessions.current(undefined),
  component: Index,
})

function Index() {
  const { state, actor } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  return <SignIn state={state} name={actor?.name ?? ''} language={viewer.language} />
}
