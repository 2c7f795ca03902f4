import { IconPlus } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { ClinicMenu } from '~/features/office/clinics/ClinicMenu'
import { clinicColumns } from '~/features/office/clinics/clinic'
import { ClinicStatus } from '~/features/office/clinics/ClinicStatus'
import { can } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { fieldColumns } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'

export const Route = createFileRoute('/app/clinics/')({
  loader: () => api.clinics.list(),
  component: ClinicsPage,
})

function ClinicsPage() {
  const clinics = Route.useLoaderData()
  const { actor } = Route.useRouteContext()
  useLive('clinics.list')
  const status = {
    key: 'status',
    card: 'badge',
    label: 'clinics.status',
    cell: (clinic: (typeof clinics)[number]) => <ClinicStatus clinic={clinic} />,
  } as const
  return (
    <Page title="clinics.title" actions={can(actor, 'create_clinic') && <AddClinic />}>
      <DataTable
        label="clinics.title"
        columns={[...fieldColumns(clinicColumns), status]}
        rows={clinics}
        rowLink={({ id }) => `/app/clinics/${id}`}
        nameOf={({ name }) => name}
        actions={(clinic) => can(actor, 'update_clinic') && <ClinicMenu clinic={clinic} />}
        empty="clinics.empty"
        emptyAction={can(actor, 'create_clinic') && <AddClinic />}
      />
    </Page>
  )
}

function AddClinic() {
  const say = useSay()
  return (
    <LinkButton
      leftSection={<IconPlus size={16} aria-hidden />}
      to="/app/clinics/edit/{-$clinicId}"
      params={{ clinicId: 'new' }}
    >
      {say('clinics.add')}
    </LinkButton>
  )
}
