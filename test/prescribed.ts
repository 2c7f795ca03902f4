import type { Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { DB } from '~/db/types'
import { makeFactories } from './factories'

type Row = { id: string }
type Of = { patient: Row; clinic: Row; drug: Row }

/** A prescription, something handed out of another, and a warning that was overridden. */
export async function prescribed(db: Kysely<DB>, { patient, clinic, drug }: Of) {
  const make = makeFactories(db)
  const of = { patient_id: patient.id, pickup_clinic_id: clinic.id }
  const prescription = await make.prescription(of)
  const prescriptionItem = await make.prescriptionItem(prescription, { drug_id: drug.id })
  const fetched = await make.prescriptionItem(await make.prescription(of), { drug_id: drug.id })
  const pregnancy = await make.pregnancy({ patient_id: patient.id })
  const medicineDecision = await make.medicineDecision({ patient_id: patient.id })
  const prescriptionSet = await make.prescriptionSet({ clinic_id: clinic.id })
  const prescriber = await make.user()
  await make.permission(prescriber, clinic.id)
  const healthy = await make.patient({ primary_clinic_id: clinic.id })
  const record = await db
    .insertInto('dispensing_records')
    .values({
      id: uuidv7(),
      clinic_id: clinic.id,
      drug_id: drug.id,
      prescription_item_id: fetched.id,
      patient_id: patient.id,
      quantity_dispensed: 2,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const override = await db
    .insertInto('safety_overrides')
    .values({
      id: uuidv7(),
      patient_id: patient.id,
      clinic_id: clinic.id,
      prescription_id: prescription.id,
      drug_id: drug.id,
      stage: 'prescribing',
      kind: 'duplicate',
      warning: JSON.stringify({ key: 'duplicate:x', kind: 'duplicate' }),
      reason: 'Dose is being raised',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return {
    prescription,
    prescriptionItem,
    medicineDecision,
    prescriptionSet,
    pregnancy,
    prescriber,
    healthy,
    record,
    override,
  }
}
