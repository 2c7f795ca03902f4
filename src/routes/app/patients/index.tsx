import { IconArrowMerge, IconPlus } from '@tabler/icons-react'
import { createFileRoute, redirect } from '@tanstack/react-router'
import { useState } from 'react'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { EmergencySearch } from '~/features/record/sharing/EmergencySearch'
import { patientOfCard } from '~/features/people/patients/card/card'
import { MarkedPatients } from '~/features/people/patients/duplicates/MarkedPatients'
import { PATIENT_FILTERS, PatientFilters } from '~/features/people/patients/search/PatientFilters'
import { PatientTable } from '~/features/people/patients/search/PatientTable'
import { patientSearch } from '~/features/people/patients/search/search'
import { formField } from '~/features/people/registration/form-fields'
import { knowPatient } from '~/policy/rules'
import { can, mayAnywhere } from '~/shared/actor'
import { forbidden } from '~/shared/errors'
import { FILE_FORMATS } from '~/shared/list-file'
import { useSay } from '~/shared/say'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { SaveAsFile } from '~/ui/SaveAsFile'
import { ClearFilters, narrowing } from '~/ui/filters'

export const Route = createFileRoute('/app/patients/')({
  validateSearch: patientSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ deps, context: { actor } }) => {
    if (!mayAnywhere(actor, ...knowPatient.permissions)) throw forbidden()
    const [list, clinics, form] = await Promise.all([
      api.patients.list(deps),
      api.clinics.names({}),
      api.registrationForm.get(),
    ])
    // a scanned card opens its record
    const [only] = list.patients
    if (deps.search && only && list.pagination.total === 1 && patientOfCard(deps.search))
      throw redirect({ to: '/app/patients/$patientId', params: { patientId: only.id } })
    return { ...list, clinics, form }
  },
  pendingComponent: PageSkeleton,
  component: PatientsPage,
})

/** Records that are a file by the filter of the patients: `fileOfEntries`. */
const ENTRIES = ['immunizations'] as const

function PatientsPage() {
  const { patients, pagination, form, clinics } = Route.useLoaderData()
  const search = Route.useSearch()
  const { actor, viewer } = Route.useRouteContext()
  const [marked, setMarked] = useState<string[]>([])
  const say = useSay()
  useLive('patients.list', 'clinics.names', 'registrationForm.get')
  const sexField = form.fields.find(({ column, baseField }) => baseField && column === 'sex')
  const isFiltered = narrowing(search, PATIENT_FILTERS) > 0
  const entries = ENTRIES.flatMap((noun) => {
    const name = say(`${noun}.title`)
    return FILE_FORMATS.map((format) => ({
      format,
      label: { key: `listFile.${format}Of`, values: { list: name } } as const,
      from: `/api/${noun}/export`,
      name,
    }))
  })
  const mayDelete = can(actor, 'delete_patient') && mayAnywhere(actor, 'can_delete_patient_records')
  const mayMerge = mayDelete && can(actor, 'update_patient')
  const register = can(actor, 'create_patient') && mayAnywhere(actor, 'can_register_patients') && (
    <Register />
  )
  return (
    <Page
      title="patients.title"
      actions={
        <>
          {mayMerge && (
            <LinkButton
              variant="default"
              leftSection={<IconArrowMerge size={16} aria-hidden />}
              to="/app/patients/merge"
            >
              {say('patientSearch.merge')}
            </LinkButton>
          )}
          {mayAnywhere(actor, 'can_download_patient_reports') && (
            <SaveAsFile
              from="/api/patients/export"
              filter={{ ...search, page: undefined }}
              language={viewer.language}
              name={say('patients.title')}
              also={mayAnywhere(actor, 'can_view_history') ? entries : []}
            />
          )}
          {register}
        </>
      }
    >
      <PatientFilters
        search={search}
        clinics={clinics}
        sexes={(sexField && formField(sexField, viewer.language).options) || []}
        withVisits={mayAnywhere(actor, 'can_view_history')}
      />
      {marked.length > 0 && (
        <MarkedPatients
          ids={marked}
          pageIds={patients.map(({ id }) => id)}
          set={setMarked}
          mayMerge={mayMerge}
        />
      )}
      <PatientTable
        patients={patients}
        pagination={pagination}
        form={form}
        language={viewer.language}
        marked={mayDelete ? { ids: marked, set: setMarked } : undefined}
        empty={isFiltered ? 'table.noMatch' : 'patientSearch.empty'}
        emptyAction={isFiltered ? <ClearFilters filters={PATIENT_FILTERS} /> : register}
      />
      {search.search && patients.length === 0 && actor.role === 'provider' && (
        <EmergencySearch key={search.search} search={search.search} />
      )}
    </Page>
  )
}

function Register() {
  const say = useSay()
  return (
    <LinkButton leftSection={<IconPlus size={16} aria-hidden />} to="/app/patients/register">
      {say('patientSearch.register')}
    </LinkButton>
  )
}
