import { Alert, List, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconCalendarExclamation } from '@tabler/icons-react'
import { type ReactNode, use, useEffect } from 'react'
import { useFormatter } from 'use-intl'
import type { OperationResult } from '~/client/api'
import { useQuery } from '~/client/query'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { FormContext } from '~/ui/FormField'
import { TIME_OF_DAY } from '~/ui/clock'
import { DEFAULT_MINUTES, overlapsQuestion } from './appointment'

type Found = OperationResult<'appointments.overlaps'>
const nothing: Found = { overlaps: [], elsewhere: 0, ofPatient: [], ofPatientElsewhere: 0 }
const SETTLE_MS = 300

type Props = {
  id: string
  patientId?: string
  timestamp: Date | null
  /** Asks again when it changes. */
  version: number
  onShown: (count: number) => void
}

/** Warns that the provider or the patient has another appointment at that time; double bookings are allowed. */
export function OverlapNotice({ id, patientId, timestamp, version, onShown }: Props) {
  const say = useSay()
  const format = useFormatter()
  const draft = use(FormContext)?.draft
  const { overlaps, elsewhere, ofPatient, ofPatientElsewhere } = useOverlaps(
    id,
    patientId,
    draft?.['provider_id'],
    timestamp?.getTime(),
    draft?.['duration'],
    version,
  )
  const count = overlaps.length + elsewhere + ofPatient.length + ofPatientElsewhere
  useEffect(() => {
    onShown(count)
    return () => onShown(0)
  }, [count, onShown])
  const time = (at: Date) => format.dateTime(at, TIME_OF_DAY)
  const formatTimes = ({
    timestamp: at,
    duration,
  }: {
    timestamp: Date
    duration: number | null
  }) => ({
    from: time(at),
    to: time(new Date(at.getTime() + (duration ?? DEFAULT_MINUTES) * 60_000)),
  })
  return (
    <>
      {ofPatient.length + ofPatientElsewhere > 0 && (
        <Notice title="appointments.samePatient">
          {ofPatient.map((other) => (
            <List.Item key={other.id}>
              {say({
                key: 'appointments.samePatientAt',
                values: {
                  ...formatTimes(other),
                  provider: other.provider ?? say('visits.noProvider'),
                  clinic: other.clinic,
                },
              })}
            </List.Item>
          ))}
          {ofPatientElsewhere > 0 && (
            <List.Item>
              {say({
                key: 'appointments.samePatientElsewhere',
                values: { count: ofPatientElsewhere },
              })}
            </List.Item>
          )}
        </Notice>
      )}
      {overlaps.length + elsewhere > 0 && (
        <Notice title="appointments.overlaps">
          {overlaps.map((other) => (
            <List.Item key={other.id}>
              {say({
                key: 'appointments.overlapOf',
                values: { ...formatTimes(other), patient: other.patient },
              })}
            </List.Item>
          ))}
          {elsewhere > 0 && (
            <List.Item>
              {say({ key: 'appointments.overlapsElsewhere', values: { count: elsewhere } })}
            </List.Item>
          )}
        </Notice>
      )}
    </>
  )
}

function Notice({ title, children }: { title: MessageKey; children: ReactNode }) {
  const say = useSay()
  return (
    <Alert
      color="yellow"
      role="presentation"
      aria-live="polite"
      icon={<IconCalendarExclamation size={18} aria-hidden />}
      title={
        <Text inherit c="var(--mantine-color-text)">
          {say(title)}
        </Text>
      }
    >
      <List size="sm">{children}</List>
      {say('appointments.mayStillBook')}
    </Alert>
  )
}

/** Asks a moment after the last change; if the request fails, there is no warning. */
function useOverlaps(
  id: string,
  patient: string | undefined,
  provider: unknown,
  at: number | undefined,
  duration: unknown,
  version: number,
): Found {
  const provider_id = typeof provider === 'string' && provider !== '' ? provider : undefined
  const hasWhom = provider_id !== undefined || patient !== undefined
  // a duration or a year that is still being typed is no question: the server would refuse it
  const question = overlapsQuestion({ id, provider_id, patient_id: patient, at, duration })
  const asked = hasWhom && question ? JSON.stringify(question) : ''
  const [settled] = useDebouncedValue(asked, SETTLE_MS)
  const { data } = useQuery(
    'appointments.overlaps',
    question && asked !== '' && settled === asked ? question : null,
    { version },
  )
  return data ?? nothing
}
