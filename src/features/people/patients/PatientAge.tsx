import { useSay } from '~/shared/say'
import { daysBetween, monthsBetween } from '~/shared/zone'
import { useToday } from '~/ui/clock'
import { ageSpanOf, isVague } from '~/fields/birth'
import { birthOf } from './patient'

type Props = { patient: { date_of_birth: string | null; metadata: unknown } }

/** The age as text, see `usePatientAge`. */
export function PatientAge({ patient }: Props) {
  return usePatientAge(patient)
}

/**
 * The age in days (newborn), months (infant) or years (from two on), with "about" if the day of
 * birth is unknown.
 */
export function usePatientAge(patient: Props['patient']): string {
  const say = useSay()
  const today = useToday()
  const birth = birthOf(patient)
  if (!birth) return say('patientPage.ageUnknown')
  const [youngest, oldest] = ageSpanOf(birth, today)
  if (isVague(birth, today))
    return say({
      key: 'patientPage.ageBetween',
      values: { from: Math.max(0, youngest), to: Math.max(0, oldest) },
    })
  const { day: date_of_birth, precision } = birth
  const [days, months] = [daysBetween(date_of_birth, today), monthsBetween(date_of_birth, today)]
  if (days < 0 && precision === 'day') return say('patientPage.ageUnknown')
  const age =
    days < 60
      ? say({ key: 'patientPage.days', values: { count: Math.max(0, days) } })
      : months < 24
        ? say({ key: 'patientPage.months', values: { count: months } })
        : say({ key: 'patientPage.years', values: { count: Math.floor(months / 12) } })
  return precision === 'day' ? age : say({ key: 'patientPage.about', values: { age } })
}
