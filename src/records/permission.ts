import type * as z from 'zod'
import { boolean, type Field } from '~/fields/field'
import { type Permission, PERMISSIONS } from '~/shared/permissions'
import { record } from './record'

/** Newer than the phones' schema, and than programs that save permissions. */
const SERVER_ONLY = 'can_manage_stock'

const permissionField = (permission: Permission) =>
  boolean(`permissions.${permission}`, { hint: `permissions.${permission}_effect` })

type Line = { field: Field<z.ZodBoolean>; device: 'boolean' }
type KnownToPhones = Exclude<Permission, typeof SERVER_ONLY>
const held = Object.fromEntries(
  PERMISSIONS.filter((permission) => permission !== SERVER_ONLY).map((permission) => [
    permission,
    { field: permissionField(permission), device: 'boolean' },
  ]),
) as Record<KnownToPhones, Line>

/** The permissions of a user in one clinic; each hint describes the effect. */
export const permissionRecord = record('user_clinic_permissions', {
  user_id: { device: 'id' },
  clinic_id: { device: 'id' },
  ...held,
  created_by: { device: 'id?' },
  last_modified_by: { device: 'id?' },
  can_manage_stock: { field: permissionField(SERVER_ONLY), keptIfAbsent: true },
})
