import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { BindingDialog } from '~/features/reports/definitions/BindingDialog'
import type { ListedBinding } from '~/features/reports/definitions/bindings.server'
import { isAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import type { Column } from '~/ui/columns'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { RecordList } from '~/ui/RecordList'
import { onlyFor } from '~/ui/onlyFor'

export const Route = createFileRoute('/app/reports/bindings')({
  beforeLoad: onlyFor(isAdmin),
  gcTime: 0,
  loader: async () => {
    const [rows, clinics] = await Promise.all([api.reportBindings.list({}), api.clinics.names({})])
    return { rows, clinics }
  },
  component: BindingsPage,
})

function BindingsPage() {
  const { rows, clinics } = Route.useLoaderData()
  const say = useSay()
  useLive('reportBindings.list', 'clinics.names')
  return (
    <Page
      title="reportBindings.title"
      lead={say('reportBindings.lead')}
      crumbs={[{ label: 'reportDefinitions.title', to: '/app/reports/definitions' }]}
    >
      <RecordList
        noun="reportBindings"
        rows={rows}
        columns={columns}
        nameOf={({ concept }) => concept}
        mayEdit
        mayDelete
        dialog={(binding, onClose) => (
          <BindingDialog
            binding={binding}
            clinics={clinics}
            concepts={[...new Set(rows.map(({ concept }) => concept))]}
            onClose={onClose}
          />
        )}
      />
    </Page>
  )
}

const columns: Column<ListedBinding>[] = [
  {
    key: 'concept',
    label: 'reportBindings.concept',
    cell: ({ concept }) => <bdi dir="ltr">{concept}</bdi>,
  },
  { key: 'form', label: 'reportBindings.form_id', cell: ({ form }) => <bdi>{form}</bdi> },
  {
    key: 'field',
    label: 'reportBindings.field_id',
    cell: ({ field, field_id }) => <FieldName name={field} isForm={field_id === null} />,
  },
  {
    key: 'option',
    label: 'reportBindings.option',
    cell: ({ option }) => <bdi>{option ?? '—'}</bdi>,
  },
  {
    key: 'when',
    label: 'reportBindings.when_field_id',
    cell: ({ when, when_field_id, when_option }) =>
      when_field_id === null ? '—' : <Condition field={when} option={when_option} />,
  },
  {
    key: 'clinic',
    label: 'reportBindings.clinic_id',
    cell: ({ clinic }) => <ClinicName name={clinic} />,
  },
]

function FieldName({ name, isForm }: { name: string | null; isForm: boolean }) {
  const say = useSay()
  return isForm ? (
    say('reportBindings.wholeForm')
  ) : (
    <bdi>{name ?? say('reportBindings.noField')}</bdi>
  )
}

function ClinicName({ name }: { name: string | null }) {
  const say = useSay()
  return name === null ? say('eventForms.everyClinic') : <bdi>{name}</bdi>
}

/** Only events with this answer count. */
function Condition({ field, option }: { field: string | null; option: string | null }) {
  return (
    <>
      <FieldName name={field} isForm={false} />: <bdi>{option ?? '—'}</bdi>
    </>
  )
}
