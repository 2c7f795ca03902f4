import { createFileRoute, Outlet, redirect } from '@tanstack/react-router'

export const Route = createFileRoute('/app')({
  beforeLoad: ({ context: { viewer } }) => {
    if (!viewer.actor) throw redirect({ href: '/', replace: true })
    return { actor: viewer.actor }
  },
  component: () => <Outlet />,
})
