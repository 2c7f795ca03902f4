import { Button, Text } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { AboutPatient } from '~/features/care/banner/PatientBanner'
import { RecordFrame } from '~/features/record/timeline/RecordFrame'
import { PATIENT_ACCESS_FILTERS, patientAccessSearch } from '~/features/office/audit/access-search'
import { PatientAccessTable } from '~/features/office/audit/PatientAccessTable'
import { DaysFilter, TrailUserFilter } from '~/features/office/audit/TrailFilters'
import { patientName, withBirthPrecision } from '~/features/people/patients/patient'
import { mayAnywhere } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { asNotFound } from '~/ui/asNotFound'
import { ClearFilters, FilterRow, narrowing } from '~/ui/filters'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { usePrint } from '~/ui/print'
import { onlyFor } from '~/ui/onlyFor'

export const Route = createFileRoute('/app/patients/seen/$patientId')({
  validateSearch: patientAccessSearch,
  beforeLoad: onlyFor((actor) => mayAnywhere(actor, 'is_clinic_admin')),
  loaderDeps: ({ search }) => search,
  loader: ({ params: { patientId }, deps }) => api.patients.accesses({ patientId, ...deps }),
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: PatientAccessesPage,
})

function PatientAccessesPage() {
  const say = useSay()
  const search = Route.useSearch()
  const { patientId } = Route.useParams()
  const { patient, users, rows, pagination } = Route.useLoaderData()
  const { print, pending } = usePrint([patientId])
  const name = patientName(patient) || say('patientPage.noName')
  const isNarrowed = narrowing(search, PATIENT_ACCESS_FILTERS) > 0
  return (
    <RecordFrame
      name={patientName(patient)}
      patient={{
        date_of_birth: patient.date_of_birth,
        metadata: withBirthPrecision(null, patient.birth_precision),
      }}
    >
      <AboutPatient patientId={patientId}>
        <Page
          title="accesses.ofPatient"
          lead={say('accesses.ofPatientLead')}
          crumbs={[
            { label: 'nav.patients', to: '/app/patients' },
            { label: { text: name }, to: `/app/patients/${patientId}` },
          ]}
          actions={
            <Button
              data-print="no"
              leftSection={<IconPrinter size={16} aria-hidden />}
              loading={pending}
              onClick={() => void print()}
            >
              {say('accesses.print')}
            </Button>
          }
        >
          <Text fw={600}>
            <bdi>{name}</bdi>
          </Text>
          <FilterRow search={search} filters={PATIENT_ACCESS_FILTERS}>
            <TrailUserFilter users={users} userId={search.userId} />
            <DaysFilter {...search} />
          </FilterRow>
          <PatientAccessTable
            rows={rows}
            pagination={pagination}
            empty={isNarrowed ? 'accesses.noMatch' : 'accesses.empty'}
            emptyAction={isNarrowed && <ClearFilters filters={PATIENT_ACCESS_FILTERS} />}
          />
        </Page>
      </AboutPatient>
    </RecordFrame>
  )
}
