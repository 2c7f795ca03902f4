import { createFileRoute, redirect } from '@tanstack/react-router'
import { api } from '~/client/api'
import { Setup } from '~/features/office/sessions/setup/Setup'

export const Route = createFileRoute('/setup')({
  beforeLoad: async ({ context: { viewer } }) => {
    if (viewer.actor) throw redirect({ to: '/app', replace: true })
    const { isOpen } = await api.setup.state(undefined)
    if (!isOpen) throw redirect({ to: '/', replace: true })
  },
  component: SetupPage,
})

function SetupPage() {
  const { viewer } = Route.useRouteContext()
  return <Setup language={viewer.language} />
}
