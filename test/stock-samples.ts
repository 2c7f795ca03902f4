import { newId, type Side } from './world'

const aDrug = {
  generic_name: 'Ibuprofen',
  brand_name: null,
  ingredients: ['ibuprofen'],
  form: 'tablet',
  route: 'oral',
  dosage_quantity: 400,
  dosage_units: 'mg',
  barcode: null,
  manufacturer: null,
  sale_price: null,
  sale_currency: null,
  min_stock_level: 100,
  max_stock_level: null,
  is_controlled: false,
  requires_refrigeration: false,
  is_active: true,
  notes: null,
}
const aBatch = { batch_number: 'L-2201', expiry_date: '2099-06-30', received_date: '2026-01-05' }

/** As in samples.ts, about medicines and the stock of one of two clinics. */
export const stockSamples: Record<string, (side: Side) => unknown> = {
  'drugs.get': ({ drug }) => ({ id: drug.id }),
  'drugs.list': () => ({}),
  'drugs.search': () => ({ searchQuery: 'amoxi' }),
  'drugs.scan': () => ({ code: '(01)09504000059101(17)291231(10)A7' }),
  'drugs.stats': () => ({}),
  'drugs.save': () => ({ id: newId(), ...aDrug }),
  'drugs.setActive': ({ drug }) => ({ id: drug.id, is_active: false }),
  'drugs.delete': ({ unstocked }) => ({ id: unstocked.id }),
  'drugs.export': () => ({}),
  'drugs.import': () => ({
    rows: [
      {
        generic_name: 'Zinc',
        form: 'tablet',
        route: 'oral',
        dosage_quantity: '20',
        dosage_units: 'mg',
      },
    ],
  }),

  'inventory.list': ({ clinic }) => ({ clinicId: clinic.id }),
  'inventory.attention': ({ clinic }) => ({ clinicId: clinic.id }),
  'inventory.export': ({ clinic }) => ({ clinicId: clinic.id }),
  'inventory.save': ({ clinic, batch }) => ({
    id: newId(),
    clinicId: clinic.id,
    batchId: batch.id,
    expected: 40,
    quantity: 38,
    reason: 'Two were broken',
  }),
  'inventory.count': ({ clinic, batch }) => ({
    id: newId(),
    clinicId: clinic.id,
    counts: [{ batchId: batch.id, expected: 40, counted: 39 }],
  }),
  'inventory.writeOff': ({ clinic, expired }) => ({
    id: newId(),
    clinicId: clinic.id,
    batchId: expired.id,
    kind: 'expired',
    quantity: 5,
    reason: 'For destruction',
  }),
  'inventory.transfer': ({ clinic, empty, batch }) => ({
    id: newId(),
    fromClinicId: clinic.id,
    toClinicId: empty.id,
    lines: [{ batchId: batch.id, quantity: 10 }],
  }),

  'batches.byDrug': ({ drug, clinic }) => ({ drugId: drug.id, clinicId: clinic.id }),
  'batches.inClinic': ({ clinic }) => ({ clinicId: clinic.id }),
  'batches.create': ({ drug, clinic }) => ({
    id: newId(),
    drug_id: drug.id,
    clinic_id: clinic.id,
    quantity: 100,
    ...aBatch,
    confirmed: ['old_day', 'unlikely_date'],
  }),
  'batches.save': ({ batch }) => ({
    id: batch.id,
    last_modified: batch.last_modified,
    ...aBatch,
    reason: 'Misread',
    confirmed: ['unlikely_date'],
  }),
  'batches.quarantine': ({ batch }) => ({ id: batch.id, is_quarantined: true, reason: 'Recalled' }),

  'ledger.list': ({ clinic }) => ({ clinicId: clinic.id }),
  'shortfalls.list': ({ clinic }) => ({ clinicId: clinic.id }),
  'shortfalls.settle': ({ shortfall }) => ({
    id: shortfall.id,
    settlement: 'explained',
    reason: 'Counted since',
  }),
}
