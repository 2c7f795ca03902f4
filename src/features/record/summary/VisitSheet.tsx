import { EventAnswers } from '~/features/forms/events/EventAnswers'
import type { Appointment } from '~/features/day/appointments/appointments.server'
import { Facts, SheetPart, Sheet } from '~/ui/Sheet'
import classes from '~/ui/Sheet.module.css'
import { patientName } from '~/features/people/patients/patient'
import { PatientFacts } from '~/features/people/patients/card/PatientFacts'
import { PatientLine } from '~/features/people/patients/card/PatientLine'
import type { WholeVisit } from '~/features/record/visits/visits.server'
import { VitalReadings } from '~/features/care/vitals/VitalReadings'
import { clinicContactValues } from '~/records/clinic'
import { useSay } from '~/shared/say'
import { Moment } from '~/ui/Moment'
import { RecordText } from '~/ui/RecordText'
import {
  Allergies,
  CurrentMedicines,
  Immunizations,
  MedicineDecisions,
  Medicines,
  PregnancyOn,
  ProblemList,
  RelatedPersons,
} from './SummaryParts'
import type { Summary } from './summary'

type Props = {
  visit: WholeVisit
  summary: Summary
  next: Appointment | null
  organization: string
}

/** One visit on paper, for the patient and the next clinician. */
export function VisitSheet({ visit, summary, next, organization }: Props) {
  const say = useSay()
  const day = <Moment at={visit.check_in_timestamp} dayOnly />
  return (
    <Sheet
      organization={organization}
      clinic={visit.clinic}
      contact={clinicContactValues(visit)}
      title="paper.visit"
      aside={day}
      onEveryPage={
        <PatientLine name={patientName(summary.patient)} patient={summary.patient} day={day} />
      }
      signed={<bdi>{visit.provider_name || say('visits.noProvider')}</bdi>}
    >
      <PatientFacts patient={summary.patient} />
      <RelatedPersons {...summary} />
      <Facts
        of={[
          ['visits.provider', visit.provider_name && <bdi>{visit.provider_name}</bdi>],
          ['paper.kindOfVisit', say(visit.is_return ? 'visits.revisit' : 'visits.new')],
        ]}
      />
      {visit.reason && (
        <SheetPart title="visits.reason">
          <p>
            <RecordText>{visit.reason}</RecordText>
          </p>
        </SheetPart>
      )}
      <Allergies {...summary} />
      <PregnancyOn pregnancies={summary.pregnancies} on={visit.check_in_timestamp} />
      {visit.vitals.length > 0 && (
        <SheetPart title="patientPage.vitals">
          {visit.vitals.map((vital) => (
            <VitalReadings key={vital.id} vital={vital} />
          ))}
        </SheetPart>
      )}
      <ProblemList problems={visit.problems} />
      {visit.events.map((event) => (
        <SheetPart key={event.id} title={{ text: event.title || say('events.one') }}>
          <EventAnswers {...event} />
        </SheetPart>
      ))}
      <Medicines prescriptions={summary.prescriptions} more={summary.morePrescriptions} />
      <MedicineDecisions {...summary} />
      <CurrentMedicines {...summary} />
      <Immunizations
        immunizations={summary.immunizations.filter(({ visit_id }) => visit_id === visit.id)}
      />
      {next && (
        <SheetPart title="paper.nextAppointment">
          <p className={classes.whole}>
            <Moment at={next.timestamp} /> · <bdi>{next.clinic}</bdi>
          </p>
        </SheetPart>
      )}
    </Sheet>
  )
}
