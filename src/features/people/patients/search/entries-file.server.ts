import { type RawBuilder, sql } from 'kysely'
import type { DB } from '~/db/types'
import type { Fields } from '~/fields/field'
import { fieldTexts } from '~/fields/texts'
import { exportHistory, readHistory } from '~/policy/rules'
import { patientsWhere, rowsWhere } from '~/policy/sql.server'
import { auditExport } from '~/server/audit'
import type { ListSheet } from '~/server/list-file.server'
import { type Context, mutation } from '~/server/operation'
import { can, mayAnywhere } from '~/shared/actor'
import type { MessageKey } from '~/shared/language'
import { patientName } from '../patient'
import { ExportPatients } from './export'
import { idsOfAll } from './search.server'

const BATCH = 500

type Filter = Omit<ExportPatients, 'format' | 'language'>
type Row = {
  id: string
  patient_id: string
  given_name: string | null
  surname: string | null
  date_of_birth: string | null
}
type Titled = { [K in MessageKey]: K extends `${infer N}.title` ? N : never }[MessageKey]
type Of<R> = {
  /** A record of `src/records`. */
  record: { table: keyof DB; names: readonly string[] }
  /** The columns of the file. */
  fields: Fields
  /** Within a patient; the table is `entry`. */
  order: RawBuilder<unknown>
  /** Adds what `fields` asks for and the table does not have. */
  complete?: (ctx: Context, rows: R[]) => Promise<R[]>
}

/** Patients of the list whose histories the user may read, and download. */
const patientIds = (ctx: Context, filter: Filter) =>
  idsOfAll(
    ctx,
    filter,
    (id) =>
      sql<boolean>`(${patientsWhere(readHistory, ctx.actor, id)}
        and ${patientsWhere(exportHistory, ctx.actor, id)})`,
  )

/**
 * One kind of record of the patients of a list as a file, for `sendsFile`: the operation `<noun>.export` and the sheet
 * with a line for each record, in the order of the list.
 */
export function fileOfEntries<N extends Titled, R extends object = Record<string, unknown>>(
  noun: N,
  { record, fields, order, complete }: Of<Row & R>,
) {
  const found = ({ actor }: Context, ids: readonly string[]) =>
    sql`${sql.table(record.table)} entry join patients on patients.id = entry.patient_id
      where entry.patient_id = any(${[...ids]}::uuid[]) and not entry.is_deleted
        and ${rowsWhere(actor, 'entry')}`
  const columns = sql.join(
    ['id', ...record.names].map((name) => sql.ref(`entry.${name}`)),
    sql`, `,
  )

  async function* readEntryLines(
    ctx: Context,
    ids: readonly string[],
    textsOf: (row: Row & R) => string[],
  ) {
    for (let at = 0; at < ids.length; at += BATCH) {
      const some = ids.slice(at, at + BATCH)
      const { rows } = await sql<Row & R>`
        select ${columns}, given_name, surname, date_of_birth from ${found(ctx, some)}
        order by array_position(${some}::uuid[], entry.patient_id), ${order}, entry.id`.execute(
        ctx.db,
      )
      for (const row of complete ? await complete(ctx, rows) : rows)
        yield [row.id, row.patient_id, patientName(row), row.date_of_birth ?? '', ...textsOf(row)]
    }
  }

  return {
    input: ExportPatients,
    /** Returns the number of lines of the file, and writes the export into the audit trail. */
    operation: mutation(`${noun}.export` as const, {
      access: 'export',
      input: ExportPatients,
      allow: ({ actor }) =>
        can(actor, 'read_patient') &&
        mayAnywhere(actor, 'can_view_history') &&
        mayAnywhere(actor, 'can_download_patient_reports'),
      async run(ctx, { format, language, ...filter }) {
        const ids = await patientIds(ctx, filter)
        const { rows } = await sql<{ total: number }>`
          select count(*) as total from ${found(ctx, ids)}`.execute(ctx.db)
        const { total } = rows[0]!
        await auditExport(ctx, noun, { format, language, total, ...filter })
        return { total }
      },
      shows: (_, { ctx, input: { format: _format, language: _language, ...filter } }) =>
        patientIds(ctx, filter),
    }),
    async sheet(
      ctx: Context,
      { format: _, language, ...filter }: ExportPatients,
    ): Promise<ListSheet> {
      const { say, labels, kinds, textsOf } = fieldTexts(language, fields)
      return {
        title: say(`${noun}.title` as MessageKey),
        headings: [
          'ID',
          say('immunizations.patientId'),
          say('patients.one'),
          say('immunizations.born'),
          ...labels,
        ],
        rows: readEntryLines(ctx, await patientIds(ctx, filter), textsOf),
        kinds: ['text', 'text', 'text', 'day', ...kinds],
      }
    },
  }
}
