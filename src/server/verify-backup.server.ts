import type pg from 'pg'
import { onConnection, openConnection } from '~/db/connect'
import { atDatabase } from '~/db/hosts'
import { Refusal } from '~/db/refusal'
import { newId } from '~/shared/id'
import { env } from './env'
import { type RestoreOptions, restoreBackup } from './restore.server'
import type { Storage } from './storage.server'

const PREFIX = 'sanad_verify_'

/**
 * Restores a backup into a database made for it beside that of `url`, compares each table with the
 * manifest, upgrades it to this version, and removes it. Throws a Refusal that names what differs, or if files are
 * missing that its records refer to.
 */
export async function verifyBackup(
  url: string,
  file: string,
  options: Omit<RestoreOptions, 'replace' | 'compare'>,
) {
  const client = await openConnection(url, { statementTimeout: 0, name: 'sanad verify' })
  const name = `${PREFIX}${newId().replaceAll('-', '')}`
  try {
    await removeLeftOver(client)
    await client
      .query(`create database ${name} template template0 encoding 'UTF8'`)
      .catch(explainRefused)
    const scratch = atDatabase(url, name)
    const files = new Set<string>()
    const restored = await restoreBackup(scratch, onlyNames(files), file, {
      ...options,
      compare: true,
    })
    await refuseMissing(scratch, files)
    return restored
  } finally {
    await client.query(`drop database if exists ${name} with (force)`).catch(() => {})
    await client.end()
  }
}

/** Drops the databases that killed processes left. */
async function removeLeftOver(client: pg.Client) {
  const { rows } = await client.query<{ name: string }>(
    `select datname as name from pg_database d
     where starts_with(datname, $1) and pg_get_userbyid(datdba) = current_user
       and not exists (select from pg_stat_activity a where a.datname = d.datname)`,
    [PREFIX],
  )
  for (const { name } of rows) await client.query(`drop database if exists ${name}`)
}

function explainRefused(error: { code?: string }) {
  throw error.code === '42501'
    ? new Refusal(
        'The user of this database may not make another one for the check: grant the right CREATEDB, ' +
          'or check the backup on a machine without DATABASE_URL.',
      )
    : error
}

async function refuseMissing(url: string, files: ReadonlySet<string>) {
  if (env().allowsMissingFiles) return
  const { rows } = await onConnection(url, { name: 'sanad verify' }, (client) =>
    client.query<{ name: string }>('select name from stored_files'),
  )
  const missing = rows.filter(({ name }) => !files.has(name)).length
  if (missing > 0)
    throw new Refusal(
      `The backup lacks ${missing} of the ${rows.length} files that its records refer to. Make one on the machine ` +
        'that has them.',
    )
}

/** Files are read and checked, but not stored. */
const onlyNames = (names: Set<string>): Storage => ({
  async put(name) {
    names.add(name)
  },
  get: async () => null,
  remove: async () => {},
  async *list() {},
})
