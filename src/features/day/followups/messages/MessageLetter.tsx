import { Sheet } from '~/features/office/clinics/Sheet'
import { contactOf } from '~/records/clinic'
import { directionOf } from '~/shared/language'
import { Moment } from '~/ui/Moment'
import type { PrintedMessage } from './messages.server'

type Props = { message: PrintedMessage; organization: string }

/** A letter to the patient; its text is the one that was prepared. */
export function MessageLetter({ message, organization }: Props) {
  const { clinic, created_at, patient, body, language } = message
  return (
    <Sheet
      organization={organization}
      clinic={clinic}
      contact={contactOf(message)}
      title={{ text: patient || '—' }}
      aside={<Moment at={created_at} dayOnly />}
    >
      <p lang={language} dir={directionOf(language)} style={{ whiteSpace: 'pre-wrap' }}>
        {body}
      </p>
    </Sheet>
  )
}
