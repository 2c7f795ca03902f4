import { Alert, Button, Stack, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { createFileRoute, redirect, useRouter } from '@tanstack/react-router'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { mayAdminister } from '~/features/forms/event-forms/event-form'
import { emptyForm } from '~/features/forms/event-forms/builder/form-draft'
import { FormBuilder } from '~/features/forms/event-forms/builder/FormBuilder'
import { localized } from '~/forms/translations'
import { clinicsWhere, isAdmin, mayAnywhere } from '~/shared/actor'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { asNotFound } from '~/ui/asNotFound'
import { confirm } from '~/ui/confirm'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { onlyFor } from '~/ui/onlyFor'

export const Route = createFileRoute('/app/event-forms/edit/{-$formId}')({
  beforeLoad: onlyFor((actor) => mayAnywhere(actor, 'is_clinic_admin')),
  gcTime: 0,
  loader: async ({ params: { formId = 'new' }, context: { actor, viewer } }) => {
    const isNew = formId === 'new'
    const [form, update, names] = await Promise.all([
      isNew ? undefined : api.eventForms.get({ id: formId }),
      isNew ? undefined : api.eventForms.starterUpdate({ id: formId }),
      api.clinics.names({}),
    ])
    // read by all who work there, changed by those who administer every clinic that it is for
    if (form && !mayAdminister(actor, form.clinic_ids))
      throw redirect({
        to: '/app/event-forms/versions/$formId',
        params: { formId: form.id },
        replace: true,
      })
    const own = clinicsWhere(actor, 'is_clinic_admin')
    const clinics = own === 'all' ? names : names.filter(({ id }) => own.includes(id))
    const start = form ?? {
      id: newId(),
      ...emptyForm(viewer.language, isAdmin(actor) ? [] : clinics.map(({ id }) => id)),
    }
    return { form, start, clinics, hasUpdate: update?.available === true }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: BuilderPage,
})

function BuilderPage() {
  const { form, start, clinics, hasUpdate } = Route.useLoaderData()
  const { actor, viewer } = Route.useRouteContext()
  const say = useSay()
  useLive('eventForms.get', 'eventForms.starterUpdate', 'clinics.names')
  return (
    <Page
      title={form ? { text: localized(form, viewer.language).name } : 'eventForms.add'}
      lead={
        form &&
        say({
          key: 'formBuilder.versionAndAnswers',
          values: { version: form.version, answers: form.answers },
        })
      }
      crumbs={[{ label: 'eventForms.title', to: '/app/event-forms' }]}
      actions={
        form && (
          <LinkButton
            variant="default"
            leftSection={<IconHistory size={16} aria-hidden />}
            to="/app/event-forms/versions/$formId"
            params={{ formId: form.id }}
          >
            {say('eventForms.versions')}
          </LinkButton>
        )
      }
    >
      {form && hasUpdate && <Update id={form.id} />}
      <FormBuilder
        key={form ? `${form.id} ${hasUpdate}` : 'new'}
        start={start}
        userId={actor.userId}
        language={viewer.language}
        clinics={clinics}
        mayGiveToAll={isAdmin(actor)}
      />
    </Page>
  )
}

/** The library has a newer text of this form, which is unchanged since its installation. */
function Update({ id }: { id: string }) {
  const say = useSay()
  const router = useRouter()
  const { run, pending } = useAction()

  async function update() {
    const isMeant = await confirm({
      text: 'eventForms.updateAsks',
      action: 'eventForms.update',
    })
    if (!isMeant) return
    await run(() => api.eventForms.updateFromStarter({ id }), { success: 'eventForms.updated' })
    await router.invalidate()
  }

  return (
    <Alert color="yellow" mb="md">
      <Stack gap="xs" align="start">
        <Text size="sm">{say('eventForms.updateAvailable')}</Text>
        <Button size="xs" variant="default" onClick={() => void update()} disabled={pending}>
          {say('eventForms.update')}
        </Button>
      </Stack>
    </Alert>
  )
}
