import { sql } from 'kysely'
import { textsIn } from '~/fields/texts'
import { nameOf } from '~/features/people/patients/patient'
import { ExportPatients } from '~/features/people/patients/search/export'
import { idsOfAll } from '~/features/people/patients/search/search.server'
import { exportHistory, readHistory } from '~/policy/rules'
import { patientsWhere, rowsWhere } from '~/policy/sql.server'
import { immunizationRecord } from '~/records/immunization'
import { qualified } from '~/records/qualified'
import { auditExport } from '~/server/audit'
import type { Sheet } from '~/server/list-file.server'
import { type Context, mutation } from '~/server/operation'
import { totalOf } from '~/server/paged'
import { can, mayAnywhere } from '~/shared/actor'

const BATCH = 500

type Filter = Omit<ExportPatients, 'format' | 'language'>

/** Patients of the list whose histories the user may read, and download. */
const patientIds = (ctx: Context, filter: Filter) =>
  idsOfAll(
    ctx,
    filter,
    (id) =>
      sql<boolean>`(${patientsWhere(readHistory, ctx.actor, id)}
        and ${patientsWhere(exportHistory, ctx.actor, id)})`,
  )

const dosesOf = ({ db, actor }: Context, ids: readonly string[]) =>
  db
    .selectFrom('patient_immunizations as dose')
    .where(sql<boolean>`dose.patient_id = any(${[...ids]}::uuid[])`)
    .where('dose.is_deleted', '=', false)
    .where(rowsWhere(actor, 'dose'))

/** Returns the number of doses in the file, and writes the export into the audit trail. */
export const exportImmunizations = mutation('immunizations.export', {
  input: ExportPatients,
  allow: ({ actor }) =>
    can(actor, 'read_patient') &&
    mayAnywhere(actor, 'can_view_history') &&
    mayAnywhere(actor, 'can_download_patient_reports'),
  async run(ctx, { format, language, ...filter }) {
    const total = await totalOf(dosesOf(ctx, await patientIds(ctx, filter)))
    await auditExport(ctx, 'immunizations', { format, language, total, ...filter })
    return { total }
  },
  shows: (_, { ctx, input: { format: _format, language: _language, ...filter } }) =>
    patientIds(ctx, filter),
})

const { vaccine, given_on, dose_number, lot, notes, clinic_id } = immunizationRecord.fields

/** The doses of the patients of the list, each on a line: in the order of the list, the earliest first. */
export async function immunizationSheet(
  ctx: Context,
  { format: _, language, ...filter }: ExportPatients,
): Promise<Sheet> {
  const ids = await patientIds(ctx, filter)
  const { say, labels, textsOf } = textsIn(language, { vaccine, dose_number, given_on, lot, notes })
  async function* rows() {
    for (let at = 0; at < ids.length; at += BATCH) {
      const some = ids.slice(at, at + BATCH)
      const found = await dosesOf(ctx, some)
        .innerJoin('patients', 'patients.id', 'dose.patient_id')
        .leftJoin('clinics', 'clinics.id', 'dose.clinic_id')
        .select(qualified('dose', ['id', 'patient_id', 'vaccine', 'given_on', 'dose_number']))
        .select(qualified('dose', ['lot', 'notes']))
        .select(qualified('patients', ['given_name', 'surname', 'date_of_birth']))
        .select('clinics.name as clinic')
        .orderBy(sql`array_position(${some}::uuid[], dose.patient_id)`)
        .orderBy('dose.given_on')
        .orderBy('dose.vaccine')
        .orderBy('dose.id')
        .execute()
      for (const row of found)
        yield [
          row.id,
          row.patient_id,
          nameOf(row),
          row.date_of_birth ?? '',
          ...textsOf(row),
          row.clinic ?? '',
        ]
    }
  }
  const headings = [
    'ID',
    say('immunizations.patientId'),
    say('patients.one'),
    say('immunizations.born'),
    ...labels,
    say(clinic_id.label),
  ]
  return { title: say('immunizations.title'), headings, rows: rows() }
}
