import { EventAnswers } from '~/features/forms/events/EventAnswers'
import type { Appointment } from '~/features/day/appointments/appointments.server'
import { Facts, Part, Sheet } from '~/features/office/clinics/Sheet'
import classes from '~/features/office/clinics/Sheet.module.css'
import { PatientFacts } from '~/features/people/patients/card/PatientFacts'
import type { WholeVisit } from '~/features/care/visits/visits.server'
import { VitalReadings } from '~/features/care/vitals/VitalReadings'
import { contactOf } from '~/records/clinic'
import { useSay } from '~/shared/say'
import { Moment } from '~/ui/Moment'
import { Allergies, CurrentMedicines, Immunizations, Medicines, Problems } from './SummaryParts'
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
  const ofVisit = <Row extends { visit_id: string | null }>(rows: readonly Row[]) =>
    rows.filter(({ visit_id }) => visit_id === visit.id)
  return (
    <Sheet
      organization={organization}
      clinic={visit.clinic}
      contact={contactOf(visit)}
      title="paper.visit"
      aside={<Moment at={visit.check_in_timestamp} dayOnly />}
      signed={<bdi>{visit.provider_name || say('visits.noProvider')}</bdi>}
    >
      <PatientFacts patient={summary.patient} />
      <Facts
        of={[
          ['visits.provider', visit.provider_name && <bdi>{visit.provider_name}</bdi>],
          ['paper.kindOfVisit', say(visit.is_return ? 'visits.revisit' : 'visits.new')],
        ]}
      />
      {visit.reason && (
        <Part title="visits.reason">
          <p>
            <bdi>{visit.reason}</bdi>
          </p>
        </Part>
      )}
      <Allergies {...summary} />
      {visit.vitals.length > 0 && (
        <Part title="patientPage.vitals">
          {visit.vitals.map((vital) => (
            <VitalReadings key={vital.id} vital={vital} />
          ))}
        </Part>
      )}
      <Problems problems={visit.problems} />
      {visit.events.map((event) => (
        <Part key={event.id} title={{ text: event.title || say('events.one') }}>
          <EventAnswers {...event} />
        </Part>
      ))}
      <Medicines prescriptions={ofVisit(summary.prescriptions)} />
      <CurrentMedicines {...summary} />
      <Immunizations immunizations={ofVisit(summary.immunizations)} />
      {next && (
        <Part title="paper.nextAppointment">
          <p className={classes.whole}>
            <Moment at={next.timestamp} /> · <bdi>{next.clinic}</bdi>
          </p>
        </Part>
      )}
    </Sheet>
  )
}
