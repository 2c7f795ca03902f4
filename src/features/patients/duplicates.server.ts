import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '~/db/types'
import { birthFrom } from '~/fields/birth'
import { audit } from '~/server/audit'
import { type Context, mutation, query } from '~/server/operation'
import { can, mayAnywhere, mayIn } from '~/shared/actor'
import { invalid, notFound } from '~/shared/errors'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { FindDuplicates, LinkPatient, type Sought } from './duplicates'
import { LIKELY, likenessOf, type Profile } from './likeness'
import { birthPrecisionOf } from './patient'
import { known } from './seen.server'

const SHOWN = 8
const CANDIDATES = 60

/**
 * Who may already be this person, the likeliest first, with what speaks for it. Of somebody whom the actor may not know
 * only the name, the year of birth and the clinics are told (decided, "Who may do what").
 */
export const findDuplicates = query('patients.duplicates', {
  input: FindDuplicates,
  allow: ({ actor }) => can(actor, 'create_patient') && mayAnywhere(actor, 'can_register_patients', 'can_edit_records'),
  async run({ db, actor }, input) {
    const sought = await profileOf(db, input)
    if (!sought) return { candidates: [] }
    const { rows } = await candidatesOf(db, sought, input.exceptId)
    const likely = rows
      .map((row) => ({ row, ...likenessOf(sought, row, Math.max(0, row.namesakes - 1)) }))
      .filter(({ score }) => score >= LIKELY)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, SHOWN)
    const shown = await detailsOf(
      { db, actor },
      likely.map(({ row }) => row.id),
    )
    return {
      candidates: likely.flatMap(({ row, score, reasons }) => {
        const details = shown.get(row.id)
        return details ? [{ ...details, score, reasons }] : []
      }),
    }
  },
})
export type Duplicate = Awaited<ReturnType<typeof findDuplicates>>['candidates'][number]

/** Lets the people of a clinic know who somebody is, whom another clinic registered; no history comes with it. */
export const linkPatient = mutation('patients.link', {
  input: LinkPatient,
  allow: ({ actor }, { clinicId }) => can(actor, 'create_patient') && mayIn(actor, 'can_register_patients', clinicId),
  async run(ctx, { id, patientId, clinicId }) {
    await requireOpenClinic(ctx.db, clinicId)
    const patient = await ctx.db
      .selectFrom('patients')
      .select('id')
      .where('id', '=', patientId)
      .where('is_deleted', '=', false)
      .executeTakeFirst()
    if (!patient) throw notFound('patients.notFound')
    const opened =
      await sql`insert into patient_links (patient_id, clinic_id, source) values (${patientId}, ${clinicId}, 'explicit')
      on conflict (patient_id, clinic_id, source) do update set until = null, since = clock_timestamp()
      where patient_links.until is not null returning 1`.execute(ctx.db)
    if (opened.rows.length > 0) await auditLink(ctx, 'patients.link', id, patientId, clinicId, [null, clinicId])
    return { patientId, clinicId }
  },
})

export const unlinkPatient = mutation('patients.unlink', {
  input: LinkPatient,
  allow: ({ actor }, { clinicId }) => can(actor, 'update_patient') && mayIn(actor, 'can_register_patients', clinicId),
  async run(ctx, { id, patientId, clinicId }) {
    const closed = await ctx.db
      .updateTable('patient_links')
      .set({ until: new Date() })
      .where('patient_id', '=', patientId)
      .where('clinic_id', '=', clinicId)
      .where('source', '=', 'explicit')
      .where('until', 'is', null)
      .returning('patient_id')
      .executeTakeFirst()
    if (!closed) throw notFound('duplicates.notLinked')
    await auditLink(ctx, 'patients.unlink', id, patientId, clinicId, [clinicId, null])
    return { patientId, clinicId }
  },
})

const auditLink = (
  ctx: Context,
  action: string,
  recordId: string,
  patientId: string,
  clinicId: string,
  change: unknown[],
) => audit(ctx, { action, table: 'patient_links', recordId, patientId, clinicId, changes: { clinic_id: change } })

async function requireOpenClinic(db: Kysely<DB>, id: string) {
  const clinic = await db
    .selectFrom('clinics')
    .select('is_archived')
    .where('id', '=', id)
    .where('is_deleted', '=', false)
    .forShare()
    .executeTakeFirst()
  if (!clinic) throw notFound('clinics.notFound')
  if (clinic.is_archived) throw invalid({ clinicId: { key: 'clinics.archivedReadOnly' } })
}

/** What has been typed, folded by the database as it folds what is stored. Null when it is too little to compare. */
async function profileOf(db: Kysely<DB>, input: Sought): Promise<(Profile & { sounds: string[] }) | null> {
  const birth = birthFrom(input.date_of_birth ?? '', dayIn(new Date(), clinicTimeZone()))
  const { rows } = await sql<
    Folded & { sounds: string[] }
  >`select name_sounds(${`${input.given_name ?? ''} ${input.surname ?? ''}`}::text) as sounds, ${folded({
    given: sql`${input.given_name ?? null}::text`,
    surname: sql`${input.surname ?? null}::text`,
    phone: sql`${input.phone ?? null}::text`,
    government: sql`${input.government_id ?? null}::text`,
    external: sql`${input.external_patient_id ?? null}::text`,
    hometown: sql`${input.hometown ?? null}::text`,
  })}`.execute(db)
  const sought = {
    ...rows[0]!,
    birth: birth && birth.day >= '1800' ? birth.day : null,
    sex: input.sex || null,
    isApproximate: input.approximate === true || (birth !== null && birth.precision !== 'day'),
  }
  const isEnough =
    sought.names.length > 1 || sought.phones.length > 0 || sought.government !== null || sought.external !== null
  return isEnough || (sought.names.length > 0 && sought.birth !== null) ? sought : null
}

/** Each name as the words that `fold_text` makes of it, and the sounds of each. */
type Folded = {
  names: { text: string; sounds: string[] }[]
  phones: string[]
  government: string | null
  external: string | null
  hometown: string | null
}

const folded = (
  from: Record<'given' | 'surname' | 'phone' | 'government' | 'external' | 'hometown', RawBuilder<unknown>>,
) => sql`
  name_words_of(concat_ws(' ', ${from.given}, ${from.surname})) as names, coalesce(phone_numbers(${from.phone}), '{}') as phones,
  id_text(${from.government}) as government, id_text(${from.external}) as external, id_text(${from.hometown}) as hometown`

type Candidate = Folded & { id: string; birth: string | null; sex: string | null; metadata: unknown; namesakes: number }

/**
 * Who is worth comparing: the same phone or id; all the names by their sound; or one of the names, born about then. Each
 * way has an index and a limit; within it the nearest come first.
 */
async function candidatesOf(db: Kysely<DB>, sought: Profile & { sounds: string[] }, exceptId: string | undefined) {
  const keys = [
    ...sought.phones.map((phone) => `p:${phone.slice(-7)}`),
    ...[sought.government, sought.external].filter((id) => id !== null).map((id) => `i:${id}`),
  ]
  // one form of each is enough here: whoever is stored in another form of the word is stored in this one too
  const sounds = [...new Set(sought.sounds.map((forms) => forms.split('|')[0]!))].filter((sound) => sound.length > 1)
  const words = sql.join(
    sounds.map((sound) => sql`(s.skeletons like ${`% ${sound} %`})::int`),
    sql` + `,
  )
  const allSound =
    sounds.length > 0
      ? sql.join(
          sounds.map((sound) => sql`s.skeletons like ${`% ${sound} %`}`),
          sql` and `,
        )
      : sql`false`
  const reach = sought.isApproximate ? 3 : 1
  const names = ` ${sought.names.map(({ text }) => text).join(' ')} `
  const bornThen =
    sought.birth && sounds.length > 0
      ? sql`union (select p.id from patients p join patient_search s on s.patient_id = p.id
          where not p.is_deleted and p.date_of_birth between ${sought.birth}::date - make_interval(years => ${reach}) and ${sought.birth}::date + make_interval(years => ${reach})
          order by (${words}) + 2 * similarity(s.names, search_text(${names})) desc, abs(p.date_of_birth - ${sought.birth}::date), p.id limit ${CANDIDATES})`
      : sql``
  const result = await sql<Candidate>`
    with namesakes as (
      select s.patient_id from patient_search s where ${allSound} limit 200
    ), found as (
      (select s.patient_id as id from patient_search s where s.keys && ${keys}::text[] limit ${CANDIDATES})
      union (select p.id from namesakes n join patients p on p.id = n.patient_id
        order by abs(p.date_of_birth - ${sought.birth}::date) nulls last, p.id limit ${CANDIDATES})
      ${bornThen}
    )
    select p.id, p.date_of_birth as birth, p.sex, p.metadata, (select count(*) from namesakes)::int as namesakes, ${folded(
      {
        given: sql`p.given_name`,
        surname: sql`p.surname`,
        phone: sql`p.phone`,
        government: sql`p.government_id`,
        external: sql`p.external_patient_id`,
        hometown: sql`p.hometown`,
      },
    )}
    from found join patients p on p.id = found.id
    where not p.is_deleted and p.id is distinct from ${exceptId ?? null}::uuid`.execute(db)
  return {
    rows: result.rows.map((row) => ({ ...row, isApproximate: birthPrecisionOf(row.metadata) !== 'day' })),
  }
}

/** What may be shown of each: everything of those whom the actor may know, else the name, the year and the clinics. */
async function detailsOf({ db, actor }: Pick<Context, 'db' | 'actor'>, ids: string[]) {
  if (ids.length === 0) return new Map<string, never>()
  const rows = await db
    .selectFrom('patients')
    .select([
      'id',
      'given_name',
      'surname',
      'sex',
      'date_of_birth',
      'phone',
      'government_id',
      'external_patient_id',
      'hometown',
      'metadata',
    ])
    .select([
      sql<boolean>`${known(actor)}`.as('isKnown'),
      sql<
        { id: string; name: string }[]
      >`(select coalesce(jsonb_agg(distinct jsonb_build_object('id', c.id, 'name', c.name)), '[]')
        from patient_links l join clinics c on c.id = l.clinic_id where l.patient_id = patients.id and l.until is null)`.as(
        'clinics',
      ),
    ])
    .where('id', 'in', ids)
    .execute()
  return new Map(
    rows.map(({ isKnown, metadata, id, given_name, surname, clinics, date_of_birth, ...more }) => {
      const shown = {
        id,
        given_name,
        surname,
        clinics,
        isKnown,
        yearOfBirth: date_of_birth ? Number(date_of_birth.slice(0, 4)) : null,
      }
      const person = { ...more, date_of_birth, isApproximate: birthPrecisionOf(metadata) !== 'day' }
      return [id, { ...shown, person: isKnown ? person : null }]
    }),
  )
}
