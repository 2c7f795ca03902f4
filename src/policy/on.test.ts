import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import * as z from 'zod'
import { mutation, query } from '~/server/operation'
import type { Permission } from '~/shared/permissions'
import { database, test } from '../../test/harness'
import {
  both,
  clinicRow,
  historyRow,
  historySave,
  namedClinic,
  namedPatient,
  namedVisit,
  visitSave,
} from './on.server'
import {
  administerClinic,
  deleteHistory,
  editHistory,
  knowPatient,
  openVisit,
  readForSafety,
  readHistory,
  workAt,
} from './rules'

const id = z.uuid('validation.id')
const Saved = z.object({
  id,
  patient_id: id,
  visit_id: id.nullish(),
  last_modified: z.date().nullish(),
})
const treating: Permission[] = ['can_view_history', 'can_edit_records']

test('an operation that states neither `on` nor `allow` is a type error', () => {
  const input = z.object({ id })
  const run = () => Promise.resolve()
  // @ts-expect-error -- without a rule every signed-in user could call it
  query('tests.none', { input, run })
  // @ts-expect-error -- without a rule every signed-in user could call it
  mutation('tests.none', { input, run })
  // @ts-expect-error -- the input names no patient
  query('tests.patient', { on: namedPatient(), input, run })
  query('tests.allow', { allow: () => true, input, run })
  query('tests.on', { on: namedPatient(), input: z.object({ patientId: id }), run })
})

test('a write checks its rows in its own transaction, after the work that needs none', async ({
  as,
}) => {
  const steps: [string, boolean][] = []
  const save = mutation('tests.save', {
    input: z.object({}),
    on: {
      permits: () => true,
      rows: ({ db }) => Promise.resolve({ step: steps.push(['rows', db.isTransaction]) }),
    },
    before: async ({ db }) => void steps.push(['before', db.isTransaction]),
    run: async ({ db }, _input, { step }) => [step, steps.push(['run', db.isTransaction])],
  })
  // of its own connection: what `as` gives is a transaction already
  expect(await save({ ...as('admin'), db: await database() }, {})).toEqual([2, 3])
  expect(steps).toEqual([
    ['before', false],
    ['rows', true],
    ['run', true],
  ])
})

test('`allow` beside `on` restricts further; neither lets `run` begin', async ({ as, make }) => {
  const { id: patientId } = await make.patient()
  const read = query('tests.read', {
    on: namedPatient(),
    allow: ({ actor }) => actor.role === 'super_admin',
    input: z.object({ patientId: id }),
    run: (_ctx, _input, { patient }) => Promise.resolve(patient.id),
  })
  expect(await read(as('super_admin'), { patientId })).toBe(patientId)
  await expect(read(as('admin'), { patientId })).rejects.toMatchObject({ code: 'forbidden' })
  await expect(read(as('registrar'), { patientId })).rejects.toMatchObject({ code: 'forbidden' })
})

describe('a patient that the input names', () => {
  const read = query('tests.read', {
    on: namedPatient(readForSafety),
    input: z.object({ patientId: id }),
    run: (_ctx, _input, { patient }) => Promise.resolve(patient.id),
  })

  test('is found by any of the rules, and only with one of them', async ({ as, make }) => {
    const { patient_id: patientId, clinic_id } = await make.visit()
    const pharmacy = await make.clinic()
    await make.prescription({ patient_id: patientId, pickup_clinic_id: pharmacy.id })
    const at = (clinic: string, permission: Permission) =>
      as('provider', { [clinic]: [permission] })
    expect(await read(at(clinic_id, 'can_view_history'), { patientId })).toBe(patientId)
    expect(await read(at(pharmacy.id, 'can_dispense_medications'), { patientId })).toBe(patientId)
    for (const [actor, code] of [
      [at(clinic_id, 'can_dispense_medications'), 'not_found'],
      [at(clinic_id, 'can_register_patients'), 'forbidden'],
    ] as const)
      await expect(read(actor, { patientId })).rejects.toMatchObject({ code })
  })
})

describe('a record of a patient’s history', () => {
  const read = query('tests.read', {
    on: historyRow('patient_problems', readHistory),
    input: z.object({ id }),
    run: (_ctx, _input, { existing, patient }) =>
      Promise.resolve([existing.problem_label, patient.id]),
  })
  const remove = mutation('tests.remove', {
    on: historyRow('patient_problems', deleteHistory, { lock: true }),
    input: z.object({ id }),
    run: (_ctx, _input, { existing }) => Promise.resolve(existing.problem_code),
  })
  const save = mutation('tests.save', {
    on: historySave('patient_problems'),
    input: Saved,
    run: (_ctx, _input, { existing }) => Promise.resolve(existing?.problem_code ?? 'new'),
  })

  test('is not found without history access, forbidden without the right, and not found once deleted', async ({
    as,
    db,
    make,
  }) => {
    const visit = await make.visit()
    const problem = await make.problem({ patient_id: visit.patient_id, visit_id: visit.id })
    const elsewhere = (await make.clinic()).id
    const all: Permission[] = [...treating, 'can_delete_records']
    const stranger = as('provider', { [elsewhere]: all })
    const reader = as('provider', { [visit.clinic_id]: ['can_view_history'], [elsewhere]: all })
    const owner = as('provider', { [visit.clinic_id]: all })
    expect(await read(reader, problem)).toEqual(['Hypertension', visit.patient_id])
    expect(await remove(owner, problem)).toBe(problem.problem_code)
    for (const [actor, code] of [
      [stranger, 'not_found'],
      [reader, 'forbidden'],
      [as('provider', { [visit.clinic_id]: treating }), 'forbidden'],
    ] as const)
      await expect(remove(actor, problem)).rejects.toMatchObject({ code })
    await expect(read(stranger, problem)).rejects.toMatchObject({ code: 'not_found' })
    await db.updateTable('patient_problems').set({ is_deleted: true }).execute()
    await expect(read(owner, problem)).rejects.toMatchObject({
      text: { key: 'problems.notFound' },
    })
  })

  test('is saved where it belongs, and moves neither to another patient nor out of a visit of others', async ({
    as,
    make,
  }) => {
    const visit = await make.visit()
    const { patient_id, clinic_id } = visit
    const there = await make.visit({ patient_id, clinic_id: (await make.clinic()).id })
    const problem = await make.problem({ patient_id, visit_id: visit.id })
    const me = as('provider', { [clinic_id]: treating })
    const change = { id: problem.id, patient_id, visit_id: visit.id, last_modified: new Date() }
    expect(await save(me, change)).toBe(problem.problem_code)
    expect(await save(me, { id: uuidv7(), patient_id })).toBe('new')
    const own = await make.visit({ clinic_id })
    const others = await make.problem({ patient_id, visit_id: there.id })
    for (const [input, code] of [
      [{ ...change, patient_id: own.patient_id, visit_id: own.id }, 'not_found'],
      [{ ...change, visit_id: own.id }, 'not_found'],
      [{ ...change, visit_id: there.id }, 'forbidden'],
      // another clinic recorded it, and it is not opened here
      [{ ...change, id: others.id }, 'not_found'],
      [{ ...change, id: uuidv7() }, 'not_found'],
    ] as const)
      await expect(save(me, input)).rejects.toMatchObject({ code })
    await make.opening({ patient_id, clinic_id })
    await expect(save(me, { ...change, id: others.id })).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  test('is found by a repeated request, which knows no version of it', async ({ as, db, make }) => {
    const { patient_id, clinic_id, id: visit_id } = await make.visit()
    const problem = await make.problem({ patient_id, visit_id })
    const repeated = mutation('tests.save', {
      on: historySave('patient_problems', editHistory, { lock: true, repeated: true }),
      input: Saved,
      run: (_ctx, _input, { existing }) => Promise.resolve(existing?.problem_code ?? 'new'),
    })
    const me = as('provider', { [clinic_id]: treating })
    const input = { id: problem.id, patient_id, visit_id }
    expect([await save(me, input), await repeated(me, input)]).toEqual([
      'new',
      problem.problem_code,
    ])
    expect(await repeated(me, { ...input, id: uuidv7() })).toBe('new')
    await expect(
      repeated(me, { ...input, id: uuidv7(), last_modified: new Date() }),
    ).rejects.toMatchObject({ code: 'not_found' })
    await db.updateTable('patient_problems').set({ is_deleted: true }).execute()
    expect(await repeated(me, input)).toBe('new')
  })
})

describe('a visit', () => {
  const VisitInput = z.object({
    id,
    patient_id: id,
    clinic_id: id,
    last_modified: z.date().nullish(),
  })
  const save = mutation('tests.save', {
    on: visitSave,
    input: VisitInput,
    run: (_ctx, _input, { existing }) => Promise.resolve(existing?.clinic_id ?? 'new'),
  })
  const fill = query('tests.fill', {
    on: namedVisit(openVisit),
    input: z.object({ visitId: id }),
    run: (_ctx, _input, { visit, patient }) => Promise.resolve([visit.clinic_id, patient.id]),
  })

  test('is opened by a user who knows the patient, and changed by one who reads the history', async ({
    as,
    db,
    make,
  }) => {
    const clinic_id = (await make.clinic()).id
    const { id: patient_id } = await make.patient()
    await db
      .insertInto('patient_links')
      .values({ patient_id, clinic_id, source: 'explicit' })
      .execute()
    const me = as('provider', { [clinic_id]: treating })
    const visit = { id: uuidv7(), patient_id, clinic_id }
    expect(await save(me, visit)).toBe('new')
    await expect(save(me, { ...visit, last_modified: new Date() })).rejects.toMatchObject({
      code: 'not_found',
    })
    const stored = await make.visit({ patient_id, clinic_id })
    expect(await save(me, { ...stored, last_modified: new Date() })).toBe(clinic_id)
    expect(await fill(me, { visitId: stored.id })).toEqual([clinic_id, patient_id])
    const { id: other } = await make.visit()
    await expect(fill(me, { visitId: other })).rejects.toMatchObject({
      text: { key: 'visits.notFound' },
    })
  })
})

describe('a row of a clinic', () => {
  const remove = mutation('tests.remove', {
    on: clinicRow('appointments', { see: workAt, change: administerClinic }),
    input: z.object({ id }),
    run: (_ctx, _input, { existing }) => Promise.resolve(existing.status),
  })
  const book = mutation('tests.book', {
    on: both(namedClinic(editHistory.permissions, { open: true }), namedPatient(knowPatient)),
    input: z.object({ clinic_id: id, patient_id: id }),
    run: (_ctx, _input, { patient }) => Promise.resolve(patient.id),
  })

  test('is not found by other clinics, and forbidden to users who may only see it', async ({
    as,
    make,
  }) => {
    const { id, clinic_id, status } = await make.appointment()
    const elsewhere = (await make.clinic()).id
    const admin: Permission[] = ['is_clinic_admin']
    expect(await remove(as('provider', { [clinic_id]: admin }), { id })).toBe(status)
    for (const [actor, code] of [
      [as('provider', { [elsewhere]: admin }), 'not_found'],
      [as('provider', { [clinic_id]: treating, [elsewhere]: admin }), 'forbidden'],
      [as('provider', { [clinic_id]: treating }), 'forbidden'],
    ] as const)
      await expect(remove(actor, { id })).rejects.toMatchObject({ code })
  })

  test('two rules hold together; a missing or archived clinic is reported at its field', async ({
    as,
    make,
  }) => {
    const { clinic_id, patient_id } = await make.visit()
    const me = as('provider', { [clinic_id]: treating })
    expect(await book(me, { clinic_id, patient_id })).toBe(patient_id)
    await expect(
      book(as('provider', { [clinic_id]: ['can_view_history'] }), { clinic_id, patient_id }),
    ).rejects.toMatchObject({ code: 'forbidden' })
    const { patient_id: other } = await make.visit()
    await expect(book(me, { clinic_id, patient_id: other })).rejects.toMatchObject({
      code: 'not_found',
    })
    for (const [clinic_id, key] of [
      [uuidv7(), 'clinics.notFound'],
      [(await make.clinic({ is_archived: true })).id, 'clinics.archivedReadOnly'],
    ] as const)
      await expect(book(as('admin'), { clinic_id, patient_id })).rejects.toMatchObject({
        fields: { clinic_id: { key } },
      })
  })
})
