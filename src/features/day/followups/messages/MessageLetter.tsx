import { PatientLine } from '~/features/people/patients/card/PatientLine'
import { withBirthPrecision } from '~/features/people/patients/patient'
import { Sheet } from '~/ui/Sheet'
import { clinicContactValues } from '~/records/clinic'
import { textDirection } from '~/shared/language'
import { Moment } from '~/ui/Moment'
import type { PrintedMessage } from './messages.server'

type Props = { message: PrintedMessage; organization: string }

/** A letter to the patient; its text is the one that was prepared. */
export function MessageLetter({ message, organization }: Props) {
  const { clinic, created_at, patient, body, language, date_of_birth, birth_precision } = message
  const day = <Moment at={created_at} dayOnly />
  return (
    <Sheet
      organization={organization}
      clinic={clinic}
      contact={clinicContactValues(message)}
      title={{ text: patient || '—' }}
      aside={day}
      onEveryPage={
        <PatientLine
          name={patient}
          patient={{ date_of_birth, metadata: withBirthPrecision(null, birth_precision) }}
          day={day}
        />
      }
    >
      <p lang={language} dir={textDirection(language)} style={{ whiteSpace: 'pre-wrap' }}>
        {body}
      </p>
    </Sheet>
  )
}
