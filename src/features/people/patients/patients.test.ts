import { describe, expect } from 'vitest'
import type * as z from 'zod'
import type { RegistrationField } from '~/features/people/registration/registration-form'
import { fieldsOfChange, missingAnswers } from '~/features/people/registration/form-fields'
import {
  getRegistrationForm,
  saveRegistrationForm,
} from '~/features/people/registration/registration-forms.server'
import type { Context } from '~/server/operation'
import { newId } from '~/shared/id'
import { auditOf, test } from '../../../../test/harness'
import { readBirthPrecision, type CreatePatient } from './patient'
import { createPatient, getPatient, type Patient, savePatient } from './patients.server'

const person = { given_name: 'Nour', surname: 'Haddad', date_of_birth: '1990-05-17', sex: 'female' }
const registering = (clinic: { id: string }) => ({
  [clinic.id]: ['can_register_patients' as const],
})
type Registration = z.input<typeof CreatePatient>

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

test('a registrar registers a patient in a clinic, and then sees and corrects the patient', async ({
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const me = as('registrar', registering(clinic))
  const { id, last_modified } = await createPatient(me, {
    id: newId(),
    primary_clinic_id: clinic.id,
    ...person,
    given_name: '  نور ',
    phone: ' ',
  })
  expect((await getPatient(me, { id })).patient).toMatchObject({
    given_name: 'نور',
    surname: 'Haddad',
    date_of_birth: '1990-05-17',
    sex: 'female',
    phone: null,
    camp: null,
    primary_clinic_id: clinic.id,
    last_modified_by: me.actor.userId,
    additional_attributes: {},
  })

  await savePatient(me, { id, last_modified, phone: '0599 123' })
  expect((await getPatient(me, { id })).patient).toMatchObject({
    given_name: 'نور',
    phone: '0599 123',
  })
})

test('the audit trail has the user, the patient and the clinic of a registration', async ({
  as,
  make,
  db,
}) => {
  const clinic = await make.clinic()
  const { id } = await createPatient(as('admin'), {
    id: newId(),
    primary_clinic_id: clinic.id,
    ...person,
  })

  expect(await auditOf(db, id)).toMatchObject([
    {
      action: 'patients.create',
      patient_id: id,
      clinic_id: clinic.id,
      changes: { given_name: [null, 'Nour'] },
    },
  ])
})

describe('who may', () => {
  test('register: with the permission in the clinic that is named', async ({ as, make }) => {
    const [own, other] = [await make.clinic(), await make.clinic()]
    const me = as('registrar', registering(own))
    const into = (clinic: { id: string }) => ({
      id: newId(),
      primary_clinic_id: clinic.id,
      ...person,
    })

    await expect(createPatient(me, into(other))).rejects.toMatchObject({ code: 'forbidden' })
    await expect(savePatient(me, into(other))).rejects.toMatchObject({ code: 'forbidden' })
    await expect(
      createPatient(
        as('provider', { [own.id]: ['can_view_history', 'can_edit_records'] }),
        into(own),
      ),
    ).rejects.toMatchObject({ code: 'forbidden' })
    await savePatient(me, into(own))
  })

  test('change: only users who register or edit in a clinic where the patient is linked', async ({
    as,
    make,
    db,
  }) => {
    const [own, other] = [await make.clinic(), await make.clinic()]
    const { id, last_modified } = await make.patient({ primary_clinic_id: own.id })
    const save = (ctx: Context) => savePatient(ctx, { id, last_modified, phone: '1' })

    await expect(save(as('registrar', registering(other)))).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(getPatient(as('registrar', registering(other)), { id })).rejects.toMatchObject({
      code: 'not_found',
    })
    const reader = as('provider', {
      [own.id]: ['can_view_history'],
      [other.id]: ['can_edit_records'],
    })
    await expect(save(reader)).rejects.toMatchObject({ code: 'forbidden' })
    expect(
      (
        await db
          .selectFrom('patients')
          .select('phone')
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
      ).phone,
    ).toBe(null)

    await save(as('provider', { [own.id]: ['can_edit_records', 'can_view_history'] }))
  })

  test('move a patient: only into a clinic where the user registers', async ({ as, make }) => {
    const [own, other] = [await make.clinic(), await make.clinic()]
    const { id, last_modified } = await make.patient({ primary_clinic_id: own.id })
    const move = { id, last_modified, primary_clinic_id: other.id }

    await expect(savePatient(as('registrar', registering(own)), move)).rejects.toMatchObject({
      code: 'forbidden',
    })
    await savePatient(as('registrar', { ...registering(own), ...registering(other) }), move)
  })

  test('a request with the id of another clinic’s patient reveals nothing and changes nothing', async ({
    as,
    make,
    db,
  }) => {
    const clinic = await make.clinic()
    const theirs = await make.patient({ primary_clinic_id: (await make.clinic()).id })

    await expect(
      createPatient(as('registrar', registering(clinic)), {
        id: theirs.id,
        primary_clinic_id: clinic.id,
        ...person,
      }),
    ).rejects.toMatchObject({ code: 'not_found' })
    expect(await auditOf(db, theirs.id)).toHaveLength(1)
  })

  test('a deleted patient can be neither read nor changed', async ({ as, make }) => {
    const { id, last_modified } = await make.patient({ is_deleted: true })

    await expect(getPatient(as('admin'), { id })).rejects.toMatchObject({ code: 'not_found' })
    await expect(savePatient(as('admin'), { id, last_modified, phone: '1' })).rejects.toMatchObject(
      {
        code: 'not_found',
      },
    )
  })
})

describe('saving', () => {
  test('twice makes one patient, with one answer to each question', async ({ as, make, db }) => {
    const tribe = extra('tribe', 'text')
    await withFields(as('admin'), tribe)
    const clinic = await make.clinic()
    const request = {
      id: newId(),
      primary_clinic_id: clinic.id,
      ...person,
      answers: { [tribe.id]: 'Tarabin' },
    }
    const first = await createPatient(as('admin'), request)

    expect(await createPatient(as('admin'), request)).toEqual(first)
    expect(await auditOf(db, request.id)).toHaveLength(1)
    expect(
      await db.selectFrom('patient_additional_attributes').select('id').execute(),
    ).toHaveLength(1)
  })

  test('a change twice is one change', async ({ as, make, db }) => {
    const { id, last_modified } = await make.patient()
    const request = { id, last_modified, phone: '1', sex: 'Female' }
    const first = await savePatient(as('admin'), request)

    expect(await savePatient(as('admin'), request)).toEqual(first)
    expect(await auditOf(db, id)).toHaveLength(2)
  })

  test('a change that another user made in the meantime is not overwritten', async ({
    as,
    asUser,
    make,
  }) => {
    const { id, last_modified } = await make.patient()
    const amal = await make.user({ role: 'admin', name: 'Amal' })
    await savePatient(asUser(amal), { id, last_modified, phone: '1' })

    await expect(savePatient(as('admin'), { id, last_modified, phone: '2' })).rejects.toMatchObject(
      {
        code: 'conflict',
        text: { key: 'errors.stale', values: { who: 'Amal' } },
        fields: { phone: { key: 'errors.changedTo', values: { value: '1' } } },
      },
    )
  })

  test('nor is an answer that a phone wrote without touching the patient', async ({
    as,
    make,
    db,
  }) => {
    const tribe = extra('tribe', 'text')
    await withFields(as('admin'), tribe)
    const { id } = await make.patient()
    const read = (await getPatient(as('admin'), { id })).patient
    const answer = {
      id: newId(),
      patient_id: id,
      attribute_id: tribe.id,
      attribute: 'tribe',
      string_value: 'Tarabin',
    }
    await db.insertInto('patient_additional_attributes').values(answer).execute()

    const change = { id, last_modified: read.last_modified, answers: { [tribe.id]: 'Azazma' } }
    await expect(savePatient(as('admin'), change)).rejects.toMatchObject({
      text: { key: 'errors.staleByOther' },
    })
    const { last_modified } = (await getPatient(as('admin'), { id })).patient
    await savePatient(as('admin'), { ...change, last_modified })
    expect(attributesIn((await getPatient(as('admin'), { id })).patient)).toMatchObject([
      { string_value: 'Azazma' },
    ])
  })

  test('after an answer alone has changed, the version moved on', async ({ as, make }) => {
    const tribe = extra('tribe', 'text')
    await withFields(as('admin'), tribe)
    const { id, last_modified } = await make.patient()
    const saved = await savePatient(as('admin'), {
      id,
      last_modified,
      answers: { [tribe.id]: 'Tarabin' },
    })

    expect(saved.last_modified > last_modified).toBe(true)
    expect((await getPatient(as('admin'), { id })).patient.last_modified).toEqual(
      saved.last_modified,
    )
  })
})

describe('the form decides what is right', () => {
  const refusalOf = async (ctx: Context, values: Partial<Registration>, clinicId?: string) => {
    const request = {
      id: newId(),
      primary_clinic_id: clinicId,
      ...person,
      ...values,
    } as Registration
    const refusal = (await createPatient(ctx, request).catch((error: unknown) => error)) as {
      fields: object
    }
    return refusal.fields
  }
  test.for([
    ['given_name', '  ', 'validation.required'],
    ['given_name', null, 'validation.required'],
    ['given_name', 'x'.repeat(201), 'validation.tooLong'],
    ['given_name', 7, 'validation.wrongType'],
    ['date_of_birth', '', 'validation.required'],
    ['date_of_birth', '30/2/1990', 'validation.birth'],
    ['date_of_birth', '12/3/1985', 'validation.whichDay'],
    ['date_of_birth', '1899-12-31', 'validation.tooEarly'],
    ['date_of_birth', '2999', 'validation.inFuture'],
    ['sex', 'robot', 'validation.option'],
  ] as const)('%s: %j is refused beside its field', async ([column, value, key], { as, make }) => {
    const { id } = await make.clinic()
    expect(await refusalOf(as('admin'), { [column]: value }, id)).toEqual({
      [column]: expect.objectContaining({ key }) as unknown,
    })
  })

  test('a clinic is always named, and an open one', async ({ as, make }) => {
    const archived = await make.clinic({ is_archived: true })
    const key = (key: string) => ({ primary_clinic_id: { key } })

    expect(await refusalOf(as('admin'), {})).toMatchObject(key('registration.clinicRequired'))
    expect(await refusalOf(as('admin'), {}, newId())).toEqual(key('clinics.notFound'))
    expect(await refusalOf(as('admin'), {}, archived.id)).toEqual(key('clinics.archivedReadOnly'))
    await expect(savePatient(as('admin'), { id: newId(), ...person })).rejects.toMatchObject({
      fields: key('registration.clinicRequired'),
    })
  })

  test('a field that the clinic added is checked like the others, under its own id', async ({
    as,
    make,
  }) => {
    const age = extra('age at arrival', 'number', { required: true })
    await withFields(as('admin'), age)
    const { id } = await make.clinic()

    expect(await refusalOf(as('admin'), {}, id)).toEqual({
      [`answers.${age.id}`]: { key: 'validation.required' },
    })
    expect(await refusalOf(as('admin'), { answers: { [age.id]: 'ten' } }, id)).toEqual({
      [`answers.${age.id}`]: { key: 'validation.number' },
    })
    const unknown = newId()
    expect(await refusalOf(as('admin'), { answers: { [age.id]: 1, [unknown]: 'x' } }, id)).toEqual({
      [`answers.${unknown}`]: { key: 'registration.unknownField' },
    })
  })

  test('a change is asked only about what it touches', async ({ as, make }) => {
    await withFields(as('admin'), extra('tribe', 'text', { required: true }))
    const { id, last_modified } = await make.patient({ given_name: null })

    await savePatient(as('admin'), { id, last_modified, phone: '1' })
    const named = await make.patient({ given_name: 'Nour' })
    await expect(
      savePatient(as('admin'), {
        id: named.id,
        last_modified: named.last_modified,
        given_name: '',
      }),
    ).rejects.toMatchObject({
      fields: { given_name: { key: 'validation.required' } },
    })
  })
})

test('a field that the form began to require later refuses no other change of an older patient', async ({
  as,
  make,
}) => {
  const tribe = extra('tribe', 'text', { required: true })
  const fields = await withFields(as('admin'), tribe)
  const { id, last_modified } = await make.patient({ given_name: 'Nour', surname: null })
  // the screen sends every field of the form
  const saved = await savePatient(as('admin'), {
    id,
    last_modified,
    died_on: '2026-01-02',
    given_name: 'Noor',
    answers: { [tribe.id]: null },
  })
  const { patient } = await getPatient(as('admin'), { id })
  expect(patient).toMatchObject({ given_name: 'Noor', died_on: '2026-01-02' })
  expect(missingAnswers(fields, 'en', { ...patient })).toContain('tribe')
  expect(fieldsOfChange(fields, 'en', {})[`answers.${tribe.id}`]).toMatchObject({
    required: false,
    hint: 'registration.askedLater',
  })
  // an answer is never taken away again
  const answered = await savePatient(as('admin'), { ...saved, answers: { [tribe.id]: 'Harb' } })
  await expect(
    savePatient(as('admin'), { ...answered, answers: { [tribe.id]: '' } }),
  ).rejects.toMatchObject({ fields: { [`answers.${tribe.id}`]: { key: 'validation.required' } } })
})

describe('a date of birth', () => {
  const registered = async (ctx: Context, clinic: { id: string }, date_of_birth: string) => {
    const { id } = await createPatient(ctx, {
      id: newId(),
      primary_clinic_id: clinic.id,
      ...person,
      date_of_birth,
    })
    return (await getPatient(ctx, { id })).patient
  }
  test.for([
    ['17/5/1990', '1990-05-17', 'day'],
    ['29/2/2000', '2000-02-29', 'day'],
    ['1990', '1990-01-01', 'year'],
    ['~1990', '1990-07-01', 'age'],
    ['~2026-02-14 ±16', '2026-02-14', 'month'],
    ['~2026-02-14 ±4', '2026-02-14', 'week'],
  ] as const)(
    'typed as %s is %s, known to the %s',
    async ([typed, day, precision], { as, make }) => {
      const patient = await registered(as('admin'), await make.clinic(), typed)
      expect(patient.date_of_birth).toBe(day)
      expect(readBirthPrecision(patient.metadata)).toBe(precision)
    },
  )

  test.for([
    ['8 months', 'month'],
    ['6 أشهر', 'month'],
    ['3 semanas', 'week'],
    ['37 days', 'day'],
  ] as const)(
    'of a small child entered as %s is known to the %s',
    async ([typed, precision], { as, make }) => {
      const patient = await registered(as('admin'), await make.clinic(), typed)
      expect(readBirthPrecision(patient.metadata)).toBe(precision)
    },
  )

  test.for(['0', '0 years'])(
    'entered as %s asks for months, weeks or days',
    async (typed, { as, make }) => {
      await expect(registered(as('admin'), await make.clinic(), typed)).rejects.toMatchObject({
        fields: { date_of_birth: { key: 'validation.ageOfZero' } },
      })
    },
  )

  test('entered as an age is approximate until the day is known; other metadata is kept', async ({
    as,
    make,
    db,
  }) => {
    const { id, last_modified } = await make.patient({
      metadata: JSON.stringify({ device: 'phone 7' }),
    })
    const aged = await savePatient(as('admin'), { id, last_modified, date_of_birth: '~1950' })
    const metadata = async () =>
      (
        await db
          .selectFrom('patients')
          .select('metadata')
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
      ).metadata
    expect(await metadata()).toEqual({ device: 'phone 7', date_of_birth_precision: 'age' })

    await savePatient(as('admin'), {
      id,
      last_modified: aged.last_modified,
      date_of_birth: '1950-07-01',
    })
    expect(await metadata()).toEqual({ device: 'phone 7' })
  })

  test.for(['UTC', 'America/Lima', 'Pacific/Auckland'])(
    'keeps its day when the server runs in %s',
    async (zone, { as, make }) => {
      const before = process.env['TZ']
      process.env['TZ'] = zone
      try {
        const clinic = await make.clinic()
        for (const day of ['1900-01-01', '1972-02-29', '1999-12-31', '2026-01-01']) {
          expect((await registered(as('admin'), clinic, day)).date_of_birth).toBe(day)
        }
      } finally {
        process.env['TZ'] = before
      }
    },
  )
})
