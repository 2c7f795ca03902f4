import { sql } from 'kysely'
import { actorById } from '~/server/session.server'
import { isAdmin } from '~/shared/actor'
import { isSame, type Wire } from '~/sync/schema/kinds'
import { personScopeSql, patientIdColumn, personScope } from '~/sync/schema/scope'
import {
  allTables,
  BESIDE,
  pushed,
  pushedTables,
  type SyncTable,
  type TableName,
  tableNamed,
  wireColumns,
  writable,
} from '~/sync/schema/tables'
import type { Phone } from '../phone'
import type { World } from './world'

/** Where phones and the server differ, each within what its person may see. */
export async function differences(world: World): Promise<string[]> {
  const found = []
  for (const [at, phone] of world.phones.entries()) {
    for (const [name] of allTables)
      for (const difference of await differing(world, phone, name))
        found.push(`phone ${at}: ${name} ${difference}`)
  }
  return found
}

async function differing(world: World, phone: Phone, name: TableName): Promise<string[]> {
  const { db } = world
  const actor = (await actorOf(world, phone))!
  const table = tableNamed(name)
  // the permissions that an administrator's phone receives are in no table
  if (name === 'user_clinic_permissions' && isAdmin(actor)) return []
  const { rows } = await sql<{ row: Record<string, Wire> }>`
    select (select row_to_json(w) from (select ${sql.raw(wireColumns(table))}) w) as row from ${sql.table(name)} t
    where not t.is_deleted
      and ${sql.raw(personScopeSql(table, personScope(actor), actor.userId))} order by t.id`.execute(
    db,
  )
  const here = new Map(rows.map(({ row }) => [String(row['id']), row]))
  const shown = (await phone.all(name)).filter((row) => row['is_deleted'] !== true)
  const there = new Map(shown.map((row) => [String(row['id']), row]))
  return [...new Set([...here.keys(), ...there.keys()])].flatMap((id) => {
    const [ours, theirs] = [here.get(id), there.get(id)]
    if (!ours || !theirs) return [`${id} is only ${ours ? 'here' : 'there'}`]
    return compared(name, table)
      .filter(
        (column) => !isSame(table.columns[column]!, ours[column] ?? null, theirs[column] ?? null),
      )
      .map(
        (column) =>
          `${id} ${column}: ${String(ours[column])} here, ${String(theirs[column])} there`,
      )
  })
}

/**
 * Edits of a shown record that were not sent, and whose record the answer of a pull removes although
 * the person may still see what it belongs to.
 */
export async function destroyedBy(world: World, phone: Phone, body: string): Promise<string[]> {
  const { changes } = JSON.parse(body) as { changes: Record<TableName, { deleted: string[] }> }
  const found = []
  for (const [name, table] of pushedTables) {
    const { deleted } = changes[name]
    if (deleted.length === 0) continue
    const unsent = new Set(await phone.unsentIds(name))
    const ids = deleted.filter((id) => unsent.has(id))
    const actor = (await actorOf(world, phone))!
    const { rows } = await sql<{ id: string }>`
      select t.id from ${sql.table(name)} t
      where t.id = any(${ids}::uuid[]) and t.is_deleted
        and ${sql.raw(personScopeSql(table, personScope(actor), actor.userId))}
        and not exists (select from patient_merges m
          where m.loser_id = ${sql.raw(patientIdColumn(name))} and m.unmerged_at is null)`.execute(
      world.db,
    )
    found.push(...rows.map(({ id }) => `${name} ${id} was removed with edits that were not sent`))
  }
  return found
}

const actorOf = ({ db, people }: World, phone: Phone) =>
  actorById(db, people.find(({ email }) => email === phone.email)!.id)

/** What the phone stamps itself is its own affair. */
const compared = (name: TableName, table: SyncTable) =>
  name in pushed
    ? [...writable(table), ...(table.derived ?? [])].filter((column) => column !== BESIDE)
    : Object.keys(table.columns)

/** Values that a phone sent and that are nowhere: in no table, inbox, quarantine or trail. */
export async function lostValues({ db, phones }: World): Promise<string[]> {
  const sent = new Set(phones.flatMap((phone) => phone.sent.join().match(/"v\d+"/g) ?? []))
  const { rows } = await sql<{ text: string | null }>`
    select changes::text as text from audit_log
    union all select phone_value::text from sync_conflicts
    union all select row from sync_quarantine`.execute(db)
  const kept = new Set(rows.flatMap(({ text }) => text?.match(/"v\d+"/g) ?? []))
  return [...sent]
    .filter((mark) => !kept.has(mark))
    .map((mark) => `${mark} was sent and is nowhere`)
}
