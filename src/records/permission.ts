import type * as z from 'zod'
import { boolean, type Field } from '~/fields/field'
import { type Permission, PERMISSIONS } from '~/shared/permissions'
import { record } from './record'

type Line = { field: Field<z.ZodBoolean>; device: 'boolean' }
const held = Object.fromEntries(
  PERMISSIONS.map((permission) => [
    permission,
    {
      field: boolean(`permissions.${permission}`, { hint: `permissions.${permission}_effect` }),
      device: 'boolean',
    },
  ]),
) as Record<Permission, Line>

/** The permissions of a user in one clinic; each hint describes the effect. */
export const permissionRecord = record('user_clinic_permissions', {
  user_id: { device: 'id' },
  clinic_id: { device: 'id' },
  ...held,
  created_by: { device: 'id?' },
  last_modified_by: { device: 'id?' },
})
