import { Alert, Button, Group, Paper, Stack, Tabs } from '@mantine/core'
import { IconDoorExit, IconLock, IconUserQuestion } from '@tabler/icons-react'
import { createFileRoute, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useFormatter } from 'use-intl'
import { DeletePatient } from '~/features/patients/DeletePatient'
import { PatientDetails } from '~/features/patients/PatientDetails'
import { PatientHeader } from '~/features/patients/PatientHeader'
import { birthPrecisionOf, PatientId } from '~/features/patients/patient'
import { getPatient, patientRights } from '~/features/patients/patients.functions'
import { ProblemDialog } from '~/features/problems/ProblemDialog'
import { ProblemsTable } from '~/features/problems/ProblemsTable'
import { listProblems } from '~/features/problems/problems.functions'
import type { Problem } from '~/features/problems/problems.server'
import { getRegistrationForm } from '~/features/registration-form/registration-forms.functions'
import { Overview } from '~/features/timeline/Overview'
import { type Adding, PatientActions } from '~/features/timeline/PatientActions'
import { RecordFrame } from '~/features/timeline/RecordFrame'
import { patientSearch, type Tab, tabsFor } from '~/features/timeline/tabs'
import { Timeline } from '~/features/timeline/Timeline'
import { listTimeline } from '~/features/timeline/timeline.functions'
import { closeVisit, listVisits, openVisits, reopenVisit } from '~/features/visits/visits.functions'
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
import { AppError, notFound } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { clinicTimeZone, dayIn, monthsBetween } from '~/shared/zone'
import { useAction } from '~/ui/action'
import { EmptyState } from '~/ui/EmptyState'
import { ErrorView } from '~/ui/ErrorView'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'

export const Route = createFileRoute('/app/patients/$')({
  validateSearch: patientSearch,
  loaderDeps: ({ search: { tab, page } }) => ({ tab, page }),
  loader: async ({ params: { _splat }, deps }) => (_splat && _splat !== 'new' ? loadPatient(_splat, deps) : null),
  pendingComponent: PageSkeleton,
  errorComponent: ErrorView,
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

async function loadPatient(id: string, { tab: wanted, page }: { tab?: Tab; page?: number }) {
  if (!PatientId.safeParse({ id }).success) throw notFound('patients.notFound')
  const [{ patient }, rights] = await Promise.all([getPatient({ data: { id } }), patientRights({ data: { id } })])
  const today = dayIn(new Date(), clinicTimeZone())
  const months = patient.date_of_birth ? monthsBetween(patient.date_of_birth, today) : null
  const tabs = tabsFor(months, rights.see)
  const tab = wanted && tabs.includes(wanted) ? wanted : tabs[0]!
  const data = { patientId: id }
  const paged = { data: { ...data, page } }
  const on = <T,>(of: readonly Tab[], what: string, load: () => Promise<T>) =>
    of.includes(tab) ? orLogged(what, load()) : Promise.resolve(undefined)
  const [open, latest, problems, visits, vitals, trend, growth, timeline, form] = await Promise.all([
    rights.see ? orLogged('Failed to fetch visits:', openVisits({ data })) : null,
    on(['overview'], 'Failed to fetch vitals:', () => latestVital({ data })),
    on(['overview', 'problems'], 'Failed to fetch problems:', () => listProblems({ data })),
    on(['overview', 'visits'], 'Failed to fetch visits:', () => listVisits(paged)),
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
    problems,
    visits,
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
  return loaded ? <Record loaded={loaded} /> : <NoPatient />
}

type Open = { kind: 'vital'; vital?: Vital } | { kind: 'problem'; problem?: Problem } | { kind: 'visit'; visit?: Visit }

function Record({ loaded }: { loaded: Loaded }) {
  const { patient, rights, months, tabs, tab, open } = loaded
  const { actor, viewer } = Route.useRouteContext()
  const say = useSay()
  const navigate = Route.useNavigate()
  const [dialog, setDialog] = useState<Open | null>(null)
  useLive('patients', 'patient_additional_attributes', 'visits', 'patient_vitals', 'patient_problems', 'patient_links')
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
  const { patient, rights, tab, latest, problems, visits, vitals, trend, growth, timeline, form } = loaded
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

type NoticeProps = { visit: Loaded['open'][number]; mayClose: boolean }

function OpenVisitNotice({ visit: { id, clinic, check_in_timestamp }, mayClose }: NoticeProps) {
  const say = useSay()
  const format = useFormatter()
  const { run, pending } = useAction()
  const day = { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const
  const time = format.dateTime(check_in_timestamp, day)
  return (
    <Alert color="sanad" py="xs" data-print="no">
      <Group justify="space-between" gap="xs">
        <span>{say({ key: 'patientPage.openSince', values: { time, clinic } })}</span>
        {mayClose && (
          <Button
            size="compact-sm"
            variant="default"
            loading={pending}
            leftSection={<IconDoorExit size={14} aria-hidden />}
            onClick={() =>
              void run(() => closeVisit({ data: { id } }), {
                success: 'visits.closedDone',
                undo: () => reopenVisit({ data: { id } }),
              })
            }
          >
            {say('visits.close')}
          </Button>
        )}
      </Group>
    </Alert>
  )
}

function NoPatient() {
  const say = useSay()
  const { actor } = Route.useRouteContext()
  return (
    <Page title="patients.one" crumbs={[{ label: 'patients.title', to: '/app/patients' }]}>
      <Paper withBorder>
        <EmptyState
          icon={IconUserQuestion}
          title="patientPage.noneTitle"
          text="patientPage.noneText"
          action={
            <Group mt="sm" gap="xs" justify="center">
              <Button variant="default" renderRoot={(props) => <Link to="/app/patients" {...props} />}>
                {say('patientPage.toList')}
              </Button>
              {can(actor, 'create_patient') && (
                <Button renderRoot={(props) => <Link to="/app/patients/register" {...props} />}>
                  {say('patientPage.register')}
                </Button>
              )}
            </Group>
          }
        />
      </Paper>
    </Page>
  )
}
