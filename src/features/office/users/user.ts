import * as z from 'zod'
import { optional, password } from '~/fields/field'
import { permissionRecord } from '~/records/permission'
import { userRecord } from '~/records/user'
import { asFile } from '~/shared/list-file'
import { PERMISSIONS, PRESET_NAMES } from '~/shared/permissions'
import { ListInput, Saved } from '~/shared/record'
import { SORTABLE } from './user-search'

const newPassword = optional(password('users.password', { hint: 'users.passwordHint' }))
/** The first password can also be set later. */
export const newUserFields = { ...userRecord.fields, password: newPassword }

export const SaveUser = userRecord.save.extend({
  password: newPassword.schema,
  /** Of a user who moves to another clinic, in the clinic that they leave; removed without it. */
  keep_permissions: z.boolean('validation.wrongType').nullish(),
  /** Sets the permissions in each clinic to those of the new role; without it they stay. */
  role_permissions: z.boolean('validation.wrongType').nullish(),
  /** Of a new user, in the clinic: the permissions of this job instead of those of the role. */
  preset: z.enum(PRESET_NAMES, 'validation.option').nullish(),
})
export const UserId = z.object({ id: z.uuid('validation.id') })
/** Whether a part of the URL can be an id. */
export const isUserId = (text: unknown): text is string => UserId.shape.id.safeParse(text).success
export const ResetPassword = UserId.extend({ password: newPassword.schema })

const ClinicFilter = z.uuid('validation.id').optional()
const RoleFilter = userRecord.fields.role.schema.optional()

const UserFilter = ListInput.pick({ search: true }).extend({
  role: RoleFilter,
  clinicId: ClinicFilter,
})
export type UserFilter = z.output<typeof UserFilter>
export const ExportUsers = UserFilter.extend(asFile)
export type ExportUsers = z.output<typeof ExportUsers>

export const ListUsers = ListInput.extend({
  role: RoleFilter,
  clinicId: ClinicFilter,
  sort: z.enum(SORTABLE, 'validation.option').optional(),
  direction: z.enum(['asc', 'desc'], 'validation.option').optional(),
})
export const ListNames = z
  .object({
    search: ListInput.shape.search,
    role: RoleFilter,
    clinicId: ClinicFilter,
    /**
     * Only users who hold it in that clinic or, without a clinic, anywhere. Administrators hold
     * all.
     */
    permission: z.enum(PERMISSIONS, 'validation.option').optional(),
    limit: z
      .number('validation.wrongType')
      .int('validation.wrongType')
      .min(1, 'validation.tooSmall')
      .max(1000, 'validation.tooLarge')
      .default(1000),
  })
  .prefault({})

export const ClinicsWhere = z.object({
  userId: z.uuid('validation.id'),
  permission: z.enum(PERMISSIONS, 'validation.option'),
})

export const PermissionsOf = z.object({ userId: z.uuid('validation.id') })
export const InClinic = PermissionsOf.extend({ clinicId: z.uuid('validation.id') })
/** A permission that is newer than the programs which save them keeps its value where a save omits it. */
export const SavePermissions = InClinic.extend({ last_modified: Saved.shape.last_modified }).extend(
  permissionRecord.save.omit({ id: true, last_modified: true }).shape,
)
