import { sql } from 'kysely'
import { mayReadUsers } from '~/features/office/users/reach'
import { seenBy } from '~/features/office/users/reach.server'
import { code, referenceParameter } from '../parameters'
import { compact, refer, resource } from '../resource'

type Held = { user_id: string; user_name: string; clinic_id: string; clinic: string; role: string }

/** What a user does in a clinic: to users who may read the list of users, of those that it shows. */
export const practitionerRole = resource<Held>({
  type: 'PractitionerRole',
  from: sql`user_clinic_permissions r
    join users on users.id = r.user_id and not users.is_deleted
    join clinics on clinics.id = r.clinic_id and not clinics.is_deleted`,
  columns: sql`r.user_id, users.name as user_name, r.clinic_id, clinics.name as clinic, users.role`,
  permits: mayReadUsers,
  where: (actor) => sql<boolean>`(${sql.val(mayReadUsers(actor))}::boolean and ${seenBy(actor)})`,
  patient: null,
  toFhir: ({ user_id, user_name, clinic_id, clinic, role }) => ({
    resourceType: 'PractitionerRole',
    ...compact({
      active: true,
      practitioner: refer('Practitioner', user_id, user_name),
      organization: refer('Organization', clinic_id, clinic),
      code: [{ coding: [{ code: role }] }],
    }),
  }),
  summary: ['active', 'practitioner', 'organization', 'code'],
  search: {
    practitioner: referenceParameter('practitioner', sql`r.user_id`, ['Practitioner']),
    organization: referenceParameter('organization', sql`r.clinic_id`, ['Organization']),
    role: code('code.coding', sql`users.role`),
  },
})
