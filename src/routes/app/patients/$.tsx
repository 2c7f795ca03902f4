import { Alert, Button, Group, Stack, Tabs } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { createFileRoute, notFound } from '@tanstack/react-router'
import { useState } from 'react'
import { AllergySummary } from '~/features/allergies/AllergyLine'
import { listAllergies } from '~/features/allergies/allergies.functions'
import { PatientAllergies } from '~/features/allergies/PatientAllergies'
import { SEE } from '~/features/appointments/appointment'
import { appointmentsByPatient, nextAppointment } from '~/features/appointments/appointments.functions'
import { PatientAppointments } from '~/features/appointments/PatientAppointments'
import { listSnapshots } from '~/features/events/events.functions'
import { DeletePatient } from '~/features/patients/DeletePatient'
import { PatientDetails } from '~/features/patients/PatientDetails'
import { PatientHeader } from '~/features/patients/PatientHeader'
import { birthPrecisionOf, PatientId } from '~/features/patients/patient'
import { getPatient, patientRights } from '~/features/patients/patients.functions'
import { PatientPrescriptions } from '~/features/prescriptions/PatientPrescriptions'
import { listPrescriptionDetails } from '~/features/prescriptions/prescriptions.functions'
import { ProblemDialog } from '~/features/problems/ProblemDialog'
import { ProblemsTable } from '~/features/problems/ProblemsTable'
import { listProblems } from '~/features/problems/problems.functions'
import type { Problem } from '~/features/problems/problems.server'
import { getRegistrationForm } from '~/features/registration-form/registration-forms.functions'
import { NoPatient } from '~/features/timeline/NoPatient'
import { Overview } from '~/features/timeline/Overview'
import { OpenVisitNotice } from '~/features/timeline/OpenVisitNotice'
import { type Adding, PatientActions } from '~/features/timeline/PatientActions'
import { RecordFrame } from '~/features/timeline/RecordFrame'
import { patientSearch, type Tab, tabsFor } from '~/features/timeline/tabs'
import { Timeline } from '~/features/timeline/Timeline'
import { listTimeline } from '~/features/timeline/timeline.functions'
import { listVisits, openVisits } from '~/features/visits/visits.functions'
import type { Visit } from '~/features/visits/visits.server'
import { VisitDialog } from '~/features/visits/VisitDialog'
import { VisitList } from '~/features/visits/VisitList'
import { GrowthCharts } from '~/features/vitals/GrowthCharts'
import { VitalCharts } from '~/features/vitals/VitalCharts'
import { VitalDialog } from '~/features/vitals/VitalDialog'
import { childGrowth, latestVital, listVitals, vitalTrend } from '~/features/vitals/vitals.functions'
import type { Vital } from '~/features/vitals/vitals.server'
import { VitalsTable } from '~/features/vitals/VitalsTable'
import { can, isAdmin, mayAnywhere, mayIn } from '~/shared/actor'
import { AppError } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { clinicTimeZone, dayIn, monthsBetween } from '~/shared/zone'
import { ErrorView } from '~/ui/ErrorView'
import { useLive } from '~/ui/live'
import { NotFoundView } from '~/ui/NotFoundView'
import { PageSkeleton } from '~/ui/PageSkeleton'

export const Route = createFileRoute('/app/patients/$')({
  validateSearch: patientSearch,
  loaderDeps: ({ search: { tab, page } }) => ({ tab, page }),
  loader: async ({ params: { _splat }, deps, context: { actor } }) =>
    _splat && _splat !== 'new' ? loadPatient(_splat, { ...deps, appointments: mayAnywhere(actor, ...SEE) }) : null,
  pendingComponent: PageSkeleton,
  errorComponent: ErrorView,
  notFoundComponent: () => <NotFoundView text={{ key: 'patients.notFound' }} />,
  component: PatientPage,
})

/** What could not be loaded is logged and left out; the rest of the page is shown (specification, section 8). */
async function orLogged<T>(what: string, work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') throw error
    // oxlint-disable-next-line no-console -- the specification words this line of the log
    console.error(what, error)
    return null
  }
}

/** The page is answered with 404 then, not as a failure of ours. */
function asNotFound(error: unknown): never {
  if (error instanceof AppError && error.code === 'not_found') throw notFound()
  throw error
}

async function loadPatient(
  id: string,
  { tab: wanted, page, appointments: seesAppointments }: { tab?: Tab; page?: number; appointments: boolean },
) {
  if (!PatientId.safeParse({ id }).success) throw notFound()
  const [{ patient }, rights] = await Promise.all([
    getPatient({ data: { id } }).catch(asNotFound),
    patientRights({ data: { id } }).catch(asNotFound),
  ])
  const today = dayIn(new Date(), clinicTimeZone())
  const months = patient.date_of_birth ? monthsBetween(patient.date_of_birth, today) : null
  const tabs = tabsFor(months, { history: rights.see, appointments: seesAppointments })
  const tab = wanted && tabs.includes(wanted) ? wanted : tabs[0]!
  const data = { patientId: id }
  const paged = { data: { ...data, page } }
  const on = <T,>(of: readonly Tab[], what: string, load: () => Promise<T>) =>
    of.includes(tab) ? orLogged(what, load()) : Promise.resolve(undefined)
  const [
    open,
    latest,
    next,
    appointments,
    problems,
    visits,
    snapshots,
    allergies,
    prescriptions,
    vitals,
    trend,
    growth,
    timeline,
    form,
  ] = await Promise.all([
    rights.see ? orLogged('Failed to fetch visits:', openVisits({ data })) : null,
    on(['overview'], 'Failed to fetch vitals:', () => latestVital({ data })),
    on(['overview'], 'Failed to fetch appointments:', () => nextAppointment({ data })),
    on(['appointments'], 'Failed to fetch appointments:', () => appointmentsByPatient(paged)),
    on(['overview', 'problems'], 'Failed to fetch problems:', () => listProblems({ data })),
    on(['overview', 'visits'], 'Failed to fetch visits:', () => listVisits(paged)),
    on(['overview'], 'Failed to fetch forms:', () => listSnapshots({ data })),
    rights.see ? orLogged('Failed to fetch allergies:', listAllergies({ data })) : null,
    on(['overview', 'prescriptions'], 'Failed to fetch prescriptions:', () => listPrescriptionDetails(paged)),
    on(['vitals'], 'Failed to fetch vitals:', () => listVitals(paged)),
    on(['vitals'], 'Failed to fetch vitals:', () => vitalTrend({ data })),
    on(['growth'], 'Failed to fetch vitals:', () => childGrowth({ data })),
    on(['timeline'], 'Failed to fetch timeline:', () => listTimeline(paged)),
    on(['details'], 'Failed to fetch registration form:', () => getRegistrationForm()),
  ])
  return {
    patient,
    rights,
    months,
    tabs,
    tab,
    open: open ?? [],
    latest,
    next,
    appointments,
    problems,
    visits,
    snapshots,
    allergies,
    prescriptions,
    vitals,
    trend,
    growth,
    timeline,
    form,
  }
}
type Loaded = Awaited<ReturnType<typeof loadPatient>>

function PatientPage() {
  const loaded = Route.useLoaderData()
  const { actor } = Route.useRouteContext()
  return loaded ? <Record loaded={loaded} /> : <NoPatient actor={actor} />
}

type Open = { kind: 'vital'; vital?: Vital } | { kind: 'problem'; problem?: Problem } | { kind: 'visit'; visit?: Visit }

function Record({ loaded }: { loaded: Loaded }) {
  const { patient, rights, months, tabs, tab, open } = loaded
  const { actor, viewer } = Route.useRouteContext()
  const say = useSay()
  const navigate = Route.useNavigate()
  const [dialog, setDialog] = useState<Open | null>(null)
  useLive(
    'patients',
    'patient_additional_attributes',
    'visits',
    'patient_vitals',
    'patient_problems',
    'events',
    'patient_allergies',
    'prescriptions',
    'prescription_items',
    'patient_links',
    'appointments',
  )
  const { language } = viewer
  const mayChange = can(actor, 'update_patient') && mayAnywhere(actor, 'can_register_patients', 'can_edit_records')
  const close = () => setDialog(null)
  const add = (kind: Adding) => setDialog({ kind })
  return (
    <RecordFrame>
      <PatientHeader
        patient={patient}
        mayChange={mayChange}
        actions={
          <PatientActions
            patientId={patient.id}
            mayWrite={rights.write}
            mayOpenVisit={mayAnywhere(actor, 'can_edit_records')}
            mayAudit={isAdmin(actor)}
            onAdd={add}
            remove={rights.removePatient && <DeletePatient patient={patient} />}
          />
        }
      />
      {rights.see && (
        <AllergySummary allergies={loaded.allergies?.filter(({ status }) => status === 'active') ?? null} />
      )}
      {open.map((visit) => (
        <OpenVisitNotice key={visit.id} visit={visit} mayClose={mayIn(actor, 'can_edit_records', visit.clinic_id)} />
      ))}
      {!rights.see && (
        <Alert color="gray" icon={<IconLock size={18} aria-hidden />}>
          {say('patientPage.identityOnly')}
        </Alert>
      )}
      <Tabs
        value={tab}
        onChange={(chosen) => void navigate({ search: { tab: chosen as Tab }, resetScroll: false })}
        keepMounted={false}
      >
        <Tabs.List
          aria-label={say('patientPage.tabs')}
          mb="md"
          data-print="no"
          style={{ flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden' }}
        >
          {tabs.map((name) => (
            <Tabs.Tab key={name} value={name} style={{ flexShrink: 0 }}>
              {say(`patientPage.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab}>
          <Part loaded={loaded} add={add} edit={setDialog} />
        </Tabs.Panel>
      </Tabs>
      {dialog?.kind === 'vital' && (
        <VitalDialog
          patientId={patient.id}
          vital={dialog.vital}
          visits={open.filter(({ clinic_id }) => mayIn(actor, 'can_edit_records', clinic_id))}
          isSmallChild={months !== null && months < 61}
          onClose={close}
        />
      )}
      {dialog?.kind === 'problem' && (
        <ProblemDialog
          patientId={patient.id}
          problem={dialog.problem}
          visitId={open.find(({ clinic_id }) => mayIn(actor, 'can_edit_records', clinic_id))?.id ?? null}
          language={language}
          onClose={close}
        />
      )}
      {dialog?.kind === 'visit' && (
        <VisitDialog patientId={patient.id} visit={dialog.visit} actor={actor} onClose={close} />
      )}
    </RecordFrame>
  )
}

type PartProps = { loaded: Loaded; add: (kind: Adding) => void; edit: (what: Open) => void }

function Part({ loaded, add, edit }: PartProps) {
  const { patient, rights, tab, latest, next, appointments, problems, visits, vitals, trend, growth, timeline, form } =
    loaded
  const { actor, viewer } = Route.useRouteContext()
  const say = useSay()
  const { language } = viewer
  const addButton = (kind: Adding, label: 'vitals.add' | 'problems.add' | 'visits.open') => (
    <Button variant="default" onClick={() => add(kind)}>
      {say(label)}
    </Button>
  )
  const mayOpenVisit = mayAnywhere(actor, 'can_edit_records')
  switch (tab) {
    case 'overview':
      return (
        <Overview
          latest={latest?.latest ?? null}
          problems={problems ?? null}
          visits={visits?.rows ?? null}
          snapshots={loaded.snapshots ?? null}
          prescriptions={loaded.prescriptions?.rows ?? null}
          next={next ?? null}
          actor={actor}
          language={language}
        />
      )
    case 'visits':
      return visits ? (
        <VisitList
          {...visits}
          actor={actor}
          language={language}
          onEdit={(visit) => edit({ kind: 'visit', visit })}
          open={mayOpenVisit && addButton('visit', 'visits.open')}
        />
      ) : (
        <Failed />
      )
    case 'vitals':
      return vitals ? (
        <Stack gap="md">
          {!patient.date_of_birth && <Alert color="yellow">{say('vitals.ageUnknown')}</Alert>}
          {trend && <VitalCharts vitals={trend} />}
          <VitalsTable
            {...vitals}
            mayEdit={rights.write}
            mayDelete={rights.remove}
            onEdit={(vital) => edit({ kind: 'vital', vital })}
            add={rights.write && addButton('vital', 'vitals.add')}
          />
        </Stack>
      ) : (
        <Failed />
      )
    case 'growth':
      return growth ? (
        <GrowthCharts growth={growth} isApproximate={birthPrecisionOf(patient.metadata) !== 'day'} />
      ) : (
        <Failed />
      )
    case 'problems':
      return problems ? (
        <Stack gap="sm">
          {rights.write && problems.length > 0 && (
            <Group justify="flex-end">{addButton('problem', 'problems.add')}</Group>
          )}
          <ProblemsTable
            rows={problems}
            language={language}
            mayEdit={rights.write}
            mayDelete={rights.remove}
            onEdit={(problem) => edit({ kind: 'problem', problem })}
            add={rights.write && addButton('problem', 'problems.add')}
          />
        </Stack>
      ) : (
        <Failed />
      )
    case 'appointments':
      return appointments ? <PatientAppointments {...appointments} patientId={patient.id} actor={actor} /> : <Failed />
    case 'prescriptions':
      return loaded.prescriptions ? (
        <PatientPrescriptions
          {...loaded.prescriptions}
          patientId={patient.id}
          visitId={loaded.open[0]?.id}
          actor={actor}
        />
      ) : (
        <Failed />
      )
    case 'allergies':
      return loaded.allergies ? (
        <PatientAllergies
          patientId={patient.id}
          allergies={loaded.allergies}
          mayEdit={rights.write}
          mayDelete={rights.remove}
          mayRestore={isAdmin(actor)}
        />
      ) : (
        <Failed />
      )
    case 'timeline':
      return timeline ? <Timeline {...timeline} language={language} /> : <Failed />
    case 'details':
      return form ? (
        <PatientDetails
          patient={patient}
          form={form}
          language={language}
          mayChange={can(actor, 'update_patient') && mayAnywhere(actor, 'can_register_patients', 'can_edit_records')}
        />
      ) : (
        <Failed />
      )
  }
}

function Failed() {
  return <Alert color="yellow">{useSay()('patientPage.partFailed')}</Alert>
}
