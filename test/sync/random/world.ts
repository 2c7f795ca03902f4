import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { defaultPermissions, PERMISSIONS, type Permission, type Role } from '~/shared/permissions'
import { makeFactories } from '../../factories'
import { givePassword, PASSWORD, tokenFor } from '../../sessions'
import type { Clinic, Person } from '../clinic'
import { Phone } from '../phone'
import { Server } from './server'

/** The questions of the registration form beside the base fields: several phones answer the same one. */
export const QUESTIONS = [
  '00000000-0000-7000-8000-0000000000a1',
  '00000000-0000-7000-8000-0000000000a2',
]

/** What the form of the events asks. */
export const NOTE = { id: 'note', name: 'Note', fieldType: 'free-text', inputType: 'text' } as const

export type World = {
  server: Server
  db: Kysely<DB>
  clinics: Clinic[]
  people: Person[]
  phones: Phone[]
  /** Two people on the web: one who may do everything, one who works in the first clinic. */
  web: { person: Person; token: string }[]
  form: { id: string }
  drug: { id: string }
  /** A value that differs from every other. */
  mark: () => string
  id: () => string
  /** Edits that a pull destroyed before they were sent. */
  destroyed: string[]
  /** What happened, in words. */
  story: string[]
}

/** Two clinics, five people with a phone each, and two on the web. */
export async function makeWorld(): Promise<World> {
  const server = await Server.make()
  const { db } = server
  const make = makeFactories(db)
  const person = async (
    role: Role,
    clinics: Clinic[] = [],
    held: readonly Permission[] = defaultPermissions(role),
  ) => {
    const user = await make.user({ role })
    await givePassword(db, user)
    for (const clinic of clinics) await make.permission(user, clinic.id, held)
    return user as Person
  }
  const clinics = [await make.clinic(), await make.clinic()]
  const [first, second] = clinics as [Clinic, Clinic]
  const people = [
    await person('provider', [first], PERMISSIONS),
    await person('provider', [second], PERMISSIONS),
    await person('provider', clinics, PERMISSIONS),
    await person('registrar', [first]),
    await person('admin'),
  ]
  const web = await Promise.all(
    [await person('super_admin'), await person('provider', [first], PERMISSIONS)].map(
      async (each) => ({
        person: each,
        token: await tokenFor(db, each.id),
      }),
    ),
  )
  await sql`update registration_forms set fields = fields || ${JSON.stringify(QUESTIONS.map(question))}::jsonb`.execute(
    db,
  )
  let count = 0
  return {
    server,
    db,
    clinics,
    people,
    web,
    phones: people.map(({ email }) => new Phone(server.origin, email, PASSWORD)),
    form: await make.eventForm({
      form_fields: JSON.stringify([{ ...NOTE, description: '', required: false, length: 'short' }]),
    }),
    drug: await make.drug(),
    mark: () => `v${(count += 1)}`,
    id: () => `00000000-0000-7000-8000-${(count += 1).toString(16).padStart(12, '0')}`,
    destroyed: [],
    story: [],
  }
}

const question = (id: string, at: number) => ({
  id,
  position: 50 + at,
  column: `question${at}`,
  label: { en: `Question ${at}` },
  fieldType: 'text',
  options: [],
  required: false,
  baseField: false,
  visible: true,
  deleted: false,
  showsInSummary: false,
  isSearchField: false,
})
