import { medicineRecord } from '~/records/medicine'
import { add } from '../e2e/edit-fields'
import { entity } from './entity'

export const medicines = entity({
  record: medicineRecord,
  noun: 'medicines',
  list: 'list',
  tab: 'prescriptions',
  dialog: 'medicines/taken/MedicineDialog',
  table: 'medicines/taken/PatientMedicines',
  stored: () => ({ name: 'Ibuprofen', source: 'pharmacy' }),
  // a call saves the usual one
  ofSide: () => ({ name: 'Paracetamol' }),
  saved: () => ({ name: 'Ibuprofen', ingredients: [], source: 'pharmacy' }),
  shows: 'Ibuprofen',
  edited: {
    from: () => ({
      name: 'Brufen',
      ingredients: ['ibuprofen'],
      dose: 'One at night',
      since: '2026-01-05',
      notes: 'Bought at\nthe market',
    }),
    row: 'Brufen',
    more: (_, say) => [
      add(say('medicines.ingredients'), 'paracetamol', { 'row.ingredients.1': 'paracetamol' }),
    ],
    values: {
      name: 'Brufen 400',
      source: 'brought',
      since: '2026-01-06',
      until: '2026-04-09',
      dose: 'One in the morning',
      notes: 'Told by her son',
    },
    one: 'dose',
  },
})
