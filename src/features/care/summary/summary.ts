import { api } from '~/client/api'

/** What a sheet says of a patient: who it is, and what the next clinician must know. */
export async function loadSummary(
  patientId: string,
  /** Which prescriptions the sheet shows: lists have pages, and an old visit is on none of the first. */
  prescribed: { visitId: string } | { from: string },
) {
  const of = { patientId }
  const [{ patient }, allergies, problems, vitals, medicines, prescriptions, immunizations] =
    await Promise.all([
      api.patients.get({ id: patientId }),
      api.allergies.list(of),
      api.problems.list(of),
      api.vitals.latest(of),
      api.medicines.list(of),
      api.prescriptions.details({ ...of, ...prescribed }),
      api.immunizations.ofPatient(of),
    ])
  return {
    patient,
    allergies,
    problems,
    vitals: vitals.latest,
    taken: medicines.rows.filter(({ isTaken }) => isTaken),
    prescriptions: prescriptions.rows,
    /** How many prescriptions are not on the sheet. */
    morePrescriptions: prescriptions.pagination.total - prescriptions.rows.length,
    immunizations,
  }
}
export type Summary = Awaited<ReturnType<typeof loadSummary>>
