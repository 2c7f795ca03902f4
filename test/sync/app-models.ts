import type { Person } from './clinic'
import type { Phone, Row } from './phone'

// Writes of the app's models, read from its published source.

export const held = async (phone: Phone, table: Parameters<Phone['find']>[0], id: string) =>
  (await phone.find(table, id))!
export const parsed = (row: Row, column: string) => JSON.parse(String(row[column])) as never

/** A form of a visit: the visit's metadata gets the time. */
export async function addForm(
  phone: Phone,
  author: Person,
  visitId: string,
  at: string,
  more = {},
) {
  const visit = await held(phone, 'visits', visitId)
  await phone.update('visits', visitId, {
    metadata: JSON.stringify({
      ...(parsed(visit, 'metadata') as object),
      lastEventAddedTimestamp: at,
    }),
  })
  return phone.create('events', {
    patient_id: visit['patient_id']!,
    visit_id: visitId,
    form_id: '',
    event_type: 'Intake',
    form_data: '[]',
    metadata: JSON.stringify({ providerId: author.id, providerName: author.name }),
    recorded_by_user_id: author.id,
    ...more,
  })
}

/** An appointment is booked: the patient's metadata gets its time. */
export async function noteAppointment(phone: Phone, patientId: string, at: string) {
  const patient = await held(phone, 'patients', patientId)
  await phone.update('patients', patientId, {
    metadata: JSON.stringify({
      ...(parsed(patient, 'metadata') as object),
      lastAppointmentTimestamp: at,
    }),
  })
}

export type Department = { id: string; status: string; seen_by: string | null }

/** A department of an appointment has done its part, with a form of a new visit. */
export async function completeDepartment(
  phone: Phone,
  author: Person,
  id: string,
  departmentId: string,
) {
  const row = await held(phone, 'appointments', id)
  const departments: Department[] = parsed(row, 'departments')
  await phone.update('appointments', id, {
    departments: JSON.stringify(
      departments.map((each) =>
        each.id === departmentId ? { ...each, status: 'completed', seen_by: author.id } : each,
      ),
    ),
    provider_id: author.id,
  })
  const visitId = await phone.create('visits', {
    patient_id: row['patient_id']!,
    clinic_id: row['clinic_id']!,
    provider_id: author.id,
    provider_name: author.name,
    check_in_timestamp: Date.now(),
  })
  await phone.update('appointments', id, { fulfilled_visit_id: visitId, provider_id: author.id })
}

export type Answer = { fieldId: string; name?: string; value: unknown }

/** A form is opened again and saved: all answers of the form that the phone has, and its user as the author. */
export async function saveAnswers(phone: Phone, author: Person, id: string, answers: Answer[]) {
  const row = await held(phone, 'events', id)
  const asked: Answer[] = parsed(row, 'form_data')
  const nameOf = (fieldId: string) => asked.find((each) => each.fieldId === fieldId)?.name
  await phone.update('events', id, {
    form_id: row['form_id']!,
    form_data: JSON.stringify(
      answers.map((each) => ({
        name: nameOf(each.fieldId) ?? each.fieldId,
        fieldType: 'free-text',
        inputType: 'text',
        ...each,
      })),
    ),
    metadata: '{}',
    recorded_by_user_id: author.id,
  })
}
