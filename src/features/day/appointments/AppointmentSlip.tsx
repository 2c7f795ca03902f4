import { PatientLine } from '~/features/people/patients/card/PatientLine'
import { withBirthPrecision } from '~/features/people/patients/patient'
import { Facts, SheetPart, Sheet } from '~/ui/Sheet'
import { APPOINTMENT_REASONS } from '~/records/appointment'
import { clinicContactValues } from '~/records/clinic'
import { useSay } from '~/shared/say'
import { Moment } from '~/ui/Moment'
import type { Appointment } from './appointments.server'

type Props = {
  appointment: Appointment
  organization: string
}

/** A printed slip for the patient: the day and time of the appointment, the clinic and the provider. */
export function AppointmentSlip({ appointment, organization }: Props) {
  const say = useSay()
  const { patient, timestamp, provider, departments, date_of_birth, birth_precision } = appointment
  const reason = APPOINTMENT_REASONS.find((one) => one === appointment.reason)
  return (
    <Sheet
      organization={organization}
      clinic={appointment.clinic}
      contact={clinicContactValues(appointment)}
      title="paper.appointment"
      onEveryPage={
        <PatientLine
          name={patient}
          patient={{ date_of_birth, metadata: withBirthPrecision(null, birth_precision) }}
          day={<Moment at={timestamp} dayOnly />}
        />
      }
    >
      <Facts
        of={[
          ['prescriptions.patient', <bdi key="patient">{patient || '—'}</bdi>],
          ['paper.when', <Moment key="when" at={timestamp} />],
          ['appointments.provider', provider && <bdi key="provider">{provider}</bdi>],
          [
            'departments.title',
            departments.length > 0 && (
              <bdi key="departments">{departments.map(({ name }) => name).join(' · ')}</bdi>
            ),
          ],
          ['appointments.reason', reason && say(`appointments.reasons.${reason}`)],
        ]}
      />
      <SheetPart title="paper.pleaseBring">
        <p>{say('paper.bringList')}</p>
      </SheetPart>
    </Sheet>
  )
}
