import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { test as base, inject } from 'vitest'
import { connect } from '~/db/connect'
import type { DatabaseUrls } from '~/db/roles.server'
import type { DB } from '~/db/types'
import { flushAccesses } from '~/server/access-log'
import type { Context, OpenContext, RequestFacts } from '~/server/operation'
import type { Actor } from '~/shared/actor'
import type { Permission, Role } from '~/shared/permissions'
import { makeFactories } from './factories'

/** A database of this worker's own, cloned from the migrated template. */
let ofThisWorker: Promise<Kysely<DB>> | undefined
const nameOfWorker = `worker_${process.pid}_${process.env['VITEST_POOL_ID']}`
export const database = () => (ofThisWorker ??= cloneTemplate(nameOfWorker))

/**
 * A fresh database beside the others, for tests that need more than one connection; connected as the application, as
 * the product is.
 */
export async function cloneTemplate(name: string): Promise<Kysely<DB>> {
  const owner = new pg.Client(inject('roles').ownerUrl)
  await owner.connect()
  await owner.query(`create database ${name} template template`)
  await owner.end()
  const db = connect(urlsOf(name).appUrl)
  const destroy = db.destroy.bind(db)
  return Object.assign(db, {
    async destroy() {
      // entries of the access log that wait
      await flushAccesses(db)
      await destroy()
    },
  })
}

/** The addresses of a database of the test server. */
export function urlsOf(name: string): DatabaseUrls {
  const { appUrl, ownerUrl } = inject('roles')
  return { appUrl: new URL(`/${name}`, appUrl).href, ownerUrl: new URL(`/${name}`, ownerUrl).href }
}

/** Does what only the owner of the tables may, in its own connection: it is committed at once. */
export async function asOwner<R>(name: string, work: (owner: Kysely<DB>) => Promise<R>) {
  const owner = connect(urlsOf(name).ownerUrl, { max: 1 })
  try {
    return await work(owner)
  } finally {
    await owner.destroy()
  }
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

/**
 * Each test runs in a transaction that is rolled back: they share one real database and never see each other. `db` is
 * connected as the application; `owner`, in a transaction of its own, as the owner of the tables.
 */
export const test = base
  .extend('db', async ({}, { onCleanup }) => {
    const trx = await (await database()).startTransaction().execute()
    onCleanup(async () => {
      await trx.rollback().execute()
    })
    return trx as Kysely<DB>
  })
  .extend('owner', async ({}, { onCleanup }) => {
    const owner = connect(urlsOf(nameOfWorker).ownerUrl, { max: 1 })
    await database()
    const trx = await owner.startTransaction().execute()
    onCleanup(async () => {
      await trx.rollback().execute()
      await owner.destroy()
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
