import { SegmentedControl } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { LinkButton } from '~/client/links'
import { OverridesTable } from '~/features/medicines/safety/OverridesTable'
import { mayAnywhere } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { oneOfOptions, page, defineSearch } from '~/shared/search-params'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { onlyFor } from '~/ui/onlyFor'

const STATES = ['open', 'emergency', 'reviewed', 'all'] as const

const readSearch = defineSearch({ state: oneOfOptions(STATES), page })

export const Route = createFileRoute('/app/prescriptions/overrides')({
  validateSearch: readSearch,
  beforeLoad: onlyFor((actor) =>
    mayAnywhere(actor, 'is_clinic_admin', 'can_prescribe_medications'),
  ),
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => api.safety.overrides(deps),
  pendingComponent: PageSkeleton,
  component: OverridesPage,
})

function OverridesPage() {
  const list = Route.useLoaderData()
  const { state = 'open' } = Route.useSearch()
  const navigate = Route.useNavigate()
  const say = useSay()
  useLive('safety.overrides')
  return (
    <Page
      title="safety.overrides"
      lead={say('safety.overridesLead')}
      crumbs={[{ label: 'prescriptions.title', to: '/app/prescriptions' }]}
      actions={
        <LinkButton
          variant="default"
          leftSection={<IconPrinter size={16} aria-hidden />}
          to="/app/prescriptions/overrides-of-day"
        >
          {say('safety.overridesOfDay')}
        </LinkButton>
      }
    >
      <SegmentedControl
        aria-label={say('safety.overrides')}
        value={state}
        onChange={(value) =>
          void navigate({ search: { state: value as typeof state }, replace: true })
        }
        data={STATES.map((value) => ({ value, label: say(`safety.${value}`) }))}
        style={{ alignSelf: 'flex-start' }}
      />
      <OverridesTable {...list} />
    </Page>
  )
}
