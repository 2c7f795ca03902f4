import { LinkAnchor } from '~/client/links'
import { useSay } from '~/shared/say'

type Props = { patient: string | null; patient_id: string | null }

/** The patient of a review; nameless to a reviewer who may not know the patient. */
export function PatientOfReview({ patient, patient_id }: Props) {
  const say = useSay()
  if (!patient || !patient_id) return <span>{say('sharing.anotherPatient')}</span>
  return (
    <LinkAnchor size="sm" to="/app/patients/$patientId" params={{ patientId: patient_id }}>
      <bdi>{patient}</bdi>
    </LinkAnchor>
  )
}
