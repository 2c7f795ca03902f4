import { createFileRoute, redirect } from '@tanstack/react-router'
import { isSuperAdmin } from '~/shared/actor'
import { ComingLater } from '~/ui/ComingLater'

export const Route = createFileRoute('/app/settings/register-mobile-app')({
  beforeLoad: ({ context }) => {
    if (!isSuperAdmin(context.actor)) throw redirect({ to: '/app' })
  },
  component: () => <ComingLater title="nav.registerMobileApp" />,
})
