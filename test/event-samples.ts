import { newId, type Side } from './world'

/** One white pixel, as a PNG. */
const aPicture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

export const eventSamples: Record<string, (side: Side) => unknown> = {
  'events.list': ({ patient }) => ({ patientId: patient.id }),
  'events.get': ({ event }) => ({ id: event.id }),
  'events.new': ({ visit, eventForm }) => ({ visitId: visit.id, formId: eventForm.id }),
  'events.snapshots': ({ patient }) => ({ patientId: patient.id }),
  'events.save': ({ patient, visit, eventForm }) => ({
    id: newId(),
    patient_id: patient.id,
    visit_id: visit.id,
    form_id: eventForm.id,
    answers: [],
  }),
  'events.checkMedicines': ({ patient }) => ({
    patientId: patient.id,
    eventId: newId(),
    names: ['Amoxicillin'],
  }),
  'events.history': ({ event }) => ({ id: event.id }),
  'events.byForm': ({ eventForm }) => ({ formId: eventForm.id }),
  'events.charts': ({ eventForm }) => ({ formId: eventForm.id }),
  'events.export': ({ eventForm }) => ({ formId: eventForm.id, format: 'csv', language: 'en' }),
  'events.delete': ({ event }) => ({ id: event.id }),
  'eventFiles.save': ({ visit, event }) => ({
    id: newId(),
    event_id: event.id,
    visit_id: visit.id,
    field_id: 'scan',
    name: 'scan.png',
    content: aPicture,
  }),
  'eventFiles.get': ({ eventFile }) => ({ id: eventFile.id }),
}
