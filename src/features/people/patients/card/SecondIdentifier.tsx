import { Text } from '@mantine/core'
import { useSay } from '~/shared/say'
import { readBirthPrecision, type Identifiers, withBirthPrecision } from '../patient'
import { PatientAge } from '../PatientAge'
import { BirthDate } from '../PatientIdentity'

/**
 * Below a name in a list: the date of birth, or the age with "about" where the day is not known, and
 * the number. Two patients of one name are not mixed up where something is given to them
 * (WHO, Patient Safety Solutions, 2007, no. 2: at least two identifiers).
 */
export function SecondIdentifier({ of }: { of: Identifiers }) {
  const say = useSay()
  const { date_of_birth, precision, number } = of
  const patient = { date_of_birth, metadata: withBirthPrecision(null, precision ?? 'day') }
  return (
    <Text size="xs" c="dimmed" component="span" display="block" data-identifier>
      {date_of_birth && readBirthPrecision(patient.metadata) === 'day' ? (
        <BirthDate patient={patient} />
      ) : (
        <PatientAge patient={patient} />
      )}
      {number && (
        <>
          {' · '}
          {say('banner.number')} <bdi dir="ltr">{number}</bdi>
        </>
      )}
    </Text>
  )
}
