import type pg from 'pg'
import { openConnection } from '~/db/connect'
import { Refusal } from '~/db/refusal'
import { newId } from '~/shared/id'
import { type RestoreOptions, restoreBackup } from './restore.server'
import type { Storage } from './storage.server'

const PREFIX = 'sanad_verify_'

/**
 * Restores a backup into a database made for it beside that of `url`, compares each table with the
 * manifest, upgrades it to this version, and removes it. Throws a Refusal that names what differs.
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
    const scratch = new URL(url)
    scratch.pathname = `/${name}`
    return await restoreBackup(scratch.href, nowhere, file, { ...options, compare: true })
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

/** Files are read and checked, but not stored. */
const nowhere: Storage = {
  put: async () => {},
  get: async () => null,
  remove: async () => {},
  async *list() {},
}
