import { sql } from 'kysely'
import type * as z from 'zod'
import { describe, expect } from 'vitest'
import type { Field } from '~/fields/field'
import { listTrash, restoreDeletion } from '~/features/office/trash/trash.server'
import { FIELDS_OF } from '~/records/all'
import { operations } from '~/rpc/operations'
import type { AnyOperation } from '~/server/operation'
import type { Actor } from '~/shared/actor'
import { NOUNS } from '~/shared/nouns'
import { defaultPermissions, type Permission } from '~/shared/permissions'
import { attempt, type World, worldOf } from './access'
import { aRequest, brokenRule, test as base } from './harness'
import { samples } from './samples'

const test = base
  .extend('whole', { scope: 'file' }, async ({}, { onCleanup }) => worldOf(onCleanup))
  // what a test does in it is taken back
  .extend('world', async ({ whole }, { onCleanup }) => {
    onCleanup(async () => {
      await sql`rollback to savepoint attempt`.execute(whole.db)
    })
    return whole
  })

/** These have operations and rules of their own beside saving and deleting. */
const MORE_THAN_ENTRIES = ['visits', 'events', 'prescriptions', 'relatedPersons']
/** What the safety check needs is never hidden (docs/rules.md, "Care across clinics"). */
const NEVER_HIDDEN = ['allergies', 'medicines']

/**
 * The records of a patient that are saved, deleted and listed by the patient. What each of them must do is tested here:
 * its own tests say only what is particular to it.
 */
const entries = Object.entries(NOUNS).flatMap(([table, { missing }]) => {
  const noun = missing.split('.')[0]!
  const [save, remove] = [operations.get(`${noun}.save`), operations.get(`${noun}.delete`)]
  const list = operations.get(`${noun}.ofPatient`) ?? operations.get(`${noun}.list`)
  const fields = FIELDS_OF[table]
  if (!save || !remove || !list || !fields || MORE_THAN_ENTRIES.includes(noun)) return []
  const isOfPatient = takes(save, 'patient_id') && takes(list, 'patientId')
  return isOfPatient ? [{ noun, table, save, remove, list, fields }] : []
})
type Entry = (typeof entries)[number]
function takes({ facts }: AnyOperation, name: string) {
  return name in ((facts.input as z.ZodObject).shape ?? {})
}

test('allergies, problems and the like are entries', () => {
  const usual = ['allergies', 'immunizations', 'medicines', 'problems', 'referrals', 'vitals']
  expect(entries.map(({ noun }) => noun)).toEqual(expect.arrayContaining(usual))
})

/** The calls of one kind of record about the patient of the own clinic. */
function callsOf({ db, own, other, actors }: World, { save, remove, list }: Entry) {
  const patientId = own.patient.id
  const calling = (actor: Actor) => ({ db, actor, request: aRequest() })
  const admin = calling(actors['admin']!)
  const holding = (held: readonly Permission[], clinicId = own.clinic.id) =>
    calling({ ...actors['provider']!, grants: { [clinicId]: held } })
  const listed = async (ctx = admin) => JSON.stringify(await list(ctx, { patientId }))
  const input = samples[save.facts.name]!(own) as { id: string }
  const { id } = samples[remove.facts.name]!(own) as { id: string }
  return { db, other, patientId, admin, holding, listed, input, id }
}

/** A value that the field refuses. */
function wrongFor({ kind, required }: Field) {
  if (kind === 'tags') return 'none'
  return kind === 'text' && required ? ' ' : 'x'.repeat(20_000)
}

describe.for(entries)('$noun', (entry) => {
  const { noun, table, save, remove, fields } = entry

  test('recorded by a repeated request, it is listed once, with the user who recorded it', async ({
    world,
  }) => {
    const { admin, input, listed } = callsOf(world, entry)
    const saved = await save(admin, input)
    expect(await save(admin, input)).toEqual(saved)
    const text = await listed()
    expect(text.split(`"id":"${input.id}"`)).toHaveLength(2)
    expect(text).toContain(`"recorded_by":"${admin.actor.name}"`)
  })

  test('deleted, it is in the trash under its name; restored, it is listed again', async ({
    world,
  }) => {
    const { admin, id, listed } = callsOf(world, entry)
    expect(await listed()).toContain(id)
    const { deletionId } = (await remove(admin, { id })) as { deletionId: string }
    expect(await listed()).not.toContain(id)
    const { rows } = await listTrash(admin, { table })
    expect(rows.map(({ label }) => label)).toEqual([expect.stringMatching(/\S, \S/)])
    await restoreDeletion(admin, { id: deletionId })
    expect(await listed()).toContain(id)
  })

  test('is saved with the right to edit records, and deleted with the right to delete them', async ({
    world,
  }) => {
    const { db, holding, id, input, listed } = callsOf(world, entry)
    const reader = holding(['can_view_history'])
    expect(await listed(reader)).toContain(id)
    const forbidden = { code: 'forbidden' }
    expect(await attempt(db, save, reader.actor, input)).toMatchObject(forbidden)
    const editor = holding(['can_view_history', 'can_edit_records'])
    expect(await attempt(db, save, editor.actor, input)).toMatchObject({ id: input.id })
    expect(await attempt(db, remove, editor.actor, { id })).toMatchObject(forbidden)
  })

  test('is hidden from another clinic of the patient, unless the safety check needs it', async ({
    world,
  }) => {
    const { db, holding, id, listed, other, patientId } = callsOf(world, entry)
    await db
      .insertInto('patient_links')
      .values({ patient_id: patientId, clinic_id: other.clinic.id, source: 'registered' })
      .execute()
    const text = await listed(holding(defaultPermissions('provider'), other.clinic.id))
    expect(text.includes(id)).toBe(NEVER_HIDDEN.includes(noun))
  })

  test('each field that is wrong is named', async ({ world }) => {
    const { admin, db, input } = callsOf(world, entry)
    const wrong = Object.entries(fields).map(([name, field]) => [name, wrongFor(field)] as const)
    const refused = await attempt(db, save, admin.actor, {
      ...input,
      ...Object.fromEntries(wrong),
    })
    const named = Object.keys(Object((refused as { fields?: object }).fields))
    expect(named.toSorted()).toEqual(Object.keys(fields).toSorted())
  })

  test('the database refuses a value that is no code in a choice of its form', async ({
    world,
  }) => {
    const { db, id } = callsOf(world, entry)
    const { rows } = await sql<object>`select * from ${sql.table(table)} where id = ${id}`.execute(
      db,
    )
    for (const [name, { kind }] of Object.entries(fields)) {
      if (kind !== 'select' || !(name in rows[0]!)) continue
      const change = sql`update ${sql.table(table)} set ${sql.ref(name)} = '?' where id = ${id}`
      // throws if the database accepts it
      await brokenRule(db, { execute: () => change.execute(db) })
    }
  })
})
