import type { Kysely } from 'kysely'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { PASSWORD } from '../sessions'
import { type Answer, held, parsed, saveAnswers } from './app-models'
import { OnlineApp } from './online-app'
import { test as base } from './pair'
import type { Phone } from './phone'

// The app builds all answers of a form from what its screen holds. Its screen shows no file, reads each answer by the
// name of its question, and writes "" for 0 and for a box that was unticked by another program.

const FILE = '0190bbbb-0000-7000-8000-000000000001'
const file = (value: unknown) => ({
  fieldId: 'scan',
  name: 'Scan',
  fieldType: 'file',
  inputType: 'file',
  value,
})
const text = (fieldId: string, name: string, value: unknown) => ({
  fieldId,
  name,
  fieldType: 'free-text',
  inputType: 'text',
  value,
})
const medicines = (value: unknown) => ({
  fieldId: 'medicine',
  name: 'Medicine',
  fieldType: 'medicine',
  inputType: 'input-group',
  value,
})

const before = [
  file(FILE),
  text('allergies', 'Alergies', 'Penicillin'),
  text('note', 'Note', 'first'),
  text('pain', 'Pain', 0),
  text('smokes', 'Smokes', false),
  medicines('Amoxicillin'),
]
/** As the app saves the form after the note was typed anew; the name of a question was corrected meanwhile. */
const sent = (note: string) => [
  file(''),
  text('allergies', 'Allergies', ''),
  text('note', 'Note', note),
  text('pain', 'Pain', ''),
  text('smokes', 'Smokes', ''),
  medicines([]),
]
const after = (note: string) =>
  before.map((each) => (each.fieldId === 'note' ? { ...each, value: note } : each))

const answersOn = async (phone: Phone, id: string): Promise<Answer[]> =>
  parsed(await held(phone, 'events', id), 'form_data')

const conflictsOf = (db: Kysely<DB>, id: string) =>
  db
    .selectFrom('sync_conflicts')
    .select(['phone_value', 'server_value'])
    .where('row_id', '=', id)
    .execute()

/** A form that was filled in on the web, on both phones. */
const test = base.extend('filled', async ({ db, pair }) => {
  const { one, other, chart } = pair
  await db
    .updateTable('events')
    .set({ form_data: JSON.stringify(before) })
    .where('id', '=', chart.events)
    .execute()
  for (const phone of [one, other, one, other]) await phone.sync()
  return {
    ...pair,
    id: chart.events,
    stored: async () =>
      (
        await db
          .selectFrom('events')
          .select('form_data')
          .where('id', '=', chart.events)
          .executeTakeFirstOrThrow()
      ).form_data,
    inbox: () => conflictsOf(db, chart.events),
  }
})

test('an edit of a form in the app keeps its files and each answer that its screen did not show', async ({
  filled: { one, other, amal, omar, id, stored, inbox },
}) => {
  await saveAnswers(one, amal, id, sent('second'))
  for (const phone of [one, other, one, other]) await phone.sync()
  expect(await stored()).toEqual(after('second'))
  for (const phone of [one, other]) expect(await answersOn(phone, id)).toEqual(after('second'))

  // again, before and after another user has changed the form
  await saveAnswers(other, omar, id, sent('third'))
  await saveAnswers(one, amal, id, [...sent('second'), text('new', 'New', 'typed')])
  for (const phone of [one, other, one, other]) await phone.sync()
  expect(await stored()).toEqual([...after('third'), text('new', 'New', 'typed')])
  expect(await inbox()).toEqual([])
})

test('a forced upload and the online mode keep them, too, and list nothing', async ({
  server,
  filled: { one, amal, id, stored, inbox },
}) => {
  await saveAnswers(one, amal, id, sent('first'))
  await one.forceUpload()
  expect(await stored()).toEqual(before)
  expect(await inbox()).toEqual([])
  const online = await OnlineApp.signedIn(server.origin, one.email, PASSWORD)
  await online.command('events.update', { id, form_data: sent('online'), metadata: {} })
  expect(await stored()).toEqual(after('online'))
})

test('an answer that its screen showed can be cleared, and one typed over an answer that was not shown waits', async ({
  filled: { one, amal, id, stored, inbox },
}) => {
  await saveAnswers(
    one,
    amal,
    id,
    sent('').map((each) =>
      each.fieldId === 'allergies' ? { ...each, value: 'none known' } : each,
    ),
  )
  await one.sync()
  expect(await stored()).toEqual(after(''))
  const [conflict, ...more] = await inbox()
  expect(more).toEqual([])
  expect(JSON.parse(String(conflict!.phone_value))).toContainEqual(
    text('allergies', 'Allergies', 'none known'),
  )
})

// --- Answers that their own user types again ------------------------------------------------------------------

const three = (...values: string[]) => values.map((value, at) => ({ fieldId: `q${at}`, value }))

test('an answer that its user changes again is no conflict, although others answered meanwhile', async ({
  db,
  pair: { one, other, chart, amal, omar },
}) => {
  const id = chart.events
  await saveAnswers(one, amal, id, three('', '', ''))
  for (const phone of [one, other, one, other]) await phone.sync()
  await saveAnswers(other, omar, id, three('', '', 'theirs'))
  await other.sync()
  // merged with the other answer, of which this phone hears with its next sync
  await saveAnswers(one, amal, id, three('mine', '', ''))
  await one.sync()
  await saveAnswers(one, amal, id, three('mine again', '', ''))
  await one.sync()
  const { form_data } = await db
    .selectFrom('events')
    .select('form_data')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const values = new Map((form_data as Answer[]).map(({ fieldId, value }) => [fieldId, value]))
  expect(['q0', 'q1', 'q2'].map((each) => values.get(each))).toEqual(['mine again', '', 'theirs'])
  expect(await conflictsOf(db, id)).toEqual([])

  // what another user has made of it since is a conflict
  for (const phone of [one, other]) await phone.sync()
  await saveAnswers(other, omar, id, three('changed', '', 'theirs'))
  await other.sync()
  await saveAnswers(one, amal, id, three('mine once more', '', 'theirs'))
  await one.sync()
  expect(await conflictsOf(db, id)).toHaveLength(1)
})

test('a form that a sync with a lost answer brought can be answered', async ({
  db,
  make,
  pair: { one, chart, amal, clinic },
}) => {
  await one.sync()
  const { id } = await make.event({
    patient_id: chart.patients,
    visit_id: chart.visits,
    recorded_clinic_id: clinic.id,
    form_data: '[]',
  })
  await one.create('patient_vitals', { patient_id: chart.patients, timestamp: 1, heart_rate: 70 })
  const cut = {
    onPush: async (send: () => Promise<unknown>) => (
      await send(),
      Promise.reject(new Error('cut'))
    ),
  }
  await expect(one.sync(cut)).rejects.toThrow('cut')
  await saveAnswers(one, amal, id, three('mine', '', ''))
  await one.sync()
  expect(await conflictsOf(db, id)).toEqual([])
  expect(await answersOn(one, id)).toMatchObject(three('mine', '', ''))
})
