import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { COMPARED_COLUMNS } from '~/records/patient'
import { requireClinic } from '~/policy/require.server'
import { knowPatient } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { audit } from '~/server/audit'
import { type Context, mutation, query } from '~/server/operation'
import { collectYoung } from '~/server/garbage.server'
import { can, mayAnywhere, mayIn } from '~/shared/actor'
import { invalid, notFound } from '~/shared/errors'
import { comparedWith, readEachSought, readSought, type SoughtPerson } from './comparison.server'
import {
  FindDuplicates,
  LinkPatient,
  type MatchReason,
  type Sought,
  type Strength,
  UnlinkPatient,
} from './duplicates'
import { LIKELY, POSSIBLE } from './likeness'
import { countLookup, slowDuplicates, slowLookups } from '../lookups.server'
import { readBirthPrecision } from '../patient'

const SHOWN = 8
/** People who are compared between two collections of garbage. */
const COLLECTED = 50
const SAME_NAME: ReadonlySet<MatchReason> = new Set(['sameName', 'nameAlike', 'namesSwapped'])

/** Whatever else differs: one of the two records has the document of another person, or a wrong name. */
const hasSameId = (reasons: readonly MatchReason[]) => reasons.includes('sameGovernmentId')

/**
 * Patients who may be the same person, the likeliest first, with the evidence. Of a patient that
 * the actor may not know, only the name, the year of birth and the clinics are returned.
 */
export const findDuplicates = query('patients.duplicates', {
  access: 'duplicates',
  byPost: true,
  input: FindDuplicates,
  allow: ({ actor }) =>
    can(actor, 'create_patient') && mayAnywhere(actor, 'can_register_patients', 'can_edit_records'),
  async run(ctx, input) {
    await slowDuplicates(ctx, input)
    return { candidates: await candidatesFor(ctx, input) }
  },
  shows: ({ candidates }) => candidates.map(({ id }) => id),
})

const candidatesFor = async (ctx: Pick<Context, 'db' | 'actor'>, input: Sought) =>
  shownTo(ctx, (await likelyPatients(ctx.db, input)) ?? [])

/** The same at once for several people, for the check of a list: its administrator sees all patients. */
export async function candidatesForEach(
  ctx: Pick<Context, 'db' | 'actor'>,
  inputs: readonly Sought[],
) {
  const each = await readEachSought(ctx.db, inputs)
  const candidates: Duplicate[][] = []
  for (const [at, sought] of each.entries()) {
    const likely = sought ? await findPossibleDuplicates(ctx.db, sought, inputs[at]!.exceptId) : []
    candidates.push(await shownTo(ctx, likely))
    if (at % COLLECTED === 0) collectYoung()
  }
  return candidates
}

async function shownTo({ db, actor }: Pick<Context, 'db' | 'actor'>, likely: readonly Likely[]) {
  const shown = await loadComparedDetails(
    { db, actor },
    likely.map(({ id }) => id),
  )
  return likely.flatMap(({ id, score, reasons }) => {
    const details = shown.get(id)
    const strength: Strength = score >= LIKELY ? 'likely' : 'possible'
    return details ? [{ ...details, score, strength, reasons }] : []
  })
}
export type Duplicate = Awaited<ReturnType<typeof shownTo>>[number]

/**
 * At most eight patients that the values may describe, the likeliest first; null if the values are too few to compare.
 * With `anyBirth`, the same name is enough.
 */
export async function likelyPatients(db: Kysely<DB>, input: Sought, { anyBirth = false } = {}) {
  const sought = await readSought(db, input)
  return sought && findPossibleDuplicates(db, sought, input.exceptId, { anyBirth })
}

async function findPossibleDuplicates(
  db: Kysely<DB>,
  sought: SoughtPerson,
  exceptId: string | undefined,
  { anyBirth = false } = {},
) {
  return (await comparedWith(db, sought, exceptId))
    .filter(
      ({ score, reasons }) =>
        score >= POSSIBLE ||
        hasSameId(reasons) ||
        (anyBirth && reasons.some((reason) => SAME_NAME.has(reason))),
    )
    .toSorted(
      (a, b) => Number(hasSameId(b.reasons)) - Number(hasSameId(a.reasons)) || b.score - a.score,
    )
    .slice(0, SHOWN)
}
type Likely = Awaited<ReturnType<typeof findPossibleDuplicates>>[number]

/**
 * Links a patient of another clinic to this clinic, for a reason. Returns the identity of the patient.
 * It gives no access to what other clinics recorded.
 */
export const linkPatient = mutation('patients.link', {
  input: LinkPatient,
  allow: ({ actor }, { clinicId }) =>
    can(actor, 'create_patient') && mayIn(actor, 'can_register_patients', clinicId),
  before: slowLookups,
  async run(ctx, { id, patientId, clinicId, reason, reason_text }) {
    if (!reason) throw invalid({ reason: { key: 'sharing.reasonNeeded' } })
    await requireClinic(ctx.db, clinicId, 'clinicId', { open: true })
    const patient = await ctx.db
      .selectFrom('patients')
      .select(['given_name', 'surname', 'sex', 'date_of_birth'])
      .select(sql<boolean>`${patientsWhere(knowPatient, ctx.actor)}`.as('is_known'))
      .where('id', '=', patientId)
      .where('is_deleted', '=', false)
      .executeTakeFirst()
    if (!patient) throw notFound('patients.notFound')
    const { is_known, ...person } = patient
    if (!is_known) await countLookup(ctx)
    const opened =
      await sql`insert into patient_links (patient_id, clinic_id, source) values (${patientId}, ${clinicId}, 'explicit')
      on conflict (patient_id, clinic_id, source) do update set until = null, since = clock_timestamp()
      where patient_links.until is not null returning 1`.execute(ctx.db)
    if (opened.rows.length > 0)
      await auditLink(ctx, 'patients.link', id, patientId, clinicId, {
        clinic_id: [null, clinicId],
        reason: [null, reason_text ? `${reason}: ${reason_text}` : reason],
      })
    return { patientId, clinicId, person }
  },
})

export const unlinkPatient = mutation('patients.unlink', {
  input: UnlinkPatient,
  allow: ({ actor }, { clinicId }) =>
    can(actor, 'update_patient') && mayIn(actor, 'can_register_patients', clinicId),
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
    await auditLink(ctx, 'patients.unlink', id, patientId, clinicId, {
      clinic_id: [clinicId, null],
    })
    return { patientId, clinicId }
  },
})

const auditLink = (
  ctx: Context,
  action: string,
  recordId: string,
  patientId: string,
  clinicId: string,
  changes: Record<string, unknown[]>,
) =>
  audit(ctx, {
    action,
    table: 'patient_links',
    recordId,
    patientId,
    clinicId,
    changes,
  })

/**
 * The compared columns of patients that the actor may know; of others the name, the year of birth
 * and the clinics.
 */
async function loadComparedDetails({ db, actor }: Pick<Context, 'db' | 'actor'>, ids: string[]) {
  if (ids.length === 0) return new Map<string, never>()
  const rows = await db
    .selectFrom('patients')
    .select(['id', ...COMPARED_COLUMNS, 'metadata'])
    .select([
      sql<boolean>`${patientsWhere(knowPatient, actor)}`.as('isKnown'),
      sql<
        { id: string; name: string }[]
      >`(select coalesce(jsonb_agg(distinct jsonb_build_object('id', c.id, 'name', c.name)), '[]')
        from patient_links l join clinics c on c.id = l.clinic_id
        where l.patient_id = patients.id and l.until is null)`.as('clinics'),
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
      const person = {
        ...more,
        date_of_birth,
        isApproximate: readBirthPrecision(metadata) !== 'day',
      }
      return [id, { ...shown, person: isKnown ? person : null }]
    }),
  )
}
