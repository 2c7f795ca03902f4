import { Group } from '@mantine/core'
import { IconBooks, IconPlus } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { LinkButton } from '~/client/links'
import { api, type OperationResult } from '~/client/api'
import { eventFormColumns, mayAdminister } from '~/features/forms/event-forms/event-form'
import { EventFormFilters } from '~/features/forms/event-forms/EventFormFilters'
import { EventFormMenu } from '~/features/forms/event-forms/EventFormMenu'
import { FormSwitch } from '~/features/forms/event-forms/FormSwitch'
import { type Actor, mayAnywhere } from '~/shared/actor'
import { LANGUAGES } from '~/shared/language'
import { useSay } from '~/shared/say'
import { id, oneOfOptions, defineSearch } from '~/shared/search-params'
import { type Column, fieldColumns } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { listParams } from '~/ui/listSearch'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { ClearFilters } from '~/ui/filters'

const readSearch = defineSearch({
  ...listParams,
  clinic: id,
  language: oneOfOptions(LANGUAGES),
})

export const Route = createFileRoute('/app/event-forms/')({
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ deps: { search, page, clinic, language } }) => {
    const [forms, clinics] = await Promise.all([
      api.eventForms.list({ search, page, clinicId: clinic, language }),
      api.clinics.names({}),
    ])
    return { ...forms, clinics }
  },
  component: EventFormsPage,
})

type Row = OperationResult<'eventForms.list'>['rows'][number]
type Clinic = { id: string; name: string }

function EventFormsPage() {
  const { rows, pagination, clinics } = Route.useLoaderData()
  const { clinic, language } = Route.useSearch()
  const { actor } = Route.useRouteContext()
  const say = useSay()
  useLive('eventForms.list', 'clinics.names')
  const mayAdd = mayAnywhere(actor, 'is_clinic_admin')
  const isFiltered = Boolean(clinic || language)
  return (
    <Page title="eventForms.title" lead={say('eventForms.lead')} actions={mayAdd && <AddForm />}>
      <EventFormFilters clinic={clinic} language={language} clinics={clinics} />
      <DataTable
        label="eventForms.title"
        columns={columnsFor(actor, clinics)}
        rows={rows}
        pagination={pagination}
        rowLink={({ id: formId, clinic_ids }) =>
          `/app/event-forms/${mayAdminister(actor, clinic_ids) ? 'edit' : 'versions'}/${formId}`
        }
        nameOf={({ name }) => name}
        actions={(form) => (
          <EventFormMenu
            form={form}
            mayChange={mayAdminister(actor, form.clinic_ids)}
            mayCopy={mayAdd}
          />
        )}
        empty={isFiltered ? 'table.noMatch' : 'eventForms.empty'}
        emptyAction={
          isFiltered ? <ClearFilters filters={['clinic', 'language']} /> : mayAdd && <AddForm />
        }
      />
    </Page>
  )
}

function columnsFor(actor: Actor, clinics: readonly Clinic[]): Column<Row>[] {
  const clinicColumn = {
    key: 'clinics',
    label: 'eventForms.clinics',
    cell: ({ clinic_ids }: Row) => <ClinicNames ids={clinic_ids} clinics={clinics} />,
  } as const
  const switchColumn = (name: 'is_editable' | 'is_snapshot_form') => ({
    key: name,
    label: eventFormColumns[name].label,
    cell: (form: Row) => (
      <FormSwitch form={form} name={name} mayChange={mayAdminister(actor, form.clinic_ids)} />
    ),
  })
  return [
    ...fieldColumns(eventFormColumns, ['name', 'language']),
    clinicColumn,
    ...fieldColumns(eventFormColumns, ['fields', 'answers']),
    switchColumn('is_editable'),
    switchColumn('is_snapshot_form'),
  ]
}

/** More names than these say less than their number. */
const NAMED = 2

function ClinicNames({ ids, clinics }: { ids: readonly string[]; clinics: readonly Clinic[] }) {
  const say = useSay()
  if (ids.length === 0) return say('eventForms.everyClinic')
  const names = ids.flatMap(
    (clinicId) => clinics.find((clinic) => clinic.id === clinicId)?.name ?? [],
  )
  if (ids.length > NAMED || names.length < ids.length)
    return say({ key: 'eventForms.clinicsCount', values: { count: ids.length } })
  return names.map((name, at) => (
    <span key={name}>
      {at > 0 && ' · '}
      <bdi>{name}</bdi>
    </span>
  ))
}

function AddForm() {
  const say = useSay()
  return (
    <Group gap="xs">
      <LinkButton
        leftSection={<IconPlus size={16} aria-hidden />}
        to="/app/event-forms/edit/{-$formId}"
        params={{ formId: 'new' }}
      >
        {say('eventForms.add')}
      </LinkButton>
      <LinkButton
        variant="default"
        leftSection={<IconBooks size={16} aria-hidden />}
        to="/app/event-forms/library"
      >
        {say('eventForms.library')}
      </LinkButton>
    </Group>
  )
}
