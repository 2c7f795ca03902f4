import { Paper, SimpleGrid } from '@mantine/core'
import { IconCalendarPlus, IconUserPlus } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { Suspense } from 'react'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { Care } from '~/features/reports/dashboard/Care'
import { Checklist } from '~/features/reports/dashboard/Checklist'
import { Numbers } from '~/features/reports/dashboard/Numbers'
import { Part, settlePart } from '~/features/reports/dashboard/Part'
import { StockNeeds } from '~/features/reports/dashboard/StockNeeds'
import {
  looksAfterAll,
  seesDay,
  seesNumbers,
  seesTrends,
  worksWithStock,
} from '~/features/reports/dashboard/summary'
import { Appointments, WaitingList } from '~/features/reports/dashboard/Today'
import { Trends } from '~/features/reports/dashboard/Trends'
import { type Actor, can, mayAnywhere } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { useNow, useToday } from '~/ui/clock'
import { EmptyState } from '~/ui/EmptyState'
import { useLive } from '~/ui/live'
import { Moment } from '~/ui/Moment'
import { Page } from '~/ui/Page'

export const Route = createFileRoute('/app/')({
  // with the first script: what follows the sign-in
  codeSplitGroupings: [],
  // promises: the page does not wait for the slowest part
  loader: ({ context: { actor } }) => ({
    stats: seesNumbers(actor) ? settlePart(api.summary.stats()) : null,
    day: seesDay(actor) ? settlePart(api.summary.day()) : null,
    stock: worksWithStock(actor) ? settlePart(api.summary.stock()) : null,
    trends: seesTrends(actor) ? settlePart(api.summary.trends()) : null,
    care: seesNumbers(actor) ? settlePart(api.summary.care()) : null,
    checklist: looksAfterAll(actor) ? settlePart(api.checklist.get()) : null,
  }),
  component: Dashboard,
})

/** What the morning needs: who is expected, who waits, what runs out. */
function Dashboard() {
  const { stats, day, stock, trends, care, checklist } = Route.useLoaderData()
  const { actor } = Route.useRouteContext()
  const now = useNow()
  // patients who come are checked in: the queue's news report visits, too, and counting all of them costs most
  useLive(
    'summary.stats',
    'summary.day',
    'summary.stock',
    'summary.trends',
    'summary.care',
    'checklist.get',
  )
  const today = useToday()
  return (
    <Page
      title={{ key: 'shell.welcome', values: { name: actor.name } }}
      lead={<Moment at={now} dayOnly />}
      actions={<DeskActions actor={actor} />}
    >
      <Suspense fallback={null}>
        {care && <Care coming={care} />}
        {checklist && <Checklist coming={checklist} />}
      </Suspense>
      {stats ? (
        <Numbers coming={stats} mayOpenForms={mayAnywhere(actor, 'is_clinic_admin')} />
      ) : (
        <NoClinic />
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        {day && (
          <Part coming={day} title="dashboard.waiting">
            {(data) => <WaitingList day={data} />}
          </Part>
        )}
        {day && (
          <Part coming={day} title="dashboard.today">
            {(data) => <Appointments day={data} />}
          </Part>
        )}
        {stock && (
          <Part coming={stock} title="dashboard.stock">
            {(data) => <StockNeeds stock={data} today={today} />}
          </Part>
        )}
        {trends && (
          <Part coming={trends} title="dashboard.trends" lines={8}>
            {(data) => <Trends days={data} />}
          </Part>
        )}
      </SimpleGrid>
    </Page>
  )
}

/** What the desk begins with, for people whose work it is. */
function DeskActions({ actor }: { actor: Actor }) {
  const say = useSay()
  if (
    !can(actor, 'create_patient') ||
    !mayAnywhere(actor, 'can_register_patients') ||
    worksWithStock(actor)
  )
    return null
  return (
    <>
      <LinkButton
        variant="default"
        leftSection={<IconCalendarPlus size={16} aria-hidden />}
        to="/app/appointments/edit/{-$appointmentId}"
        params={{ appointmentId: 'new' }}
      >
        {say('appointments.book')}
      </LinkButton>
      <LinkButton leftSection={<IconUserPlus size={16} aria-hidden />} to="/app/patients/register">
        {say('registration.title')}
      </LinkButton>
    </>
  )
}

const NoClinic = () => (
  <Paper withBorder>
    <EmptyState title="dashboard.noClinicTitle" text="dashboard.noClinicText" />
  </Paper>
)
