import { newId, type Side } from './world'

/** As in samples.ts: appointments, and the queue of those who have come. */
export const appointmentSamples: Record<string, (side: Side) => unknown> = {
  'appointments.list': () => ({}),
  'appointments.search': () => ({ searchQuery: 'Mansour' }),
  'appointments.get': ({ appointment }) => ({ id: appointment.id }),
  'appointments.byPatient': ({ patient }) => ({ patientId: patient.id }),
  'appointments.next': ({ patient }) => ({ patientId: patient.id }),
  'appointments.calendar': ({ clinic }) => ({
    clinicId: clinic.id,
    from: '2026-03-01',
    to: '2026-03-31',
  }),
  'appointments.month': ({ clinic }) => ({
    clinicId: clinic.id,
    from: '2026-03-01',
    to: '2026-03-31',
  }),
  'appointments.save': ({ patient, clinic, department }) => ({
    id: newId(),
    patient_id: patient.id,
    clinic_id: clinic.id,
    provider_id: null,
    timestamp: '2030-03-01T09:00:00Z',
    duration: 30,
    reason: 'checkup',
    department_ids: [department.id],
    notes: null,
  }),
  'appointments.move': ({ appointment }) => ({
    id: appointment.id,
    last_modified: appointment.last_modified,
    timestamp: '2030-03-01T10:00:00Z',
  }),
  'appointments.overlaps': ({ registrar }) => ({
    provider_id: registrar.id,
    timestamp: '2030-03-01T09:00:00Z',
    duration: 30,
  }),
  'appointments.cancelSeries': ({ appointment }) => ({ id: appointment.id }),
  'appointments.setStatus': ({ appointment }) => ({ id: appointment.id, status: 'confirmed' }),
  'appointments.toCome': ({ patient }) => ({ patientId: patient.id }),
  'appointments.delete': ({ appointment }) => ({ id: appointment.id }),
  'appointments.export': () => ({ format: 'csv', language: 'en' }),

  'departments.names': ({ clinic }) => ({ clinicId: clinic.id }),

  'queue.list': ({ clinic }) => ({ clinicId: clinic.id }),
  'queue.board': ({ clinic }) => ({ clinicId: clinic.id }),
  'queue.showBoard': () => ({ token: 'made-up' }),
  'queue.boardLink': ({ clinic }) => ({ clinicId: clinic.id }),
  'queue.makeBoardLink': ({ clinic }) => ({ clinicId: clinic.id }),
  'queue.revokeBoardLink': ({ clinic }) => ({ clinicId: clinic.id }),
  'queue.callNext': ({ clinic }) => ({ clinicId: clinic.id }),
  'queue.checkIn': ({ clinic, patient }) => ({
    id: newId(),
    clinicId: clinic.id,
    patientId: patient.id,
  }),
  'queue.call': ({ arrived }) => ({ appointmentId: arrived.id, position: 1 }),
  'queue.passOver': ({ arrived }) => ({ appointmentId: arrived.id, position: 1 }),
  'queue.start': ({ arrived }) => ({ appointmentId: arrived.id, position: 1 }),
  'queue.leave': ({ arrived }) => ({ appointmentId: arrived.id }),
  'queue.setUrgency': ({ arrived }) => ({ appointmentId: arrived.id, urgency: 'priority' }),
  'queue.ofPatient': ({ patient }) => ({ patientId: patient.id }),
  'queue.finish': ({ arrived }) => ({ appointmentId: arrived.id, position: 1 }),
  'queue.send': ({ arrived, department }) => ({
    appointmentId: arrived.id,
    departmentId: department.id,
  }),
}
