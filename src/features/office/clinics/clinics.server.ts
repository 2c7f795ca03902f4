import type { Kysely } from 'kysely'
import * as z from 'zod'
import type { DB } from '~/db/types'
import { askAboutExpected } from '~/features/rules/transitions/expected.server'
import { clinicRecord } from '~/records/clinic'
import { mutation, NoInput, query, signedIn } from '~/server/operation'
import { deleteRecord, saveRecord } from '~/server/record'
import { byName, countSubquery, inPermittedClinics } from '~/server/scope'
import { type Actor, can, mayAnywhere } from '~/shared/actor'
import { ConfirmedIfAsked } from '~/shared/earlier-day'
import { conflict, notFound } from '~/shared/errors'
import { type Permission, PERMISSIONS } from '~/shared/permissions'
import { ClinicId } from './clinic'
import { loadDepartments } from './departments.server'

/**
 * Users who may read clinics see those where they work; others only the clinics that they
 * administer.
 */
const readIn = (actor: Actor): readonly Permission[] =>
  can(actor, 'read_clinic') ? PERMISSIONS : ['is_clinic_admin']
/** The clinics that the user may see; of the others only the names of those in use. */
export const clinicsRead = (actor: Actor, column: string) =>
  inPermittedClinics(actor, column, ...readIn(actor))
const mayRead = (actor: Actor) => mayAnywhere(actor, ...readIn(actor))

/** Every clinic that the user may see, on one page: an organization has tens of them. */
export const listClinics = query('clinics.list', {
  reads: ['clinic_departments', 'clinics', 'users'],
  input: z.object({ archived: z.boolean('validation.wrongType').optional() }).nullish(),
  allow: ({ actor }) => mayRead(actor),
  run: ({ db, actor }, input) =>
    db
      .selectFrom('clinics')
      .where('clinics.is_deleted', '=', false)
      .where(clinicsRead(actor, 'clinics.id'))
      .$if(input?.archived !== undefined, (q) => q.where('is_archived', '=', input!.archived!))
      .select(({ selectFrom }) => [
        'id',
        'name',
        'is_archived',
        'last_modified',
        countSubquery(
          selectFrom('users')
            .whereRef('clinic_id', '=', 'clinics.id')
            .where('users.is_deleted', '=', false),
        ).as('users'),
        countSubquery(
          selectFrom('clinic_departments')
            .whereRef('clinic_id', '=', 'clinics.id')
            .where('clinic_departments.is_deleted', '=', false),
        ).as('departments'),
      ])
      .orderBy('is_archived')
      .orderBy(byName('clinics.name'))
      .limit(1000)
      .execute(),
})

/** The names of the open clinics, for pickers. */
export const listClinicNames = query('clinics.names', {
  reads: ['clinics'],
  input: NoInput,
  allow: signedIn,
  run: ({ db }) =>
    db
      .selectFrom('clinics')
      .select(['id', 'name'])
      .where('is_deleted', '=', false)
      .where('is_archived', '=', false)
      .orderBy(byName('name'))
      .limit(1000)
      .execute(),
})

export const getClinic = query('clinics.get', {
  reads: ['clinic_departments', 'clinics'],
  looksUp: ['appointment_departments'],
  input: ClinicId,
  allow: ({ actor }) => mayRead(actor),
  async run({ db, actor }, { id }) {
    const clinic = await db
      .selectFrom('clinics')
      .select([...clinicRecord.selected, 'is_archived', 'created_at'])
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .where(clinicsRead(actor, 'clinics.id'))
      .executeTakeFirst()
    if (!clinic) throw notFound('clinics.notFound')
    return { clinic, departments: await loadDepartments(db, id) }
  },
})

export const saveClinic = mutation('clinics.save', {
  input: clinicRecord.save,
  allow: ({ actor }, { last_modified }) =>
    can(actor, last_modified ? 'update_clinic' : 'create_clinic'),
  async run(ctx, clinic) {
    const existing = await ctx.db
      .selectFrom('clinics')
      .select('is_archived')
      .where('id', '=', clinic.id)
      .where('is_deleted', '=', false)
      .forUpdate()
      .executeTakeFirst()
    if (existing?.is_archived) throw conflict('clinics.archivedReadOnly')
    return saveRecord(ctx, 'clinics', clinic, 'clinics.notFound')
  },
})

/** Read-only from now on, its history visible. Refused while users are assigned to it. */
export const archiveClinic = mutation('clinics.archive', {
  input: ClinicId.extend({ confirmed: ConfirmedIfAsked }),
  allow: ({ actor }) => can(actor, 'update_clinic'),
  async run({ db }, { id, confirmed }) {
    const clinic = await db
      .selectFrom('clinics')
      .select(['name', 'is_archived'])
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .executeTakeFirst()
    if (clinic && !clinic.is_archived)
      await askAboutExpected(
        db,
        { clinicId: id },
        { confirmed, field: 'id', key: 'clinics.stillExpected', name: clinic.name },
      )
    return setArchived(db, id, true)
  },
})

export const restoreClinic = mutation('clinics.restore', {
  input: ClinicId,
  allow: ({ actor }) => can(actor, 'update_clinic'),
  run: ({ db }, { id }) => setArchived(db, id, false),
})

/**
 * With its departments, into the trash. Refused once it has records: then it can only be archived.
 */
export const deleteClinic = mutation('clinics.delete', {
  input: ClinicId,
  allow: ({ actor }) => can(actor, 'delete_clinic'),
  async run(ctx, { id }) {
    const clinic = await ctx.db
      .selectFrom('clinics')
      .select('name')
      .where('id', '=', id)
      .executeTakeFirst()
    return deleteRecord(ctx, 'clinics', id, clinic?.name ?? '', 'clinics.notFound')
  },
})

async function setArchived(db: Kysely<DB>, id: string, isArchived: boolean) {
  const clinic = await db
    .updateTable('clinics')
    .set({ is_archived: isArchived, updated_at: new Date() })
    .where('id', '=', id)
    .where('is_deleted', '=', false)
    .returning(['id', 'last_modified'])
    .executeTakeFirst()
  if (!clinic) throw notFound('clinics.notFound')
  return clinic
}
