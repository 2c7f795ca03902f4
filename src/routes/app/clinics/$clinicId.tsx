import { Alert, Group } from '@mantine/core'
import { IconArchive, IconPencil } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { ClinicMenuButton } from '~/features/office/clinics/ClinicMenu'
import { Departments } from '~/features/office/clinics/Departments'
import { clinicContactValues } from '~/records/clinic'
import { can, mayIn } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { asNotFound } from '~/ui/asNotFound'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'

export const Route = createFileRoute('/app/clinics/$clinicId')({
  loader: ({ params: { clinicId } }) => api.clinics.get({ id: clinicId }),
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: ClinicPage,
})

function ClinicPage() {
  const { clinic, departments } = Route.useLoaderData()
  const { actor } = Route.useRouteContext()
  const say = useSay()
  const contact = clinicContactValues(clinic)
  useLive('clinics.get')
  return (
    <Page
      title={{ text: clinic.name }}
      crumbs={[{ label: 'clinics.title', to: '/app/clinics' }]}
      lead={
        contact.length > 0 &&
        contact.map((value, at) => (
          <span key={value}>
            {at > 0 && ' · '}
            <bdi style={{ whiteSpace: 'pre-line' }}>{value}</bdi>
          </span>
        ))
      }
      actions={
        can(actor, 'update_clinic') && (
          <Group gap="xs">
            {!clinic.is_archived && (
              <LinkButton
                variant="default"
                leftSection={<IconPencil size={16} aria-hidden />}
                to="/app/clinics/edit/{-$clinicId}"
                params={{ clinicId: clinic.id }}
              >
                {say('common.edit')}
              </LinkButton>
            )}
            <ClinicMenuButton clinic={clinic} />
          </Group>
        )
      }
    >
      {clinic.is_archived && (
        <Alert color="gray" icon={<IconArchive size={18} aria-hidden />}>
          {say('clinics.archivedReadOnly')}
        </Alert>
      )}
      <Departments
        clinicId={clinic.id}
        departments={departments}
        mayChange={!clinic.is_archived && mayIn(actor, 'is_clinic_admin', clinic.id)}
      />
    </Page>
  )
}
