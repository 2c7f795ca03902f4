import { newId, type Side } from './world'

const aField = {
  id: 'note',
  name: 'Note',
  description: '',
  required: false,
  fieldType: 'free-text',
  inputType: 'text',
  length: 'short',
}

/** As in samples.ts: of the forms that clinics design. */
export const eventFormSamples: Record<string, (side: Side) => unknown> = {
  'eventForms.list': () => ({}),
  'eventForms.get': ({ eventForm }) => ({ id: eventForm.id }),
  'eventForms.save': ({ clinic }) => ({
    id: newId(),
    name: 'Wound care',
    description: '',
    language: 'en',
    form_fields: [aField],
    translations: [],
    is_editable: true,
    is_snapshot_form: false,
    clinic_ids: [clinic.id],
  }),
  'eventForms.duplicate': ({ eventForm }) => ({
    id: eventForm.id,
    copyId: newId(),
    name: 'A copy',
  }),
  'eventForms.setEditable': ({ eventForm }) => ({ id: eventForm.id, on: false }),
  'eventForms.setSnapshot': ({ eventForm }) => ({ id: eventForm.id, on: true }),
  'eventForms.delete': ({ eventForm }) => ({ id: eventForm.id }),
  'eventForms.versions': ({ eventForm }) => ({ id: eventForm.id }),
  'eventForms.version': ({ eventForm }) => ({ id: eventForm.id, version: 1 }),
  'eventForms.starters': () => ({}),
  'eventForms.starter': () => ({ key: 'phq-2' }),
  'eventForms.installStarter': ({ clinic }) => ({
    id: newId(),
    key: 'phq-2',
    clinic_ids: [clinic.id],
  }),
  'eventForms.starterUpdate': ({ eventForm }) => ({ id: eventForm.id }),
  'eventForms.updateFromStarter': ({ eventForm }) => ({ id: eventForm.id }),
  'eventForms.diff': ({ eventForm }) => ({ id: eventForm.id, from: 1, to: 1 }),
}
