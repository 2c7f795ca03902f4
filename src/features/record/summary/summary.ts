import { api } from '~/client/api'

/** What a sheet says of a patient: who it is, and what the next clinician must know. */
export async function loadSummary(
  patientId: string,
  /** Of a sheet that shows the prescriptions of a visit. */
  visitId?: string,
) {
  const of = { patientId }
  const [
    { patient },
    allergies,
    problems,
    vitals,
    medicines,
    prescriptions,
    immunizations,
    pregnancies,
    relatedPersons,
    reconciliation,
  ] = await Promise.all([
    api.patients.get({ id: patientId }),
    api.allergies.list(of),
    api.problems.list(of),
    api.vitals.latest(of),
    api.medicines.current(of),
    visitId ? api.prescriptions.details({ ...of, visitId }) : null,
    api.immunizations.ofPatient(of),
    api.pregnancies.list(of),
    api.relatedPersons.ofPatient(of),
    visitId ? api.reconciliations.list({ ...of, visitId }) : null,
  ])
  return {
    patient,
    allergies,
    problems,
    vitals: vitals.latest,
    medicines,
    prescriptions: prescriptions?.rows ?? [],
    /** How many prescriptions are not on the sheet. */
    morePrescriptions: prescriptions
      ? prescriptions.pagination.total - prescriptions.rows.length
      : 0,
    immunizations,
    pregnancies,
    relatedPersons,
    /** The decisions about the current medicines at the visit. */
    reconciliation,
  }
}
export type Summary = Awaited<ReturnType<typeof loadSummary>>
