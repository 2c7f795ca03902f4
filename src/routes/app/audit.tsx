import { createFileRoute } from '@tanstack/react-router'
import { listAudit } from '~/features/audit/audit.functions'
import { AuditTable } from '~/features/audit/AuditTable'
import { auditSearch } from '~/features/audit/audit'
import { isAdmin } from '~/shared/actor'
import { forbidden } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { Page } from '~/ui/Page'

export const Route = createFileRoute('/app/audit')({
  validateSearch: auditSearch,
  beforeLoad: ({ context }) => {
    if (!isAdmin(context.actor)) throw forbidden()
  },
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => listAudit({ data: deps }),
  component: AuditPage,
})

function AuditPage() {
  const say = useSay()
  return (
    <Page title="audit.title" lead={say('audit.lead')}>
      <AuditTable {...Route.useLoaderData()} />
    </Page>
  )
}
