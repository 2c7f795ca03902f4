import { Group, Text } from '@mantine/core'
import { IconWalk } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { useFormatter } from 'use-intl'
import { LinkAnchor, LinkButton } from '~/client/links'
import { type OperationResult, api } from '~/client/api'
import { maySeeIn } from '~/features/day/appointments/appointment'
import { BoardLink } from '~/features/day/queue/BoardLink'
import { CallNext } from '~/features/day/queue/CallNext'
import { queueSearch } from '~/features/day/queue/queue-search'
import { QueueColumns } from '~/features/day/queue/QueueColumns'
import { PickList } from '~/fields/PickList'
import { seeAppointments } from '~/policy/rules'
import { mayAnywhere, mayIn } from '~/shared/actor'
import { forbidden } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { EmptyState } from '~/ui/EmptyState'
import { useNow } from '~/ui/clock'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'

export const Route = createFileRoute('/app/queue')({
  validateSearch: queueSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ deps, context: { actor } }) => {
    if (!mayAnywhere(actor, ...seeAppointments)) throw forbidden()
    const clinics = (await api.clinics.names({})).filter(({ id }) => maySeeIn(actor, id))
    const home = clinics.find(({ id }) => id === actor.clinicId) ?? clinics[0]
    const clinicId = deps.clinicId ?? home?.id
    if (!clinicId) return null
    const [queue, departments] = await Promise.all([
      api.queue.list({ clinicId, departmentId: deps.departmentId }),
      api.departments.names({ clinicId }),
    ])
    return { queue, departments, clinics, clinicId }
  },
  pendingComponent: PageSkeleton,
  component: QueuePage,
})

function QueuePage() {
  const data = Route.useLoaderData()
  const { departmentId } = Route.useSearch()
  const { actor } = Route.useRouteContext()
  const say = useSay()
  const format = useFormatter()
  const navigate = Route.useNavigate()
  const now = useNow()
  useLive('clinics.names', 'queue.list', 'departments.names')
  if (!data) {
    return (
      <Page title="queue.title">
        <EmptyState title="queue.noClinic" />
      </Page>
    )
  }
  const { queue, departments, clinics, clinicId } = data
  const { day, people, expected, expectedCount, medianWaitMinutes } = queue
  const { unfinished, unfinishedCount, isCut } = queue
  const places = withDepartmentsInUse(people, departments)
  const today = format.dateTime(new Date(`${day}T12:00:00Z`), {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  })
  return (
    <Page
      title="queue.title"
      lead={today}
      actions={
        <>
          {mayIn(actor, 'can_view_history', clinicId) && (
            <LinkButton variant="subtle" to="/app/visits/open" search={{ clinicId }}>
              {say('visits.openList')}
            </LinkButton>
          )}
          {mayIn(actor, 'is_clinic_admin', clinicId) && <BoardLink clinicId={clinicId} />}
          <LinkButton
            variant="default"
            leftSection={<IconWalk size={16} aria-hidden />}
            to="/app/appointments/edit/{-$appointmentId}"
            params={{ appointmentId: 'new' }}
            search={{ walkIn: true, clinicId }}
          >
            {say('appointments.addWalkIn')}
          </LinkButton>
          <CallNext clinicId={clinicId} departmentId={departmentId} />
        </>
      }
    >
      <Group gap="sm" align="center">
        {clinics.length > 1 && (
          <PickList
            aria-label={say('clinics.one')}
            value={clinicId}
            onChange={(value) =>
              value && void navigate({ search: { clinicId: value }, replace: true })
            }
            data={clinics.map(({ id, name }) => ({ value: id, label: name }))}
            allowDeselect={false}
            searchable
            w={{ base: '100%', xs: '16rem' }}
          />
        )}
        {places.length > 0 && (
          <PickList
            aria-label={say('appointments.department')}
            placeholder={say('queue.allDepartments')}
            value={departmentId ?? null}
            onChange={(value) =>
              void navigate({
                search: { clinicId, departmentId: value ?? undefined },
                replace: true,
              })
            }
            data={places.map(({ id, name }) => ({ value: id, label: name }))}
            clearable
            clearButtonProps={{ 'aria-label': say('common.clear') }}
            w={{ base: '100%', xs: '16rem' }}
          />
        )}
        <Text size="sm" c="dimmed" aria-live="polite">
          {medianWaitMinutes === null
            ? say('queue.noMedian')
            : say({ key: 'queue.median', values: { count: Math.round(medianWaitMinutes) } })}
        </Text>
      </Group>
      {isCut && (
        <Text size="sm">
          {say({ key: 'queue.isCut', values: { count: people.length } })}{' '}
          <LinkAnchor
            inherit
            to="/app/appointments"
            search={{ clinicId, departmentId, from: day, to: day }}
          >
            {say('queue.dayList')}
          </LinkAnchor>
        </Text>
      )}
      <QueueColumns
        people={people}
        expected={expected}
        expectedCount={expectedCount}
        more={
          <LinkAnchor
            size="sm"
            to="/app/appointments"
            search={{ clinicId, departmentId, from: day, to: day }}
          >
            {say({ key: 'queue.moreExpected', values: { count: expectedCount - expected.length } })}
          </LinkAnchor>
        }
        unfinished={unfinished}
        unfinishedCount={unfinishedCount}
        moreUnfinished={
          <LinkAnchor
            size="sm"
            to="/app/appointments"
            search={{ clinicId, status: 'checked_in', when: 'past' }}
          >
            {say({
              key: 'queue.moreUnfinished',
              values: { count: unfinishedCount - unfinished.length },
            })}
          </LinkAnchor>
        }
        departmentId={departmentId}
        departments={departments}
        now={now}
        mayOpen={mayIn(actor, 'can_view_history', clinicId)}
      />
    </Page>
  )
}

/** Also departments that were taken out of use while patients are there or will go there. */
function withDepartmentsInUse(
  people: OperationResult<'queue.list'>['people'],
  departments: OperationResult<'departments.names'>,
) {
  const known = new Map(departments.map(({ id, name }) => [id, name]))
  for (const { departmentId, department, status } of people.flatMap(({ steps }) => steps)) {
    const isAhead = status !== 'completed' && status !== 'cancelled'
    if (isAhead && departmentId && department && !known.has(departmentId))
      known.set(departmentId, department)
  }
  return [...known].map(([id, name]) => ({ id, name }))
}
