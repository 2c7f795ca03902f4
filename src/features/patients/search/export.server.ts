import { kinds } from '~/fields/kinds'
import { askedFields, fieldsOf } from '~/features/registration-form/form-fields'
import { firstForm } from '~/features/registration-form/registration-forms.server'
import { exportHistory } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { audit } from '~/server/audit'
import type { Sheet } from '~/server/list-file.server'
import { type Context, mutation } from '~/server/operation'
import { can, mayAnywhere } from '~/shared/actor'
import type { Sayable } from '~/shared/say'
import { sentence } from '~/shared/sentence'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { ExportPatients } from './export'
import { answersByName } from '../patient-answers'
import { countOfMatches, idsOfAll, rowsOf } from './search.server'

const BATCH = 500

const mayTake = ({ actor }: Pick<Context, 'actor'>, patientId: string) =>
  patientsWhere(exportHistory, actor, patientId)

/**
 * Says how many people a file of this filter would hold, and writes into the trail that it was asked for. The file itself
 * is streamed by `/api/patients/export`. Only people of clinics where the actor may download are in it.
 */
export const exportPatients = mutation('patients.export', {
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
})

/** Everybody whom the filter finds, with the answers to the registration form. */
export async function patientSheet(
  ctx: Context,
  { format: _, language, ...filter }: ExportPatients,
): Promise<Sheet> {
  const say = (what: Sayable) => {
    if (typeof what === 'string') return sentence(language, { key: what })
    return 'text' in what ? what.text : sentence(language, what)
  }
  const form = await firstForm(ctx.db)
  const fields = Object.entries(fieldsOf(form.fields, language))
  const zone = clinicTimeZone()
  const ids = await idsOfAll(ctx, filter, (id) => mayTake(ctx, id))
  async function* rows() {
    for (let at = 0; at < ids.length; at += BATCH) {
      for (const row of await rowsOf(ctx, ids.slice(at, at + BATCH))) {
        const answers = answersByName(askedFields(form.fields), row, row.attributes, zone)
        const texts = fields.map(([name, field]) =>
          kinds[field.kind].toText(answers[name] ?? null, field, say),
        )
        yield [
          row.id,
          ...texts,
          row.clinics.map(({ name }) => name).join('; '),
          dayIn(row.created_at, zone),
          row.died_on ?? '',
        ]
      }
    }
  }
  const headings = [
    'ID',
    ...fields.map(([, { label }]) => say(label)),
    say('patientSearch.clinics'),
    say('patientSearch.registered'),
    say('patients.died_on'),
  ]
  return { title: say('patients.title'), headings, rows: rows() }
}
