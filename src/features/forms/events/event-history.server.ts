import { type FormAnswer, same } from '~/forms/answers'
import { readFormAnswers } from '~/forms/form-answers'
import { localized } from '~/forms/translations'
import { historyRow } from '~/policy/on.server'
import { readHistory } from '~/policy/rules'
import { query } from '~/server/operation'
import { RecordId } from '~/shared/record'
import { clinicTimeZone } from '~/shared/zone'
import { loadFormVersions } from './shown.server'

/** No form is corrected more often. */
const MANY = 200

/** Who answered what, and the answer before, newest first, from the audit trail. */
export const eventHistory = query('events.history', {
  access: 'events',
  reads: ['events'],
  looksUp: ['patients', 'users'],
  on: historyRow('events', readHistory),
  input: RecordId,
  async run({ db, actor }, { id }, { existing: event }) {
    const rows = await db
      .selectFrom('audit_log')
      .leftJoin('users', 'users.id', 'audit_log.user_id')
      .select(['audit_log.id', 'at', 'via', 'changes', 'users.name as user'])
      .where('table_name', '=', 'events')
      .where('record_id', '=', id)
      .orderBy('audit_log.id', 'desc')
      .limit(MANY)
      .execute()
    const { form_fields: fields } = localized(
      (await loadFormVersions(db, [event]))(event),
      actor.language,
    )
    const read = (stored: unknown) => readFormAnswers(fields, stored, clinicTimeZone())
    return rows.flatMap(({ changes, via, ...row }) => {
      const [before, after] = (changes as { form_data?: [unknown, unknown] }).form_data ?? []
      const [was, is] = [read(before), read(after)]
      const changed = fields
        .filter((field) => !same(was[field.id] ?? null, is[field.id] ?? null))
        .map((field) => ({
          field,
          before: was[field.id] ?? (null as FormAnswer),
          after: is[field.id] ?? null,
        }))
      const isFirst = before === null || before === undefined
      return changed.length > 0 ? [{ ...row, via, isFirst, changed }] : []
    })
  },
})

export type EventChange = Awaited<ReturnType<typeof eventHistory>>[number]
