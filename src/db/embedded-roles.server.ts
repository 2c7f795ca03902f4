import { randomBytes } from 'node:crypto'
import { chownSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openConnection } from './connect'
import { type DataDirectory, readState } from './embedded-directory.server'
import type { Launcher } from './embedded-user.server'

/**
 * The passwords of three roles: the owner of the tables, the superuser, and the application. A data
 * directory of a version with one role has no application password before its next start.
 */
type Secrets = { password: string; adminPassword: string; appPassword: string }

export const secretsFile = 'sanad-passwords.json'
const APPLICATION = 'sanad_app'

const newPassword = () => randomBytes(24).toString('hex')

export const newSecrets = (): Secrets => ({
  password: newPassword(),
  adminPassword: newPassword(),
  appPassword: newPassword(),
})

export const readSecrets = (directory: DataDirectory) =>
  readState(join(directory.cluster, secretsFile)) as Secrets | undefined

/** As `readSecrets`; adds the application's password where it is missing. */
export function completeSecrets(directory: DataDirectory, launcher: Launcher): Secrets | undefined {
  const secrets = readSecrets(directory)
  if (!secrets || secrets.appPassword) return secrets
  const complete = { ...secrets, appPassword: newPassword() }
  writeOwned(launcher, join(directory.cluster, secretsFile), JSON.stringify(complete))
  return complete
}

export function databaseUrls({ password, appPassword, adminPassword }: Secrets, port: number) {
  const roleUrl = (user: string, secret: string) =>
    `postgres://${user}:${secret}@127.0.0.1:${port}/sanad`
  return {
    ownerUrl: roleUrl('sanad', password),
    appUrl: roleUrl(APPLICATION, appPassword),
    adminUrl: roleUrl('postgres', adminPassword),
  }
}

/** Makes the application's role if it is missing, with the password of the secrets and no right of its own. */
export async function ensureApplication(adminUrl: string, password: string): Promise<void> {
  const admin = await openConnection(adminUrl, { name: 'sanad start' })
  try {
    const { rowCount } = await admin.query('select from pg_roles where rolname = $1', [APPLICATION])
    if (!rowCount) await admin.query(`create role ${APPLICATION}`)
    await admin.query(
      `alter role ${APPLICATION} login nosuperuser nocreatedb nocreaterole noreplication
       nobypassrls password '${password}'`,
    )
  } finally {
    await admin.end()
  }
}

/** Written whole or not at all; the file belongs to the user that PostgreSQL runs as. */
export function writeOwned({ owner }: Launcher, file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 })
  if (owner) chownSync(`${file}.new`, owner.uid, owner.gid)
  renameSync(`${file}.new`, file)
}
