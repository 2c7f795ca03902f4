import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Input } from '~/client/api'
import { number, optional, select } from '~/fields/field'
import { allergyRecord } from '~/records/allergy'
import { clinicRecord } from '~/records/clinic'
import type { PatientColumn } from '~/records/patient'
import { record } from '~/records/record'
import { FieldForm } from '~/ui/FieldForm'

const form = {
  fields: clinicRecord.fields,
  submit: 'common.save',
  onSubmit: async () => undefined,
} as const

test('a field that a query did not select is a type error where its record is edited', () => {
  const selected = { name: 'Hillside', address: null }
  // @ts-expect-error -- "phone" is missing: the form would save null over it
  const editor = <FieldForm {...form} values={selected} />
  expect(editor.props.values).not.toHaveProperty('phone')
  // a new record has nothing to lose
  expect(<FieldForm {...form} suggested={selected} />).toBeDefined()
})

test('a field that a screen does not hand over is a type error where its record is saved', () => {
  const typed = (input: Input<'allergies.save'>) => input
  const given = {
    id: '',
    patient_id: '',
    substance: 'latex',
    severity: null,
    status: 'active',
    notes: null,
  } as const
  // @ts-expect-error -- "reaction" and the substance's code are missing: the operation would store null
  expect(typed(given)).not.toHaveProperty('reaction')
  expect(
    typed({ ...given, reaction: null, substance_kind: 'other', substance_code: null }),
  ).toBeDefined()
})

test('a line of a record that the database does not fit is a type error on the line', () => {
  const wrong = () =>
    record('patient_allergies', {
      notes: allergyRecord.columns.notes,
      // @ts-expect-error -- no migration adds "shoe_size"
      shoe_size: {},
      // @ts-expect-error -- the column holds text
      substance: { field: number('allergies.substance') },
      // @ts-expect-error -- the column is never null
      status: { field: optional(allergyRecord.columns.status.field) },
      // @ts-expect-error -- the database refuses "deadly"
      severity: { field: select('allergies.severity', ['mild', 'deadly'], () => 'allergies.mild') },
    })
  // src/records/patient.test.ts covers the opposite: a column in the database without a line
  expect(Object.keys(wrong().fields)).toEqual(['notes', 'substance', 'status', 'severity'])
})

test('a column that registration forms ask for is a type error without words in every language', () => {
  const base = '00000000-0000-4000-8000-000000000000'
  // @ts-expect-error -- forms that are older than the column have no label for it
  const nameless: PatientColumn = { base }
  // @ts-expect-error -- this key is in no messages file
  const unknown: PatientColumn = { base, label: 'devices.column_shoe_size' }
  const complete: PatientColumn = { base, label: 'devices.column_camp' }
  expect([nameless, unknown, complete].every((column) => column.base === base)).toBe(true)
})

/** The fields of these forms are data, so no type can name them. */
const FIELDS_ARE_DATA = {
  'src/features/people/patients/EditPatient.tsx':
    'the registration form; its columns are typed in patient-answers.ts',
  'src/features/forms/events/filling/FillForm.tsx': 'an event form; the answers are read whole',
  'src/features/office/settings/ConfigurationsForm.tsx':
    'a row per setting; only what was changed is saved',
}

test('no other form hides from the compiler what its record holds', () => {
  const hiding = globSync('src/**/*.tsx').filter((file) =>
    /\bvalues=\{[^}\n]*\bas (?!const\b)/.test(readFileSync(file, 'utf8')),
  )
  expect(hiding.toSorted()).toEqual(Object.keys(FIELDS_ARE_DATA).toSorted())
})
