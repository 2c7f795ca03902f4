import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { openDataDirectory } from '~/db/embedded-directory.server'
import { startEmbedded } from '~/db/embedded.server'
import { migrate } from '~/db/migrate.server'
import { adoptInstanceKey } from '~/server/instance-key.server'
import { keepRowCaches } from '~/sync/pull/row-cache.server'

declare module 'vitest' {
  interface ProvidedContext {
    /** A server with a database `template`, migrated and empty. */
    postgres: string
  }
}

/** One real PostgreSQL for the whole run; each worker clones the migrated template. */
export default async function setup(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'sanad-test-'))
  // the workers inherit it: files that operations store go there and not into the checkout
  process.env['SANAD_DATA_DIR'] = folder
  const server = await startEmbedded(openDataDirectory(folder))
  const admin = new pg.Client(server.adminUrl)
  await admin.connect()
  await admin.query('create database template')
  await admin.end()

  const template = new URL(server.adminUrl)
  template.pathname = '/template'
  await migrate(template.href)
  await adoptInstanceKey(template.href)
  await keepRowCaches(template.href)
  project.provide('postgres', server.adminUrl)

  return async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
