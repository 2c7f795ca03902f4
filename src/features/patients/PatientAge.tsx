import { useSay } from '~/shared/say'
import { daysBetween, monthsBetween } from '~/shared/zone'
import { useToday } from '~/ui/clock'
import { birthPrecisionOf } from './patient'

type Props = { patient: { date_of_birth: string | null; metadata: unknown } }

/** An age as clinics tell it: days of a newborn, months of an infant, years from two on; "about" where nobody knows the day. */
export function PatientAge({ patient: { date_of_birth, metadata } }: Props) {
  const say = useSay()
  const today = useToday()
  if (!date_of_birth) return say('patientPage.ageUnknown')
  const [days, months] = [daysBetween(date_of_birth, today), monthsBetween(date_of_birth, today)]
  if (days < 0) return say('patientPage.ageUnknown')
  const age =
    days < 60
      ? say({ key: 'patientPage.days', values: { count: days } })
      : months < 24
        ? say({ key: 'patientPage.months', values: { count: months } })
        : say({ key: 'patientPage.years', values: { count: Math.floor(months / 12) } })
  return birthPrecisionOf(metadata) === 'day' ? age : say({ key: 'patientPage.about', values: { age } })
}
