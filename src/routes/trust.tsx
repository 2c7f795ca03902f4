import { createFileRoute } from '@tanstack/react-router'
import { SignInFrame } from '~/features/office/sessions/SignInFrame'
import { getAuthority } from '~/features/office/trust/trust.functions'
import { TrustSteps } from '~/features/office/trust/TrustSteps'

/** Opened on a new device, before anyone signs in on it. */
export const Route = createFileRoute('/trust')({
  loader: () => getAuthority({ data: undefined }),
  component: TrustPage,
})

function TrustPage() {
  const { viewer } = Route.useRouteContext()
  const authority = Route.useLoaderData()
  return (
    <SignInFrame title="trust.title" lead="trust.lead" language={viewer.language}>
      <TrustSteps fingerprint={authority?.fingerprint} />
    </SignInFrame>
  )
}
