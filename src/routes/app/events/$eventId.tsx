import { Paper, Stack } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod'
import { api } from '~/client/api'
import { loadBanner } from '~/features/care/banner/load-banner'
import { AboutPatient } from '~/features/care/banner/PatientBanner'
import { DiagnosisOffers } from '~/features/forms/events/filling/DiagnosisOffers'
import { EventActions } from '~/features/forms/events/EventActions'
import { EventMoment } from '~/features/forms/events/EventMoment'
import { EventAnswers } from '~/features/forms/events/EventAnswers'
import { EventHistory } from '~/features/forms/events/EventHistory'
import type { WholeEvent } from '~/features/forms/events/events.server'
import type { Diagnosis } from '~/forms/answers'
import { Arrived } from '~/features/medicines/safety/Arrived'
import { WarningList } from '~/features/medicines/safety/WarningList'
import { RecordFrame } from '~/features/record/timeline/RecordFrame'
import { withBirthPrecision } from '~/features/people/patients/patient'
import { mayAnywhere, mayIn } from '~/shared/actor'
import { notFound } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { asNotFound } from '~/ui/asNotFound'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'

export const Route = createFileRoute('/app/events/$eventId')({
  loader: async ({ params: { eventId: id } }) => {
    if (!z.uuid().safeParse(id).success) throw notFound('events.notFound')
    const [event, changes] = await Promise.all([api.events.get({ id }), api.events.history({ id })])
    const hasDiagnoses = event.fields.some(({ fieldType }) => fieldType === 'diagnosis')
    const patient = { patientId: event.patient_id }
    const [problems, banner] = await Promise.all([
      hasDiagnoses ? api.problems.list(patient) : [],
      loadBanner(event.patient_id),
    ])
    return { event, changes, problems, banner }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: EventPage,
})

/** What the notice above does not say already. */
const stillToShow = (safety: WholeEvent['safety']) =>
  safety?.warnings.filter(({ key }) => !safety.unseen.some((warning) => warning.key === key)) ?? []

function EventPage() {
  const { event, changes, problems, banner } = Route.useLoaderData()
  const { actor, viewer } = Route.useRouteContext()
  const say = useSay()
  useLive('patients.banner', 'events.get', 'events.history', 'problems.list')
  const { subject, visit, title } = event
  const patient = subject.patient || say('patientSearch.unnamed')
  const mayWrite = visit
    ? mayIn(actor, 'can_edit_records', visit.clinic_id) && !visit.is_archived
    : false
  return (
    <RecordFrame
      name={subject.patient}
      patient={{
        date_of_birth: subject.birth,
        metadata: withBirthPrecision(null, subject.precision),
      }}
    >
      <AboutPatient patientId={event.patient_id} loaded={banner}>
        <Page
          title={{ text: title || say('events.one') }}
          lead={
            <>
              <bdi>{patient}</bdi>
              {visit && (
                <>
                  {' · '}
                  <bdi>{visit.clinic}</bdi>
                </>
              )}
              {' · '}
              <EventMoment {...event} />
              {event.recorded_by && (
                <>
                  {' · '}
                  <bdi>{event.recorded_by}</bdi>
                </>
              )}
              {event.sent_by && (
                <>
                  {' · '}
                  {say({ key: 'common.sentBy', values: { name: event.sent_by } })}
                </>
              )}
            </>
          }
          crumbs={[
            { label: 'patients.title', to: '/app/patients' },
            { label: { text: patient }, to: `/app/patients/${event.patient_id}` },
          ]}
          actions={
            <EventActions
              event={event}
              mayPrescribe={mayAnywhere(actor, 'can_prescribe_medications')}
            />
          }
        >
          <Stack gap="lg">
            {event.safety && (
              <Arrived unseen={event.safety.unseen} isUnchecked={event.safety.isUnchecked} />
            )}
            <Paper withBorder p={{ base: 'md', sm: 'lg' }}>
              <EventAnswers
                {...event}
                beside={(field, answer) => {
                  if (field.fieldType === 'medicine')
                    return <WarningList warnings={stillToShow(event.safety)} />
                  if (field.fieldType === 'diagnosis')
                    return (
                      <DiagnosisOffers
                        diagnoses={(answer ?? []) as Diagnosis[]}
                        event={event}
                        problems={problems}
                        mayWrite={mayWrite}
                        language={viewer.language}
                      />
                    )
                  return null
                }}
              />
            </Paper>
            <EventHistory changes={changes} />
          </Stack>
        </Page>
      </AboutPatient>
    </RecordFrame>
  )
}
