import { allergyRecord } from '~/records/allergy'
import { type } from '../e2e/edit-fields'
import { entity } from './entity'

export const allergies = entity({
  record: allergyRecord,
  noun: 'allergies',
  list: 'list',
  tab: 'allergies',
  dialog: 'care/allergies/AllergyDialog',
  table: 'care/allergies/PatientAllergies',
  stored: () => ({
    substance: 'Amoxicillin',
    substance_kind: 'ingredient',
    substance_code: 'amoxicillin',
  }),
  // no call prescribes it
  ofSide: () => ({ substance: 'Codeine', substance_code: 'codeine' }),
  saved: () => ({
    substance: 'Penicillins',
    substance_kind: 'drug_class',
    substance_code: 'penicillins',
    status: 'active',
  }),
  shows: 'Penicillins',
  edited: {
    from: () => ({
      substance: 'Amoxil',
      reaction: 'Rash',
      severity: 'mild',
      notes: 'Told by\nher mother',
    }),
    row: 'Amoxil',
    more: (_, say) => [
      type(say('allergies.substance'), 'غير Amoxil', {
        'row.substance': 'غير Amoxil',
        'row.substance_kind': 'other',
        'row.substance_code': null,
      }),
    ],
    values: { severity: 'severe', status: 'refuted', reaction: 'Swelling', notes: 'Seen here' },
    one: 'reaction',
  },
})
