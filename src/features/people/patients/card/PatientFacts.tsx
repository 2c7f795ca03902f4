import type { ReactNode } from 'react'
import { Facts } from '~/ui/Sheet'
import { useSay } from '~/shared/say'
import { Day } from '~/ui/Day'
import { readBirthPrecision, patientName } from '../patient'
import { PatientAge } from '../PatientAge'
import type { Patient } from '../patients.server'

type Props = {
  patient: Pick<
    Patient,
    'given_name' | 'surname' | 'sex' | 'date_of_birth' | 'metadata' | 'external_patient_id'
  > & { weeks_at_birth?: number | null }
  /** Where the name stands above. */
  isNameless?: boolean
}

/** Who the patient is, on every sheet of paper. */
export function PatientFacts({ patient, isNameless = false }: Props) {
  const say = useSay()
  const { sex, date_of_birth, metadata, external_patient_id } = patient
  const born: ReactNode =
    date_of_birth && readBirthPrecision(metadata) === 'day' ? <Day value={date_of_birth} /> : null
  return (
    <Facts
      of={[
        !isNameless && [
          'prescriptions.patient',
          <bdi key="name">{patientName(patient) || '—'}</bdi>,
        ],
        ['patientSearch.age', <PatientAge key="age" patient={patient} />],
        ['prescriptions.born', born],
        [
          'patientSearch.sex',
          sex === 'male' || sex === 'female' ? say(`patientPage.${sex}`) : null,
        ],
        [
          'patientPage.external_patient_id',
          external_patient_id && <bdi key="id">{external_patient_id}</bdi>,
        ],
      ]}
    />
  )
}
