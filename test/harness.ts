import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { test as base, inject } from 'vitest'
import { connect } from '~/db/connect'
import type { DB } from '~/db/types'
import type { Context, OpenContext, RequestFacts } from '~/server/operation'
import type { Actor } from '~/shared/actor'
import type { Permission, Role } from '~/shared/permissions'
import { makeFactories } from './factories'

/** A database of this worker's own, cloned from the migrated template. */
let ofThisWorker: Promise<Kysely<DB>> | undefined
export const database = () =>
  (ofThisWorker ??= cloneTemplate(`worker_${process.pid}_${process.env['VITEST_POOL_ID']}`))

/** A fresh database beside the others, for tests that need more than one connection. */
export async function cloneTemplate(name: string): Promise<Kysely<DB>> {
  const url = new URL(inject('postgres'))
  const admin = new pg.Client(url.href)
  await admin.connect()
  await admin.query(`create database ${name} template template`)
  await admin.end()
  url.pathname = `/${name}`
  return connect(url.href)
}

export const aRequest = (via: RequestFacts['via'] = 'web'): RequestFacts => ({
  id: crypto.randomUUID(),
  via,
  address: '127.0.0.1',
  headers: new Headers(),
})

/** A user with a role, and the given permissions in each named clinic. */
type Grants = Record<string, readonly Permission[]>
const someone = '00000000-0000-7000-8000-000000000001'

/** Each test runs in a transaction that is rolled back: they share one real database and never see each other. */
export const test = base
  .extend('db', async ({}, { onCleanup }) => {
    const trx = await (await database()).startTransaction().execute()
    onCleanup(async () => {
      await trx.rollback().execute()
    })
    return trx as Kysely<DB>
  })
  .extend('make', ({ db }) => makeFactories(db))
  .extend(
    'as',
    ({ db }) =>
      (role: Role, grants: Grants = {}, more: Partial<Actor> = {}): Context => ({
        db,
        request: aRequest(),
        actor: {
          userId: someone,
          name: 'Test user',
          role,
          language: 'en',
          clinicId: null,
          grants,
          ...more,
        },
      }),
  )
  .extend(
    'asUser',
    ({ db }) =>
      (
        user: { id: string; name: string; role: string; clinic_id: string | null },
        grants: Grants = {},
      ): Context => ({
        db,
        request: aRequest(),
        actor: {
          userId: user.id,
          name: user.name,
          role: user.role as Role,
          language: 'en',
          clinicId: user.clinic_id,
          grants,
        },
      }),
  )
  .extend('anonymous', ({ db }): OpenContext => ({ db, request: aRequest(), actor: null }))

/** The audit rows of a record, oldest first. */
export const auditOf = (db: Kysely<DB>, recordId: string) =>
  db.selectFrom('audit_log').selectAll().where('record_id', '=', recordId).orderBy('id').execute()

/** Fails unless the statement breaks the rule: for rules that must hold whatever the code does. */
export async function brokenRule(db: Kysely<DB>, statement: { execute: () => Promise<unknown> }) {
  await sql`savepoint rule`.execute(db)
  try {
    await statement.execute()
  } catch (error) {
    return (error as pg.DatabaseError).constraint
  } finally {
    await sql`rollback to savepoint rule`.execute(db)
  }
  throw new Error('The database accepted what it must refuse')
}
