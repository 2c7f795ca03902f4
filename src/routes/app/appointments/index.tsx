import { IconCalendarPlus, IconCalendarWeek, IconWalk } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { maySeeIn } from '~/features/day/appointments/appointment'
import { appointmentSearch } from '~/features/day/appointments/appointment-search'
import {
  APPOINTMENT_FILTERS,
  AppointmentFilters,
} from '~/features/day/appointments/AppointmentFilters'
import { AppointmentsTable } from '~/features/day/appointments/AppointmentsTable'
import { seeAppointments } from '~/policy/rules'
import { mayAnywhere } from '~/shared/actor'
import { forbidden } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { SaveAsFile } from '~/ui/SaveAsFile'
import { ClearFilters, narrowing } from '~/ui/filters'

const NARROWED_BY = [...APPOINTMENT_FILTERS, 'search']

export const Route = createFileRoute('/app/appointments/')({
  validateSearch: appointmentSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ deps, context: { actor } }) => {
    if (!mayAnywhere(actor, ...seeAppointments)) throw forbidden()
    const { clinicId } = deps
    const [list, clinics, departments, providers] = await Promise.all([
      api.appointments.list(deps),
      api.clinics.names({}),
      api.departments.names({ clinicId }),
      api.users.names({ clinicId }),
    ])
    const seen = clinics.filter(({ id }) => maySeeIn(actor, id))
    return { list, choices: { clinics: seen, departments, providers } }
  },
  pendingComponent: PageSkeleton,
  component: AppointmentsPage,
})

function AppointmentsPage() {
  const { list, choices } = Route.useLoaderData()
  const search = Route.useSearch()
  const { actor, viewer } = Route.useRouteContext()
  const say = useSay()
  useLive('appointments.list', 'clinics.names', 'departments.names', 'users.names')
  const isNarrowed = narrowing(search, NARROWED_BY) > 0
  return (
    <Page
      title="appointments.title"
      actions={
        <>
          <LinkButton
            variant="default"
            leftSection={<IconCalendarWeek size={16} aria-hidden />}
            to="/app/appointments/calendar"
          >
            {say('appointments.calendar')}
          </LinkButton>
          {mayAnywhere(actor, 'can_download_patient_reports') && (
            <SaveAsFile
              from="/api/appointments/export"
              filter={{ ...search, page: undefined }}
              language={viewer.language}
              name={say('appointments.title')}
            />
          )}
          <WalkInButton />
          <BookButton />
        </>
      }
    >
      <AppointmentFilters search={search} choices={choices} />
      <AppointmentsTable
        {...list}
        actor={actor}
        empty={isNarrowed ? 'appointments.noMatch' : 'appointments.empty'}
        emptyAction={isNarrowed ? <ClearFilters filters={NARROWED_BY} /> : <BookButton />}
      />
    </Page>
  )
}

function BookButton() {
  const say = useSay()
  return (
    <LinkButton
      leftSection={<IconCalendarPlus size={16} aria-hidden />}
      to="/app/appointments/edit/{-$appointmentId}"
      params={{ appointmentId: 'new' }}
    >
      {say('appointments.book')}
    </LinkButton>
  )
}

function WalkInButton() {
  const say = useSay()
  return (
    <LinkButton
      variant="default"
      leftSection={<IconWalk size={16} aria-hidden />}
      to="/app/appointments/edit/{-$appointmentId}"
      params={{ appointmentId: 'new' }}
      search={{ walkIn: true }}
    >
      {say('appointments.addWalkIn')}
    </LinkButton>
  )
}
