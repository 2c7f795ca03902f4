import { IconPill, IconPlus, IconShieldExclamation } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import {
  PRESCRIPTION_FILTERS,
  PrescriptionFilters,
} from '~/features/medicines/prescriptions/PrescriptionFilters'
import { PrescriptionsTable } from '~/features/medicines/prescriptions/PrescriptionsTable'
import { prescriptionSearch } from '~/features/medicines/prescriptions/prescription-search'
import { mayAnywhere } from '~/shared/actor'
import { forbidden } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { EmptyState } from '~/ui/EmptyState'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { narrowing } from '~/ui/filters'
import { SaveAsFile } from '~/ui/SaveAsFile'

export const Route = createFileRoute('/app/prescriptions/')({
  validateSearch: prescriptionSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ deps, context: { actor } }) => {
    if (
      !mayAnywhere(
        actor,
        'can_view_history',
        'can_dispense_medications',
        'can_prescribe_medications',
      )
    )
      throw forbidden()
    // a prescriber without access to the history can only write new ones
    if (!mayAnywhere(actor, 'can_view_history', 'can_dispense_medications')) return null
    const [list, clinics, users] = await Promise.all([
      api.prescriptions.list(deps),
      api.clinics.names({}),
      api.users.names({}),
    ])
    return { ...list, clinics, users }
  },
  pendingComponent: PageSkeleton,
  component: PrescriptionsPage,
})

function PrescriptionsPage() {
  const data = Route.useLoaderData()
  const search = Route.useSearch()
  const { actor, viewer } = Route.useRouteContext()
  const say = useSay()
  useLive('prescriptions.list', 'clinics.names', 'users.names')
  const mayPrescribe = mayAnywhere(actor, 'can_prescribe_medications')
  const add = mayPrescribe && <NewPrescription />
  if (!data) {
    return (
      <Page title="prescriptions.title" actions={add}>
        <EmptyState title="prescriptions.noRight" text="prescriptions.noRightText" />
      </Page>
    )
  }
  const { rows, pagination, clinics, users } = data
  return (
    <Page
      title="prescriptions.title"
      actions={
        <>
          {mayAnywhere(actor, 'is_clinic_admin', 'can_prescribe_medications') && (
            <LinkButton
              variant="default"
              leftSection={<IconShieldExclamation size={16} aria-hidden />}
              to="/app/prescriptions/overrides"
            >
              {say('safety.overrides')}
            </LinkButton>
          )}
          {mayAnywhere(actor, 'can_dispense_medications') && (
            <LinkButton
              variant="default"
              leftSection={<IconPill size={16} aria-hidden />}
              to="/app/dispensing"
            >
              {say('dispensing.title')}
            </LinkButton>
          )}
          {mayAnywhere(actor, 'can_download_patient_reports') && (
            <SaveAsFile
              from="/api/prescriptions/export"
              filter={{ ...search, page: undefined }}
              language={viewer.language}
              name={say('prescriptions.title')}
            />
          )}
          {add}
        </>
      }
    >
      <PrescriptionFilters search={search} clinics={clinics} users={users} />
      <PrescriptionsTable
        rows={rows}
        pagination={pagination}
        actor={actor}
        empty={
          narrowing(search, PRESCRIPTION_FILTERS) > 0 ? 'table.noMatch' : 'prescriptions.empty'
        }
        emptyAction={add}
      />
    </Page>
  )
}

function NewPrescription() {
  const say = useSay()
  return (
    <LinkButton
      leftSection={<IconPlus size={16} aria-hidden />}
      to="/app/prescriptions/edit/{-$prescriptionId}"
      params={{ prescriptionId: 'new' }}
    >
      {say('prescriptions.new')}
    </LinkButton>
  )
}
