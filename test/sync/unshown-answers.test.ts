import { expect } from 'vitest'
import { type Answer, held, parsed, saveAnswers } from './app-models'
import { OnlineApp } from './online-app'
import { test } from './pair'
import type { Phone } from './phone'
import { PASSWORD } from '../sessions'

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

/** A form that was filled in on the web, on both phones. */
const filledIn = test.extend('filled', async ({ db, pair }) => {
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
    inbox: () =>
      db
        .selectFrom('sync_conflicts')
        .select(['phone_value', 'server_value'])
        .where('row_id', '=', chart.events)
        .execute(),
  }
})

filledIn(
  'an edit of a form in the app keeps its files and each answer that its screen did not show',
  async ({ filled: { one, other, amal, omar, id, stored, inbox } }) => {
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
  },
)

filledIn(
  'a forced upload and the online mode keep them, too, and list nothing',
  async ({ server, filled: { one, amal, id, stored, inbox } }) => {
    await saveAnswers(one, amal, id, sent('first'))
    await one.forceUpload()
    expect(await stored()).toEqual(before)
    expect(await inbox()).toEqual([])
    const online = await OnlineApp.signedIn(server.origin, one.email, PASSWORD)
    await online.command('events.update', { id, form_data: sent('online'), metadata: {} })
    expect(await stored()).toEqual(after('online'))
  },
)

filledIn(
  'an answer that its screen showed can be cleared, and one typed over an answer that it did not show waits',
  async ({ filled: { one, amal, id, stored, inbox } }) => {
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
  },
)
