import { email, optional, reference, select, text } from '~/fields/field'
import type { MessageKey } from '~/shared/language'
import { ROLES } from '~/shared/permissions'
import { record } from './record'

export const userRecord = record('users', {
  name: { field: text('users.name') },
  email: { field: email('users.email', { hint: 'users.emailHint' }) },
  role: { field: select('users.role', ROLES, (role): MessageKey => `roles.${role}`) },
  clinic_id: { field: optional(reference('users.clinic', { hint: 'users.clinicHint' })) },
})
