import { sql } from 'kysely'
import { mayReadUsers } from '~/features/office/users/reach'
import { seenBy } from '~/features/office/users/reach.server'
import { conditionalCodes, string } from '../parameters'
import { compact, resource } from '../resource'

type User = { name: string; email: string | null; is_active: boolean }

const name = sql<string>`r.name`
const isActive = sql<boolean>`not r.is_deleted`

/** Users: names are open to every user, as in pickers; addresses are those of `users.list`. */
export const practitioner = resource<User>({
  type: 'Practitioner',
  from: sql`users r`,
  columns: (actor) => sql`r.name, ${isActive} as is_active,
    case when ${sql.val(mayReadUsers(actor))}::boolean and exists (
      select from users where users.id = r.id and ${seenBy(actor)}) then r.email end as email`,
  permits: () => true,
  where: () => sql<boolean>`true`,
  patient: null,
  toFhir: ({ name: text, email, is_active }) => ({
    resourceType: 'Practitioner',
    ...compact({
      active: is_active,
      name: [{ text }],
      telecom: [email && { system: 'email', value: email }],
    }),
  }),
  summary: ['active', 'name', 'telecom'],
  search: {
    name: string('name.text', name),
    active: conditionalCodes('active', { true: isActive, false: sql`r.is_deleted` }),
  },
})
