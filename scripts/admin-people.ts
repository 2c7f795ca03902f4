import type { Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { Refusal } from '~/db/refusal'
import type { DB } from '~/db/types'
import { generatePassword } from '~/features/office/sessions/passwords/password.server'
import { createSuperAdmin } from '~/features/office/sessions/setup/setup.server'
import { resetPassword, saveUser } from '~/features/office/users/users.server'
import type { Role } from '~/shared/permissions'
import type { AdminTask, TaskValues } from './admin-task'
import { adminCommandContext, passwordFrom, personBy, say, table } from './admin-context'

const email = {
  type: 'string',
  help: 'the e-mail address to sign in with',
  required: true,
} as const
const name = { type: 'string', help: 'the name of the user', required: true } as const
const passwordStdin = {
  type: 'boolean',
  help: 'read the password from standard input; otherwise one is generated and shown',
} as const
const json = { type: 'boolean', help: 'as JSON' } as const

export const peopleTasks: Record<string, AdminTask> = {
  'create-super-admin': {
    summary: 'create a super administrator',
    flags: {
      email,
      name,
      clinic: { type: 'string', help: 'the name of the clinic; created if it does not exist' },
      'password-stdin': passwordStdin,
    },
    async run(db, values) {
      const given = await passwordFrom(values)
      const password = given ?? generatePassword()
      const person = {
        email: String(values['email']),
        name: String(values['name']),
        newPassword: password,
      }
      await createSuperAdmin(
        { ...adminCommandContext(db), actor: null },
        { ...person, clinic: optionText(values['clinic']) },
      )
      say(`${person.name} is now a super administrator.`)
      if (!given) say(`Password: ${password}`)
    },
  },
  'create-user': {
    summary: 'create a user with a role in a clinic',
    flags: {
      email,
      name,
      role: { type: 'string', help: 'registrar, provider, admin or super_admin', required: true },
      clinic: { type: 'string', help: 'the name of an existing clinic' },
      'password-stdin': passwordStdin,
    },
    async run(db, values) {
      const given = await passwordFrom(values)
      const password = given ?? generatePassword()
      const clinic_id = await clinicNamed(db, optionText(values['clinic']))
      const person = {
        email: String(values['email']),
        name: String(values['name']),
        role: String(values['role']) as Role,
      }
      await saveUser(adminCommandContext(db), { id: uuidv7(), ...person, clinic_id, password })
      say(`${person.name} can sign in now. ${REPLACED}`)
      if (!given) say(`Password: ${password}`)
    },
  },
  'reset-password': {
    summary: 'set a new password for a user; ends all sessions of the user',
    flags: { email, 'password-stdin': passwordStdin },
    async run(db, values) {
      const given = await passwordFrom(values)
      const person = await personBy(db, values['email'])
      const { password } = await resetPassword(adminCommandContext(db), {
        id: person.id,
        password: given,
      })
      say(`${person.name} has a new password. ${REPLACED}`)
      if (password) say(`Password: ${password}`)
    },
  },
  'list-users': {
    summary: 'list all users',
    flags: { json },
    async run(db, values) {
      const users = await everybody(db)
      if (values['json']) say(JSON.stringify(users, null, 2))
      else say(users.length ? table(users.map(shown)) : 'No users yet.')
    },
  },
}

const REPLACED =
  'The browser asks for a new password at the first sign-in; phones can use this one for 14 days.'

const optionText = (value: TaskValues[string]) => (typeof value === 'string' ? value : null)

async function clinicNamed(db: Kysely<DB>, name: string | null): Promise<string | null> {
  if (!name) return null
  const clinics = await db
    .selectFrom('clinics')
    .select(['id', 'name'])
    .where('is_deleted', '=', false)
    .orderBy('name')
    .execute()
  const found = clinics.find((clinic) => clinic.name.toLowerCase() === name.trim().toLowerCase())
  if (!found)
    throw new Refusal(
      `There is no clinic "${name}". Clinics: ${clinics.map((clinic) => clinic.name).join(', ') || 'none'}`,
    )
  return found.id
}

const everybody = (db: Kysely<DB>) =>
  db
    .selectFrom('users')
    .leftJoin('clinics', 'clinics.id', 'users.clinic_id')
    .leftJoin('credentials', 'credentials.user_id', 'users.id')
    .leftJoin('second_factors as factor', (join) =>
      join.onRef('factor.user_id', '=', 'users.id').on('factor.enabled_at', 'is not', null),
    )
    .select(['users.id', 'users.email', 'users.name', 'users.role', 'clinics.name as clinic'])
    .select((eb) => [
      eb('factor.user_id', 'is not', null).as('second_factor'),
      eb.fn.coalesce('credentials.must_change', eb.lit(false)).as('password_to_replace'),
    ])
    .where('users.is_deleted', '=', false)
    .orderBy('users.email')
    .execute()

const shown = (user: Awaited<ReturnType<typeof everybody>>[number]) => ({
  'E-mail': user.email,
  Name: user.name,
  Role: user.role,
  Clinic: user.clinic ?? '',
  'Two-step verification': user.second_factor ? 'on' : '',
  Password: user.password_to_replace ? 'to be replaced' : '',
})
