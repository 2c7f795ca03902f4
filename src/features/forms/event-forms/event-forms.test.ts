import { v5 } from 'uuid'
import { describe, expect } from 'vitest'
import { auditOf, brokenRule, test } from '../../../../test/harness'
import { withOwnIds } from '~/forms/starters'
import { newId } from '~/shared/id'
import { listTrash, restoreDeletion } from '~/features/office/trash/trash.server'
import { compareVersions, getVersion, listVersions } from './event-form-versions.server'
import {
  deleteEventForm,
  duplicateEventForm,
  getEventForm,
  listEventForms,
  saveEventForm,
  setEditable,
  setSnapshot,
} from './event-forms.server'
import {
  getStarter,
  getStarterUpdate,
  installStarter,
  listStarters,
  updateFromStarter,
} from './starters.server'

const base = { description: '', required: false }
const question = (id: string, name: string) => ({
  ...base,
  id,
  name,
  fieldType: 'free-text' as const,
  inputType: 'text' as const,
  length: 'short' as const,
})
const aForm = (values: object = {}) => ({
  id: newId(),
  name: 'Wound care',
  description: 'After each dressing',
  language: 'en' as const,
  form_fields: [question('place', 'Place'), question('note', 'Note')],
  translations: [],
  is_editable: true,
  is_snapshot_form: false,
  clinic_ids: [] as string[],
  ...values,
})
const administers = (...clinics: { id: string }[]) =>
  Object.fromEntries(clinics.map(({ id }) => [id, ['is_clinic_admin' as const]]))

describe('who may do what', () => {
  test('a user who works in a clinic reads its forms and those for every clinic, and no others', async ({
    as,
    make,
  }) => {
    const [mine, theirs] = [await make.clinic(), await make.clinic()]
    const forAll = await make.eventForm({ name: 'For all' })
    const own = await make.eventForm({ name: 'Own', clinic_ids: [mine.id] })
    const others = await make.eventForm({ name: 'Others', clinic_ids: [theirs.id] })
    const registrar = as('registrar', { [mine.id]: ['can_register_patients'] })

    const { rows, pagination } = await listEventForms(registrar, {})
    expect(rows.map(({ id }) => id)).toEqual([forAll.id, own.id])
    expect(pagination.total).toBe(2)
    expect(await getEventForm(registrar, { id: own.id })).toMatchObject({
      name: 'Own',
      version: 1,
      answers: 0,
    })
    await expect(getEventForm(registrar, { id: others.id })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(getEventForm(as('registrar'), { id: own.id })).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  test('an administrator of a clinic makes forms for it, not for others, and not for all', async ({
    as,
    make,
  }) => {
    const [mine, theirs] = [await make.clinic(), await make.clinic()]
    const ctx = as('provider', administers(mine))

    await saveEventForm(ctx, aForm({ clinic_ids: [mine.id] }))
    for (const clinic_ids of [[], [theirs.id], [mine.id, theirs.id]]) {
      await expect(saveEventForm(ctx, aForm({ clinic_ids }))).rejects.toMatchObject({
        code: 'forbidden',
        fields: { clinic_ids: { key: 'eventForms.clinicsNotYours' } },
      })
    }
    await expect(
      saveEventForm(
        as('provider', { [mine.id]: ['can_edit_records'] }),
        aForm({ clinic_ids: [mine.id] }),
      ),
    ).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('a form that is also for another clinic is changed by administrators of both', async ({
    as,
    make,
  }) => {
    const [mine, theirs] = [await make.clinic(), await make.clinic()]
    const form = aForm({ clinic_ids: [mine.id, theirs.id] })
    const { last_modified } = await saveEventForm(as('admin'), form)
    const ctx = as('provider', administers(mine))

    const change = { ...form, last_modified, clinic_ids: [mine.id] }
    await expect(saveEventForm(ctx, change)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(setEditable(ctx, { id: form.id, on: false })).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(deleteEventForm(ctx, { id: form.id })).rejects.toMatchObject({ code: 'forbidden' })
    await saveEventForm(as('provider', administers(mine, theirs)), change)
  })

  test('a form of other clinics is not found by users who try to change it', async ({
    as,
    make,
  }) => {
    const [mine, theirs] = [await make.clinic(), await make.clinic()]
    const { id } = await make.eventForm({ clinic_ids: [theirs.id] })
    const ctx = as('provider', administers(mine))

    await expect(setSnapshot(ctx, { id, on: true })).rejects.toMatchObject({ code: 'not_found' })
    await expect(deleteEventForm(ctx, { id })).rejects.toMatchObject({ code: 'not_found' })
    await expect(saveEventForm(ctx, aForm({ id, clinic_ids: [mine.id] }))).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('a clinic that does not exist is refused', async ({ as }) => {
    await expect(
      saveEventForm(as('admin'), aForm({ clinic_ids: [newId()] })),
    ).rejects.toMatchObject({
      fields: { clinic_ids: { key: 'clinics.notFound' } },
    })
  })
})

describe('the list', () => {
  test('finds a form by its name in the reader’s language, by clinic and by language', async ({
    as,
    make,
  }) => {
    const clinic = await make.clinic()
    const translations = [
      { fieldId: '__form_name__', name: { ar: 'العناية بالجروح' }, description: {}, options: {} },
    ]
    await saveEventForm(as('admin'), aForm({ translations, clinic_ids: [clinic.id] }))
    await make.eventForm({ name: 'Otro', language: 'es', clinic_ids: [(await make.clinic()).id] })

    const names = async (ctx: ReturnType<typeof as>, input: object) =>
      (await listEventForms(ctx, input)).rows.map(({ name }) => name)
    expect(await names(as('admin', {}, { language: 'ar' }), { search: 'جروح' })).toEqual([
      'العناية بالجروح',
    ])
    expect(await names(as('admin'), { search: 'WOUND' })).toEqual(['Wound care'])
    expect(await names(as('admin'), { clinicId: clinic.id })).toEqual(['Wound care'])
    expect(await names(as('admin'), { language: 'es' })).toEqual(['Otro'])
    expect(await names(as('admin'), { search: '%' })).toEqual([])
  })
})

describe('saving', () => {
  test('the same request twice makes one form, one version and one entry of the audit trail', async ({
    as,
    db,
  }) => {
    const form = aForm()
    const first = await saveEventForm(as('admin'), form)

    expect(await saveEventForm(as('admin'), form)).toEqual(first)
    expect(await auditOf(db, form.id)).toHaveLength(1)
    expect((await listVersions(as('admin'), { id: form.id })).rows).toHaveLength(1)
  })

  test('what is asked becomes the next version; how the form is used does not', async ({
    as,
    make,
    db,
  }) => {
    const form = aForm()
    const { last_modified } = await saveEventForm(as('admin'), form)
    const second = await saveEventForm(as('admin'), { ...form, last_modified, name: 'Dressings' })
    await setEditable(as('admin'), { id: form.id, on: false })
    await setSnapshot(as('admin'), { id: form.id, on: true })

    expect(second.last_modified.getTime()).toBeGreaterThan(last_modified.getTime())
    expect(await getEventForm(as('admin'), { id: form.id })).toMatchObject({
      name: 'Dressings',
      version: 2,
      is_editable: false,
      is_snapshot_form: true,
    })
    expect(await getVersion(as('admin'), { id: form.id, version: 1 })).toMatchObject({
      name: 'Wound care',
    })
    const patient = await make.patient()
    await db
      .insertInto('events')
      .values({ id: newId(), patient_id: patient.id, form_id: form.id, form_version: 1 })
      .execute()
    expect((await listVersions(as('admin'), { id: form.id })).rows).toMatchObject([
      { version: 2, answers: 0, fields: 2 },
      { version: 1, answers: 1 },
    ])
    expect(await getEventForm(as('admin'), { id: form.id })).toMatchObject({ answers: 1 })
  })

  test('a version never changes', async ({ as, db }) => {
    const { id } = await saveEventForm(as('admin'), aForm())
    const versions = db
      .updateTable('event_form_versions')
      .set({ name: 'Another' })
      .where('form_id', '=', id)

    await expect(brokenRule(db, versions)).resolves.toBeUndefined()
  })

  test('a stale save is refused and says who was quicker, without a heap of JSON', async ({
    as,
    asUser,
    make,
  }) => {
    const form = aForm()
    const { last_modified } = await saveEventForm(as('admin'), form)
    const amal = await make.user({ role: 'admin', name: 'Amal' })
    await saveEventForm(asUser(amal), {
      ...form,
      last_modified,
      name: 'Hers',
      form_fields: [question('a', 'A')],
    })

    await expect(
      saveEventForm(as('admin'), { ...form, last_modified, name: 'His' }),
    ).rejects.toMatchObject({
      code: 'conflict',
      text: { key: 'errors.stale', values: { who: 'Amal' } },
      fields: { name: { key: 'errors.changedTo', values: { value: 'Hers' } } },
    })
  })

  test('every text is stored in the form’s own language too, where phones look first, with when it was made', async ({
    as,
  }) => {
    const form = aForm({
      translations: [
        { fieldId: 'place', name: { ar: 'المكان', en: 'old' }, description: {}, options: {} },
        { fieldId: 'gone', name: { ar: 'x' }, description: {}, options: {} },
      ],
    })
    await saveEventForm(as('admin'), form)

    const { translations } = await getEventForm(as('admin'), { id: form.id })
    expect(translations.map(({ fieldId }) => fieldId)).toEqual([
      '__form_name__',
      '__form_description__',
      'place',
      'note',
    ])
    expect(translations[2]).toMatchObject({
      name: { ar: 'المكان', en: 'Place' },
      createdAt: expect.any(String),
    })
  })
})

test('a copy asks the same, under its own name, for the clinics of the user who copies', async ({
  as,
  make,
}) => {
  const mine = await make.clinic()
  const form = aForm()
  await saveEventForm(as('admin'), form)
  const copyId = newId()
  const ctx = as('provider', administers(mine))
  await duplicateEventForm(ctx, { id: form.id, copyId, name: 'My copy' })

  const copy = await getEventForm(ctx, { id: copyId })
  expect(copy).toMatchObject({ name: 'My copy', clinic_ids: [mine.id], version: 1 })
  expect(copy.form_fields).toEqual((await getEventForm(ctx, { id: form.id })).form_fields)
})

test('a deleted form goes to the trash, keeps its versions and comes back', async ({
  as,
  make,
}) => {
  const { id } = await make.eventForm({ name: 'Gone' })
  const { deletionId } = await deleteEventForm(as('admin'), { id })

  await expect(getEventForm(as('admin'), { id })).rejects.toMatchObject({ code: 'not_found' })
  expect((await listTrash(as('admin'), {})).rows).toMatchObject([{ label: 'Gone' }])
  await restoreDeletion(as('admin'), { id: deletionId })
  expect(await getEventForm(as('admin'), { id })).toMatchObject({ name: 'Gone', version: 1 })
})

test('two versions are compared in words', async ({ as }) => {
  const form = aForm()
  const { last_modified } = await saveEventForm(as('admin'), form)
  await saveEventForm(as('admin'), {
    ...form,
    last_modified,
    form_fields: [{ ...question('note', 'Remarks'), required: true }, question('size', 'Size')],
  })

  const changes = await compareVersions(as('admin'), { id: form.id, from: 1, to: 2 })
  expect(changes.map(({ what, field }) => [what, field.en])).toEqual([
    ['renamed', 'Remarks'],
    ['nowRequired', 'Remarks'],
    ['added', 'Size'],
    ['removed', 'Place'],
  ])
  expect(await compareVersions(as('admin'), { id: form.id, from: 2, to: 2 })).toEqual([])
  await expect(compareVersions(as('admin'), { id: form.id, from: 1, to: 9 })).rejects.toMatchObject(
    {
      code: 'not_found',
    },
  )
})

describe('the library', () => {
  test('is read in the user’s language', async ({ as }) => {
    const admin = as('admin', {}, { language: 'ar' })
    const starters = await listStarters(admin, null)

    expect(starters).toHaveLength(20)
    expect(starters[0]).toMatchObject({ id: 'general-consultation', name: 'معاينة عامة' })
  })

  test('a form of it is added with new ids, once however often it is requested', async ({
    as,
    make,
  }) => {
    const clinic = await make.clinic()
    const ctx = as('provider', administers(clinic))
    const request = { key: 'phq-2', id: newId(), clinic_ids: [clinic.id] }
    const first = await installStarter(ctx, request)

    expect(await installStarter(ctx, request)).toEqual(first)
    const form = await getEventForm(ctx, { id: request.id })
    expect(form.form_fields).toHaveLength(
      (await getStarter(ctx, { key: 'phq-2' })).form_fields.length,
    )
    expect(form.form_fields.every(({ id }) => /^[\da-f-]{36}$/.test(id))).toBe(true)
    await expect(
      installStarter(ctx, { ...request, id: newId(), clinic_ids: [] }),
    ).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(installStarter(ctx, { ...request, key: '__proto__' })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('an older text of it is updated to the newer one as the next version, unless it was changed', async ({
    as,
    make,
    db,
  }) => {
    const clinic = await make.clinic()
    const ctx = as('provider', administers(clinic))
    const key = 'child-under-five'
    const newest = await getStarter(ctx, { key })
    /** As an installation has it that began with an earlier text: fewer questions, the same ids. */
    const earlier = async () => {
      const id = newId()
      const form = withOwnIds(newest, (fieldId) => v5(fieldId, id))
      await db
        .insertInto('event_forms')
        .values({
          id,
          name: form.name,
          language: 'en',
          form_fields: JSON.stringify(form.form_fields.slice(0, 20)),
          translations: JSON.stringify(form.translations),
          clinic_ids: [clinic.id],
        })
        .execute()
      return id
    }
    const installed = newId()
    await installStarter(ctx, { key, id: installed, clinic_ids: [clinic.id] })
    expect(await getStarterUpdate(ctx, { id: installed })).toEqual({ available: false, name: null })
    await expect(updateFromStarter(ctx, { id: installed })).rejects.toMatchObject({
      code: 'conflict',
    })

    const id = await earlier()
    expect(await getStarterUpdate(ctx, { id })).toEqual({
      available: true,
      name: 'Child under five',
    })
    await updateFromStarter(ctx, { id })
    const updated = await getEventForm(ctx, { id })
    expect(updated).toMatchObject({ version: 2, clinic_ids: [clinic.id] })
    expect(updated.form_fields.map(({ id: own }) => own)).toEqual(
      newest.form_fields.map((field) => v5(field.id, id)),
    )
    expect(await getStarterUpdate(ctx, { id })).toEqual({ available: false, name: null })

    const changed = await earlier()
    const {
      answers: _answers,
      version: _version,
      ...form
    } = await getEventForm(ctx, { id: changed })
    await saveEventForm(ctx, { ...form, name: 'Our own' })
    expect(await getStarterUpdate(ctx, { id: changed })).toEqual({ available: false, name: null })
  })
})
