import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { SignInFrame } from '~/features/office/sessions/SignInFrame'
import { TrustSteps } from '~/features/office/trust/TrustSteps'

/** Opened on a new device, before anyone signs in on it. */
export const Route = createFileRoute('/trust')({
  loader: () => api.trust.get(undefined),
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
