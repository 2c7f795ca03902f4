import {
  type Expression,
  type Kysely,
  type RawBuilder,
  type Selectable,
  type SqlBool,
  sql,
} from 'kysely'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import type { Context } from '~/server/operation'
import type { FromDocument } from '~/shared/from-document'
import { rowsWhere } from './sql.server'

/** Tables of a patient's history whose rows name the user who recorded them. */
type EntryTable = {
  [T in keyof DB]: DB[T] extends {
    patient_id: string
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
  }
    ? T
    : never
}[keyof DB]

/** What `src/records` says of the table. */
type EntryRecord<T, C> = { table: T; names: readonly C[] }

type More = { order: RawBuilder<unknown>; where?: Expression<SqlBool> }

/** A merged record can have many entries; more than this indicates a wrong merge. */
const MOST = 500

/**
 * The live entries of a patient with who recorded each, from which document it was taken, and whether the actor's
 * clinics may read it (`is_open`). The caller has checked access to the patient. In `order` and `where` the table is
 * `entry`.
 */
export async function loadPatientEntries<
  T extends EntryTable,
  C extends keyof Selectable<DB[T]> & string,
>(
  { db, actor }: Pick<Context, 'actor'> & { db: Kysely<DB> },
  { table, names }: EntryRecord<T, C>,
  patientId: string,
  { order, where = sql<SqlBool>`true` }: More,
) {
  const columns = [...new Set(['id', 'last_modified', 'created_at', ...names])]
  const { rows } = await sql<
    Pick<Selectable<DB[T]>, C> & {
      id: string
      created_at: Date
      last_modified: Date
      recorded_by: string | null
      from_document: FromDocument | null
      is_open: boolean
    }
  >`${asPrepared()}
    select ${sql.join(columns.map((column) => sql.ref(`entry.${column}`)))},
      users.name as recorded_by, ${rowsWhere(actor, 'entry')} as is_open,
      case when ${rowsWhere(actor, 'entry')} then entry.metadata -> 'document' end as from_document
    from ${sql.table(table)} entry left join users on users.id = entry.recorded_by_user_id
    where entry.patient_id = ${patientId} and not entry.is_deleted and ${where}
    order by ${order}, entry.id limit ${MOST}`.execute(db)
  return rows
}
