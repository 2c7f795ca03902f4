import { expect } from 'vitest'
import { test } from '../../../../../test/harness'
import { listForReview, listMovedIn, settleMovedIn } from './moved-in.server'

test('an entry that is marked as done shows the user and the time, and can be opened again', async ({
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const patient = await make.patient({ primary_clinic_id: clinic.id, given_name: 'Layla' })
  const { id } = await make.movedInReview({ patient_id: patient.id })
  const someone = await make.user({ name: 'Dr. Karim' })
  const asked = as('provider', { [clinic.id]: ['can_edit_records', 'can_view_history'] })
  const me = { ...asked, actor: { ...asked.actor, userId: someone.id } }
  const open = await listMovedIn(me, { state: 'open', page: 1 })
  expect(open.rows).toMatchObject([{ id, word: 'lingering', rule: 'unknownStatus', done_at: null }])
  await settleMovedIn(me, { id, done: true })
  await settleMovedIn(as('provider', { [clinic.id]: ['can_edit_records', 'can_view_history'] }), {
    id,
    done: true,
  })
  expect((await listMovedIn(me, { state: 'open', page: 1 })).rows).toEqual([])
  const { rows } = await listMovedIn(me, { state: 'done', page: 1 })
  expect(rows).toMatchObject([{ id, done_at: expect.any(Date) as Date, done_by: 'Dr. Karim' }])
  await settleMovedIn(me, { id, done: false })
  expect((await listMovedIn(me, { state: 'all', page: 1 })).rows).toMatchObject([
    { id, done_at: null, done_by: null },
  ])
})

test('another clinic neither sees an entry nor settles it', async ({ as, make }) => {
  const { id } = await make.movedInReview()
  const me = as('provider', {
    [(await make.clinic()).id]: ['can_edit_records', 'can_view_history'],
  })
  expect((await listMovedIn(me, { state: 'all', page: 1 })).rows).toEqual([])
  await expect(settleMovedIn(me, { id, done: true })).rejects.toMatchObject({
    text: { key: 'patients.notFound' },
  })
})

test('a repeated move opens an entry again only if the word is another one', async ({
  db,
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const review = {
    patientId: patient.id,
    table: 'patient_problems',
    rowId: patient.id,
    column: 'clinical_status',
    rule: 'unknownStatus',
    word: 'lingering',
  }
  const asked = as('provider', { [clinic.id]: ['can_edit_records', 'can_view_history'] })
  const me = { ...asked, actor: { ...asked.actor, userId: (await make.user()).id } }
  const list = () => listMovedIn(me, { state: 'all', page: 1 })
  await listForReview(db, [review, review])
  const id = (await list()).rows[0]!.id
  await settleMovedIn(me, { id, done: true })
  await listForReview(db, [review])
  expect((await list()).rows).toMatchObject([{ id, done_at: expect.any(Date) as Date }])
  await listForReview(db, [{ ...review, word: 'dormant' }])
  expect((await list()).rows).toMatchObject([{ id, word: 'dormant', done_at: null }])
})
