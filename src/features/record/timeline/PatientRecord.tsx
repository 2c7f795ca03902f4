import { Alert } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '~/client/api'
import { AllergySummary } from '~/features/care/allergies/AllergyLine'
import { AboutPatient } from '~/features/care/banner/PatientBanner'
import { isPregnancyRelevant } from '~/features/care/pregnancies/pregnancy'
import { patientBirth, patientName } from '~/features/people/patients/patient'
import { CheckInButton } from '~/features/day/queue/CheckInButton'
import { DeletePatient } from '~/features/people/patients/deletions/DeletePatient'
import { PatientHeader } from '~/features/people/patients/PatientHeader'
import { ProblemDialog } from '~/features/care/problems/ProblemDialog'
import { HiddenNotice } from '~/features/record/sharing/HiddenNotice'
import { VisitDialog } from '~/features/record/visits/VisitDialog'
import { NewWarnings } from '~/features/medicines/safety/NewWarnings'
import { keptInUnits, VitalDialog } from '~/features/care/vitals/VitalDialog'
import { seeAppointments } from '~/policy/rules'
import { type Actor, can, isAdmin, mayAnywhere, mayIn, readingOnly } from '~/shared/actor'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { useToday } from '~/ui/clock'
import { useLive } from '~/ui/live'
import { refreshedRow, useRefreshedRow } from '~/ui/newest'
import { isActiveAllergy } from '~/records/allergy'
import { OpenVisitNotice } from './OpenVisitNotice'
import classes from './Patient.module.css'
import { type Adding, PatientActions } from './PatientActions'
import type { LoadedRecord } from './record'
import { PatientTabs } from './PatientTabs'
import { RecordFrame } from './RecordFrame'
import { type Editing, RecordPart } from './RecordPart'
import { PARTS, type Tab } from './tabs'

type Props = { record: LoadedRecord; actor: Actor; language: Language; onTab: (tab: Tab) => void }

/** Who it is, what must not be overlooked, the tabs, and what is being written down. */
export function PatientRecord({ record, actor: viewer, language, onTab }: Props) {
  const { patient, banner, rights, tabs, tab, open, openToday } = record
  const say = useSay()
  const [editing, setEditing] = useState<Editing | null>(null)
  useLive('patients.get', 'patients.banner', 'patients.rights', ...Object.values(PARTS))
  // no clinic of the user is linked: what the user may do elsewhere is refused here
  const readsOnly =
    record.hidden?.emergencyUntil != null && record.hidden.clinics.length === 0 && !rights.write
  const actor = readsOnly ? readingOnly(viewer) : viewer
  const mayChange =
    can(actor, 'update_patient') && mayAnywhere(actor, 'can_register_patients', 'can_edit_records')
  const visitHere = openToday.find(({ clinic_id }) => mayIn(actor, 'can_edit_records', clinic_id))
  // a record of a patient who died stays open for corrections; nothing new is begun
  const mayBegin = patient.died_on === null && !readsOnly
  const mayOpenVisit = mayBegin && mayAnywhere(actor, 'can_edit_records') && openToday.length === 0
  const today = useToday()
  const add = (kind: Adding) => setEditing({ kind })
  return (
    <RecordFrame name={patientName(patient)} patient={patient}>
      <AboutPatient patientId={patient.id} loaded={banner} isTitle mayChangePhoto={mayChange}>
        <PatientHeader
          patient={patient}
          // the first tab is the patient's page itself
          part={tab === tabs[0] ? undefined : say(`patientPage.${tab}`)}
          actions={
            <>
              {mayBegin && mayAnywhere(actor, ...seeAppointments) && (
                <CheckInButton
                  patient={{
                    id: patient.id,
                    name: patientName(patient),
                    clinicId: patient.primary_clinic_id,
                  }}
                  actor={actor}
                  hasOpenVisit={openToday.length > 0}
                  waits={record.waits ?? []}
                  mayWrite={rights.write}
                />
              )}
              <PatientActions
                patientId={patient.id}
                mayWrite={rights.write}
                // a visit that is open, of today or earlier, has a line of its own that offers the next step
                mayOpenVisit={mayOpenVisit && open.length === 0}
                mayPrescribe={
                  mayBegin && rights.see && mayAnywhere(actor, 'can_prescribe_medications')
                }
                visitId={visitHere?.id}
                mayAudit={isAdmin(actor)}
                seesAccesses={rights.seesAccesses}
                mayRegisterNewborn={
                  !readsOnly &&
                  can(actor, 'create_patient') &&
                  mayAnywhere(actor, 'can_register_patients') &&
                  isPregnancyRelevant(patient.sex, patientBirth(patient), today)
                }
                onAdd={add}
                remove={rights.removePatient && <DeletePatient patient={patient} />}
              />
            </>
          }
        />
        {record.hidden && (
          <HiddenNotice
            hidden={record.hidden}
            patient={{ id: patient.id, name: patientName(patient) }}
            actor={actor}
          />
        )}
        {rights.see && tab !== 'overview' && (
          <div className={classes.printed}>
            <AllergySummary allergies={record.allergies?.filter(isActiveAllergy) ?? null} />
          </div>
        )}
        {record.unseen && <NewWarnings unseen={record.unseen} />}
        {open.map((visit, at) => (
          <OpenVisitNotice
            key={visit.id}
            patientId={patient.id}
            visit={visit}
            isOfToday={openToday.includes(visit)}
            mayClose={mayIn(actor, 'can_edit_records', visit.clinic_id)}
            onOpen={mayOpenVisit && at === 0 ? () => add('visit') : undefined}
          />
        ))}
        {!rights.see && (
          <Alert color="gray" icon={<IconLock size={18} aria-hidden />}>
            {say('patientPage.identityOnly')}
          </Alert>
        )}
        <PatientTabs tabs={tabs} tab={tab} onTab={onTab}>
          <RecordPart
            record={record}
            actor={actor}
            language={language}
            mayChange={mayChange}
            mayBegin={mayBegin}
            add={add}
            edit={setEditing}
          />
        </PatientTabs>
        {editing && (
          <EditingDialog
            record={record}
            editing={editing}
            actor={actor}
            language={language}
            onClose={() => setEditing(null)}
          />
        )}
      </AboutPatient>
    </RecordFrame>
  )
}

type EditingProps = Omit<Props, 'onTab'> & { editing: Editing; onClose: () => void }

function EditingDialog({
  record: { patient, months, open, openToday, vitals, problems, visits: shownVisits },
  editing,
  actor,
  language,
  onClose,
}: EditingProps) {
  const mine = (visits: typeof open) =>
    visits.filter(({ clinic_id }) => mayIn(actor, 'can_edit_records', clinic_id))
  const [visits, ofToday] = [mine(open), mine(openToday)]
  const visit = useRefreshedRow(
    shownVisits?.rows,
    editing.kind === 'visit' ? editing.visit : undefined,
    (id) => api.visits.get({ id }),
  )
  const vital = useRefreshedRow(
    vitals?.rows,
    editing.kind === 'vital' ? editing.vital : undefined,
    async (id) => (await api.vitals.list({ patientId: patient.id, id })).rows[0],
  )
  switch (editing.kind) {
    case 'vital':
      return (
        <VitalDialog
          patientId={patient.id}
          vital={editing.vital && keptInUnits(editing.vital, vital)}
          visits={visits}
          visitId={ofToday[0]?.id ?? null}
          mayOpen={patient.died_on === null}
          isSmallChild={months !== null && months < 61}
          onClose={onClose}
        />
      )
    case 'problem':
      return (
        <ProblemDialog
          patientId={patient.id}
          problem={editing.problem && refreshedRow(problems ?? [], editing.problem)}
          visitId={ofToday[0]?.id ?? null}
          language={language}
          onClose={onClose}
        />
      )
    case 'visit':
      return <VisitDialog patientId={patient.id} visit={visit} actor={actor} onClose={onClose} />
  }
}
