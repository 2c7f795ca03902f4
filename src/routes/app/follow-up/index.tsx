import { Group, SegmentedControl, Text } from '@mantine/core'
import { IconAdjustments, IconMessage } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { maySeeIn } from '~/features/day/appointments/appointment'
import { CalledTable } from '~/features/day/followups/CalledTable'
import { FOLLOW_UP_FILTERS, FollowUpFilters } from '~/features/day/followups/FollowUpFilters'
import { FollowUpTable } from '~/features/day/followups/FollowUpTable'
import { followUpSearch } from '~/features/day/followups/search'
import { seeAppointments } from '~/policy/rules'
import { isAdmin, mayAnywhere } from '~/shared/actor'
import { usePeriodName } from '~/features/reports/runs/sheet/period-name'
import { useSay } from '~/shared/say'
import { useToday } from '~/ui/clock'
import { ClearFilters, narrowing } from '~/ui/filters'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { onlyFor } from '~/ui/onlyFor'

const LISTS = ['overdue', 'due', 'called'] as const

export const Route = createFileRoute('/app/follow-up/')({
  validateSearch: followUpSearch,
  beforeLoad: onlyFor((actor) => mayAnywhere(actor, ...seeAppointments)),
  loaderDeps: ({ search }) => search,
  loader: async ({ deps: { list, month, page, ...deps }, context: { actor } }) => {
    const clinics = (await api.clinics.names({})).filter(({ id }) => maySeeIn(actor, id))
    const { clinicId, program } = deps
    if (list === 'called')
      return {
        clinics,
        called: await api.followups.called({ month, page, clinicId, program }),
        due: null,
      }
    return { clinics, called: null, due: await api.followups.list({ list, ...deps }) }
  },
  pendingComponent: PageSkeleton,
  component: FollowUpPage,
})

function FollowUpPage() {
  const { clinics, called, due } = Route.useLoaderData()
  const search = Route.useSearch()
  const { actor } = Route.useRouteContext()
  const navigate = Route.useNavigate()
  const say = useSay()
  useLive('followups.list', 'followups.called', 'clinics.names')
  const { list = 'overdue' } = search
  const isNarrowed = narrowing(search, FOLLOW_UP_FILTERS) > 0
  const emptyList = list === 'due' ? 'followups.emptyDue' : 'followups.empty'
  return (
    <Page
      title="followups.title"
      lead={say('followups.lead')}
      actions={
        isAdmin(actor) && (
          <>
            <LinkButton
              variant="default"
              leftSection={<IconMessage size={16} aria-hidden />}
              to="/app/follow-up/texts"
            >
              {say('messageTexts.title')}
            </LinkButton>
            <LinkButton
              variant="default"
              leftSection={<IconAdjustments size={16} aria-hidden />}
              to="/app/follow-up/schedules"
            >
              {say('followups.schedules')}
            </LinkButton>
          </>
        )
      }
    >
      <Group gap="sm">
        <SegmentedControl
          aria-label={say('followups.lists')}
          value={list}
          onChange={(value) =>
            void navigate({
              search: ({ clinicId, program }) => ({
                clinicId,
                program,
                list: value === 'overdue' ? undefined : (value as 'due' | 'called'),
              }),
              replace: true,
            })
          }
          data={LISTS.map((value) => ({ value, label: say(`followups.${value}`) }))}
        />
        <FollowUpFilters search={search} clinics={clinics} />
        {called && <MonthSteps month={search.month} />}
      </Group>
      {called && <CalledTable {...called} />}
      {due && list !== 'called' && (
        <>
          <FollowUpTable
            rows={due.rows}
            today={due.today}
            list={list}
            actor={actor}
            empty={isNarrowed ? 'followups.noMatch' : emptyList}
            emptyAction={isNarrowed && <ClearFilters filters={FOLLOW_UP_FILTERS} />}
          />
          <Group gap="sm">
            {search.after && (
              <LinkButton
                variant="default"
                to="/app/follow-up"
                search={{ ...search, after: undefined }}
              >
                {say('followups.back')}
              </LinkButton>
            )}
            {due.next && (
              <LinkButton
                variant="default"
                to="/app/follow-up"
                search={{ ...search, after: due.next }}
              >
                {say('followups.more')}
              </LinkButton>
            )}
          </Group>
        </>
      )}
    </Page>
  )
}

/** The month that is shown, and the ways to its neighbours. */
function MonthSteps({ month }: { month: string | undefined }) {
  const say = useSay()
  const search = Route.useSearch()
  const now = useToday().slice(0, 7)
  const shown = month ?? now
  const nameOf = usePeriodName()
  return (
    <Group gap="xs">
      <LinkButton
        variant="default"
        size="xs"
        to="/app/follow-up"
        search={{ ...search, month: monthAfter(shown, -1), page: undefined }}
      >
        {say('followups.previousMonth')}
      </LinkButton>
      <Text size="sm" aria-live="polite">
        {nameOf(shown)}
      </Text>
      {shown < now && (
        <LinkButton
          variant="default"
          size="xs"
          to="/app/follow-up"
          search={{ ...search, month: monthAfter(shown, 1), page: undefined }}
        >
          {say('followups.nextMonth')}
        </LinkButton>
      )}
    </Group>
  )
}

const monthAfter = (month: string, by: number) => {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7)
}
