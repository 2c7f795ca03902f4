import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { openConnection } from '~/db/connect'
import type { DB } from '~/db/types'
import { generatePassword, setPassword } from '~/features/office/sessions/passwords/password.server'
import { newId } from '~/shared/id'
import { defaultPermissions, type Permission, PERMISSIONS, type Role } from '~/shared/permissions'
import { PREFIX } from './demo-remains'
import { seedDepartments } from './seed/clinics'
import { writeSeed } from './seed/seed'

const PEOPLE = 300

export type Demo = {
  /** Puts the clinic, its people and those who may sign in there. Returns lines for the terminal. */
  fill: (db: Kysely<DB>, ownerUrl: string) => Promise<string[]>
  remove: () => void
}

/** A temporary data directory. Settings that lead to real data are removed first. */
export function openDemo(): Demo {
  const path = join(tmpdir(), `${PREFIX}${randomBytes(6).toString('hex')}`)
  process.env.SANAD_DATA_DIR = path
  for (const name of ['URL', 'OWNER_URL', 'DIRECT_URL', 'REPLICA_URL'])
    delete process.env[`DATABASE_${name}`]
  delete process.env.SANAD_FILES_DIR
  return { fill, remove: () => rmSync(path, { recursive: true, force: true }) }
}

async function fill(db: Kysely<DB>, ownerUrl: string): Promise<string[]> {
  const clinic = { id: newId(), name: 'Demo clinic' }
  await db.insertInto('clinics').values(clinic).execute()
  const client = await openConnection(ownerUrl)
  try {
    await seedDepartments(client, clinic.id)
  } finally {
    await client.end()
  }
  const today = new Date(`${new Date().toISOString().slice(0, 10)}T00:00:00Z`)
  await writeSeed(ownerUrl, { patients: PEOPLE, seed: 'demo', today, clinic })
  const lines = ['', 'This is a demo: all data is invented and deleted when it stops. Sign in as']
  for (const { title, email, ...person } of signIns) {
    const password = await signInFor(db, { ...person, email }, clinic.id)
    lines.push(`  ${title.padEnd(22)}${email.padEnd(28)}${password}`)
  }
  return lines
}

type SignIn = {
  title: string
  name: string
  email: string
  role: Role
  held: readonly Permission[]
}

const signIns: readonly SignIn[] = [
  {
    title: 'super administrator',
    name: 'Amal Haddad',
    email: 'super@demo.example',
    role: 'super_admin',
    held: [],
  },
  {
    title: 'clinic administrator',
    name: 'Omar Nasser',
    email: 'clinic@demo.example',
    role: 'provider',
    held: PERMISSIONS,
  },
  {
    title: 'provider',
    name: 'Lucía Reyes',
    email: 'provider@demo.example',
    role: 'provider',
    held: defaultPermissions('provider'),
  },
  {
    title: 'registrar',
    name: 'Sara Khatib',
    email: 'registrar@demo.example',
    role: 'registrar',
    held: defaultPermissions('registrar'),
  },
]

async function signInFor(
  db: Kysely<DB>,
  { name, email, role, held }: Omit<SignIn, 'title'>,
  clinicId: string,
) {
  const id = newId()
  const password = generatePassword()
  await db.transaction().execute(async (trx) => {
    await trx.insertInto('users').values({ id, name, email, role, clinic_id: clinicId }).execute()
    // counts as the user's own: the demo opens without another step
    await setPassword(trx, { id, email }, password, { setBy: 'owner' })
    if (held.length === 0) return
    const rights = Object.fromEntries(
      PERMISSIONS.map((permission) => [permission, held.includes(permission)]),
    ) as Record<Permission, boolean>
    await trx
      .insertInto('user_clinic_permissions')
      .values({ user_id: id, clinic_id: clinicId, ...rights })
      .execute()
  })
  return password
}
