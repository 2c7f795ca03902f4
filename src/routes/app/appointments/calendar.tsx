import { Alert, Box, Button } from '@mantine/core'
import { IconCalendarPlus, IconList, IconPrinter } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { useFormatter } from 'use-intl'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { maySeeIn } from '~/features/day/appointments/appointment'
import { calendarSearch } from '~/features/day/appointments/appointment-search'
import {
  columnsByDay,
  columnsByDepartment,
  columnsByProvider,
  daysFrom,
  daysShown,
} from '~/features/day/appointments/calendar/calendar'
import classes from '~/features/day/appointments/calendar/Calendar.module.css'
import { CalendarBar } from '~/features/day/appointments/calendar/CalendarBar'
import { CalendarGrid } from '~/features/day/appointments/calendar/CalendarGrid'
import { CalendarMonth } from '~/features/day/appointments/calendar/CalendarMonth'
import { DayList } from '~/features/day/appointments/calendar/DayList'
import { Letterhead } from '~/ui/Letterhead'
import { seeAppointments } from '~/policy/rules'
import { mayAnywhere } from '~/shared/actor'
import { forbidden } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { clinicToday } from '~/shared/zone'
import { useNow, useToday } from '~/ui/clock'
import { useLive } from '~/ui/live'
import { OnEveryPage } from '~/ui/OnEveryPage'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { usePrint } from '~/ui/print'

export const Route = createFileRoute('/app/appointments/calendar')({
  validateSearch: calendarSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ deps, context: { actor, viewer } }) => {
    if (!mayAnywhere(actor, ...seeAppointments)) throw forbidden()
    const { clinicId, providerId, departmentId } = deps
    const day = deps.day ?? clinicToday()
    const view = deps.view ?? 'day'
    const shown = daysShown(view, day, viewer.language)
    const days = { ...shown, clinicId, providerId, departmentId }
    const [month, found, clinics, departments, providers] = await Promise.all([
      view === 'month' ? api.appointments.month(days) : null,
      view === 'month' ? { appointments: [], isCut: false } : api.appointments.calendar(days),
      api.clinics.names({}),
      api.departments.names({ clinicId }),
      api.users.names({ clinicId }),
    ])
    const seen = clinics.filter(({ id }) => maySeeIn(actor, id))
    return {
      month,
      ...found,
      ...shown,
      view,
      day,
      choices: { clinics: seen, departments, providers },
    }
  },
  pendingComponent: PageSkeleton,
  component: CalendarPage,
})

function CalendarPage() {
  const { month, appointments, isCut, from, to, view, day, choices } = Route.useLoaderData()
  const search = Route.useSearch()
  const { actor, viewer } = Route.useRouteContext()
  const say = useSay()
  const format = useFormatter()
  const [now, today] = [useNow(), useToday()]
  useLive(
    'appointments.month',
    'appointments.calendar',
    'clinics.names',
    'departments.names',
    'users.names',
  )
  const { print } = usePrint(appointments.map(({ patient_id }) => patient_id))
  const zone = viewer.timeZone
  const noon = (of: string) => new Date(`${of}T12:00:00Z`)
  const long = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const
  const heading = {
    day: () => format.dateTime(noon(day), { weekday: 'long', ...long }),
    // not formatRange: servers and browsers put different spaces into it
    week: () => `${format.dateTime(noon(from), long)} – ${format.dateTime(noon(to), long)}`,
    month: () => format.dateTime(noon(day), { month: 'long', year: 'numeric', timeZone: 'UTC' }),
  }[view]()
  const ofDay = search.by === 'department' ? columnsByDepartment : columnsByProvider
  const columns =
    view === 'day'
      ? ofDay(appointments, day, zone, viewer.language)
      : columnsByDay(appointments, daysFrom(from, to), zone)
  const unnamed = say(
    search.by === 'department' ? 'appointments.noDepartment' : 'appointments.noProvider',
  )
  const empty = { key: 'none', name: null, day, items: [] }
  return (
    <Page
      title={{ text: heading }}
      crumbs={[{ label: 'appointments.title', to: '/app/appointments' }]}
      actions={
        <>
          {view === 'day' && (
            <Button
              variant="default"
              className={classes.screen}
              leftSection={<IconPrinter size={16} aria-hidden />}
              onClick={() => void print()}
            >
              {say('appointments.print')}
            </Button>
          )}
          <LinkButton
            variant="default"
            className={classes.screen}
            leftSection={<IconList size={16} aria-hidden />}
            to="/app/appointments"
          >
            {say('appointments.list')}
          </LinkButton>
          <LinkButton
            className={classes.screen}
            leftSection={<IconCalendarPlus size={16} aria-hidden />}
            to="/app/appointments/edit/{-$appointmentId}"
            params={{ appointmentId: 'new' }}
            search={{ clinicId: search.clinicId }}
          >
            {say('appointments.book')}
          </LinkButton>
        </>
      }
    >
      <CalendarBar search={search} view={view} day={day} today={today} choices={choices} />
      {isCut && <Alert color="yellow">{say('appointments.isCut')}</Alert>}
      <Box className={classes.screen}>
        {month ? (
          <CalendarMonth
            days={month}
            shown={daysFrom(from, to)}
            month={day.slice(0, 7)}
            today={today}
            label={heading}
          />
        ) : (
          <CalendarGrid
            columns={columns.length > 0 ? columns : [empty]}
            unnamed={view === 'day' ? unnamed : null}
            clinicId={search.clinicId}
            now={now}
            actor={actor}
            label={heading}
          />
        )}
      </Box>
      {view === 'day' && (
        <Box className={classes.paper}>
          <OnEveryPage head={<b>{heading}</b>}>
            <Letterhead
              organization={viewer.organization}
              clinic={choices.clinics.find(({ id }) => id === search.clinicId)?.name}
            />
            <DayList appointments={appointments} day={day} label={heading} />
          </OnEveryPage>
        </Box>
      )}
    </Page>
  )
}
