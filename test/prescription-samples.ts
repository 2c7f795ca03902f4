import { v7 as uuidv7 } from 'uuid'
import type { Side } from './world'

const id = () => uuidv7()

/** The same medicine is open on another prescription: the check says so, and a reason is given. */
const duplicate = (drugId: string) => ({
  key: `duplicate:${drugId}:${drugId}`,
  reason: 'Dose is being raised',
})

export const prescriptionSamples: Record<string, (side: Side) => unknown> = {
  'reconciliations.list': ({ patient }) => ({ patientId: patient.id }),
  'reconciliations.decide': ({ patient, medicine }) => ({
    id: id(),
    patient_id: patient.id,
    line: medicine.id,
    name: medicine.name,
    dose: null,
    decision: 'keep',
  }),
  'reconciliations.change': ({ patient, clinic, drug, prescriber, medicine }) => ({
    id: id(),
    patient_id: patient.id,
    provider_id: prescriber.id,
    pickup_clinic_id: clinic.id,
    notes: '',
    items: [{ id: id(), drug_id: drug.id, dosage_instructions: 'Twice a day' }],
    overrides: [duplicate(drug.id)],
    replaces: { id: id(), line: medicine.id, name: medicine.name, dose: null },
  }),
  'reconciliations.delete': ({ medicineDecision }) => ({ id: medicineDecision.id }),
  'prescriptionSets.list': ({ patient }) => ({ patientId: patient.id }),
  'prescriptionSets.use': ({ patient, prescriptionSet }) => ({
    id: prescriptionSet.id,
    patientId: patient.id,
  }),
  'prescriptionSets.save': ({ clinic, drug }) => ({
    id: id(),
    name: 'Hypertension, first step',
    clinic_id: clinic.id,
    items: [
      { drug_id: drug.id, dosage_instructions: 'One in the morning', quantity_prescribed: 30 },
    ],
  }),
  'prescriptionSets.delete': ({ prescriptionSet }) => ({ id: prescriptionSet.id }),
  'allergies.recordNone': ({ healthy }) => ({ id: id(), patientId: healthy.id }),

  'pregnancies.list': ({ patient }) => ({ patientId: patient.id }),
  'pregnancies.record': ({ patient }) => ({
    id: id(),
    patientId: patient.id,
    state: 'pregnant',
    weeks: 12,
  }),
  'pregnancies.delete': ({ pregnancy }) => ({ id: pregnancy.id }),

  'safety.overrides': () => ({}),
  'safety.confirm': ({ patient, clinic }) => ({
    patientId: patient.id,
    clinicId: clinic.id,
    key: 'allergy:x',
    email: 'second@example.com',
    password: 'not the password',
  }),
  'safety.unseen': ({ patient }) => ({ patientId: patient.id }),
  'safety.review': ({ override }) => ({ id: override.id }),
  'safety.rules': () => ({}),
  'safety.switchRule': () => ({
    table: 'duplicate',
    rule: 'ppis',
    isOn: false,
    reason: 'Pantoprazole and esomeprazole are swapped here',
  }),

  'prescriptions.list': ({ patient }) => ({ patientId: patient.id }),
  'prescriptions.details': ({ patient }) => ({ patientId: patient.id }),
  'prescriptions.export': ({ patient }) => ({
    patientId: patient.id,
    format: 'csv',
    language: 'en',
  }),
  'prescriptions.get': ({ prescription }) => ({ id: prescription.id }),
  'prescriptions.check': ({ patient, drug }) => ({ patientId: patient.id, drugIds: [drug.id] }),
  'prescriptions.save': ({ patient, clinic, drug, prescriber }) => ({
    id: id(),
    patient_id: patient.id,
    provider_id: prescriber.id,
    pickup_clinic_id: clinic.id,
    notes: '',
    items: [{ id: id(), drug_id: drug.id, dosage_instructions: 'Twice a day' }],
    overrides: [duplicate(drug.id)],
  }),
  'prescriptions.setStatus': ({ prescription }) => ({ id: prescription.id, status: 'other' }),
  'prescriptions.delete': ({ prescription }) => ({ id: prescription.id }),

  'dispensing.queue': ({ clinic }) => ({ clinicId: clinic.id }),
  'dispensing.get': ({ prescription }) => ({ id: prescription.id }),
  'dispensing.records': ({ patient }) => ({ patientId: patient.id }),
  'dispensing.propose': ({ prescriptionItem }) => ({ itemId: prescriptionItem.id, quantity: 4 }),
  'dispensing.dispense': ({ prescription, prescriptionItem, batch, drug }) => ({
    prescriptionId: prescription.id,
    items: [
      { itemId: prescriptionItem.id, records: [{ id: id(), batchId: batch.id, quantity: 4 }] },
    ],
    overrides: [duplicate(drug.id)],
  }),
  'dispensing.fromPaper': ({ clinic, patient, drug }) => ({
    id: id(),
    clinicId: clinic.id,
    patientId: patient.id,
    drugId: drug.id,
    quantity: 4,
  }),
  'dispensing.reverse': ({ record }) => ({ id: id(), recordId: record.id, reason: 'Wrong box' }),
}
