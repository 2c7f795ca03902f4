import { createFileRoute, Outlet, redirect, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { IdleLock } from '~/shell/IdleLock'
import { savePreferences, signOut } from '~/features/office/sessions/sessions.functions'
import { useScreensAhead } from '~/shell/ahead'
import { AppFrame } from '~/shell/AppFrame'
import { useAction } from '~/ui/action'
import { forgetDrafts, forgetDraftsOfOthers } from '~/ui/keptDraft'

export const Route = createFileRoute('/app')({
  // with the first script: every signed-in screen has this frame
  codeSplitGroupings: [],
  beforeLoad: ({ context: { viewer }, location }) => {
    if (!viewer.actor) {
      // the page that was asked for comes after the sign-in
      const to = location.href === '/app' ? '' : `?to=${encodeURIComponent(location.href)}`
      // the sign-in page is a document of its own, without script
      throw redirect({ href: `/${to}`, reloadDocument: true })
    }
    return { actor: viewer.actor }
  },
  component: AppLayout,
})

function AppLayout() {
  const { viewer, actor } = Route.useRouteContext()
  const router = useRouter()
  const { run } = useAction()
  useScreensAhead(actor)
  const leave = async () => {
    await signOut()
    forgetDrafts()
    forgetDrafts(sessionStorage)
    // a new page load: nothing of this person stays in the memory of a shared computer
    await router.navigate({ href: '/', reloadDocument: true })
  }
  useEffect(() => {
    forgetDraftsOfOthers(actor.userId)
    forgetDraftsOfOthers(actor.userId, sessionStorage)
  }, [actor.userId])
  return (
    <AppFrame
      actor={actor}
      organization={viewer.organization}
      isInsecure={viewer.isInsecure}
      language={viewer.language}
      theme={viewer.theme}
      onPreference={(data) => run(() => savePreferences({ data }))}
      onSignOut={leave}
      onEndSession={() => signOut()}
    >
      <Outlet />
      <IdleLock name={actor.name} onSignOut={leave} />
    </AppFrame>
  )
}
