import { createFileRoute, redirect } from '@tanstack/react-router'
import { api } from '~/client/api'
import { Setup } from '~/features/office/sessions/setup/Setup'
import { Restored } from '~/features/office/sessions/setup/Restored'

export const Route = createFileRoute('/setup')({
  beforeLoad: async ({ context: { viewer } }) => {
    if (viewer.actor) throw redirect({ to: '/app', replace: true })
    const { isOpen, isRestored } = await api.setup.state(undefined)
    if (!isOpen && !isRestored) throw redirect({ href: '/', reloadDocument: true })
    return { isRestored }
  },
  component: SetupPage,
})

function SetupPage() {
  const { viewer, isRestored } = Route.useRouteContext()
  const First = isRestored ? Restored : Setup
  return <First language={viewer.language} />
}
