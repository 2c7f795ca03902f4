import { createFileRoute, Outlet, redirect, useRouter } from '@tanstack/react-router'
import { savePreferences, signOut } from '~/features/sessions/sessions.functions'
import { AppFrame } from '~/ui/AppFrame'
import { useAction } from '~/ui/action'

export const Route = createFileRoute('/app')({
  beforeLoad: ({ context: { viewer } }) => {
    if (!viewer.actor) throw redirect({ href: '/', replace: true })
    return { actor: viewer.actor }
  },
  component: AppLayout,
})

function AppLayout() {
  const { viewer, actor } = Route.useRouteContext()
  const router = useRouter()
  const { run } = useAction()
  return (
    <AppFrame
      actor={actor}
      language={viewer.language}
      theme={viewer.theme}
      onPreference={(data) => run(() => savePreferences({ data }))}
      onSignOut={async () => {
        await signOut()
        // a new page load: nothing of this person stays in the memory of a shared computer
        await router.navigate({ href: '/', reloadDocument: true })
      }}
    >
      <Outlet />
    </AppFrame>
  )
}
