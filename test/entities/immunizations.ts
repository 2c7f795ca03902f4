import { immunizationRecord } from '~/records/immunization'
import { choose } from '../e2e/edit-fields'
import { entity } from './entity'

export const immunizations = entity({
  record: immunizationRecord,
  noun: 'immunizations',
  list: 'ofPatient',
  tab: 'immunizations',
  dialog: 'care/immunizations/ImmunizationDialog',
  table: 'care/immunizations/PatientImmunizations',
  stored: () => ({ vaccine: 'td', given_on: '2026-01-05', dose_number: 1 }),
  ofSide: ({ clinic, visit }) => ({ clinic_id: clinic.id, visit_id: visit.id }),
  saved: (side) => ({
    visit_id: side?.visit.id ?? null,
    vaccine: 'td',
    given_on: '2026-03-01',
    dose_number: 2,
    lot: 'LOT-1',
    clinic_id: side?.clinic.id ?? null,
    notes: null,
  }),
  shows: 'LOT-1',
  edited: {
    from: ({ clinics: [here] }) => ({
      vaccine: 'opv',
      dose_number: 0,
      lot: 'Lot of the round trip',
      clinic_id: here.id,
      notes: 'Copied from\nthe card',
    }),
    row: 'Copied',
    more: ({ clinics: [, there] }, say) => [
      choose(say('immunizations.clinic'), there.name, { 'row.clinic_id': there.id }),
    ],
    values: {
      vaccine: 'ipv',
      given_on: '2026-04-09',
      dose_number: 2,
      lot: 'B-4',
      notes: 'Copied by the mother',
    },
    one: 'lot',
  },
})
