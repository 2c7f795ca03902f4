import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { toDefinition } from '~/features/forms/event-forms/event-forms.server'
import { readBirthPrecision } from '~/features/people/patients/patient'
import type { Definition } from '~/forms/checked-definition'
import { readFormAnswers, unknownAnswersIn } from '~/forms/form-answers'
import { listVisibleNotes } from '~/forms/notes'
import { evaluate } from '~/forms/rules'
import { localized } from '~/forms/translations'
import type { Language } from '~/shared/language'
import { clinicTimeZone, dayIn } from '~/shared/zone'

type Versioned = { form_id: string | null; form_version: number | null }
const formVersionKey = ({ form_id, form_version }: Versioned) => `${form_id} ${form_version}`

/** The versions that these answers were given on, each read once. */
export async function loadFormVersions(db: Kysely<DB>, events: readonly Versioned[]) {
  const named = new Map(
    events
      .filter(({ form_version }) => form_version !== null)
      .map((event) => [formVersionKey(event), event]),
  )
  if (named.size === 0) return () => NOTHING_ASKED
  const pairs = [...named.values()]
  const rows = await db
    .selectFrom('event_form_versions')
    .select([
      'form_id',
      'version',
      'name',
      'description',
      'language',
      'form_fields',
      'translations',
    ])
    .where(
      sql<boolean>`(form_id, version) in (select * from unnest(
        ${pairs.map(({ form_id }) => form_id)}::uuid[], ${pairs.map(({ form_version }) => form_version)}::int[]))`,
    )
    .execute()
  const found = new Map(
    rows.map((row) => [formVersionKey({ ...row, form_version: row.version }), toDefinition(row)]),
  )
  return (event: Versioned): Definition => found.get(formVersionKey(event)) ?? NOTHING_ASKED
}

/** Of an answer whose form is unknown, a phone's for instance: all of it is shown as it came. */
const NOTHING_ASKED: Definition = {
  name: '',
  description: '',
  language: 'en',
  form_fields: [],
  translations: [],
}

type Row = Versioned & {
  event_type: string | null
  form_data: unknown
  created_at: Date
  /** Of the patient and of the visit: what the rules of the form may ask. */
  sex: string | null
  date_of_birth: string | null
  metadata: unknown
  check_in_timestamp: Date | null
}

/**
 * An event to be read: its answers, of the form the questions that were answered, and the notes
 * that the answers brought up, in the reader's language.
 */
export function shown<R extends Row>(
  { form_data, sex, date_of_birth, metadata, check_in_timestamp, ...row }: R,
  version: Definition,
  language: Language,
) {
  const form = localized(version, language)
  const answers = readFormAnswers(form.form_fields, form_data, clinicTimeZone())
  const { visible } = evaluate(form.form_fields, answers, {
    sex,
    birth: date_of_birth,
    precision: readBirthPrecision(metadata),
    day: dayIn(check_in_timestamp ?? row.created_at, clinicTimeZone()),
  })
  return {
    ...row,
    title: form.name || row.event_type || '',
    fields: form.form_fields.filter(({ id }) => Object.hasOwn(answers, id)),
    answers,
    notes: listVisibleNotes(form.form_fields, visible),
    others: unknownAnswersIn(form.form_fields, form_data).map(({ name, value }) => ({
      name,
      value,
    })),
  }
}
