import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { openDataDirectory } from '~/db/embedded-directory.server'
import { startEmbedded } from '~/db/embedded.server'
import { migrate } from '~/db/migrate.server'
import { adoptInstanceKey } from '~/server/instance-key.server'
import { type DatabaseUrls, grantApplication } from '~/db/roles.server'
import { keepRowCaches } from '~/sync/pull/row-cache.server'

declare module 'vitest' {
  interface ProvidedContext {
    /** A server with a database `template`, migrated and empty, as its superuser. */
    postgres: string
    /** The same server as the roles of Sanad. */
    roles: DatabaseUrls
  }
}

/** One real PostgreSQL for the whole run; each worker clones the migrated template. */
export default async function setup(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'sanad-test-'))
  // the workers inherit it: files that operations store go there and not into the checkout
  process.env['SANAD_DATA_DIR'] = folder
  // nothing here outlives the machine; plans do not depend on when statistics of nearly empty tables are gathered
  const settings = ['fsync=off', 'full_page_writes=off', 'autovacuum=off']
  const server = await startEmbedded(openDataDirectory(folder), { settings })
  const owner = new pg.Client(server.ownerUrl)
  await owner.connect()
  await owner.query('create database template')
  await owner.end()

  const ownerUrl = new URL('/template', server.ownerUrl).href
  await migrate(ownerUrl)
  await adoptInstanceKey(ownerUrl)
  await forgetKey(ownerUrl)
  await keepRowCaches(ownerUrl)
  await grantApplication({ appUrl: new URL('/template', server.appUrl).href, ownerUrl })
  project.provide('postgres', server.adminUrl)
  project.provide('roles', { appUrl: server.appUrl, ownerUrl: server.ownerUrl })

  return async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** A server that starts on a copy of the template brings a key of its own. */
async function forgetKey(url: string) {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('update instance_keys set fingerprint = null')
  await client.end()
}
