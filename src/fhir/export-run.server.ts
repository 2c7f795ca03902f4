import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '~/db/types'
import { exportHistory } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import type { TableRow as Stored } from '~/policy/on.server'
import { recordNow } from '~/server/access-log'
import { whileAlone } from '~/server/jobs.server'
import { refuseFileOnFullDisk } from '~/server/disk.server'
import { log } from '~/server/log'
import { actorById } from '~/server/session.server'
import { collectYoung } from '~/server/garbage.server'
import { type Actor, isAdmin } from '~/shared/actor'
import { exportFolders, fileWriter, removeExport } from './export-files.server'
import {
  deletedResourceIdsSql,
  type FoundResource,
  resourceFrom,
  visibleRowsSql,
} from './pages.server'
import { andConditions } from './parameters'
import { lastModifiedSql, type Resource } from './resource'
import { hasFhirScope } from './scope'
import { RESOURCES } from './resources/all'

/** Rows that are read at once: few, so that memory stays low and other requests get their turn in between. */
const ROWS = 200
/**
 * Resources between two notes of the progress, which also notice a deleted export. A minor garbage collection
 * follows: in the middle of a batch V8 keeps what is in use until it collects the whole heap, some hundred megabytes
 * later. Without `--expose-gc` an export takes more memory.
 */
const NOTED = 2000
/** Patients of one entry of the access log. */
const PATIENTS_OF_ENTRY = 1000
const DAY_MS = 24 * 3_600_000

type Export = Stored<'fhir_exports'>

/** Runs the exports that wait, one after the other, and removes those of the day before and the deleted ones. */
export async function runFhirExports(db: Kysely<DB>, signal?: AbortSignal): Promise<void> {
  await removeEnded(db)
  const due = await db
    .selectFrom('fhir_exports')
    .select('id')
    .where('status', 'in', ['waiting', 'running'])
    .orderBy('created_at')
    .execute()
  for (const { id } of due) {
    if (signal?.aborted) return
    await whileAlone(db, exportLockName(id), () => runOne(db, id, signal))
  }
}

/** The process that writes or removes the files of an export holds this lock: no folder is removed under its writer. */
const exportLockName = (id: string) => `sanad.fhir_exports ${id}`

/**
 * Deletes the exports of the day before, and of a clock that was ahead, and the files of all that are deleted and have
 * no writer any more.
 */
async function removeEnded(db: Kysely<DB>) {
  await db
    .deleteFrom('fhir_exports')
    .where(
      sql<boolean>`created_at < ${new Date(Date.now() - DAY_MS)} or not has_happened(created_at)`,
    )
    .execute()
  const folders = await exportFolders()
  if (folders.length === 0) return
  const kept = await db.selectFrom('fhir_exports').select('id').where('id', 'in', folders).execute()
  for (const id of folders)
    if (!kept.some((row) => row.id === id))
      await whileAlone(db, exportLockName(id), () => removeExport(id))
}

/** The export was deleted while it ran. */
class Deleted extends Error {}

async function runOne(db: Kysely<DB>, id: string, signal?: AbortSignal) {
  const asked = await db
    .updateTable('fhir_exports')
    .set({ status: 'running' })
    .where('id', '=', id)
    .where('status', 'in', ['waiting', 'running'])
    .returningAll()
    .executeTakeFirst()
  if (!asked) return
  try {
    const user = await actorById(db, asked.user_id)
    if (!user) throw new Error('The user was deleted.')
    const actor = await asAsked(db, asked, user)
    const { files, time } = await writeFiles(db, asked, actor, signal)
    const ended = { ended_at: new Date(), status: 'done', progress: '' }
    await changed(db, id, { ...ended, files: JSON.stringify(files), transaction_time: time })
  } catch (error) {
    await removeExport(id)
    if (error instanceof Deleted) return
    // a process that stops leaves the export to the next one
    if (signal?.aborted) return
    log.error({ err: error, export: id }, 'a FHIR export failed')
    await db
      .updateTable('fhir_exports')
      .set({ status: 'failed', ended_at: new Date() })
      .where('id', '=', id)
      .execute()
  }
}

/** As the program that asked, within its scopes, as long as it is not revoked. */
async function asAsked(db: Kysely<DB>, { client_id, scopes }: Export, user: Actor): Promise<Actor> {
  if (client_id === null) return user
  const { is_active } = await db
    .selectFrom('api_clients')
    .select('is_active')
    .where('id', '=', client_id)
    .executeTakeFirstOrThrow()
  if (!is_active) throw new Error('The program was revoked.')
  return { ...user, client: { id: client_id, scopes: scopes ?? '' } }
}

type Change = Partial<{
  status: string
  progress: string
  files: string
  transaction_time: Date
  ended_at: Date
}>
async function changed(db: Kysely<DB>, id: string, values: Change) {
  const { numUpdatedRows } = await db
    .updateTable('fhir_exports')
    .set(values)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new Deleted()
}

/** All types as the records are at one moment. */
async function writeFiles(db: Kysely<DB>, asked: Export, actor: Actor, signal?: AbortSignal) {
  const writer = await fileWriter(asked.id)
  const patients = new Set<string>()
  let written = 0
  let noted = 0
  const note = async ({ type }: Resource) => {
    noted = written
    await changed(db, asked.id, { progress: `${type}: ${written} resources` })
    collectYoung()
  }
  try {
    const time = await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (own) => {
        const { rows } = await sql<{ now: Date }>`select now()::timestamptz(3) as now,
          set_config('statement_timeout', '0', true),
          set_config('idle_in_transaction_session_timeout', '0', true)`.execute(own)
        for (const resource of exportedResources(asked, actor)) {
          await note(resource)
          for await (const found of batches(own, resource, asked, actor)) {
            signal?.throwIfAborted()
            await refuseFileOnFullDisk()
            const site = { base: asked.base }
            await writer.write(
              resource.type,
              found.map((each) => JSON.stringify(resourceFrom(each, site))),
            )
            for (const { row } of found)
              if (resource.patient !== null && row[resource.patient])
                patients.add(String(row[resource.patient]))
            written += found.length
            if (written - noted >= NOTED) await note(resource)
          }
        }
        await writeDeleted(own, writer, asked, actor)
        return rows[0]!.now
      })
    await recordPatients(db, asked, actor, [...patients])
    return { files: writer.files, time }
  } finally {
    await writer.close()
  }
}

/** Deleted resources that one Bundle names. */
const DELETED_OF_BUNDLE = 100

/** What was deleted since the last export, as Bundles of DELETE (Bulk Data Access 2, "deleted"). */
async function writeDeleted(
  own: Kysely<DB>,
  writer: Awaited<ReturnType<typeof fileWriter>>,
  asked: Export,
  actor: Actor,
) {
  if (!asked.since) return
  for (const resource of exportedResources(asked, actor)) {
    const where = exportCondition(resource, asked, actor, { isDeleted: true })
    for await (const rows of fetched(own, deletedResourceIdsSql(resource, { actor }, where))) {
      const entries = rows.map(({ fhir_id }) => ({
        request: { method: 'DELETE', url: `${resource.type}/${fhir_id}` },
      }))
      const lines: string[] = []
      for (let at = 0; at < entries.length; at += DELETED_OF_BUNDLE) {
        const entry = entries.slice(at, at + DELETED_OF_BUNDLE)
        lines.push(JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry }))
      }
      await writer.write('Bundle', lines, { isDeleted: true })
    }
  }
}

/** Whose records the user took: in the access log, as of every export. */
async function recordPatients(db: Kysely<DB>, { id }: Export, actor: Actor, patients: string[]) {
  const caller = { db, actor, request: { id, via: 'fhir' } }
  for (let at = 0; at < patients.length; at += PATIENTS_OF_ENTRY)
    await recordNow(caller, {
      operation: 'fhir.export',
      patientIds: patients.slice(at, at + PATIENTS_OF_ENTRY),
      clinicId: null,
    })
}

/** The types of a scope: those about patients, and of the system all. */
export const exportable = (scope: string): readonly Resource[] =>
  RESOURCES.filter(({ patient }) => scope === 'system' || patient !== null).filter(
    ({ type }) => type !== 'AuditEvent' && type !== 'Provenance',
  )

const exportedResources = ({ scope, types }: Export, actor: Actor) =>
  exportable(scope).filter(
    ({ type, permits }) =>
      (types.length === 0 || types.includes(type)) &&
      hasFhirScope(actor, type, 'r') &&
      hasFhirScope(actor, type, 's') &&
      permits(actor),
  )

async function* batches(db: Kysely<DB>, resource: Resource, asked: Export, actor: Actor) {
  const where = exportCondition(resource, asked, actor)
  for await (const rows of fetched(db, visibleRowsSql(resource, { actor }, where)))
    yield rows.map((row): FoundResource => ({ resource, row }))
}

/** The rows of a statement, some at a time. */
async function* fetched(db: Kysely<DB>, statement: RawBuilder<unknown>) {
  await sql`declare fhir_export no scroll cursor for ${statement}`.execute(db)
  for (;;) {
    const { rows } = await sql<
      FoundResource['row']
    >`fetch ${sql.raw(String(ROWS))} from fhir_export`.execute(db)
    if (rows.length > 0) yield rows
    if (rows.length < ROWS) break
  }
  await sql`close fhir_export`.execute(db)
}

/** The right to take records of patients out of Sanad is one of its own. */
function exportCondition(
  resource: Resource,
  { clinic_id, since }: Export,
  actor: Actor,
  { isDeleted = false } = {},
) {
  const conditions: RawBuilder<boolean>[] = []
  if (since) conditions.push(sql<boolean>`${lastModifiedSql(resource)} >= ${since}`)
  if (resource.patient === null) return andConditions(conditions)
  const patient = resource.type === 'Patient' ? 'r.id' : 'r.patient_id'
  if (!isAdmin(actor))
    conditions.push(sql<boolean>`${patientsWhere(exportHistory, actor, patient)}`)
  // a deletion ends links, too
  const isLinked = isDeleted
    ? sql<boolean>`(link.until is null or link.until >= ${since})`
    : sql<boolean>`link.until is null`
  if (clinic_id)
    conditions.push(sql<boolean>`exists (select from patient_links link where ${isLinked}
      and link.patient_id = ${sql.ref(patient)} and link.clinic_id = ${clinic_id})`)
  return andConditions(conditions)
}
