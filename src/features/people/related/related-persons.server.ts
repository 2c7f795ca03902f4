import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import {
  birthColumns,
  patientName,
  PatientIdInput,
  toRelative,
} from '~/features/people/patients/patient'
import { namedPatient, relatedPersonRow } from '~/policy/on.server'
import { requireNamedPatient } from '~/policy/require.server'
import { editPatient, knowPatient } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import {
  inverseRelationship,
  type Relationship,
  type SeenRelationship,
  relationFault,
} from '~/records/related-person'
import { mutation, query } from '~/server/operation'
import { deleteRecord, saveRecord } from '~/server/record'
import { type Actor, can } from '~/shared/actor'
import { invalid, notFound } from '~/shared/errors'
import { RecordId } from '~/shared/record'
import { SaveRelatedPerson } from './related-person'

/** A merged record can have many; more than this indicates a wrong merge. */
const MOST = 200

type Stored = {
  id: string
  last_modified: Date
  patient_id: string
  related_patient_id: string | null
  relationship: Relationship
  name: string | null
  phone: string | null
  notes: string | null
  recorded_by: string | null
  other_id: string | null
  given_name: string | null
  surname: string | null
  other_phone: string | null
  sex: string | null
  date_of_birth: string | null
  other_metadata: unknown
  died_on: string | null
  is_known: boolean
}

/**
 * The family and the contact persons of a patient, from both ends of each link. Without access to the
 * other patient the actor sees only the relationship.
 */
export const relatedPersonsOfPatient = query('relatedPersons.ofPatient', {
  access: 'record',
  reads: ['related_persons'],
  looksUp: ['patients', 'users'],
  on: namedPatient(knowPatient),
  input: PatientIdInput,
  run: ({ db, actor }, { patientId }) => loadRelatedPersons(db, actor, patientId),
  shows: (rows, { input }) => [input.patientId, ...rows.map(({ other }) => other?.id)],
})
export type RelatedPerson = Awaited<ReturnType<typeof loadRelatedPersons>>[number]

async function loadRelatedPersons(db: Kysely<DB>, actor: Actor, patientId: string) {
  const { rows } = await sql<Stored>`
    select r.id, r.last_modified, r.patient_id, r.related_patient_id, r.relationship, r.name, r.phone, r.notes,
      users.name as recorded_by, p.id as other_id, p.given_name, p.surname, p.phone as other_phone, p.sex,
      p.date_of_birth, p.metadata as other_metadata, p.died_on,
      coalesce(${patientsWhere(knowPatient, actor, 'p.id')}, false) as is_known
    from related_persons r
      left join patients p
        on p.id = case when r.patient_id = ${patientId} then r.related_patient_id else r.patient_id end
      left join users on users.id = r.recorded_by_user_id
    where (r.patient_id = ${patientId} or r.related_patient_id = ${patientId})
      and not r.is_deleted and p.is_deleted is not true
    order by r.created_at, r.id limit ${MOST}`.execute(db)
  return rows.map((row) => {
    const isInverse = row.patient_id !== patientId
    const relationship: SeenRelationship = isInverse
      ? inverseRelationship(row.relationship, row.sex)
      : row.relationship
    return {
      id: row.id,
      last_modified: row.last_modified,
      relationship,
      name: row.name,
      phone: row.phone,
      notes: row.notes,
      recorded_by: row.recorded_by,
      /** The link is to another patient; the actor may have no access to them. */
      isPatient: row.other_id !== null,
      other:
        row.other_id !== null && row.is_known
          ? {
              id: row.other_id,
              name: patientName(row),
              phone: row.other_phone,
              died_on: row.died_on,
              ...birthColumns({ date_of_birth: row.date_of_birth, metadata: row.other_metadata }),
            }
          : null,
    }
  })
}

/** Records a person, or changes one from either end of a link: what is saved is what the caller's patient sees. */
export const saveRelatedPerson = mutation('relatedPersons.save', {
  input: SaveRelatedPerson,
  on: namedPatient(editPatient),
  allow: ({ actor }) => can(actor, 'update_patient'),
  async run(ctx, { id, patient_id, ...given }, { patient }) {
    const { related_patient_id } = given
    if (related_patient_id === patient_id)
      throw invalid({ related_patient_id: { key: 'relatedPersons.self' } })
    const other = related_patient_id
      ? await requireNamedPatient(ctx, related_patient_id, 'related_patient_id')
      : null
    const before = await ctx.db
      .selectFrom('related_persons')
      .select(['patient_id', 'related_patient_id', 'relationship'])
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .executeTakeFirst()
    if (before && ![before.patient_id, before.related_patient_id].includes(patient_id))
      throw notFound('relatedPersons.notFound')
    if (!before && given.last_modified) throw notFound('relatedPersons.notFound')
    const isSeenFromOther =
      before !== undefined &&
      before.patient_id === related_patient_id &&
      inverseRelationship(before.relationship, other?.sex ?? null) === given.relationship
    const isAsStored =
      isSeenFromOther ||
      (before?.related_patient_id === related_patient_id &&
        before.relationship === given.relationship)
    if (other) {
      // a link that the records contradict is corrected, or only its notes are
      const fault =
        !isAsStored && relationFault(given.relationship, toRelative(patient), toRelative(other))
      if (fault) throw invalid({ relationship: { key: fault } })
      await requireNewLink(ctx.db, id, patient_id, other.id)
    }
    const ends = isSeenFromOther
      ? {
          patient_id: before.patient_id,
          related_patient_id: patient.id,
          relationship: before.relationship,
        }
      : { patient_id: patient.id }
    return saveRecord(ctx, 'related_persons', { id, ...given, ...ends })
  },
})

/** Two patients have one link, recorded on either record. */
async function requireNewLink(db: Kysely<DB>, id: string, one: string, other: string) {
  const existing = await db
    .selectFrom('related_persons')
    .select('id')
    .where('is_deleted', '=', false)
    .where('id', '<>', id)
    .where(
      sql<boolean>`(patient_id, related_patient_id) in ((${one}::uuid, ${other}::uuid), (${other}, ${one}))`,
    )
    .executeTakeFirst()
  if (existing) throw invalid({ related_patient_id: { key: 'relatedPersons.linkedAlready' } })
}

/** Removes a person from the record, and a link from both; the trash brings it back. */
export const deleteRelatedPerson = mutation('relatedPersons.delete', {
  input: RecordId,
  on: relatedPersonRow,
  allow: ({ actor }) => can(actor, 'update_patient'),
  run: (ctx, { id }, { existing, patient }) =>
    deleteRecord(
      ctx,
      'related_persons',
      id,
      [patientName(patient), existing.name].filter(Boolean).join(', '),
    ),
})
