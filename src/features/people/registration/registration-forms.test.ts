import { describe, expect } from 'vitest'
import type * as z from 'zod'
import { newId } from '~/shared/id'
import type { Context } from '~/server/operation'
import { auditOf, test } from '../../../../test/harness'
import { fieldsOfScreen } from './form-fields'
import {
  BASE_FIELDS,
  isLanguageField,
  LANGUAGE_FIELD,
  type RegistrationField,
  type SaveForm,
} from './registration-form'
import {
  answeredFields,
  getRegistrationForm,
  listRegistrationForms,
  saveRegistrationForm,
} from './registration-forms.server'
import { encodeFields } from './stored-fields'

type Field = z.input<typeof SaveForm>['fields'][number]

const tribe: Field = {
  id: newId(),
  column: 'tribe',
  label: { en: 'Tribe', ar: 'القبيلة' },
  fieldType: 'text',
  options: [],
  required: false,
  baseField: false,
  visible: true,
  deleted: false,
  showsInSummary: false,
  isSearchField: false,
}
const clinicId = newId()
const registering = { [clinicId]: ['can_register_patients' as const] }

/** The first form with a change to its fields, as the editor sends it. */
async function saveWith(ctx: Context, change: (fields: Field[]) => unknown[]) {
  const { id, name, last_modified, fields } = await getRegistrationForm(ctx, null)
  return saveRegistrationForm(ctx, {
    id,
    name,
    last_modified,
    fields: change(fields as Field[]) as Field[],
  })
}
/** The path of a field that `saveWith` adds after the base fields and the language. */
const added = `fields.${Object.keys(BASE_FIELDS).length + 1}`
const fieldsNow = async (ctx: Context) => (await getRegistrationForm(ctx, null)).fields
const byColumn = (fields: RegistrationField[], column: string) =>
  fields.find((field) => field.column === column)

test('a new installation has a form with the base fields, their fixed ids and names in three languages', async ({
  as,
}) => {
  const { fields } = await getRegistrationForm(as('registrar', registering), null)

  expect(Object.fromEntries(fields.map(({ column, id }) => [column, id]))).toEqual({
    ...BASE_FIELDS,
    [LANGUAGE_FIELD.column]: LANGUAGE_FIELD.id,
  })
  for (const { label, baseField } of fields) {
    expect(Object.keys(label).toSorted()).toEqual(['ar', 'en', 'es'])
    expect(baseField).toBe(true)
  }
  // a column that is added later begins as a hidden field, which the clinic can show
  expect(fields.filter(({ visible }) => visible).length).toBeGreaterThanOrEqual(10)
  expect(byColumn(fields, 'hometown')?.label).toEqual({
    en: 'Hometown',
    ar: 'البلدة الأصلية',
    es: 'Lugar de origen',
  })
})

test('two shown fields with one label are refused beside the second; a deleted or hidden one does not count', async ({
  as,
}) => {
  const another = (label: object, more: object = {}) => ({
    ...tribe,
    ...more,
    id: newId(),
    column: `c${newId().slice(-12)}`,
    label,
  })
  const me = as('admin')
  for (const label of [{ en: ' tribe ' }, { en: 'Clan', ar: 'القبيلة' }, { en: 'Given name' }])
    await expect(
      saveWith(me, (fields) => [...fields, another(tribe.label), another(label)]),
    ).rejects.toMatchObject({
      fields: {
        [`fields.${Object.keys(BASE_FIELDS).length + 2}.label`]: { key: 'formBuilder.sameName' },
      },
    })
  await saveWith(me, (fields) => [
    ...fields,
    another(tribe.label),
    another(tribe.label, { visible: false }),
    another({ en: 'Clan' }),
  ])
})

test('a base column that is newer than the stored form is a hidden field, which can be shown', async ({
  as,
  db,
}) => {
  const { id, fields } = await getRegistrationForm(as('admin'), null)
  const stored = encodeFields(fields.filter(({ column }) => column !== 'camp'))
  await db
    .updateTable('registration_forms')
    .set({ fields: JSON.stringify(stored) })
    .where('id', '=', id)
    .execute()

  const now = await fieldsNow(as('admin'))
  expect(now.at(-1)).toMatchObject({
    id: BASE_FIELDS.camp,
    column: 'camp',
    position: now.length,
    label: { en: 'Camp', ar: 'المخيم', es: 'Campamento' },
    fieldType: 'text',
    baseField: true,
    visible: false,
  })
  await saveWith(as('admin'), (all) =>
    all.map((field) => (field.column === 'camp' ? { ...field, visible: true } : field)),
  )
  expect(byColumn(await fieldsNow(as('admin')), 'camp')).toMatchObject({ visible: true })
})

test('the language of patients has its place in the form, and phones have it as a hidden field', async ({
  as,
  db,
}) => {
  const me = as('admin')
  const onScreen = async () => Object.keys(fieldsOfScreen(await fieldsNow(me), 'en'))
  const storedField = async () => {
    const { fields } = await db
      .selectFrom('registration_forms')
      .select('fields')
      .executeTakeFirstOrThrow()
    return (fields as unknown as Record<string, unknown>[]).find(
      ({ id }) => id === LANGUAGE_FIELD.id,
    )
  }
  // a form that was stored before: at its end, and nothing changes for phones
  expect((await onScreen()).at(-1)).toBe('language')
  expect(await storedField()).toBeUndefined()
  const before = (await fieldsNow(me)).filter((field) => !isLanguageField(field))

  await saveWith(me, (fields) => [fields.at(-1)!, ...fields.slice(0, -1)])
  expect((await onScreen())[0]).toBe('language')
  expect((await fieldsNow(me)).slice(1).map(({ column }) => column)).toEqual(
    before.map(({ column }) => column),
  )
  expect(await storedField()).toMatchObject({ position: 1, visible: false, required: false })

  // a program that does not know it leaves it
  await saveWith(me, (fields) => fields.filter(({ id }) => id !== LANGUAGE_FIELD.id))
  expect(await onScreen()).toContain('language')
  await saveWith(me, (fields) =>
    fields.map((field) => (field.id === LANGUAGE_FIELD.id ? { ...field, visible: false } : field)),
  )
  expect(await onScreen()).not.toContain('language')
  expect(await storedField()).toMatchObject({ visible: false })
  // nor does such a program bring it back
  await saveWith(me, (fields) => fields.filter(({ id }) => id !== LANGUAGE_FIELD.id))
  expect(await onScreen()).not.toContain('language')

  // a clinic's own question may have the same name, and no other field its id
  await saveWith(me, (fields) => [
    ...fields.map((field) =>
      field.id === LANGUAGE_FIELD.id ? { ...field, visible: true } : field,
    ),
    { ...tribe, label: { en: 'Preferred language' }, column: 'preferred_language' },
  ])
  await expect(
    saveWith(me, (fields) =>
      fields.map((field) =>
        field.id === LANGUAGE_FIELD.id ? { ...field, fieldType: 'date' as const } : field,
      ),
    ),
  ).rejects.toMatchObject({ code: 'invalid' })
})

test('users of a clinic read the form; only an administrator changes it', async ({ as }) => {
  const me = as('provider', { [clinicId]: ['is_clinic_admin'] })
  const refused = { code: 'forbidden' }

  await expect(getRegistrationForm(as('registrar'), null)).rejects.toMatchObject(refused)
  await expect(listRegistrationForms(me, null)).rejects.toMatchObject(refused)
  await expect(answeredFields(me, null)).rejects.toMatchObject(refused)
  await expect(saveWith(me, (fields) => fields)).rejects.toMatchObject(refused)
  expect(await listRegistrationForms(as('admin'), null)).toMatchObject([
    { name: 'Registration', fields: 10 },
  ])
})

test('what is stored is encoded for phones, and what is read is as it was written', async ({
  as,
  db,
}) => {
  const odd = { ...tribe, column: 'tribe & clan', label: { en: '100% <b>', ar: 'القبيلة' } }
  const { id } = await saveWith(as('admin'), (fields) => [odd, ...fields])

  expect((await fieldsNow(as('admin')))[0]).toEqual({ ...odd, position: 1 })
  const { fields } = await db
    .selectFrom('registration_forms')
    .select('fields')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect((fields as RegistrationField[])[0]).toMatchObject({
    column: 'tribe%20&%20clan',
    label: { en: '100%25%20%3Cb%3E', ar: encodeURI('القبيلة') },
    position: 1,
  })
})

test('a field that is taken out is kept as deleted, and comes back when it is restored', async ({
  as,
}) => {
  await saveWith(as('admin'), (fields) => [...fields, tribe])
  await saveWith(as('admin'), (fields) => fields.filter(({ id }) => id !== tribe.id))
  expect(byColumn(await fieldsNow(as('admin')), 'tribe')).toMatchObject({
    id: tribe.id,
    deleted: true,
  })

  await saveWith(as('admin'), (fields) => fields.map((field) => ({ ...field, deleted: false })))
  expect(byColumn(await fieldsNow(as('admin')), 'tribe')).toMatchObject({
    id: tribe.id,
    deleted: false,
  })
})

test('the name of a removed field stays its own', async ({ as }) => {
  await saveWith(as('admin'), (fields) => [...fields, tribe])
  const another = { ...tribe, id: newId() }

  await expect(
    saveWith(as('admin'), (fields) => [...fields.filter(({ id }) => id !== tribe.id), another]),
  ).rejects.toMatchObject({ fields: { [`${added}.column`]: { key: 'formEditor.sameColumn' } } })
})

test.for([
  ['a UUID', tribe],
  ['a text of an older form', { ...tribe, id: 'num' }],
] as const)(
  'the type of a field whose id is %s can change until it has answers',
  async ([, tribe], { as, db, make }) => {
    const retype = (to: string) => (fields: Field[]) =>
      fields.map((field) =>
        field.id === tribe.id ? { ...field, fieldType: to, options: [{ en: 'A' }] } : field,
      )
    await saveWith(as('admin'), (fields) => [...fields, tribe])
    await saveWith(as('admin'), retype('select'))

    const patient = await make.patient()
    const answer = {
      id: newId(),
      patient_id: patient.id,
      attribute_id: tribe.id,
      attribute: 'tribe',
      string_value: 'A',
    }
    await db.insertInto('patient_additional_attributes').values(answer).execute()
    await expect(saveWith(as('admin'), retype('number'))).rejects.toMatchObject({
      code: 'invalid',
      fields: { [`${added}.fieldType`]: { key: 'formEditor.answered' } },
    })
    expect(await answeredFields(as('admin'), null)).toEqual([tribe.id])
  },
)

test('the camp may become a list to choose from; a date of birth stays a date', async ({ as }) => {
  const retype = (column: string) => (fields: Field[]) =>
    fields.map((field) =>
      field.column === column
        ? { ...field, fieldType: 'select', options: [{ en: 'North' }] }
        : field,
    )

  await saveWith(as('admin'), retype('camp'))
  await expect(saveWith(as('admin'), retype('date_of_birth'))).rejects.toMatchObject({
    fields: { 'fields.2.fieldType': { key: 'formEditor.baseType' } },
  })
})

describe('two administrators', () => {
  test('the second, who has not seen the first one’s change, is refused', async ({
    as,
    asUser,
    make,
  }) => {
    const stale = await getRegistrationForm(as('admin'), null)
    const amal = await make.user({ role: 'admin', name: 'Amal' })
    await saveWith(asUser(amal), (fields) => [...fields, tribe])

    await expect(
      saveRegistrationForm(as('admin'), { ...stale, name: 'Mine' }),
    ).rejects.toMatchObject({
      code: 'conflict',
      text: { key: 'errors.stale', values: { who: 'Amal' } },
      fields: {},
    })
  })

  test('the same request again changes nothing more', async ({ as, db }) => {
    const before = await getRegistrationForm(as('admin'), null)
    const request = { ...before, fields: [...before.fields, tribe] }
    const first = await saveRegistrationForm(as('admin'), request)
    const saves = async () => (await auditOf(db, before.id)).length
    const count = await saves()

    expect(await saveRegistrationForm(as('admin'), request)).toEqual(first)
    expect(await saves()).toBe(count)
  })
})

describe('a definition that makes no sense is refused with a sentence', () => {
  const at = (column: keyof Field, values: Partial<Record<keyof Field, unknown>>) =>
    [column, { ...tribe, ...values }] as const
  test.for([
    ['an unknown type', ...at('fieldType', { fieldType: 'hologram' }), 'formEditor.unknownType'],
    ['no name in any language', ...at('label', { label: { en: '  ' } }), 'formEditor.labelNeeded'],
    [
      'a language called __proto__',
      ...at('label', { label: JSON.parse('{"__proto__":"x"}') as object }),
      'formEditor.labelNeeded',
    ],
    [
      'a name of its own __proto__',
      ...at('column', { column: '__proto__' }),
      'formEditor.reserved',
    ],
    [
      'the name of a base field',
      ...at('column', { column: 'given_name' }),
      'formEditor.sameColumn',
    ],
    ['the id of a base field', ...at('id', { id: BASE_FIELDS.sex }), 'formEditor.sameId'],
    [
      'a choice without options',
      ...at('options', { fieldType: 'select' }),
      'formEditor.optionsNeeded',
    ],
    [
      'an empty option',
      ...at('options', { fieldType: 'select', options: [{}] }),
      'formEditor.optionEmpty',
    ],
    [
      'two equal options',
      ...at('options', { fieldType: 'checkbox', options: [{ en: 'A' }, { ar: 'a' }] }),
      'formEditor.sameOption',
    ],
    ['a claim to be a base field', ...at('column', { baseField: true }), 'formEditor.baseFixed'],
    ['a huge name', ...at('label', { label: { en: 'x'.repeat(201) } }), 'validation.tooLong'],
  ] as const)('%s', async ([, column, field, key], { as }) => {
    const error = await saveWith(as('admin'), (fields) => [...fields, field]).catch(
      (refusal: unknown) => refusal,
    )
    expect(error).toMatchObject({ code: 'invalid' })
    const { fields } = error as { fields: Record<string, { key: string }> }
    const about = Object.entries(fields).filter(([path]) => path.startsWith(`${added}.${column}`))
    expect(about.map(([, { key }]) => key)).toEqual([key])
  })

  test('a control character in a label is not stored: U+001F separates the choices of one answer', async ({
    as,
  }) => {
    const field = { ...tribe, label: { en: 'a\u001Fb' } }
    await saveWith(as('admin'), (fields) => [...fields, field])
    expect(byColumn(await fieldsNow(as('admin')), tribe.column)).toMatchObject({
      label: { en: 'ab' },
    })
  })

  test('a base field cannot be left out or marked as deleted, but hidden', async ({ as }) => {
    const without = (fields: Field[]) => fields.filter(({ column }) => column !== 'camp')
    const mark = (values: Partial<Field>) => (fields: Field[]) =>
      fields.map((field) => (field.column === 'camp' ? { ...field, ...values } : field))

    await expect(saveWith(as('admin'), without)).rejects.toMatchObject({
      fields: { fields: { key: 'formEditor.baseMissing', values: { column: 'camp' } } },
    })
    await expect(saveWith(as('admin'), mark({ deleted: true }))).rejects.toMatchObject({
      fields: { 'fields.7.deleted': { key: 'formEditor.baseStays' } },
    })
    await saveWith(as('admin'), mark({ visible: false }))
    expect(byColumn(await fieldsNow(as('admin')), 'camp')).toMatchObject({
      visible: false,
      deleted: false,
    })
  })

  test('too many fields', async ({ as }) => {
    const many = Array.from({ length: 201 }, (_, n) => ({
      ...tribe,
      id: newId(),
      column: `field ${n}`,
    }))
    await expect(saveWith(as('admin'), (fields) => [...fields, ...many])).rejects.toMatchObject({
      fields: { fields: { key: 'validation.tooMany' } },
    })
  })

  test('markup is a name like any other', async ({ as }) => {
    const label = { en: '<img src=x onerror=alert(1)>' }
    await saveWith(as('admin'), (fields) => [...fields, { ...tribe, label }])
    expect(byColumn(await fieldsNow(as('admin')), 'tribe')?.label).toEqual(label)
  })
})
