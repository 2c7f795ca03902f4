import { describe, expect } from 'vitest'
import type { makeFactories } from '../../../../test/factories'
import { test } from '../../../../test/harness'
import {
  deleteImmunization,
  immunizationsOfPatient,
  saveImmunization,
} from '~/features/care/immunizations/immunizations.server'
import { mergePatients, unmergePatients } from '~/features/people/patients/duplicates/merge.server'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import { STARTERS } from '~/forms/starters'
import { newId } from '~/shared/id'
import type { Permission } from '~/shared/permissions'
import { saveEvent } from './event-answers.server'
import { deleteEvent } from './events.server'

const treating: Permission[] = ['can_view_history', 'can_edit_records', 'can_delete_records']
type Make = ReturnType<typeof makeFactories>

const answers = (given: Record<string, unknown>) =>
  Object.entries(given).map(([fieldId, value]) => ({ fieldId, value }))

/** An infant's visit of 2026-03-10, and the starter form. */
async function scene(make: Make) {
  const { id: patient_id } = await make.patient({ date_of_birth: '2025-12-01' })
  const check_in_timestamp = new Date('2026-03-10T09:00:00Z')
  const visit = await make.visit({ patient_id, check_in_timestamp })
  const { form } = STARTERS.find(({ key }) => key === 'vaccination')!
  const { id: form_id } = await make.eventForm({
    form_fields: JSON.stringify(form.form_fields),
    translations: JSON.stringify(form.translations),
  })
  return { visit, patient_id, event: { id: newId(), patient_id, visit_id: visit.id, form_id } }
}

describe('doses in a form', () => {
  test('are immunizations of the visit, with dose and batch number; "not given" is none', async ({
    make,
    asUser,
  }) => {
    const { visit, patient_id, event } = await scene(make)
    const user = await make.user()
    const me = asUser(user, { [visit.clinic_id]: treating })
    const list = () => immunizationsOfPatient(me, { patientId: patient_id })
    const given = { penta: '1', penta_lot: ' P-77 ', opv: '0', bcg: 'no' }
    const saved = await saveEvent(me, { ...event, answers: answers(given) })
    const rows = await list()
    const common = {
      given_on: '2026-03-10',
      visit_id: visit.id,
      event_id: event.id,
      clinic_id: visit.clinic_id,
      recorded_by: user.name,
    }
    expect(rows).toMatchObject([
      { vaccine: 'opv', dose_number: 0, lot: null, ...common },
      { vaccine: 'penta', dose_number: 1, lot: 'P-77', ...common },
    ])

    // a change of the form changes its rows: one day for all, another dose, one taken back
    const changed = await saveEvent(me, {
      ...event,
      last_modified: saved.last_modified,
      answers: answers({ penta: '2', opv: null, given_on: '2026-02-20', bcg: '1' }),
    })
    const after = await list()
    expect(after).toMatchObject([
      { vaccine: 'bcg', dose_number: 1, given_on: '2026-02-20' },
      { vaccine: 'penta', dose_number: 2, given_on: '2026-02-20', id: rows[1]!.id },
    ])
    expect(after).toHaveLength(2)
    await saveEvent(me, {
      ...event,
      last_modified: changed.last_modified,
      answers: answers({ opv: '1' }),
    })
    expect((await list()).find(({ vaccine }) => vaccine === 'opv')).toMatchObject({
      id: rows[0]!.id,
      dose_number: 1,
    })
  })

  test('go into the trash and come back with the form; those taken back before stay deleted', async ({
    make,
    asUser,
  }) => {
    const { patient_id, event } = await scene(make)
    const admin = asUser(await make.user({ role: 'admin' }))
    const list = () => immunizationsOfPatient(admin, { patientId: patient_id })
    const { last_modified } = await saveEvent(admin, {
      ...event,
      answers: answers({ penta: '1', opv: '1' }),
    })
    await saveEvent(admin, { ...event, last_modified, answers: answers({ opv: null }) })
    const { deletionId } = await deleteEvent(admin, { id: event.id })
    expect(await list()).toEqual([])
    await restoreDeletion(admin, { id: deletionId })
    expect(await list()).toMatchObject([{ vaccine: 'penta' }])
    expect(await list()).toHaveLength(1)
  })

  test('follow an event that a phone or an import writes, whatever it sends', async ({
    make,
    as,
    db,
  }) => {
    const { patient_id, event } = await scene(make)
    const sent = (form: Record<string, unknown>) =>
      JSON.stringify(Object.entries(form).map(([fieldId, value]) => ({ fieldId, value })))
    await db
      .insertInto('events')
      .values({ ...event, form_data: sent({ mr: '1', given_on: '2026-03-09T22:30:00.000Z' }) })
      .execute()
    const list = () => immunizationsOfPatient(as('admin'), { patientId: patient_id })
    expect(await list()).toMatchObject([{ vaccine: 'mr', dose_number: 1 }])
    const update = async (form: Record<string, unknown>) => {
      await db
        .updateTable('events')
        .set({ form_data: sent(form) })
        .where('id', '=', event.id)
        .execute()
      return list()
    }
    // the day of the visit stands in for what is no day, and no dose is in the future
    expect(await update({ mr: '2', given_on: '2026-02-31', vita: 'dose 99' })).toMatchObject([
      { vaccine: 'mr', dose_number: 2, given_on: '2026-03-10' },
      { vaccine: 'vita', dose_number: 20 },
    ])
    const [future] = await update({ mr: '2', given_on: '2190-01-01T12:00:00.000Z' })
    expect(future!.given_on < '2190').toBe(true)
    expect(await update({ mr: ['1'], penta: { dose: 1 }, opv: '' })).toEqual([])
  })

  test('are changed and deleted in the form only', async ({ make, asUser }) => {
    const { patient_id, event } = await scene(make)
    const admin = asUser(await make.user({ role: 'admin' }))
    await saveEvent(admin, { ...event, answers: answers({ penta: '1' }) })
    const [row] = await immunizationsOfPatient(admin, { patientId: patient_id })
    const { id, last_modified, vaccine, given_on, dose_number, lot, clinic_id, notes } = row!
    const refused = { code: 'conflict', text: { key: 'immunizations.ofForm' } }
    const values = { vaccine, given_on, dose_number, lot, clinic_id, notes }
    await expect(
      saveImmunization(admin, {
        id,
        last_modified,
        patient_id,
        visit_id: row!.visit_id,
        ...values,
      }),
    ).rejects.toMatchObject(refused)
    await expect(deleteImmunization(admin, { id })).rejects.toMatchObject(refused)
  })

  test('follow their event through a merge of patients and back', async ({ make, asUser }) => {
    const { patient_id, event } = await scene(make)
    const admin = asUser(await make.user({ role: 'admin' }))
    await saveEvent(admin, { ...event, answers: answers({ penta: '1' }) })
    const winner = await make.patient({ date_of_birth: '2025-12-01' })
    const of = (patientId: string) => immunizationsOfPatient(admin, { patientId })
    const { mergeId } = await mergePatients(admin, {
      id: newId(),
      winnerId: winner.id,
      loserId: patient_id,
    })
    expect(await of(winner.id)).toMatchObject([{ vaccine: 'penta' }])
    await unmergePatients(admin, { mergeId })
    expect(await of(winner.id)).toEqual([])
    expect(await of(patient_id)).toMatchObject([{ vaccine: 'penta' }])
  })
})
