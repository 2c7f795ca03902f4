import type { ReactNode } from 'react'
import { useSay } from '~/shared/say'
import { BirthDate } from '../PatientIdentity'

type Props = {
  name: string
  patient: { date_of_birth: string | null; metadata: unknown }
  /** The day of the sheet. */
  day: ReactNode
}

/** Whose page of paper it is, and of which day: pages that fall apart are not mixed up. */
export function PatientLine({ name, patient, day }: Props) {
  const say = useSay()
  return (
    <>
      <b>
        <bdi>{name || say('patientPage.noName')}</bdi>
      </b>
      {' · '}
      {patient.date_of_birth ? (
        <>
          {say('prescriptions.born')}: <BirthDate patient={patient} />
        </>
      ) : (
        say('patientPage.ageUnknown')
      )}
      {' · '}
      {day}
    </>
  )
}
