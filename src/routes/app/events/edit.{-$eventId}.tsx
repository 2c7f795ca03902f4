import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { loadBanner } from '~/features/care/banner/load-banner'
import { AboutPatient } from '~/features/care/banner/PatientBanner'
import { NewEvent } from '~/features/forms/events/event'
import { FillForm } from '~/features/forms/events/filling/FillForm'
import { localized } from '~/forms/translations'
import { AppError, notFound } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { id, defineSearch } from '~/shared/search-params'
import { asNotFound } from '~/ui/asNotFound'
import { Moment } from '~/ui/Moment'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'

/** `new?visitId=…&formId=…` fills in a form for a visit; an event's id changes it. */
const readSearch = defineSearch({ visitId: id, formId: id })

export const Route = createFileRoute('/app/events/edit/{-$eventId}')({
  validateSearch: readSearch,
  loaderDeps: ({ search: { visitId, formId } }) => ({ visitId, formId }),
  gcTime: 0,
  loader: async ({ params: { eventId = 'new' }, deps }) => {
    const filled = await (eventId === 'new' ? started(deps) : changed(eventId))
    return { ...filled, banner: await loadBanner(filled.start.subject.patient_id) }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: FillPage,
})

async function started(deps: { visitId?: string; formId?: string }) {
  const asked = NewEvent.safeParse(deps)
  if (!asked.success) throw notFound('eventForms.notFound')
  return { start: await api.events.new(asked.data), formId: asked.data.formId }
}

async function changed(eventId: string) {
  if (!z.uuid().safeParse(eventId).success) throw notFound('events.notFound')
  const start = await api.events.get({ id: eventId })
  if (!start.form_id) throw new AppError('conflict', { key: 'events.formUnknown' })
  if (start.is_editable === false) throw new AppError('conflict', { key: 'events.notEditable' })
  if (!start.mayChange) throw new AppError('forbidden', { key: 'errors.forbidden' })
  return { start, formId: start.form_id }
}

function FillPage() {
  const { start, formId, banner } = Route.useLoaderData()
  const { actor, viewer } = Route.useRouteContext()
  const say = useSay()
  const { subject, visit } = start
  const patientPage = `/app/patients/${subject.patient_id}`
  return (
    <AboutPatient patientId={subject.patient_id} loaded={banner}>
      <Page
        title={{ text: localized(start.form, viewer.language).name }}
        lead={
          <>
            <bdi>{subject.patient || say('patientSearch.unnamed')}</bdi>
            {visit && (
              <>
                {' · '}
                <bdi>{visit.clinic}</bdi> · <Moment at={visit.check_in_timestamp} />
              </>
            )}
          </>
        }
        crumbs={[
          { label: 'patients.title', to: '/app/patients' },
          { label: { text: subject.patient || say('patientSearch.unnamed') }, to: patientPage },
        ]}
      >
        <FillForm
          key={'id' in start ? start.id : `${visit?.id} ${formId}`}
          start={start}
          formId={formId}
          userId={actor.userId}
          language={viewer.language}
          cancel={
            <LinkButton
              variant="default"
              to="/app/patients/$patientId"
              params={{ patientId: subject.patient_id }}
              search={{ tab: 'visits' }}
            >
              {say('common.cancel')}
            </LinkButton>
          }
        />
      </Page>
    </AboutPatient>
  )
}
