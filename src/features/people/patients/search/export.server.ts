import { fieldTexts } from '~/fields/texts'
import { askedFields, buildFields } from '~/features/people/registration/form-fields'
import { firstForm } from '~/features/people/registration/registration-forms.server'
import { exportHistory } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { audit } from '~/server/audit'
import type { ListSheet } from '~/server/list-file.server'
import { type Context, mutation } from '~/server/operation'
import { can, mayAnywhere } from '~/shared/actor'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { ExportPatients } from './export'
import { answersByName } from '../patient-answers'
import { countOfMatches, idsOfAll, loadPatientRows } from './search.server'

const BATCH = 500

const mayTake = ({ actor }: Pick<Context, 'actor'>, patientId: string) =>
  patientsWhere(exportHistory, actor, patientId)

/**
 * Returns the number of patients in the file of a filter, and writes the export into the audit
 * trail. `/api/patients/export` streams the file itself. It has only patients of clinics where the
 * actor may download reports.
 */
export const exportPatients = mutation('patients.export', {
  access: 'export',
  input: ExportPatients,
  allow: ({ actor }) =>
    can(actor, 'read_patient') && mayAnywhere(actor, 'can_download_patient_reports'),
  async run(ctx, { format, language, ...filter }) {
    const total = await countOfMatches(ctx, filter, (id) => mayTake(ctx, id))
    await audit(ctx, {
      action: 'patients.export',
      table: 'patients',
      changes: { export: [null, { format, language, total, ...filter }] },
    })
    return { total }
  },
  shows: (_, { ctx, input: { format: _format, language: _language, ...filter } }) =>
    idsOfAll(ctx, filter, (id) => mayTake(ctx, id)),
})

/** All patients of the filter with the answers to the registration form. */
export async function patientSheet(
  ctx: Context,
  { format: _, language, ...filter }: ExportPatients,
): Promise<ListSheet> {
  const form = await firstForm(ctx.db)
  const { say, labels, kinds, textsOf } = fieldTexts(language, buildFields(form.fields, language))
  const zone = clinicTimeZone()
  const ids = await idsOfAll(ctx, filter, (id) => mayTake(ctx, id))
  async function* rows() {
    for (let at = 0; at < ids.length; at += BATCH) {
      for (const row of await loadPatientRows(ctx, ids.slice(at, at + BATCH))) {
        const answers = answersByName(askedFields(form.fields), row, row.attributes, zone)
        yield [
          row.id,
          ...textsOf(answers),
          row.clinics.map(({ name }) => name).join('; '),
          dayIn(row.created_at, zone),
          row.died_on ?? '',
          row.language ?? '',
          row.weeks_at_birth === null ? '' : String(row.weeks_at_birth),
        ]
      }
    }
  }
  const headings = [
    'ID',
    ...labels,
    say('patientSearch.clinics'),
    say('patientSearch.registered'),
    say('patients.died_on'),
    say('patients.language'),
    say('patients.weeksAtBirth'),
  ]
  return {
    title: say('patients.title'),
    headings,
    rows: rows(),
    kinds: ['text', ...kinds, 'text', 'day', 'day', 'text', 'number'],
  }
}
