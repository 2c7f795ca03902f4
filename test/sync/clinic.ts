import type { Kysely } from 'kysely'
import { test as base } from 'vitest'
import { connect } from '~/db/connect'
import type { DB } from '~/db/types'
import { defaultPermissions, PERMISSIONS, type Permission, type Role } from '~/shared/permissions'
import { makeFactories } from '../factories'
import { aRequest, urlsOf } from '../harness'
import { givePassword, PASSWORD } from '../sessions'
import { Phone } from './phone'
import { startServer } from './server'

export type Person = { id: string; email: string; name: string; role: string }
export type Clinic = Awaited<ReturnType<ReturnType<typeof makeFactories>['clinic']>>

/**
 * A server of this file's own, and what a test needs to fill it. Nothing is rolled back: each test
 * makes its own people. `db` is connected as the application, `owner` as the owner of the tables.
 */
export const test = base
  .extend('server', { scope: 'file' }, async ({}, { onCleanup }) => {
    const server = await startServer()
    onCleanup(() => server.stop())
    return server
  })
  .extend('db', { scope: 'file' }, ({ server }): Kysely<DB> => server.db)
  .extend('owner', { scope: 'file' }, async ({ server }, { onCleanup }) => {
    const owner = connect(urlsOf(server.name).ownerUrl, { max: 1 })
    onCleanup(() => owner.destroy())
    return owner
  })
  .extend('make', { scope: 'file' }, ({ db }) => makeFactories(db))
  .extend('person', { scope: 'file' }, ({ db, make }) => {
    /** A user with a password and permissions in the named clinics. */
    return async (
      role: Role,
      clinics: Clinic[] = [],
      held: readonly Permission[] = defaultPermissions(role),
    ) => {
      const user = await make.user({ role })
      await givePassword(db, user)
      for (const clinic of clinics) await make.permission(user, clinic.id, held)
      return user as Person
    }
  })
  .extend(
    'phoneOf',
    { scope: 'file' },
    ({ server }) =>
      (person: Person) =>
        new Phone(server.origin, person.email, PASSWORD),
  )
  .extend('synced', { scope: 'file' }, ({ make, person, phoneOf }) => {
    /** A phone that has synced, of a provider who may do everything in one of two clinics. */
    return async () => {
      const [mine, theirs] = [await make.clinic(), await make.clinic()]
      const amal = await person('provider', [mine], EVERYTHING)
      const phone = phoneOf(amal)
      await phone.sync()
      return { mine, theirs, amal, phone }
    }
  })

export const EVERYTHING = PERMISSIONS

/** The context of an administrator who settles what phones sent. */
export const asAdmin = (db: Kysely<DB>, admin: Person) => ({
  db,
  request: aRequest(),
  actor: {
    userId: admin.id,
    name: admin.name,
    role: 'admin' as const,
    language: 'en' as const,
    clinicId: null,
    grants: {},
  },
})
