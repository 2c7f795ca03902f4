import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { streamListFile } from '~/server/list-file.server'
import { type Context, parse } from '~/server/operation'
import { AppError } from '~/shared/errors'
import type { Permission } from '~/shared/permissions'
import { test } from '../../../../../test/harness'
import type { makeFactories } from '../../../../../test/factories'
import { eventHistory } from '../event-history.server'
import { ExportEvents } from './explore'
import { chartsOfForm } from './explore-charts.server'
import { listByForm } from './explore.server'
import { eventSheet, exportEvents } from './export.server'

const eventsFile = async (ctx: Context, asked: ExportEvents) =>
  streamListFile(await eventSheet(ctx, asked), asked.format)

const option = (value: string, label: string) => ({ id: value, value, label })
const asked = (id: string, more: object) => ({
  id,
  name: `About ${id}`,
  description: '',
  required: false,
  ...more,
})
const fields = [
  asked('weight', { fieldType: 'free-text', inputType: 'number', length: 'short', units: ['kg'] }),
  asked('triage', {
    fieldType: 'options',
    inputType: 'radio',
    multi: false,
    options: [option('r', 'Red'), option('y', 'Yellow'), option('g', 'Green')],
  }),
  asked('signs', {
    fieldType: 'options',
    inputType: 'select',
    multi: true,
    options: [option('cough', 'Cough'), option('fever', 'Fever')],
  }),
  asked('note', { fieldType: 'free-text', inputType: 'text', length: 'short' }),
  asked('seen', { fieldType: 'date', inputType: 'date' }),
  asked('dx', { fieldType: 'diagnosis', inputType: 'select', options: [] }),
]

/** Four answers of one clinic, and one of another. */
async function scene(make: ReturnType<typeof makeFactories>) {
  const form = await make.eventForm({ name: 'Check', form_fields: JSON.stringify(fields) })
  const [clinic, other] = [await make.clinic({ name: 'Hillside' }), await make.clinic()]
  const add = async (
    surname: string,
    day: string,
    answers: Record<string, unknown>,
    clinic_id = clinic.id,
  ) => {
    const patient = await make.patient({ surname, given_name: 'P' })
    const created_at = new Date(`${day}T10:00:00Z`)
    const visit = await make.visit({
      patient_id: patient.id,
      clinic_id,
      check_in_timestamp: created_at,
    })
    const of = {
      patient_id: patient.id,
      visit_id: visit.id,
      form_id: form.id,
      created_at,
    }
    return make.event({ ...of, answers })
  }
  const a = await add('Abbas', '2026-01-10', {
    weight: '٧٠',
    triage: 'g',
    signs: 'cough; fever',
    seen: '2026-01-09T12:00:00.000Z',
    dx: [{ code: 'J45.9', desc: 'Asthma' }],
  })
  const b = await add('Barakat', '2026-01-20', {
    weight: '9.5',
    triage: 'r',
    signs: 'fever',
    note: '=SUM(A1)',
  })
  const c = await add('Cohen', '2026-02-10', {
    weight: 'heavy',
    triage: 'y',
    note: 'Wound, "deep"',
  })
  const d = await add('Diaz', '2026-02-11', { weight: '80', signs: ['cough'] })
  const elsewhere = await add('Elsewhere', '2026-02-12', { weight: '1' }, other.id)
  return { form, clinic, other, a, b, c, d, elsewhere }
}

const who = (clinicId: string, ...held: Permission[]) => ({ [clinicId]: held })
const names = (rows: { patient: string }[]) => rows.map(({ patient }) => patient.replace('P ', ''))

test('answers from paper are listed, filtered and counted by the day of their visit', async ({
  make,
  as,
}) => {
  const { form, clinic, d } = await scene(make)
  const visit = await make.visit({
    patient_id: d.patient_id,
    clinic_id: clinic.id,
    check_in_timestamp: new Date('2026-01-15T09:00:00Z'),
  })
  const typed = await make.event({
    patient_id: d.patient_id,
    visit_id: visit.id,
    form_id: form.id,
    created_at: new Date('2026-03-01T09:00:00Z'),
    answers: { weight: '50' },
  })
  const me = as('provider', who(clinic.id, 'can_view_history'))
  const asked = { formId: form.id, from: '2026-01-11', to: '2026-01-31' }
  const { rows } = await listByForm(me, asked)
  expect(rows.map(({ id, happened_at }) => [id === typed.id, happened_at.toISOString()])).toEqual([
    [false, '2026-01-20T10:00:00.000Z'],
    [true, '2026-01-15T09:00:00.000Z'],
  ])
  const { perMonth } = await chartsOfForm(as('admin'), { formId: form.id, clinicId: clinic.id })
  expect(perMonth).toEqual([
    { month: '2026-01', count: 3 },
    { month: '2026-02', count: 2 },
  ])
})

describe('the answers to a form', () => {
  test('are listed with a column for each question, of the clinics whose history one may see', async ({
    make,
    as,
  }) => {
    const { form, clinic } = await scene(make)
    const me = as('provider', who(clinic.id, 'can_view_history'))
    const { rows, columns, pagination, name } = await listByForm(me, { formId: form.id })
    expect(name).toBe('Check')
    expect(columns.map(({ question }) => question.id)).toEqual([
      'weight',
      'triage',
      'signs',
      'note',
      'seen',
      'dx',
    ])
    expect(names(rows)).toEqual(['Diaz', 'Cohen', 'Barakat', 'Abbas'])
    expect(rows[3]).toMatchObject({
      clinic: 'Hillside',
      answers: { weight: 70, triage: 'g', signs: ['cough', 'fever'], seen: '2026-01-09' },
    })
    expect(pagination.total).toBe(4)
    expect((await listByForm(as('admin'), { formId: form.id })).pagination.total).toBe(5)
    await expect(
      listByForm(as('registrar', who(clinic.id, 'can_register_patients')), { formId: form.id }),
    ).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('are filtered by clinic, days, patient and one answer', async ({ make, as }) => {
    const { form, clinic, other, a } = await scene(make)
    const admin = as('admin')
    const found = async (filter: object) =>
      names((await listByForm(admin, { formId: form.id, ...filter })).rows)
    expect(await found({ clinicId: other.id })).toEqual(['Elsewhere'])
    expect(await found({ clinicId: clinic.id, from: '2026-01-20', to: '2026-02-10' })).toEqual([
      'Cohen',
      'Barakat',
    ])
    expect(await found({ patientId: a.patient_id })).toEqual(['Abbas'])
    expect(await found({ field: 'triage', value: 'g' })).toEqual(['Abbas'])
    expect(await found({ field: 'signs', value: 'cough' })).toEqual(['Diaz', 'Abbas'])
    expect(await found({ field: 'weight', least: '9', most: '70' })).toEqual(['Barakat', 'Abbas'])
    expect(await found({ field: 'weight', least: '70' })).toEqual(['Diaz', 'Abbas'])
    expect(await found({ field: 'weight', least: '70', most: '9' })).toEqual([])
    expect(await found({ field: 'note', value: 'wound' })).toEqual(['Cohen'])
    expect(await found({ field: 'note', value: '%' })).toEqual([])
    expect(await found({ field: 'dx', value: 'asthma' })).toEqual(['Abbas'])
    expect(await found({ field: 'seen', least: '2026-01-01', most: '2026-01-31' })).toEqual([
      'Abbas',
    ])
    await expect(
      listByForm(admin, { formId: form.id, field: "x') or true --" }),
    ).rejects.toMatchObject({
      fields: { field: { key: 'explore.noSuchQuestion' } },
    })
    await expect(
      listByForm(admin, { formId: form.id, field: 'weight', least: 'much' }),
    ).rejects.toMatchObject({
      fields: { least: { key: 'validation.number' } },
    })
  })

  test('are found by their present answers, after changes and reversals by any user', async ({
    make,
    as,
    db,
  }) => {
    const { form, a, b } = await scene(make)
    const heavy = async () =>
      names(
        (
          await listByForm(as('admin'), {
            formId: form.id,
            field: 'weight',
            least: '60',
            most: '75',
          })
        ).rows,
      )
    const write = (id: string, values: object) =>
      db.updateTable('events').set(values).where('id', '=', id).execute()
    const says = (...values: unknown[]) => ({
      form_data: JSON.stringify([
        ...values.map((value) => ({ fieldId: 'weight', value })),
        'odd',
        null,
        { value: '70' },
      ]),
    })
    expect(await heavy()).toEqual(['Abbas'])
    await write(b.id, says('65', '9'))
    expect(await heavy()).toEqual(['Barakat', 'Abbas'])
    // where two answer one question, the first counts, as it does on screens
    await write(b.id, says('', '65'))
    expect(await heavy()).toEqual(['Abbas'])
    await write(a.id, { is_deleted: true, ...says('66') })
    expect(await heavy()).toEqual([])
    await write(a.id, { is_deleted: false })
    expect(await heavy()).toEqual(['Abbas'])
  })

  test('are sorted by patient, and by an answer as its kind is sorted', async ({ make, as }) => {
    const { form, clinic } = await scene(make)
    const sorted = async (sort: string, direction?: 'asc' | 'desc') =>
      names(
        (await listByForm(as('admin'), { formId: form.id, clinicId: clinic.id, sort, direction }))
          .rows,
      )
    expect(await sorted('patient', 'desc')).toEqual(['Diaz', 'Cohen', 'Barakat', 'Abbas'])
    expect(await sorted('weight', 'asc')).toEqual(['Barakat', 'Abbas', 'Diaz', 'Cohen'])
    // as the options are ordered: red, yellow, green
    expect(await sorted('triage')).toEqual(['Barakat', 'Cohen', 'Abbas', 'Diaz'])
    expect(await sorted('recorded', 'asc')).toEqual(['Abbas', 'Barakat', 'Cohen', 'Diaz'])
    await expect(sorted('drop table')).rejects.toMatchObject({
      fields: { sort: { key: 'explore.noSuchQuestion' } },
    })
  })

  test('keep the columns of questions that are no longer asked', async ({ make, as, db }) => {
    const { form } = await scene(make)
    await db
      .updateTable('event_forms')
      .set({
        form_fields: JSON.stringify([
          fields[3],
          asked('new', { fieldType: 'date', inputType: 'date' }),
        ]),
      })
      .where('id', '=', form.id)
      .execute()
    const { columns, rows } = await listByForm(as('admin'), { formId: form.id })
    expect(columns.map(({ question, isAsked }) => [question.id, isAsked])).toEqual([
      ['note', true],
      ['new', true],
      ['weight', false],
      ['triage', false],
      ['signs', false],
      ['seen', false],
      ['dx', false],
    ])
    expect(rows.at(-1)).toMatchObject({ answers: { weight: 70 } })
  })
})

test('charts tell how often, the median, and how it went', async ({ make, as }) => {
  const { form, clinic } = await scene(make)
  const charts = await chartsOfForm(as('admin'), { formId: form.id, clinicId: clinic.id })
  expect(charts.perMonth).toEqual([
    { month: '2026-01', count: 2 },
    { month: '2026-02', count: 2 },
  ])
  const of = (id: string) => charts.questions.find(({ question }) => question.id === id)
  expect(of('weight')).toMatchObject({
    answered: 4,
    numbers: { least: 9.5, median: 70, most: 80, count: 3 },
    overTime: [
      { month: '2026-01', median: 39.75, count: 2 },
      { month: '2026-02', median: 80, count: 1 },
    ],
  })
  expect(of('signs')?.counts).toEqual([
    { label: 'Cough', count: 2 },
    { label: 'Fever', count: 2 },
  ])
  expect(of('dx')?.counts).toEqual([{ label: 'Asthma', count: 1 }])
  const provider = as('provider', who(clinic.id, 'can_view_history', 'is_clinic_admin'))
  await expect(chartsOfForm(provider, { formId: form.id })).rejects.toMatchObject({
    code: 'forbidden',
  })
})

describe('the file of answers', () => {
  const textOf = async (file: ReadableStream<Uint8Array>) =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(await new Response(file).arrayBuffer())

  test('holds what the filter shows, in words or as it is kept, and harms no spreadsheet', async ({
    make,
    as,
    db,
  }) => {
    const { form, clinic } = await scene(make)
    const me = as('provider', who(clinic.id, 'can_view_history', 'can_download_patient_reports'))
    const asked = {
      formId: form.id,
      format: 'csv',
      language: 'en',
      answers: 'labels',
      sort: 'patient',
    } as const
    expect(await exportEvents(me, asked)).toEqual({ total: 4, name: 'Check' })
    const [headings, ...lines] = (await textOf(await eventsFile(me, asked)))
      .split('\r\n')
      .slice(0, -1)
    expect(headings).toBe(
      '\uFEFFID,Patient ID,Patient,Date,Recorded,Clinic,Recorded by,' +
        'About weight,About triage,About signs,About note,About seen,About dx',
    )
    const shown = lines.map((line) => line.split(',').slice(4).join(','))
    expect(shown).toEqual([
      '2026-01-10 10:00,Hillside,,70 kg,Green,"Cough; Fever",,2026-01-09,Asthma (J45.9)',
      "2026-01-20 10:00,Hillside,,9.5 kg,Red,Fever,'=SUM(A1),,",
      '2026-02-10 10:00,Hillside,,heavy,Yellow,,"Wound, ""deep""",,',
      '2026-02-11 10:00,Hillside,,80 kg,,Cough,,,',
    ])
    const values = await textOf(
      await eventsFile(me, { ...asked, answers: 'values', field: 'triage', value: 'g' }),
    )
    expect(values).toContain('70,g,cough; fever'.replace('cough; fever', '"cough; fever"'))
    const trail = await db
      .selectFrom('audit_log')
      .select('changes')
      .where('action', '=', 'events.export')
      .execute()
    expect(trail).toMatchObject([{ changes: { export: [null, { form: 'Check', total: 4 }] } }])
  })

  test('is a workbook too', async ({ make, as }) => {
    const { form } = await scene(make)
    const asked = { formId: form.id, format: 'xlsx', language: 'ar', answers: 'labels' } as const
    const bytes = Buffer.from(
      await new Response(await eventsFile(as('admin'), asked)).arrayBuffer(),
    )
    expect(bytes.subarray(0, 2).toString()).toBe('PK')
  })

  test('is for those who may download in that clinic', async ({ make, as }) => {
    const { form, clinic, other } = await scene(make)
    const asked = { formId: form.id, format: 'csv', language: 'en' } as const
    await expect(
      exportEvents(as('provider', who(clinic.id, 'can_view_history')), asked),
    ).rejects.toMatchObject({
      code: 'forbidden',
    })
    const both = {
      ...who(clinic.id, 'can_view_history'),
      ...who(other.id, 'can_view_history', 'can_download_patient_reports'),
    }
    expect(await exportEvents(as('provider', both), asked)).toMatchObject({ total: 1 })
  })
})

describe('whatever is asked of the answers', () => {
  const odd = fc.oneof(
    fc.constantFrom(
      '',
      ' ',
      '\0',
      '\uD800',
      '%',
      '\\',
      "' or true --",
      '1e999',
      '-1e-99',
      'Infinity',
      'NaN',
      '٧٠',
      '2026-02-30',
    ),
    fc.constantFrom(
      'weight',
      'triage',
      'signs',
      'note',
      'seen',
      'dx',
      'g',
      'cough',
      'patient',
      '70',
      '$[*]',
      '__proto__',
    ),
    fc.string({ maxLength: 40, unit: 'binary' }),
  )
  const asked = fc.record(
    {
      field: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...fields.map(({ id }) => id)) },
        odd,
      ),
      value: odd,
      least: odd,
      most: odd,
      sort: odd,
      direction: fc.constantFrom('asc', 'desc', 'up'),
      page: fc.oneof(fc.integer(), fc.constantFrom(1, 2, 100_000)),
    },
    { requiredKeys: [] },
  )
  /** An answer or a sentence; anything else is thrown on as the bug that it is. */
  const answered = (asking: Promise<unknown>) =>
    asking.catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error
    })

  test('the table, the charts and the file answer it, or say what is wrong', async ({
    make,
    as,
    db,
  }) => {
    const { form } = await scene(make)
    const me = as('admin')
    await fc.assert(
      fc.asyncProperty(asked, async ({ sort, direction, page, ...odd }) => {
        await sql`savepoint odd`.execute(db)
        const filter = { formId: form.id, ...odd }
        const file = {
          ...filter,
          sort,
          direction,
          format: 'csv',
          language: 'en',
          answers: 'values',
        } as never
        await answered(listByForm(me, { ...filter, sort, direction, page } as never))
        await answered(chartsOfForm(me, filter))
        const isFile = await answered(exportEvents(me, file))
        if (isFile)
          await new Response(await eventsFile(me, parse(ExportEvents, file))).arrayBuffer()
        await sql`rollback to savepoint odd`.execute(db)
      }),
      { numRuns: 60 },
    )
  })

  test('answers of any shape, as a broken program may send them, are listed, counted and have a history', async ({
    make,
    as,
    db,
  }) => {
    const { form, a } = await scene(make)
    const me = as('admin')
    const entry = fc.record({
      fieldId: fc.oneof(fc.constantFrom('weight', 'signs', 'dx', 'seen'), fc.jsonValue()),
      value: fc.jsonValue(),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 3, arbitrary: entry }, fc.jsonValue()), { maxLength: 4 }),
        async (stored) => {
          // what jsonb itself refuses never gets here
          const form_data = JSON.stringify(stored).replaceAll(/\\u0000|\\ud[89a-f][\da-f]{2}/g, '')
          await db.updateTable('events').set({ form_data }).where('id', '=', a.id).execute()
          await listByForm(me, { formId: form.id, sort: 'weight' })
          await listByForm(me, { formId: form.id, field: 'weight', least: '1' })
          await chartsOfForm(me, { formId: form.id })
          await eventHistory(me, { id: a.id })
        },
      ),
      { numRuns: 25 },
    )
  })
})
