import { Group, SegmentedControl } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { OPEN_STATUSES } from '~/features/medicines/dispensing/dispensing'
import {
  type DispensingSearch,
  dispensingSearch,
} from '~/features/medicines/dispensing/dispensing-search'
import { QueueTable } from '~/features/medicines/dispensing/QueueTable'
import { RecordsTable } from '~/features/medicines/dispensing/RecordsTable'
import { PickList } from '~/fields/PickList'
import { statusLabel } from '~/records/prescription'
import { mayAnywhere, mayIn } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { SearchBox } from '~/ui/SearchBox'
import { onlyFor } from '~/ui/onlyFor'

export const Route = createFileRoute('/app/dispensing/')({
  validateSearch: dispensingSearch,
  beforeLoad: onlyFor((actor) => mayAnywhere(actor, 'can_dispense_medications')),
  loaderDeps: ({ search }) => search,
  loader: async ({ deps: { show, status, clinicId, search, page } }) => {
    const [clinics, queue, records] = await Promise.all([
      api.clinics.names({}),
      show === 'records' ? undefined : api.dispensing.queue({ clinicId, status, search, page }),
      show === 'records' ? api.dispensing.records({ clinicId, page }) : undefined,
    ])
    return { clinics, queue, records }
  },
  pendingComponent: PageSkeleton,
  component: DispensingPage,
})

function DispensingPage() {
  const { clinics, queue, records } = Route.useLoaderData()
  const { actor } = Route.useRouteContext()
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  const say = useSay()
  useLive('clinics.names', 'dispensing.queue', 'dispensing.records')
  const own = clinics.filter(({ id }) => mayIn(actor, 'can_dispense_medications', id))
  const choose = (change: Partial<DispensingSearch>) =>
    void navigate({
      search: (all) => ({ ...all, ...change, page: undefined }),
      replace: true,
      resetScroll: false,
    })
  return (
    <Page
      title="dispensing.title"
      lead={say('dispensing.lead')}
      actions={
        <LinkButton
          variant="default"
          to="/app/dispensing/paper"
          search={{ clinic: search.clinicId }}
        >
          {say('dispensing.paper')}
        </LinkButton>
      }
    >
      <Group gap="sm" align="flex-end">
        <SegmentedControl
          aria-label={say('dispensing.title')}
          value={search.show ?? 'queue'}
          onChange={(value) => choose({ show: value === 'records' ? 'records' : undefined })}
          data={(['queue', 'records'] as const).map((value) => ({
            value,
            label: say(`dispensing.${value}`),
          }))}
        />
        {queue && <SearchBox label="dispensing.search" />}
        {own.length > 1 && (
          <PickList
            aria-label={say('clinics.one')}
            placeholder={say('patientSearch.anyClinic')}
            data={own.map(({ id, name }) => ({ value: id, label: name }))}
            value={search.clinicId ?? null}
            onChange={(clinicId) => choose({ clinicId: clinicId ?? undefined })}
            clearable
            clearButtonProps={{ 'aria-label': say('common.clear') }}
            searchable={own.length > 7}
          />
        )}
        {queue && (
          <PickList
            aria-label={say('prescriptions.status')}
            placeholder={say('dispensing.openOnes')}
            data={OPEN_STATUSES.map((value) => ({ value, label: say(statusLabel(value)) }))}
            value={search.status ?? null}
            onChange={(status) =>
              choose({ status: (status ?? undefined) as DispensingSearch['status'] })
            }
            clearable
            clearButtonProps={{ 'aria-label': say('common.clear') }}
          />
        )}
      </Group>
      {queue && <QueueTable {...queue} actor={actor} />}
      {records && <RecordsTable {...records} />}
    </Page>
  )
}
