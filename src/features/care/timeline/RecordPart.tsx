import { Alert, Button, Group, Stack } from '@mantine/core'
import { PatientAllergies } from '~/features/care/allergies/PatientAllergies'
import { PatientImmunizations } from '~/features/care/immunizations/PatientImmunizations'
import { PatientReferrals } from '~/features/care/referrals/PatientReferrals'
import { PatientAppointments } from '~/features/day/appointments/PatientAppointments'
import { PatientMedicines } from '~/features/medicines/taken/PatientMedicines'
import { PatientDetails } from '~/features/people/patients/PatientDetails'
import { birthOf, birthPrecisionOf, nameOf } from '~/features/people/patients/patient'
import { mayBePregnant } from '~/features/care/pregnancies/pregnancy'
import { PatientPrograms } from '~/features/care/programs/PatientPrograms'
import { PatientDue } from '~/features/day/followups/PatientDue'
import { PatientPregnancy } from '~/features/care/pregnancies/PatientPregnancy'
import { PatientPrescriptions } from '~/features/medicines/prescriptions/PatientPrescriptions'
import { ProblemsTable } from '~/features/care/problems/ProblemsTable'
import type { Problem } from '~/features/care/problems/problems.server'
import type { Visit } from '~/features/care/visits/visits.server'
import { VisitList } from '~/features/care/visits/VisitList'
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
  const {
    patient,
    rights,
    tab,
    latest,
    next,
    appointments,
    problems,
    visits,
    vitals,
    trend,
    growth,
    timeline,
    form,
  } = record
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
          latest={latest?.latest ?? null}
          problems={problems ?? null}
          visits={visits?.rows ?? null}
          snapshots={record.snapshots ?? null}
          prescriptions={record.prescriptions?.rows ?? null}
          next={next ?? null}
          due={
            record.followUps && record.followUps.items.length > 0 ? (
              <PatientDue
                patient={{ id: patient.id, name: nameOf(patient) }}
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
              mayBePregnant(patient.sex, birthOf(patient), today)) ? (
              <PatientPregnancy patientId={patient.id} answers={record.pregnancies} {...may} />
            ) : null
          }
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
            {...may}
            onEdit={(vital) => edit({ kind: 'vital', vital })}
            add={rights.write && addButton('vital', 'vitals.add')}
          />
        </Stack>
      ) : (
        <Failed />
      )
    case 'growth':
      return growth ? (
        <GrowthCharts
          growth={growth}
          isApproximate={birthPrecisionOf(patient.metadata) !== 'day'}
        />
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
            {...may}
            onEdit={(problem) => edit({ kind: 'problem', problem })}
            add={rights.write && addButton('problem', 'problems.add')}
          />
        </Stack>
      ) : (
        <Failed />
      )
    case 'appointments':
      return appointments ? (
        <PatientAppointments
          {...appointments}
          patientId={patient.id}
          mayBook={mayBegin}
          actor={actor}
        />
      ) : (
        <Failed />
      )
    case 'prescriptions':
      return (
        <Stack gap="xl">
          {record.prescriptions ? (
            <PatientPrescriptions
              {...record.prescriptions}
              patientId={patient.id}
              visitId={record.open[0]?.id}
              actor={actor}
            />
          ) : (
            <Failed />
          )}
          {record.medicines ? (
            <PatientMedicines patientId={patient.id} medicines={record.medicines} {...may} />
          ) : (
            <Failed />
          )}
        </Stack>
      )
    case 'allergies':
      return record.allergies ? (
        <PatientAllergies patientId={patient.id} allergies={record.allergies} {...may} />
      ) : (
        <Failed />
      )
    case 'immunizations':
      return record.immunizations ? (
        <PatientImmunizations
          patientId={patient.id}
          immunizations={record.immunizations}
          visit={record.open.find(({ clinic_id }) => mayIn(actor, 'can_edit_records', clinic_id))}
          actor={actor}
          {...may}
        />
      ) : (
        <Failed />
      )
    case 'referrals':
      return record.referrals ? (
        <PatientReferrals
          patientId={patient.id}
          referrals={record.referrals}
          visit={record.open.find(({ clinic_id }) => mayIn(actor, 'can_edit_records', clinic_id))}
          {...may}
        />
      ) : (
        <Failed />
      )
    case 'timeline':
      return timeline ? <Timeline {...timeline} language={language} /> : <Failed />
    case 'details':
      return form ? (
        <PatientDetails patient={patient} form={form} language={language} mayChange={mayChange} />
      ) : (
        <Failed />
      )
  }
}

function Failed() {
  return <Alert color="yellow">{useSay()('patientPage.partFailed')}</Alert>
}
