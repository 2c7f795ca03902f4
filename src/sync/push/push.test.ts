import { sql } from 'kysely'
import { runMigrations } from 'graphile-worker'
import { v7 as uuidv7 } from 'uuid'
import { expect, inject } from 'vitest'
import { makeFactories } from '../../../test/factories'
import { cloneTemplate, test } from '../../../test/harness'
import { push } from './push.server'

/** A database with the queue of jobs, which a server makes when it first starts. */
const withJobs = test.extend('own', async ({}, { onCleanup }) => {
  const name = `push_${crypto.randomUUID().replaceAll('-', '')}`
  const db = await cloneTemplate(name)
  onCleanup(() => db.destroy())
  const url = new URL(inject('postgres'))
  url.pathname = `/${name}`
  await runMigrations({ connectionString: url.href })
  return db
})

withJobs('only a push that brings medicines requests their check', async ({ own, asUser }) => {
  const make = makeFactories(own)
  const ctx = { ...asUser(await make.user({ role: 'admin' })), db: own }
  const { patient_id, id: visit_id } = await make.visit()
  const form = await make.eventForm()
  const pushEvent = (...answers: object[]) =>
    push(ctx, 0, {
      events: {
        created: [
          {
            id: uuidv7(),
            patient_id,
            visit_id,
            form_id: form.id,
            event_type: 'Consultation',
            form_data: JSON.stringify(answers),
            recorded_by_user_id: ctx.actor.userId,
            metadata: '{}',
            is_deleted: false,
            deleted_at: null,
            created_at: Date.now(),
            updated_at: Date.now(),
          },
        ],
        updated: [],
        deleted: [],
      },
    })
  const requested = async () =>
    (await sql<{ key: string }>`select key from graphile_worker.jobs`.execute(own)).rows

  const weight = { fieldId: 'w', name: 'weight', fieldType: 'free-text', value: 70 }
  expect(await pushEvent(weight)).toEqual({ rows: 1, conflicts: 0, refused: 0 })
  expect(await requested()).toEqual([])

  const medicine = {
    fieldId: 'm',
    name: 'medicine',
    fieldType: 'medicine',
    value: [{ id: uuidv7(), name: 'Amoxicillin' }],
  }
  expect(await pushEvent(medicine)).toEqual({ rows: 1, conflicts: 0, refused: 0 })
  expect(await requested()).toEqual([{ key: 'check_medicines' }])
})
