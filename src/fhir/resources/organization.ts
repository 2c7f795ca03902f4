import { type Expression, type SqlBool, sql } from 'kysely'
import { clinicsRead } from '~/features/office/clinics/clinics.server'
import type { Actor } from '~/shared/actor'
import { conditionalCodes, string } from '../parameters'
import { resource } from '../resource'

type Clinic = { name: string; is_archived: boolean }

/** The names of clinics in use are open to every user, as in pickers; those of others as in the list of clinics. */
export const clinicWhere = (actor: Actor, row = 'r'): Expression<SqlBool> =>
  sql<boolean>`(not ${sql.ref(`${row}.is_archived`)} or ${clinicsRead(actor, `${row}.id`)})`

export const organization = resource<Clinic>({
  type: 'Organization',
  from: sql`clinics r`,
  columns: sql`r.name, r.is_archived`,
  permits: () => true,
  where: (actor) => clinicWhere(actor),
  patient: null,
  toFhir: ({ name, is_archived }) => ({
    resourceType: 'Organization',
    active: !is_archived,
    name,
  }),
  summary: ['active', 'name'],
  search: {
    name: string('name', sql`r.name`),
    active: conditionalCodes('active', { true: sql`not r.is_archived`, false: sql`r.is_archived` }),
  },
})
