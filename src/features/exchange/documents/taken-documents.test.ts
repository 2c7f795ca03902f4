import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { bundledMigrations } from '~/db/migrate.server'
import { toSqlSteps } from '~/db/sql-files'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import { mergePatients, unmergePatients } from '~/features/people/patients/duplicates/merge.server'
import type { Context } from '~/server/operation'
import { newId } from '~/shared/id'
import { aDocument, allergy, condition, vital } from '../../../../test/foreign-document'
import { auditOf, test } from '../../../../test/harness'
import { linesOf, MARIA, recordOf, takeAll } from '../../../../test/taking'
import {
  deleteAllergy,
  listAllergies,
  recordNoAllergies,
  saveAllergy,
} from '~/features/care/allergies/allergies.server'
import { listProblems } from '~/features/care/problems/problems.server'
import { previewDocument, takeFromDocument } from './documents.server'
import { addedByDocument, listDocuments, undoDocument } from './taken-documents.server'

const idsOf = async (ctx: Context, patientId: string) =>
  (await recordOf(ctx, patientId)).map(({ row }) => String(row['id'])).toSorted()

/** The newest document of the patient. */
const documentOf = async (ctx: Context, patientId: string) =>
  (await listDocuments(ctx, { patientId }))[0]!

/** A form saves what it read, with other notes. */
async function changeAllergy(ctx: Context, patientId: string, substance: string, notes = 'Asked') {
  const one = (await listAllergies(ctx, { patientId })).find(
    (each) => each.substance === substance,
  )!
  await saveAllergy(ctx, {
    id: one.id,
    patient_id: patientId,
    substance,
    substance_kind: 'other',
    substance_code: null,
    reaction: one.reaction,
    severity: one.severity as null,
    status: 'active',
    notes,
    last_modified: one.last_modified,
  })
  return one.id
}

describe('the undo of a document', () => {
  test('moves all that it added to the trash as one deletion, which the trash restores', async ({
    asUser,
    make,
    db,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const { id: patientId } = await make.patient(MARIA)
    const own = (await make.allergy({ patient_id: patientId, substance: 'Latex' })).id
    const text = aDocument()
    const keys = (await linesOf(admin, patientId, text)).map(({ key }) => key)
    // in two steps, which are one document
    for (const entries of [keys.slice(0, 4), keys])
      await takeFromDocument(admin, { patientId, text, file_name: 'ips.json', entries })
    const taken = await idsOf(admin, patientId)
    expect(taken).toHaveLength(8)
    expect(await listDocuments(admin, { patientId })).toMatchObject([
      {
        written_by: 'Hospital San Juan',
        file_name: 'ips.json',
        lines: 7,
        undone: null,
        mayUndo: true,
      },
    ])
    const { id } = await documentOf(admin, patientId)
    const { lines } = await addedByDocument(admin, { id })
    expect(lines.map(({ kind, words, left }) => [kind, words, left])).toEqual(
      expect.arrayContaining([
        ['allergies', 'Penicilina', null],
        ['medicines', 'Enalapril 10 mg', null],
        ['immunizations', 'Measles', null],
        ['vitals', expect.stringContaining('68.0389 kg'), null],
      ]),
    )

    const { deletionId, undone, left } = await undoDocument(admin, { id })
    expect([undone, left]).toEqual([7, []])
    expect(await idsOf(admin, patientId)).toEqual([own])
    // tombstones, which phones receive
    const { rows } = await sql`select id from patient_problems
      where patient_id = ${patientId} and is_deleted and last_modified > server_created_at`.execute(
      db,
    )
    expect(rows).toHaveLength(2)
    const trail = await auditOf(db, lines[0]!.id)
    expect(trail.map(({ action }) => action).at(-1)).toBe('documents.undo')
    expect(await documentOf(admin, patientId)).toMatchObject({
      lines: 0,
      undone: { by: admin.actor.name },
      mayUndo: false,
    })
    await expect(undoDocument(admin, { id })).rejects.toMatchObject({ code: 'not_found' })

    await restoreDeletion(admin, { id: deletionId })
    expect(await idsOf(admin, patientId)).toEqual(taken)
    expect(await documentOf(admin, patientId)).toMatchObject({ lines: 7, undone: null })
    expect((await takeAll(admin, patientId, text)).taken).toEqual([])
  })

  test('leaves and names what was changed since, and what something rests on', async ({
    asUser,
    make,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const { id: patientId } = await make.patient(MARIA)
    const text = aDocument({
      only: true,
      more: [
        allergy('Polvo', 'confirmed'),
        allergy('Polen', 'confirmed'),
        condition('Asma', {}),
        condition('Gota', {}),
      ],
    })
    await takeAll(admin, patientId, text)
    await changeAllergy(admin, patientId, 'Polvo')
    const asthma = (await listProblems(admin, { patientId })).find(
      ({ problem_label }) => problem_label === 'Asma',
    )!
    await make.prescription({ patient_id: patientId, problem_id: asthma.id })
    const { id } = await documentOf(admin, patientId)
    const { undone, left } = await undoDocument(admin, { id })
    expect(undone).toBe(2)
    expect(left.map(({ words, left: why }) => [words, why?.reason, why?.who])).toEqual([
      ['Polvo', 'changed', admin.actor.name],
      ['Asma', 'prescribed', null],
    ])
    expect((await recordOf(admin, patientId)).map(({ row }) => row['id'])).toHaveLength(2)
    expect(await documentOf(admin, patientId)).toMatchObject({ lines: 2, mayUndo: false })
  })

  test('undoes what was taken before documents were listed', async ({ asUser, make, db }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const { id: patientId } = await make.patient(MARIA)
    await takeAll(admin, patientId, aDocument())
    const taken = await idsOf(admin, patientId)
    for (const table of ['patient_document_rows', 'patient_documents'] as const)
      await db.deleteFrom(table).execute()
    const { sql: text } = toSqlSteps(bundledMigrations).find(
      ({ name }) => name === '0373_taken_documents',
    )!
    await sql.raw(text.slice(text.indexOf('create temporary'))).execute(db)
    const [document] = await listDocuments(admin, { patientId })
    expect(document).toMatchObject({
      written_by: 'Hospital San Juan',
      file_name: 'ips.json',
      taken_by: admin.actor.name,
      lines: taken.length,
    })
    expect(await undoDocument(admin, { id: document!.id })).toMatchObject({
      undone: taken.length,
      left: [],
    })
  })

  test('refuses where nothing can go', async ({ asUser, make }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const { id: patientId } = await make.patient(MARIA)
    await takeAll(
      admin,
      patientId,
      aDocument({ only: true, more: [allergy('Polvo', 'confirmed')] }),
    )
    await changeAllergy(admin, patientId, 'Polvo')
    const { id } = await documentOf(admin, patientId)
    await expect(undoDocument(admin, { id })).rejects.toMatchObject({
      text: { key: 'documents.nothingToUndo' },
    })
    expect(await documentOf(admin, patientId)).toMatchObject({ lines: 1, undone: null })
  })

  test('lets the document be taken again, and then restores nothing twice', async ({
    asUser,
    make,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const { id: patientId } = await make.patient(MARIA)
    const text = aDocument()
    await takeAll(admin, patientId, text)
    const first = await documentOf(admin, patientId)
    const { deletionId } = await undoDocument(admin, { id: first.id })
    expect((await previewDocument(admin, { patientId, text })).undone).toMatchObject({
      by: admin.actor.name,
    })
    expect((await takeAll(admin, patientId, text)).taken).toHaveLength(7)
    expect((await previewDocument(admin, { patientId, text })).undone).toBeNull()
    await expect(restoreDeletion(admin, { id: deletionId })).rejects.toMatchObject({
      text: { key: 'documents.takenAgain' },
    })
    expect(await recordOf(admin, patientId)).toHaveLength(7)
    const second = await documentOf(admin, patientId)
    expect(second.id).not.toBe(first.id)
    await undoDocument(admin, { id: second.id })
    // one line of the seven
    const { key } = (await linesOf(admin, patientId, text)).find(({ left }) => left === null)!
    await takeFromDocument(admin, { patientId, text, file_name: 'ips.json', entries: [key] })
    expect(await restoreDeletion(admin, { id: deletionId })).toMatchObject({ left: 1 })
    expect(await recordOf(admin, patientId)).toHaveLength(7)
  })

  test('makes a statement true again that its allergy had ended', async ({ asUser, make }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const { id: patientId } = await make.patient(MARIA)
    await recordNoAllergies(admin, { id: newId(), patientId })
    const statement = async () =>
      (await listAllergies(admin, { patientId })).find(
        ({ substance_kind }) => substance_kind === 'none_known',
      )!.status
    for (const name of ['Polvo', 'Polen'])
      await takeAll(admin, patientId, aDocument({ only: true, more: [allergy(name, 'confirmed')] }))
    expect(await statement()).toBe('refuted')
    const [second, first] = await listDocuments(admin, { patientId })
    await undoDocument(admin, { id: first!.id })
    expect(await statement()).toBe('refuted')
    await undoDocument(admin, { id: second!.id })
    expect(await statement()).toBe('active')
  })

  test('makes it true again only when it takes the allergy away that ended it', async ({
    asUser,
    make,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const { id: patientId } = await make.patient(MARIA)
    const statements = async () => {
      const all = await listAllergies(admin, { patientId })
      return Object.fromEntries(all.map(({ id, status }) => [id, status]))
    }
    const take = async (line: Record<string, unknown>) => {
      await takeAll(admin, patientId, aDocument({ only: true, more: [line] }))
      return (await documentOf(admin, patientId)).id
    }
    const weight = vital('29463-7', 'Peso', {
      valueQuantity: { value: 70, unit: 'kg', code: 'kg' },
    })
    const { id: first } = await recordNoAllergies(admin, { id: newId(), patientId })
    const dust = await take(allergy('Polvo', 'confirmed'))
    const { deletionId } = await undoDocument(admin, { id: dust })
    expect(await statements()).toEqual({ [first]: 'active' })
    await restoreDeletion(admin, { id: deletionId })
    expect(await statements()).toMatchObject({ [first]: 'refuted' })
    await undoDocument(admin, { id: dust })
    expect(await statements()).toEqual({ [first]: 'active' })

    await take(allergy('Polvo', 'confirmed'))
    const byHand = (await listAllergies(admin, { patientId })).find(({ id }) => id !== first)!
    await deleteAllergy(admin, { id: byHand.id })
    await undoDocument(admin, { id: await take(weight) })
    expect(await statements()).toEqual({ [first]: 'refuted' })
    const { id: second } = await recordNoAllergies(admin, { id: newId(), patientId })
    await undoDocument(admin, { id: await take(allergy('Polen', 'confirmed')) })
    expect(await statements()).toEqual({ [first]: 'refuted', [second]: 'active' })
  })

  test('is for the user who took the document, and for users who may delete records', async ({
    asUser,
    make,
    db,
  }) => {
    const clinic = await make.clinic()
    const { id: patientId } = await make.patient({ ...MARIA, primary_clinic_id: clinic.id })
    const nurse = async (...more: 'can_delete_records'[]) => {
      const user = await make.user({ role: 'provider', clinic_id: clinic.id })
      const held = [
        'can_register_patients',
        'can_view_history',
        'can_edit_records',
        ...more,
      ] as const
      await make.permission(user, clinic.id, [...held])
      return asUser(user, { [clinic.id]: [...held] })
    }
    const [taker, other, head] = [await nurse(), await nurse(), await nurse('can_delete_records')]
    const text = aDocument()
    await takeAll(taker, patientId, text)
    const { id } = await documentOf(other, patientId)
    expect((await documentOf(other, patientId)).mayUndo).toBe(false)
    expect((await documentOf(head, patientId)).mayUndo).toBe(true)
    await expect(undoDocument(other, { id })).rejects.toMatchObject({ code: 'forbidden' })
    expect(await undoDocument(taker, { id })).toMatchObject({ undone: 7 })
    // who may not read what that clinic recorded
    const away = await make.clinic()
    await sql`insert into patient_links (patient_id, clinic_id, source)
      values (${patientId}, ${away.id}, 'registered')`.execute(db)
    const user = await make.user({ role: 'provider', clinic_id: away.id })
    await make.permission(user, away.id, ['can_view_history', 'can_edit_records'])
    const stranger = asUser(user, { [away.id]: ['can_view_history', 'can_edit_records'] })
    expect((await previewDocument(stranger, { patientId, text })).undone).toBeNull()
    expect((await previewDocument(head, { patientId, text })).undone).not.toBeNull()
    await takeAll(taker, patientId, text)
    expect(await undoDocument(head, { id: (await documentOf(head, patientId)).id })).toMatchObject({
      undone: 7,
    })
  })
})

describe('a merge of two records that both took one document', () => {
  const text = aDocument({
    only: true,
    more: [
      allergy('Polvo', 'confirmed'),
      condition('Asma', {}),
      {
        resourceType: 'MedicationStatement',
        status: 'active',
        subject: { reference: 'urn:uuid:8b1b5d7e-4b51-4d0d-9a40-3a3a2c5b8a01' },
        medicationCodeableConcept: { text: 'Metformina' },
      },
      vital('29463-7', 'Peso', { valueQuantity: { value: 70, unit: 'kg', code: 'kg' } }),
    ],
  })

  test('has each entry once; without the merge, both have them', async ({ asUser, make }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const [winner, loser] = [await make.patient(MARIA), await make.patient(MARIA)]
    for (const { id } of [winner, loser])
      expect((await takeAll(admin, id, text)).taken).toHaveLength(4)
    const before = [await idsOf(admin, winner.id), await idsOf(admin, loser.id)]
    const mergeId = newId()
    const merge = { winnerId: winner.id, loserId: loser.id, choices: {} }
    await mergePatients(admin, { id: mergeId, ...merge })
    expect(await idsOf(admin, winner.id)).toEqual(before[0])
    await unmergePatients(admin, { mergeId })
    expect([await idsOf(admin, winner.id), await idsOf(admin, loser.id)]).toEqual(before)
  })

  test('keeps the row that was worked on, and both where both were', async ({ asUser, make }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const [winner, loser] = [await make.patient(MARIA), await make.patient(MARIA)]
    for (const { id } of [winner, loser]) await takeAll(admin, id, text)
    const before = [await idsOf(admin, winner.id), await idsOf(admin, loser.id)]
    const changed = await changeAllergy(admin, loser.id, 'Polvo')
    const merge = { winnerId: winner.id, loserId: loser.id, choices: {} }
    const mergeId = newId()
    await mergePatients(admin, { id: mergeId, ...merge })
    const allergies = await listAllergies(admin, { patientId: winner.id })
    expect(allergies.map(({ id }) => id)).toEqual([changed])
    expect(await recordOf(admin, winner.id)).toHaveLength(4)
    await unmergePatients(admin, { mergeId })
    expect([await idsOf(admin, winner.id), await idsOf(admin, loser.id)]).toEqual(before)

    await changeAllergy(admin, winner.id, 'Polvo', 'Asked again')
    await mergePatients(admin, { id: newId(), ...merge })
    expect(await listAllergies(admin, { patientId: winner.id })).toHaveLength(2)
  })

  test('leaves each clinic its own, unless clinics share histories', async ({
    asUser,
    make,
    db,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const at = async () => make.patient({ ...MARIA, primary_clinic_id: (await make.clinic()).id })
    const [winner, loser] = [await at(), await at()]
    for (const { id } of [winner, loser]) await takeAll(admin, id, text)
    const merge = { winnerId: winner.id, loserId: loser.id, choices: {} }
    const mergeId = newId()
    await mergePatients(admin, { id: mergeId, ...merge })
    expect(await recordOf(admin, winner.id)).toHaveLength(8)
    await unmergePatients(admin, { mergeId })
    await sql`update app_config set value = 'organization'
      where namespace = 'care' and key = 'share-history'`.execute(db)
    await mergePatients(admin, { id: newId(), ...merge })
    expect(await recordOf(admin, winner.id)).toHaveLength(4)
  })

  test('leaves a document undone that was undone meanwhile, and what was taken meanwhile to its record', async ({
    asUser,
    make,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const [winner, loser] = [await make.patient(MARIA), await make.patient(MARIA)]
    const keys = (await linesOf(admin, winner.id, text)).map(({ key }) => key)
    const take = (patientId: string, entries: string[]) =>
      takeFromDocument(admin, { patientId, text, file_name: 'ips.json', entries })
    await take(winner.id, keys.slice(0, 1))
    await take(loser.id, keys.slice(0, 2))
    const { id } = await documentOf(admin, loser.id)
    const mergeId = newId()
    await mergePatients(admin, {
      id: mergeId,
      winnerId: winner.id,
      loserId: loser.id,
      choices: {},
    })
    await take(winner.id, keys.slice(2, 3))
    const { deletionId } = await undoDocument(admin, { id })
    await unmergePatients(admin, { mergeId })
    expect(await documentOf(admin, winner.id)).toMatchObject({ lines: 2, mayUndo: true })
    expect(await recordOf(admin, loser.id)).toEqual([])
    await restoreDeletion(admin, { id: deletionId })
    expect(await documentOf(admin, loser.id)).toMatchObject({ lines: 2, undone: null })
  })
})
