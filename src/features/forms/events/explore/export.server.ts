import type { FormAnswer } from '~/forms/answers'
import { answerFlaw } from '~/forms/answer-flaws'
import { answerTexts, diagnosisText, medicineTexts } from '~/forms/answers-text'
import type { EventFormField } from '~/forms/definition'
import { audit } from '~/server/audit'
import type { ColumnKind, ListSheet } from '~/server/list-file.server'
import { type Context, mutation } from '~/server/operation'
import { patientsOfList } from '~/server/shown'
import { mayAnywhere } from '~/shared/actor'
import type { Permission } from '~/shared/permissions'
import type { Sayable } from '~/shared/say'
import { sentence } from '~/shared/sentence'
import { clinicTimeZone, wallTime } from '~/shared/zone'
import { ExportEvents } from './explore'
import { columnsOfForm, idsInOrder, selectMatchingEvents, loadEventRows } from './explore.server'

const BATCH = 500
const NEEDED: Permission[] = ['can_view_history', 'can_download_patient_reports']

/**
 * Says how many answers a file of this filter would hold, and writes into the trail that it was
 * asked for. The file itself is streamed by `/api/events/export`. Only visits of clinics where the
 * actor may download are in it.
 */
export const exportEvents = mutation('events.export', {
  access: 'export',
  input: ExportEvents,
  allow: ({ actor }) => NEEDED.every((permission) => mayAnywhere(actor, permission)),
  async run(ctx, { format, language, answers, sort: _sort, direction: _direction, ...filter }) {
    const { name } = await columnsOfForm(ctx, filter.formId, language)
    const { total } = await (
      await selectMatchingEvents(ctx, filter, ...NEEDED)
    )
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    await audit(ctx, {
      action: 'events.export',
      table: 'events',
      changes: { export: [null, { form: name, format, language, answers, total, ...filter }] },
    })
    return { total, name }
  },
  async shows(_, { ctx, input }) {
    const { format: _format, language: _language, answers: _answers, ...asked } = input
    const { sort: _sort, direction: _direction, ...filter } = asked
    const found = await selectMatchingEvents(ctx, filter, ...NEEDED)
    return patientsOfList(await found.select('events.patient_id').distinct().execute())
  },
})

/** A line for each form that was filled in, a column for each question. */
export async function eventSheet(ctx: Context, asked: ExportEvents): Promise<ListSheet> {
  const { format: _, language, answers, sort, direction, ...filter } = asked
  const say = (what: Sayable) => {
    if (typeof what === 'string') return sentence(language, { key: what })
    return 'text' in what ? what.text : sentence(language, what)
  }
  const { name, columns } = await columnsOfForm(ctx, filter.formId, language)
  const questions = columns.map(({ question }) => question)
  const ids = await idsInOrder(ctx, filter, { sort, direction }, NEEDED)
  const zone = clinicTimeZone()
  function answerCell(question: EventFormField, answer: FormAnswer): string {
    if (answers !== 'labels') return kept(question, answer, say)
    const text = answerTexts(question, answer, say).join('; ')
    const flaw = answerFlaw(question, answer)
    return flaw ? `${text} (${say(`events.${flaw}`)})` : text
  }

  async function* rows() {
    for (let at = 0; at < ids.length; at += BATCH) {
      for (const row of await loadEventRows(ctx, ids.slice(at, at + BATCH), language)) {
        const [happened, recorded] = [row.happened_at, row.created_at].map((instant) =>
          wallTime(instant, zone).replace('T', ' '),
        )
        const texts = questions.map((question) =>
          answerCell(question, row.answers[question.id] ?? null),
        )
        yield [
          row.id,
          row.patient_id,
          row.patient,
          happened!,
          recorded!,
          row.clinic,
          row.recorded_by ?? '',
          ...texts,
        ]
      }
    }
  }
  const headings = [
    'ID',
    say('explore.patientId'),
    say('patients.one'),
    say('explore.happened'),
    say('explore.recorded'),
    say('clinics.one'),
    say('explore.recordedBy'),
    ...questions.map((question) => question.name),
  ]
  return {
    title: name,
    headings,
    rows: rows(),
    kinds: [
      'text',
      'text',
      'text',
      'moment',
      'moment',
      'text',
      'text',
      ...questions.map(columnKind),
    ],
  }
}

const columnKind = (question: EventFormField): ColumnKind => {
  if (question.fieldType === 'date') return 'day'
  return question.fieldType === 'free-text' && question.inputType === 'number' ? 'number' : 'text'
}

/** As it is kept: options by their values, numbers without their unit. A password leaves in no file. */
function kept(
  question: EventFormField,
  answer: FormAnswer,
  say: (what: Sayable) => string,
): string {
  if (question.fieldType === 'free-text' && question.inputType === 'password') return ''
  return [answer ?? '']
    .flat()
    .map((one) => {
      if (typeof one !== 'object') return String(one)
      return question.fieldType === 'diagnosis' && 'desc' in one
        ? diagnosisText(one as never) // as the question says
        : medicineTexts(one, say).join(' · ')
    })
    .join('; ')
}
