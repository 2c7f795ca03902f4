import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import type { DB } from '~/db/types'
import { commands, queries } from '~/sync/http/online.server'
import { pushed, type PushedName, tableNamed, writable } from '~/sync/schema/tables'
import { samples } from '../samples'
import { HOSTILE, type Hostile, OF_ANOTHER_CLINIC, REFUSED, refusedTo, tokensOf } from '../hostile'
import { makeWorld, newId, type Side } from '../world'
import { test as base } from './clinic'

/**
 * Users of one clinic use the ids of another clinic's records by every way in. The calls come from
 * the registries, so a new operation, call or table is tried without a line here.
 */
const test = base.extend('scene', { scope: 'file' }, async ({ db, server }) => {
  const world = await makeWorld(db)
  const tokens = await tokensOf(db, world)
  const send = (kind: Hostile, path: string, body?: unknown) =>
    fetch(server.origin + path, {
      method: body === undefined ? 'GET' : 'POST',
      body: body === undefined ? null : JSON.stringify(body),
      headers: {
        'content-type': 'application/json',
        ...(tokens[kind] && { authorization: `Bearer ${tokens[kind]}` }),
      },
    })
  return { other: world.other, send }
})

/** Without Basic and Bearer, phones and programs get 401; an unknown record is 404 or 409. */
const PHONE_REFUSED = [...REFUSED, 400, 409]

describe.for(HOSTILE)('tRPC, as %s', (kind) => {
  test('refuses another clinic’s records in each operation that the table refuses', async ({
    scene,
  }) => {
    const { other, send } = scene
    const answered = []
    for (const [name, { facts }] of refusedTo(kind)) {
      const input = samples[name]!(other)
      const query = encodeURIComponent(JSON.stringify(input ?? {}))
      const response = await (facts.kind === 'query'
        ? send(kind, `/api/trpc/${name}?input=${query}`)
        : send(kind, `/api/trpc/${name}`, input ?? {}))
      await response.arrayBuffer()
      if (!REFUSED.includes(response.status)) answered.push([name, response.status])
    }
    expect(answered).toEqual([])
  })
})

describe.for(OF_ANOTHER_CLINIC)('another clinic’s records, as %s', (kind) => {
  test('the online mode answers nothing of them and stores nothing', async ({ scene, db }) => {
    const { other, send } = scene
    const { patient, visit, event, problem, eventForm } = other
    const ids = { patient_id: patient.id, visit_id: visit.id, form_id: eventForm.id }
    const marks = [patient.id, visit.id, event.id, problem.id, other.vital.id]
    for (const name of Object.keys(queries)) {
      for (const id of marks) {
        const params = { ...ids, id, limit: 200, offset: 0, filters: {} }
        const response = await send(kind, '/rpc/query', { query: name, params })
        const text = await response.text()
        expect([name, marks.filter((mark) => text.includes(mark))]).toEqual([name, []])
      }
    }
    const before = await rowsOf(db, other)
    const bodies = commandBodies(other)
    expect(Object.keys(bodies).toSorted()).toEqual(Object.keys(commands).toSorted())
    for (const [command, data] of Object.entries(bodies)) {
      const { status } = await send(kind, '/rpc/command', { command, data })
      expect([command, PHONE_REFUSED.includes(status)]).toEqual([command, true])
    }
    expect(await rowsOf(db, other)).toEqual(before)
  })

  test('a push neither changes nor deletes a row of any table', async ({ scene, db }) => {
    const { other, send } = scene
    const before = await rowsOf(db, other)
    const names = Object.keys(before)
    expect(names.length).toBeGreaterThan(8)
    for (const how of WAYS) {
      const response = await send(kind, '/api/v2/sync?last_pulled_at=0', changesOf(before, how))
      expect(response.status).toBeLessThan(500)
    }
    expect(await rowsOf(db, other)).toEqual(before)
  })
})

test('the same calls work for an administrator, so they are refused for no other reason', async ({
  scene: { other, send },
  db,
}) => {
  for (const [command, data] of Object.entries(commandBodies(other))) {
    const { status } = await send('admin', '/rpc/command', { command, data })
    expect([command, status]).toEqual([command, 200])
  }
  const before = await rowsOf(db, other)
  for (const how of ['updated', 'deleted'] as const) {
    const changes = changesOf(before, how)
    expect((await send('admin', '/api/v2/sync?last_pulled_at=0', changes)).status).toBe(200)
    const after = await rowsOf(db, other)
    const untouched = Object.keys(before).filter(
      (name) => JSON.stringify(after[name]) === JSON.stringify(before[name]),
    )
    expect([how, untouched]).toEqual([how, UNTOUCHED[how]])
  }
})

/** Values that the server has changed since the phone's last pull become conflicts. */
const UNTOUCHED: Record<string, string[]> = {
  updated: ['patients', 'events', 'patient_problems', 'prescriptions'],
  deleted: [],
}

const commandBodies = ({
  patient,
  visit,
  event,
  problem,
  clinic,
  eventForm,
}: Side): Record<string, object> => {
  const ofVisit = { patient_id: patient.id, visit_id: visit.id }
  const at = '2026-11-22T08:30:00.000Z'
  return {
    register_patient: { patient: { id: patient.id, given_name: 'Taken' } },
    'visits.create': { patient_id: patient.id, clinic_id: clinic.id, check_in_timestamp: at },
    'vitals.create': { ...ofVisit, heart_rate: 70, timestamp: at },
    'problems.create': {
      ...ofVisit,
      problem_code_system: 'icd10',
      problem_code: 'J45.9',
      problem_label: 'Asthma',
      clinical_status: 'active',
      verification_status: 'confirmed',
    },
    'events.create': { ...ofVisit, form_id: eventForm.id, event_type: 'Taken', form_data: [] },
    'events.update': { id: event.id, form_data: [{ id: newId(), value: 'Taken' }] },
    'problems.update': { id: problem.id, problem_label: 'Taken' },
    'events.delete': { id: event.id },
  }
}

const WAYS = ['updated', 'created', 'deleted'] as const

/** A push that writes into a text column of each row, inserts the row anew, or deletes it. */
function changesOf(rows: Record<string, Stored[]>, how: (typeof WAYS)[number]) {
  return Object.fromEntries(
    Object.entries(rows).map(([name, stored]) => {
      const table = tableNamed(name as PushedName)
      const column = writable(table).find((one) => {
        const kind = table.columns[one]!
        return kind.sent === 'text' && !kind.isJson && !/(_id|_url|status|sex)$/.test(one)
      })!
      const sent = stored.map(({ id }) =>
        how === 'deleted' ? id : { id, [column]: 'Taken', _status: how, _changed: column },
      )
      return [name, { created: [], updated: [], deleted: [], [how]: sent }]
    }),
  )
}

type Stored = { id: string; is_deleted: boolean }

/** Each pushed table with the rows that belong to the other clinic or its patient. */
async function rowsOf(db: Kysely<DB>, { patient, clinic }: { patient: Id; clinic: Id }) {
  const found: Record<string, Stored[]> = {}
  for (const name of Object.keys(pushed)) {
    const { rows } = await sql<{ row: Stored & Record<string, unknown> }>`
      select to_jsonb(t) as row from ${sql.table(name)} t
      where ${patient.id} in (to_jsonb(t)->>'id', to_jsonb(t)->>'patient_id')
        or to_jsonb(t)->>'clinic_id' = ${clinic.id}
      order by to_jsonb(t)->>'id'`.execute(db)
    if (rows.length > 0) found[name] = rows.map(({ row }) => row)
  }
  return found
}
type Id = { id: string }
