import { newId, type Side } from './world'

/** As in samples.ts: programs and follow-up. */
export const followUpSamples: Record<string, (side: Side) => unknown> = {
  'programs.list': () => ({}),
  'programs.ofPatient': ({ patient }) => ({ patientId: patient.id }),
  'programs.enroll': ({ patient, clinic }) => ({
    id: newId(),
    patient_id: patient.id,
    program: 'diabetes',
    clinic_id: clinic.id,
    enrolled_on: '2026-01-05',
  }),
  'programs.save': ({ enrollment }) => ({
    id: enrollment.id,
    last_modified: enrollment.last_modified,
    patient_id: enrollment.patient_id,
    clinic_id: enrollment.clinic_id,
    enrolled_on: enrollment.enrolled_on,
    review_days: 60,
  }),
  'programs.end': ({ enrollment }) => ({
    id: enrollment.id,
    ended_on: enrollment.enrolled_on,
    end_reason: 'moved',
  }),
  'patients.setDeath': ({ patient }) => ({ id: patient.id, died_on: '2026-06-01' }),

  'followups.list': ({ clinic }) => ({ clinicId: clinic.id }),
  'followups.count': () => ({}),
  'followups.ofPatient': ({ patient }) => ({ patientId: patient.id }),
  'followups.called': ({ clinic }) => ({ clinicId: clinic.id }),
  'followups.call': ({ overdue }) => ({
    id: newId(),
    patient_id: overdue.patient_id,
    program: 'hypertension',
    result: 'remind_to_call_later',
  }),
  'followups.counter': ({ followUpCall }) => ({ id: newId(), call_id: followUpCall.id }),
  'consents.ofPatient': ({ patient }) => ({ patientId: patient.id }),
  'consents.save': ({ patient }) => ({
    id: newId(),
    patient_id: patient.id,
    channel: 'sms',
    agreed: true,
  }),
  'messageTexts.list': () => ({}),
  'messageTexts.save': () => ({
    id: newId(),
    schedule_code: 'htn-review',
    language: 'es',
    body: 'Venga a {clinic}',
  }),
  'messages.prepare': ({ overdue }) => ({
    patient_id: overdue.patient_id,
    program: 'hypertension',
  }),
  'messages.create': ({ overdue, message }) => ({
    id: newId(),
    patient_id: overdue.patient_id,
    program: 'hypertension',
    language: 'en',
    way: 'print',
    body: message.body,
  }),
  'messages.get': ({ message }) => ({ id: message.id }),
  'followUpSchedules.list': () => ({}),
  'followUpSchedules.save': () => ({
    code: 'htn-review',
    due_before: 7,
    grace: 3,
    lost_months: 12,
    steps: { visit: 30 },
  }),
}
