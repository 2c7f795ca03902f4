import { useFormatter } from 'use-intl'
import { useSay } from '~/shared/say'
import { readBirthPrecision } from './patient'
import { PatientAge } from './PatientAge'

type Born = { date_of_birth: string | null; metadata: unknown; weeks_at_birth?: number | null }

/** Sex, age and date of birth in one line. */
export function PatientIdentity({ patient }: { patient: Born & { sex: string | null } }) {
  const say = useSay()
  const { sex } = patient
  const known = sex === 'male' || sex === 'female' ? say(`patientPage.${sex}`) : sex
  return (
    <>
      {known ? <bdi>{known}</bdi> : say('patientPage.sexUnknown')}
      {' · '}
      <PatientAge patient={patient} />
      {patient.date_of_birth && (
        <>
          {' · '}
          <BirthDate patient={patient} />
        </>
      )}
    </>
  )
}

/** As exactly as it is known. */
export function BirthDate({ patient: { date_of_birth, metadata } }: { patient: Born }) {
  const say = useSay()
  const format = useFormatter()
  if (!date_of_birth) return null
  const precision = readBirthPrecision(metadata)
  const isYearOnly = precision === 'year' || precision === 'age'
  const date = format.dateTime(new Date(`${date_of_birth}T00:00:00Z`), {
    day: precision === 'month' ? undefined : 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  })
  const text =
    precision === 'day'
      ? date
      : say({
          key: 'patientPage.bornAbout',
          values: { year: isYearOnly ? date_of_birth.slice(0, 4) : date },
        })
  return <time dateTime={date_of_birth}>{text}</time>
}
