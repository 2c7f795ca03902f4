import { useSay } from '~/shared/say'
import { addDays, daysBetween, monthsBetween } from '~/shared/zone'
import { useToday } from '~/ui/clock'
import { ageRangeInMonths, correctionOn, isVague } from '~/fields/birth'
import { patientBirth } from './patient'

type Props = {
  patient: { date_of_birth: string | null; metadata: unknown; weeks_at_birth?: number | null }
}

/** The age as text, see `usePatientAge`. */
export function PatientAge({ patient }: Props) {
  return usePatientAge(patient)
}

/**
 * The age in days (newborn), months (infant) or years (from two on), with "about" if the day of
 * birth is unknown. Of a child born before 37 weeks the corrected age follows, until two years.
 */
export function usePatientAge(patient: Props['patient']): string {
  const say = useSay()
  const today = useToday()
  const birth = patientBirth(patient)
  if (!birth) return say('patientPage.ageUnknown')
  const [youngest, oldest] = ageRangeInMonths(birth, today)
  if (isVague(birth, today))
    return say({
      key: 'patientPage.ageBetween',
      values: { from: Math.max(0, youngest), to: Math.max(0, oldest) },
    })
  const { day: date_of_birth, precision } = birth
  const [days, months] = [daysBetween(date_of_birth, today), monthsBetween(date_of_birth, today)]
  if (days < 0 && precision === 'day') return say('patientPage.ageUnknown')
  const inWords = (ofDays: number, ofMonths: number) => {
    if (ofDays < 60) return say({ key: 'patientPage.days', values: { count: Math.max(0, ofDays) } })
    if (ofMonths < 24) return say({ key: 'patientPage.months', values: { count: ofMonths } })
    return say({ key: 'patientPage.years', values: { count: Math.floor(ofMonths / 12) } })
  }
  const known = inWords(days, months)
  const age =
    precision === 'day' ? known : say({ key: 'patientPage.about', values: { age: known } })
  const correction = days < 0 ? 0 : correctionOn(birth, today)
  if (correction === 0) return age
  if (days < correction) return say({ key: 'patientPage.beforeTerm', values: { age } })
  const corrected = inWords(
    days - correction,
    monthsBetween(addDays(date_of_birth, correction), today),
  )
  return say({ key: 'patientPage.corrected', values: { age, corrected } })
}
