/** What operations say in `shows`: the patients of an answer, for the access log. */
type OfPatient = { patient_id?: string | null }

/** Of an answer that only counts: its question may still single out one patient. */
export const nobodyByName = () => []
export const patientOfRow = (row: OfPatient) => [row.patient_id]
export const patientsOfList = (rows: readonly OfPatient[]) => rows.map((row) => row.patient_id)
export const patientsOfRows = ({ rows }: { rows: readonly OfPatient[] }) => patientsOfList(rows)
