import { createFileRoute, useRouter } from '@tanstack/react-router'
import { toast } from '~/ui/toast'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { clinicRecord } from '~/records/clinic'
import { can } from '~/shared/actor'
import { forbidden } from '~/shared/errors'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { asNotFound } from '~/ui/asNotFound'
import { FieldForm } from '~/ui/FieldForm'
import { useOwnId } from '~/ui/ownId'
import { Page } from '~/ui/Page'

export const Route = createFileRoute('/app/clinics/edit/{-$clinicId}')({
  beforeLoad: ({ context, params: { clinicId = 'new' } }) => {
    const isNew = clinicId === 'new'
    if (!can(context.actor, isNew ? 'create_clinic' : 'update_clinic')) throw forbidden()
  },
  gcTime: 0,
  loader: async ({ params: { clinicId = 'new' } }) =>
    clinicId === 'new'
      ? { clinic: undefined, id: newId() }
      : { ...(await api.clinics.get({ id: clinicId })), id: clinicId },
  onError: asNotFound,
  component: EditClinicPage,
})

function EditClinicPage() {
  const { clinic, id: loaded } = Route.useLoaderData()
  const id = useOwnId(loaded, clinic ? null : {})
  const say = useSay()
  const router = useRouter()
  const back = clinic ? `/app/clinics/${id}` : '/app/clinics'
  return (
    <Page
      narrow
      title={clinic ? 'clinics.edit' : 'clinics.add'}
      crumbs={[
        { label: 'clinics.title', to: '/app/clinics' },
        ...(clinic ? [{ label: { text: clinic.name }, to: back }] : []),
      ]}
    >
      <FieldForm
        fields={clinicRecord.fields}
        values={clinic}
        submit="common.save"
        cancel={
          <LinkButton variant="default" to={back}>
            {say('common.cancel')}
          </LinkButton>
        }
        onSubmit={async (values) => {
          await api.clinics.save({ id, last_modified: clinic?.last_modified, ...values })
          await router.invalidate()
          toast.success(
            say(
              clinic ? 'common.saved' : { key: 'clinics.addedDone', values: { name: values.name } },
            ),
          )
          await router.navigate({ to: '/app/clinics/$clinicId', params: { clinicId: id } })
        }}
      />
    </Page>
  )
}
