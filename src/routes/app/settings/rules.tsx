import { createFileRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '~/client/api'
import { RulesList } from '~/features/medicines/safety/RulesList'
import { SwitchRuleDialog } from '~/features/medicines/safety/SwitchRuleDialog'
import { isAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { onlyFor } from '~/ui/onlyFor'

export const Route = createFileRoute('/app/settings/rules')({
  beforeLoad: onlyFor(isAdmin),
  loader: () => api.safety.rules(),
  pendingComponent: PageSkeleton,
  component: RulesPage,
})

type Listed = ReturnType<typeof Route.useLoaderData>
type Switched = { table: Listed['tables'][number]; rule: Listed['tables'][number]['rows'][number] }

function RulesPage() {
  const rules = Route.useLoaderData()
  const say = useSay()
  const [switching, setSwitching] = useState<Switched | null>(null)
  useLive('safety.rules')
  return (
    <Page title="safety.rules.title" lead={say('safety.rules.lead')}>
      <RulesList
        rules={rules}
        onSwitch={rules.maySwitch ? (table, rule) => setSwitching({ table, rule }) : undefined}
      />
      {switching && <SwitchRuleDialog {...switching} onClose={() => setSwitching(null)} />}
    </Page>
  )
}
