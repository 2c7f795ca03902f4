import { createFileRoute } from '@tanstack/react-router'
import { NoPatient } from '~/features/record/timeline/NoPatient'
import { PatientRecord } from '~/features/record/timeline/PatientRecord'
import { loadRecord } from '~/features/record/timeline/record'
import { patientPageSearch } from '~/features/record/timeline/tabs'
import { seeAppointments } from '~/policy/rules'
import { mayAnywhere } from '~/shared/actor'
import { asNotFound } from '~/ui/asNotFound'
import { NotFoundView } from '~/ui/NotFoundView'
import { PageSkeleton } from '~/ui/PageSkeleton'

export const Route = createFileRoute('/app/patients/$patientId')({
  validateSearch: patientPageSearch,
  loaderDeps: ({ search: { tab, page } }) => ({ tab, page }),
  loader: async ({ params: { patientId }, deps, context: { actor } }) =>
    patientId !== 'new'
      ? loadRecord(patientId, { ...deps, appointments: mayAnywhere(actor, ...seeAppointments) })
      : null,
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  notFoundComponent: () => <NotFoundView text={{ key: 'patients.notFound' }} />,
  component: PatientPage,
})

function PatientPage() {
  const record = Route.useLoaderData()
  const { actor, viewer } = Route.useRouteContext()
  const navigate = Route.useNavigate()
  if (!record) return <NoPatient actor={actor} />
  return (
    <PatientRecord
      // a dialog that is open for one patient must not stay open for the next
      key={record.patient.id}
      record={record}
      actor={actor}
      language={viewer.language}
      onTab={(tab) => void navigate({ search: { tab }, resetScroll: false })}
    />
  )
}
