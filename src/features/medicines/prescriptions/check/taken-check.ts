import { sql } from 'kysely'

/** What is being checked or about to be replaced: it is not compared with itself. */
type Except = {
  prescriptionId?: string
  eventId?: string
  medicineId?: string
  dispensingRecordId?: string
  /** The item or the medicine from elsewhere that the prescription takes the place of: it ends now. */
  replacedId?: string
  /** The whole list of medicines from elsewhere is being checked. */
  isAlsoTaken?: boolean
}

/** Whose medicines a check compares with, and what it leaves out. */
export type TakenCheck = Except & { patientId: string }

/** The checks as the rows `c` of a statement, numbered from 0: one statement reads for all of them. */
export const asRows = (checks: readonly TakenCheck[]) => sql`jsonb_to_recordset(${JSON.stringify(
  checks.map((check, n) => ({
    n,
    patient_id: check.patientId,
    prescription_id: check.prescriptionId,
    event_id: check.eventId,
    medicine_id: check.medicineId,
    record_id: check.dispensingRecordId,
    replaced_id: check.replacedId,
    is_also_taken: check.isAlsoTaken ?? false,
  })),
)}::jsonb) as c (n int, patient_id uuid, prescription_id uuid, event_id uuid, medicine_id uuid, record_id uuid,
  replaced_id uuid, is_also_taken boolean)`
