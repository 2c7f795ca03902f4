import { describe, expect } from 'vitest'
import { text } from '~/fields/field'
import { test } from '../../test/harness'
import { allergyRecord } from './allergy'
import { appointmentRecord } from './appointment'
import { batchRecord } from './batch'
import { clinicRecord, contactColumns, clinicContactValues, LABEL_CONTACT } from './clinic'
import { departmentRecord } from './department'
import { drugRecord } from './drug'
import { medicineRecord } from './medicine'
import { patientRecord } from './patient'
import { permissionRecord } from './permission'
import { prescriptionItemRecord, prescriptionRecord } from './prescription'
import { problemRecord } from './problem'
import { namesWith, record } from './record'
import { userRecord } from './user'
import { visitRecord } from './visit'

const records = [
  allergyRecord,
  appointmentRecord,
  batchRecord,
  clinicRecord,
  departmentRecord,
  drugRecord,
  medicineRecord,
  permissionRecord,
  prescriptionRecord,
  prescriptionItemRecord,
  problemRecord,
  userRecord,
  visitRecord,
]
describe.each(records)('the record $table', (record) => {
  test('has each field in what its editor reads and its save takes', () => {
    const names = Object.keys(record.fields)
    expect(names.length).toBeGreaterThan(0)
    expect(record.selected).toEqual(['id', ...names, 'last_modified'])
    expect(Object.keys(record.save.shape).toSorted()).toEqual(
      ['id', 'last_modified', ...names].toSorted(),
    )
  })
})

test('a save that leaves a newer column out says nothing of it, and one that empties it says null', () => {
  const id = '018f2f00-0000-7000-8000-000000000001'
  expect(clinicRecord.save.parse({ id, name: 'Hillside' })).toEqual({ id, name: 'Hillside' })
  expect(clinicRecord.save.parse({ id, name: 'Hillside', phone: '' })).toEqual({
    id,
    name: 'Hillside',
    phone: null,
  })
})

test('the contact of a clinic is selected by another record and printed in its order, without gaps', () => {
  expect(contactColumns('clinics')).toEqual([
    'clinics.address as clinic_address',
    'clinics.phone as clinic_phone',
  ])
  expect(contactColumns('c', LABEL_CONTACT)).toEqual(['c.phone as clinic_phone'])
  expect(clinicContactValues({ phone: '+962 6 123', address: '3 Mill Road' })).toEqual([
    '3 Mill Road',
    '+962 6 123',
  ])
  expect(clinicContactValues({ clinic_address: null, clinic_phone: '+962 6 123' })).toEqual([
    '+962 6 123',
  ])
  // an appointment has the phone of its patient, too
  expect(
    clinicContactValues({ phone: '+962 7 900', clinic_address: null, clinic_phone: null }),
  ).toEqual([])
})

test('a column without a field is in the record, but in no form, save or editor', () => {
  const { fields, save, selected, names, device, derived } = record('clinic_inventory', {
    batch_number: { field: text('clinics.name'), device: 'text' },
    quantity_available: { device: 'number', derived: true },
    last_counted_at: {},
  })
  expect(Object.keys(fields)).toEqual(['batch_number'])
  expect(Object.keys(save.shape)).toEqual(['id', 'last_modified', 'batch_number'])
  expect(selected).toEqual(['id', 'batch_number', 'last_modified'])
  expect(names).toEqual(['batch_number', 'quantity_available', 'last_counted_at'])
  expect(device).toEqual({ batch_number: 'text', quantity_available: 'number' })
  expect(derived).toEqual(['quantity_available'])
  expect(namesWith(patientRecord, 'base').slice(0, 2)).toEqual(['given_name', 'surname'])
})
