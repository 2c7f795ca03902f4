import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { fieldsSchema } from '~/fields/field'
import { buildFields } from '~/features/people/registration/form-fields'
import type { RegistrationField } from '~/features/people/registration/registration-form'
import {
  getRegistrationForm,
  saveRegistrationForm,
} from '~/features/people/registration/registration-forms.server'
import type { AnswerValue } from '~/forms/question'
import type { Context } from '~/server/operation'
import { newId } from '~/shared/id'
import { cleanLine } from '~/shared/typed-text'
import { test } from '../../../../test/harness'
import { answersByName, givenAnswers } from './patient-answers'
import { createPatient, getPatient, type Patient, savePatient } from './patients.server'

const person = { given_name: 'Nour', surname: 'Haddad', date_of_birth: '1990-05-17', sex: 'female' }

const blank = {
  options: [],
  required: false,
  baseField: false,
  visible: true,
  deleted: false,
  showsInSummary: false,
}
const extra = (
  column: string,
  fieldType: RegistrationField['fieldType'],
  more: Partial<RegistrationField> = {},
) =>
  ({
    ...blank,
    id: newId(),
    column,
    label: { en: column },
    fieldType,
    isSearchField: false,
    ...more,
  }) as RegistrationField

/** The form with these fields added, or replaced by their ids. */
async function withFields(ctx: Context, ...added: RegistrationField[]) {
  const form = await getRegistrationForm(ctx, null)
  const kept = form.fields.filter(({ id }) => !added.some((field) => field.id === id))
  await saveRegistrationForm(ctx, { ...form, fields: [...kept, ...added] })
  return (await getRegistrationForm(ctx, null)).fields
}
const attributesIn = (patient: Patient) => Object.values(patient.additional_attributes)

describe('answers', () => {
  const text = fc
    .string({ minLength: 1, maxLength: 30, unit: 'grapheme' })
    .filter((t) => t.isWellFormed() && cleanLine(t) === t)
  const day = fc
    .date({ min: new Date('1900-01-01'), max: new Date('2100-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10))
  const choices = fc.subarray(['A', 'B', 'C'], { minLength: 1 })
  const given: Record<RegistrationField['fieldType'], fc.Arbitrary<AnswerValue>> = {
    text,
    number: fc
      .double({ min: -1e9, max: 1e9, noNaN: true })
      .map((n) => Math.round(n * 1e4) / 1e4 + 0),
    date: day,
    select: fc.constantFrom('A', 'B', 'C'),
    boolean: fc.boolean(),
    checkbox: choices,
  }
  const options = ['A', 'B', 'C'].map((en) => ({ en, ar: `${en} ع` }))
  const types = Object.keys(given) as RegistrationField['fieldType'][]
  const fields = types.map((type) =>
    extra(type, type, type === 'select' || type === 'checkbox' ? { options } : {}),
  )
  const all = fc.record(
    Object.fromEntries(fields.map(({ id, fieldType }) => [id, fc.option(given[fieldType])])),
  )

  test('of every type, each in its own column, read back equal; so they do after the form changed', async ({
    as,
    make,
  }) => {
    const ctx = as('admin')
    await withFields(ctx, ...fields)
    const clinic = await make.clinic()
    let { id, last_modified } = await createPatient(ctx, {
      id: newId(),
      primary_clinic_id: clinic.id,
      ...person,
    })
    await fc.assert(
      fc.asyncProperty(all, fc.boolean(), async (answers, isRestyled) => {
        ;({ id, last_modified } = await savePatient(ctx, { id, last_modified, answers }))
        const form = isRestyled
          ? await withFields(
              ctx,
              ...fields.map((field, n) => ({
                ...field,
                column: `renamed ${n}`,
                label: { es: 'Otro' },
                deleted: n % 2 === 0,
                visible: n % 3 === 0,
              })),
            )
          : await withFields(ctx, ...fields)
        const { patient } = await getPatient(ctx, { id })
        const read = answersByName(form, patient, attributesIn(patient), 'Asia/Gaza')
        for (const field of fields) expect(read[`answers.${field.id}`]).toEqual(answers[field.id])
      }),
      { numRuns: 15 },
    )
  })

  test('are kept by type, under the name of the attribute', async ({ as, make }) => {
    const ctx = as('admin')
    await withFields(ctx, ...fields)
    const answers = {
      text: 'x',
      number: 36.85,
      date: '2000-02-29',
      select: 'B ع',
      boolean: false,
      checkbox: ['C', 'A'],
    }
    const { id } = await createPatient(ctx, {
      id: newId(),
      primary_clinic_id: (await make.clinic()).id,
      ...person,
      answers: Object.fromEntries(fields.map((field) => [field.id, answers[field.fieldType]])),
    })

    const none = { number_value: null, string_value: null, date_value: null, boolean_value: null }
    expect((await getPatient(ctx, { id })).patient.additional_attributes).toMatchObject({
      text: { ...none, string_value: 'x' },
      number: { ...none, number_value: 36.85 },
      date: { ...none, date_value: new Date('2000-02-29T12:00:00Z') },
      select: { ...none, string_value: 'B' },
      boolean: { ...none, boolean_value: false },
      checkbox: { ...none, string_value: 'C\u001FA' },
    })
  })

  test('to a field that was removed stay readable, and a choice that is none any more may stay', async ({
    as,
    make,
  }) => {
    const ctx = as('admin')
    const [tribe, origin] = [extra('tribe', 'select', { options }), extra('origin', 'text')]
    await withFields(ctx, tribe, origin)
    const { id } = await createPatient(ctx, {
      id: newId(),
      primary_clinic_id: (await make.clinic()).id,
      ...person,
      answers: { [tribe.id]: 'A', [origin.id]: 'Jaffa' },
    })
    const form = await withFields(
      ctx,
      { ...tribe, options: [{ en: 'Other' }] },
      { ...origin, deleted: true },
    )
    const { patient } = await getPatient(ctx, { id })

    expect(patient.additional_attributes).toHaveProperty('origin')
    const kept = answersByName(form, patient, attributesIn(patient), 'UTC')
    expect(fieldsSchema(buildFields(form, 'en', kept)).safeParse(kept).success).toBe(true)
    await savePatient(ctx, {
      id,
      last_modified: patient.last_modified,
      answers: { [tribe.id]: 'A' },
      phone: '1',
    })
    await expect(
      savePatient(ctx, { id, last_modified: patient.last_modified, answers: { [tribe.id]: 'B' } }),
    ).rejects.toMatchObject({ fields: { [`answers.${tribe.id}`]: { key: 'validation.option' } } })
  })

  test('of a phone that a form would not take stay as they are when something else is changed', async ({
    as,
    make,
    db,
  }) => {
    const ctx = as('admin')
    const came = extra('came', 'date')
    const story = extra('story', 'text')
    await withFields(ctx, came, story)
    const { id } = await make.patient({ date_of_birth: '1899-01-01', surname: 'x'.repeat(300) })
    const answered = [
      { attribute_id: came.id, attribute: 'came', date_value: new Date('1899-12-30T12:00:00Z') },
      { attribute_id: story.id, attribute: 'story', string_value: 'y'.repeat(2500) },
    ]
    for (const answer of answered) {
      const row = { id: newId(), patient_id: id, ...answer }
      await db.insertInto('patient_additional_attributes').values(row).execute()
    }
    const form = await getRegistrationForm(ctx, null)
    const { patient } = await getPatient(ctx, { id })
    const whole = answersByName(form.fields, patient, attributesIn(patient), 'UTC')
    expect(fieldsSchema(buildFields(form.fields, 'en', whole)).safeParse(whole).success).toBe(true)

    const { answers, ...columns } = givenAnswers({ ...whole, phone: '77' })
    await savePatient(ctx, { id, last_modified: patient.last_modified, ...columns, answers })
    const saved = (await getPatient(ctx, { id })).patient
    expect(saved).toMatchObject({
      phone: '77',
      date_of_birth: '1899-01-01',
      surname: 'x'.repeat(300),
    })
    expect(saved.additional_attributes).toEqual(patient.additional_attributes)

    const { last_modified } = saved
    await expect(
      savePatient(ctx, { id, last_modified, date_of_birth: '1899-01-02' }),
    ).rejects.toMatchObject({
      fields: { date_of_birth: { key: 'validation.tooEarly' } },
    })
  })

  test('that are undone are deleted, with a tombstone for the phones', async ({ as, make, db }) => {
    const ctx = as('admin')
    const tribe = extra('tribe', 'text')
    await withFields(ctx, tribe)
    const { id, last_modified } = await make.patient()
    const first = await savePatient(ctx, { id, last_modified, answers: { [tribe.id]: 'Tarabin' } })
    await savePatient(ctx, { id, last_modified: first.last_modified, answers: { [tribe.id]: '' } })

    expect((await getPatient(ctx, { id })).patient.additional_attributes).toEqual({})
    expect(
      await db.selectFrom('patient_additional_attributes').select('is_deleted').execute(),
    ).toEqual([{ is_deleted: true }])
  })
})
