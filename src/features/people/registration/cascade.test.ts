import { describe, expect, test as plain } from 'vitest'
import { createPatient, getPatient, savePatient } from '~/features/people/patients/patients.server'
import { newId } from '~/shared/id'
import type { Context } from '~/server/operation'
import { auditOf, test } from '../../../../test/harness'
import { isInTable, optionsFor, pairsIn, pairsText, unknownParents } from './cascade'
import { answersOutsideTables, cascadedOptions } from './form-fields'
import type { RegistrationField } from './registration-form'
import { getRegistrationForm, saveRegistrationForm } from './registration-forms.server'

describe('a table of options', () => {
  plain(
    'is read from a spreadsheet, a file or a line that was typed, and says which line is none',
    () => {
      const text =
        '\uFEFFChouf\tBaakline\r\n\r\nChouf,"Deir el Qamar"\nMetn;Bikfaya;\nMetn\nAley\t a \tb'
      expect(pairsIn(text)).toEqual({
        rows: [
          ['Chouf', 'Baakline'],
          ['Chouf', 'Deir el Qamar'],
          ['Metn', 'Bikfaya'],
          // no pairs: they are refused, and not lost
          ['Metn', ''],
          ['Aley', ''],
        ],
        wrongLine: 5,
      })
      expect(pairsIn('Chouf,"Ain ""Zhalta"", east"').rows).toEqual([
        ['Chouf', 'Ain "Zhalta", east'],
      ])
      const rows = pairsIn(text).rows.slice(0, 3)
      expect(pairsIn(pairsText(rows))).toEqual({ rows, wrongLine: null })
    },
  )

  plain('refuses a line that was read in the wrong encoding', () => {
    expect(pairsIn('Chouf,Baakline\nط§ط³ظ…,Barouk').wrongLine).toBe(2)
    expect(pairsIn('Chouf,Baakline\nالشوف,بعقلين').wrongLine).toBeNull()
  })

  plain('offers the options below an answer, whatever its letters, and all without one', () => {
    const table = {
      parent: newId(),
      rows: pairsIn('Chouf,Baakline\nMetn,Bikfaya\nchouf,Barouk').rows,
    }
    expect(optionsFor(table, ' CHOUF')).toEqual(['Baakline', 'Barouk'])
    expect(optionsFor(table, null)).toEqual(['Baakline', 'Bikfaya', 'Barouk'])
    expect(optionsFor(table, 'Tyre')).toEqual([])
    expect(isInTable(table, 'barouk', 'Chouf')).toBe(true)
    expect(isInTable(table, 'Bikfaya', 'Chouf')).toBe(false)
  })
})

const DISTRICTS = 20
const VILLAGES = 30
/** 600 villages: more than the options of a choice. */
const rows = Array.from({ length: DISTRICTS * VILLAGES }, (_, at): [string, string] => [
  `District ${at % DISTRICTS}`,
  `Village ${at}`,
])
type Sent = Parameters<typeof saveRegistrationForm>[1]['fields'][number]
const textField = (column: string): Sent => ({
  id: newId(),
  column,
  label: { en: column },
  fieldType: 'text',
  options: [],
  required: false,
  baseField: false,
  visible: true,
  deleted: false,
  showsInSummary: false,
  isSearchField: false,
})

async function formWith(ctx: Context, change: (fields: Sent[]) => Sent[]) {
  const { id, name, last_modified, fields } = await getRegistrationForm(ctx, null)
  return saveRegistrationForm(ctx, { id, name, last_modified, fields: change(fields) })
}
const withVillages = async (ctx: Context) => {
  const district = textField('district')
  const village = { ...textField('village'), cascade: { parent: district.id, rows } }
  await formWith(ctx, (fields) => [...fields, district, village])
  return { district, village }
}

test('options of more than 300 rows depend on another answer; phones have a text', async ({
  as,
  db,
}) => {
  const me = as('admin')
  const { district, village } = await withVillages(me)
  const { id, fields } = await getRegistrationForm(me, null)
  const stored = fields.find((field) => field.id === village.id)!
  expect(stored.cascade).toEqual(village.cascade)
  expect(cascadedOptions(fields, { [`answers.${district.id}`]: 'District 3' })).toEqual({
    [`answers.${village.id}`]: expect.toSatisfy(
      (options: { value: string }[]) =>
        options.length === VILLAGES &&
        options.every(({ value }) => Number(value.slice(8)) % 20 === 3),
    ),
  })
  const row = await db
    .selectFrom('registration_forms')
    .select('fields')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const ofPhones = (row.fields as unknown as Record<string, unknown>[]).find(
    (field) => field['id'] === village.id,
  )
  expect(ofPhones).toMatchObject({ fieldType: 'text', options: [] })
  expect(ofPhones).not.toHaveProperty('cascade')

  // a save that does not know of tables keeps them, and null removes one
  await formWith(me, (all) =>
    all.map(({ cascade: _table, ...field }) => ({ ...field, required: false })),
  )
  const tableNow = async () =>
    (await getRegistrationForm(me, null)).fields.find((field) => field.id === village.id)?.cascade
  expect(await tableNow()).toEqual(village.cascade)
  await formWith(me, (all) =>
    all.map((field) => (field.id === village.id ? { ...field, cascade: null } : field)),
  )
  expect(await tableNow()).toBeUndefined()
  expect(await auditOf(db, id)).not.toEqual([])
})

test('the web takes an option below the answer; what a phone wrote stays, and is marked', async ({
  as,
  make,
  db,
}) => {
  const me = as('admin')
  const { district, village } = await withVillages(me)
  const { id: clinicId } = await make.clinic()
  const answer = (of: string, at: string) => ({ [district.id]: of, [village.id]: at })
  const patient = {
    id: newId(),
    primary_clinic_id: clinicId,
    given_name: 'Nour',
    sex: 'female',
    date_of_birth: '1990',
  }
  const refused = (key: string) => ({ fields: { [`answers.${village.id}`]: { key } } })
  await expect(
    createPatient(me, { ...patient, answers: answer('District 1', 'Elsewhere') }),
  ).rejects.toMatchObject(refused('validation.option'))
  await expect(
    createPatient(me, { ...patient, answers: answer('District 1', 'Village 2') }),
  ).rejects.toMatchObject(refused('registration.notBelow'))
  await createPatient(me, { ...patient, answers: answer('District 2', 'village 2') })

  const shown = async () => {
    const { patient: now } = await getPatient(me, { id: patient.id })
    const { fields } = await getRegistrationForm(me, null)
    const answers = Object.fromEntries(
      Object.values(now.additional_attributes).map((each) => [
        `answers.${each.attribute_id}`,
        each.string_value,
      ]),
    )
    return {
      last_modified: now.last_modified,
      village: answers[`answers.${village.id}`],
      outside: answersOutsideTables(fields as RegistrationField[], 'en', answers).map(
        ({ label, parent }) => [label, parent],
      ),
    }
  }
  expect(await shown()).toMatchObject({ village: 'Village 2', outside: [] })
  // as the row of a phone arrives
  await db
    .updateTable('patient_additional_attributes')
    .set({ string_value: 'Ain el Phone' })
    .where('patient_id', '=', patient.id)
    .where('attribute_id', '=', village.id)
    .execute()
  const marked = await shown()
  expect(marked).toMatchObject({ village: 'Ain el Phone', outside: [['village', 'district']] })
  // a change of something else does not wait for it; a change of the district does
  const { last_modified } = marked
  await expect(
    savePatient(me, { id: patient.id, last_modified, answers: { [district.id]: 'District 5' } }),
  ).rejects.toMatchObject(refused('registration.notBelow'))
  await savePatient(me, {
    id: patient.id,
    last_modified,
    surname: 'Haddad',
    answers: answer('District 2', 'Ain el Phone'),
  })
  expect(await shown()).toMatchObject({ village: 'Ain el Phone' })
})

test.for<[string, (district: Sent, village: Sent) => Sent[], string]>([
  [
    'no row',
    (a, b) => [a, { ...b, cascade: { parent: a.id, rows: [] } }],
    'registration.cascadeEmpty',
  ],
  [
    'a line that is no pair',
    (a, b) => [a, { ...b, cascade: { parent: a.id, rows: pairsIn('x,y\nz').rows } }],
    'registration.cascadeCell',
  ],
  [
    'a missing field',
    (a, b) => [a, { ...b, cascade: { parent: newId(), rows: [['a', 'b']] } }],
    'formEditor.cascadeParent',
  ],
  [
    'a number',
    (a, b) => [
      { ...a, fieldType: 'number' },
      { ...b, cascade: { parent: a.id, rows: [['a', 'b']] } },
    ],
    'formEditor.cascadeParent',
  ],
  [
    'itself, by another',
    (a, b) => [
      { ...a, cascade: { parent: b.id, rows: [['a', 'b']] } },
      { ...b, cascade: { parent: a.id, rows: [['a', 'b']] } },
    ],
    'formEditor.cascadeCircle',
  ],
  [
    'a number with a table',
    (a, b) => [a, { ...b, fieldType: 'number', cascade: { parent: a.id, rows: [['a', 'b']] } }],
    'formEditor.cascadeText',
  ],
])('a table that depends on %s is refused beside its field', async ([, fieldsOf, key], { as }) => {
  const made = fieldsOf(textField('district'), textField('village'))
  const error = await formWith(as('admin'), (fields) => [...fields, ...made]).then(
    () => ({ fields: {} }),
    (refused: { fields: Record<string, { key: string }> }) => refused,
  )
  expect(Object.values(error.fields)).toContainEqual(expect.objectContaining({ key }))
})

test('answers of the table that the field above does not offer are named', () => {
  const rows: [string, string][] = [
    ['North', 'A'],
    ['north', 'B'],
    ['West', 'C'],
    ['الشمال', 'D'],
  ]
  expect(unknownParents({ rows }, [{ en: 'North', ar: 'الشمال' }, { en: 'South' }])).toEqual([
    'West',
  ])
  expect(unknownParents({ rows }, [])).toEqual([])
})
