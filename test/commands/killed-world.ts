import { connect } from '~/db/connect'
import { makeFactories } from '../factories'
import { givePassword, PASSWORD } from '../sessions'
import { EVERYTHING } from '../sync/clinic'
import type { Places } from './killed'

const WRITERS = 10

async function tokenOf(origin: string, email: string) {
  const response = await fetch(`${origin}/api/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  })
  return ((await response.json()) as { token: string }).token
}

/** Clinics, users of phones and the rows on which ten writers work. `url`: of the owner of the tables. */
export async function prepare(origin: string, url: string) {
  const db = connect(url)
  const make = makeFactories(db)
  const clinic = await make.clinic()
  const other = await make.clinic()
  const people = [await make.user({ role: 'provider' }), await make.user({ role: 'provider' })]
  for (const person of people) {
    await givePassword(db, person)
    await make.permission(person, clinic.id, EVERYTHING)
  }
  const administrator = await make.user({ role: 'super_admin' })
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const visit = await make.visit({ patient_id: patient.id, clinic_id: clinic.id })
  const drug = await make.drug()
  // the prescriptions below reserve a million
  const batch = await make.stock(clinic.id, 2_000_000, { drug_id: drug.id })
  const prescriptions = []
  for (let writer = 0; writer < WRITERS; writer += 1) {
    const of = { patient_id: patient.id, pickup_clinic_id: clinic.id }
    const prescription = await make.prescription(of)
    const item = await make.prescriptionItem(prescription, {
      drug_id: drug.id,
      quantity_prescribed: 100_000,
    })
    prescriptions.push({ id: prescription.id, itemId: item.id })
  }
  await givePassword(db, administrator)
  const token = await tokenOf(origin, administrator.email)
  await db.destroy()
  const places: Places = {
    token,
    clinics: [clinic.id, other.id],
    drug: drug.id,
    batch: batch.id,
    patient: patient.id,
    visit: visit.id,
    prescriptions,
  }
  return { places, people, clinic }
}
