import { Alert, Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { PatientAllergies } from '~/features/care/allergies/PatientAllergies'
import { ImmunizationPlan } from '~/features/care/immunizations/ImmunizationPlan'
import { PatientImmunizations } from '~/features/care/immunizations/PatientImmunizations'
import { PatientReferrals } from '~/features/care/referrals/PatientReferrals'
import { PatientAppointments } from '~/features/day/appointments/PatientAppointments'
import { PatientMedicines } from '~/features/medicines/taken/PatientMedicines'
import { PatientDetails } from '~/features/people/patients/PatientDetails'
import { PatientRelatedPersons } from '~/features/people/related/PatientRelatedPersons'
import { patientBirth, readBirthPrecision, patientName } from '~/features/people/patients/patient'
import { isPregnancyRelevant } from '~/features/care/pregnancies/pregnancy'
import { PatientPrograms } from '~/features/care/programs/PatientPrograms'
import { PatientConsents } from '~/features/day/followups/messages/PatientConsents'
import { PatientMessages } from '~/features/day/followups/messages/PatientMessages'
import { PatientDue } from '~/features/day/followups/PatientDue'
import { PatientPregnancy } from '~/features/care/pregnancies/PatientPregnancy'
import { PatientPrescriptions } from '~/features/medicines/prescriptions/PatientPrescriptions'
import { ProblemsTable } from '~/features/care/problems/ProblemsTable'
import type { Problem } from '~/features/care/problems/problems.server'
import type { Visit } from '~/features/record/visits/visits.server'
import { VisitList } from '~/features/record/visits/VisitList'
import { GrowthCharts } from '~/features/care/vitals/growth/GrowthCharts'
import { VitalCharts } from '~/features/care/vitals/VitalCharts'
import type { Vital } from '~/features/care/vitals/vitals.server'
import { VitalsTable } from '~/features/care/vitals/VitalsTable'
import { type Actor, mayAnywhere, mayIn } from '~/shared/actor'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { useToday } from '~/ui/clock'
import { Overview } from './Overview'
import type { Adding } from './PatientActions'
import type { LoadedRecord } from './record'
import { Timeline } from './Timeline'

/** The dialog over the record: a new entry, or a stored one to change. */
export type Editing =
  | { kind: 'vital'; vital?: Vital }
  | { kind: 'problem'; problem?: Problem }
  | { kind: 'visit'; visit?: Visit }

type Props = {
  record: LoadedRecord
  actor: Actor
  language: Language
  /** The user may change the patient's identity. */
  mayChange: boolean
  /** Something new can begin: nothing does after the death, and in emergency access. */
  mayBegin: boolean
  add: (kind: Adding) => void
  edit: (what: Editing) => void
}

/** The content of the chosen tab. */
export function RecordPart({ record, actor, language, mayChange, mayBegin, add, edit }: Props) {
  const { patient, rights, tab, trend } = record
  const say = useSay()
  const today = useToday()
  const addButton = (kind: Adding, label: 'vitals.add' | 'problems.add' | 'visits.open') => (
    <Button variant="default" onClick={() => add(kind)}>
      {say(label)}
    </Button>
  )
  const may = { mayEdit: rights.write, mayDelete: rights.remove }
  const mayOpenVisit = mayBegin && mayAnywhere(actor, 'can_edit_records')
  switch (tab) {
    case 'overview':
      return (
        <Overview
          latest={record.latest?.latest ?? null}
          allergies={record.allergies ?? null}
          problems={record.problems ?? null}
          visits={record.visits?.rows ?? null}
          snapshots={record.snapshots ?? null}
          medicines={record.currentMedicines ?? null}
          next={record.next ?? null}
          due={
            record.followUps && record.followUps.items.length > 0 ? (
              <PatientDue
                patient={{ id: patient.id, name: patientName(patient) }}
                followUps={record.followUps}
                actor={actor}
                mayBegin={mayBegin}
              />
            ) : null
          }
          programs={
            record.programs ? (
              <PatientPrograms
                patientId={patient.id}
                programs={record.programs}
                mayEdit={rights.write}
                mayBegin={mayBegin}
              />
            ) : null
          }
          pregnancy={
            record.pregnancies &&
            (record.pregnancies.length > 0 ||
              isPregnancyRelevant(patient.sex, patientBirth(patient), today)) ? (
              <PatientPregnancy patientId={patient.id} answers={record.pregnancies} {...may} />
            ) : null
          }
          actor={actor}
          language={language}
        />
      )
    case 'visits':
      return shown(record.visits, (visits) => (
        <VisitList
          {...visits}
          actor={actor}
          language={language}
          onEdit={(visit) => edit({ kind: 'visit', visit })}
          open={mayOpenVisit && addButton('visit', 'visits.open')}
        />
      ))
    case 'vitals':
      return shown(record.vitals, (vitals) => (
        <Stack gap="md">
          {!patient.date_of_birth && <Alert color="yellow">{say('vitals.ageUnknown')}</Alert>}
          {trend && <VitalCharts vitals={trend} />}
          <VitalsTable
            {...vitals}
            {...may}
            onEdit={(vital) => edit({ kind: 'vital', vital })}
            add={rights.write && addButton('vital', 'vitals.add')}
          />
        </Stack>
      ))
    case 'growth':
      return shown(record.growth, (growth) => (
        <GrowthCharts
          growth={growth}
          isApproximate={readBirthPrecision(patient.metadata) !== 'day'}
        />
      ))
    case 'problems':
      return shown(record.problems, (problems) => (
        <Stack gap="sm">
          {rights.write && problems.length > 0 && (
            <Group justify="flex-end">{addButton('problem', 'problems.add')}</Group>
          )}
          <ProblemsTable
            rows={problems}
            language={language}
            {...may}
            onEdit={(problem) => edit({ kind: 'problem', problem })}
            add={rights.write && addButton('problem', 'problems.add')}
          />
        </Stack>
      ))
    case 'appointments':
      return shown(record.appointments, (appointments) => (
        <PatientAppointments
          {...appointments}
          patientId={patient.id}
          mayBook={mayBegin}
          actor={actor}
        />
      ))
    case 'prescriptions':
      return (
        <Stack gap="xl">
          {shown(record.prescriptions, (prescriptions) => (
            <PatientPrescriptions
              {...prescriptions}
              patientId={patient.id}
              visitId={record.openToday[0]?.id}
              actor={actor}
            />
          ))}
          {shown(record.medicines, (medicines) => (
            <PatientMedicines patientId={patient.id} medicines={medicines} {...may} />
          ))}
        </Stack>
      )
    case 'allergies':
      return shown(record.allergies, (allergies) => (
        <PatientAllergies patientId={patient.id} allergies={allergies} {...may} />
      ))
    case 'immunizations':
      return (
        <>
          {shown(record.immunizationPlan, (plan) => (
            <ImmunizationPlan patientId={patient.id} plan={plan} />
          ))}
          {shown(record.immunizations, (immunizations) => (
            <PatientImmunizations
              patientId={patient.id}
              immunizations={immunizations}
              visit={record.openToday.find(({ clinic_id }) =>
                mayIn(actor, 'can_edit_records', clinic_id),
              )}
              actor={actor}
              {...may}
            />
          ))}
        </>
      )
    case 'referrals':
      return shown(record.referrals, (referrals) => (
        <PatientReferrals
          patientId={patient.id}
          referrals={referrals}
          visit={record.openToday.find(({ clinic_id }) =>
            mayIn(actor, 'can_edit_records', clinic_id),
          )}
          {...may}
        />
      ))
    case 'timeline':
      return shown(record.timeline, (timeline) => <Timeline {...timeline} language={language} />)
    case 'details':
      return (
        <Stack gap="xl">
          {shown(record.form, (form) => (
            <PatientDetails
              patient={patient}
              form={form}
              language={language}
              mayChange={mayChange}
            />
          ))}
          {shown(record.relatedPersons, (persons) => (
            <PatientRelatedPersons patientId={patient.id} persons={persons} mayChange={mayChange} />
          ))}
          {shown(record.consents, (consents) => (
            <PatientConsents
              patientId={patient.id}
              consents={consents}
              mayChange={mayChange}
              mayAgree={mayBegin}
            />
          ))}
          {record.messages && <PatientMessages messages={record.messages} />}
        </Stack>
      )
  }
}

/** A part that could not be loaded says so. */
function shown<P>(part: P | null | undefined, draw: (part: P) => ReactNode) {
  return part ? draw(part) : <Failed />
}

function Failed() {
  return <Alert color="yellow">{useSay()('patientPage.partFailed')}</Alert>
}
