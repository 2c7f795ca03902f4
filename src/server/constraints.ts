import pg from 'pg'
import { AppError, type ErrorCode, type Message } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'

/** Rules that the database keeps, by the name of the constraint, and what to tell the person who broke one. */
const rules: Record<string, { key: MessageKey; field?: string; code?: ErrorCode }> = {
  clinics_name_key: { key: 'clinics.nameTaken', field: 'name' },
  clinics_has_users: { key: 'clinics.hasUsers' },
  clinics_has_records: { key: 'clinics.hasRecords' },
  clinics_archived: { key: 'clinics.archivedReadOnly' },
  clinic_departments_name_key: { key: 'departments.nameTaken', field: 'name' },
  clinic_departments_status_move: { key: 'departments.statusMove', field: 'status' },
  clinic_departments_clinic_id_fkey: { key: 'clinics.notFound', code: 'not_found' },
  // somebody was deleted while he was signing in
  sessions_user_deleted: { key: 'errors.unauthenticated', code: 'unauthenticated' },
  users_email_key: { key: 'users.emailTaken', field: 'email' },
  users_last_super_admin: { key: 'users.lastSuperAdmin', field: 'role' },
  users_role_rank: { key: 'users.roleAbove', code: 'forbidden' },
  users_clinic_closed: { key: 'users.clinicClosed', field: 'clinic_id' },
  users_clinic_id_fkey: { key: 'clinics.notFound', field: 'clinic_id' },
  user_clinic_permissions_clinic_id_fkey: { key: 'clinics.notFound', code: 'not_found' },
  user_clinic_permissions_own: { key: 'permissions.own', code: 'forbidden' },
  user_clinic_permissions_clinic_closed: { key: 'users.clinicClosed' },
  user_clinic_permissions_user_id_fkey: { key: 'users.notFound', code: 'not_found' },
  visits_clinic_id_fkey: { key: 'clinics.notFound', field: 'clinic_id' },
  visits_provider_id_fkey: { key: 'users.notFound', field: 'provider_id' },
  imports_clinic_id_fkey: { key: 'clinics.notFound', field: 'clinic_id', code: 'not_found' },
  deletions_parent_deleted: { key: 'trash.parentDeleted' },
}

/** What broke no named rule, but can only come from the input. */
const outOfRange: Record<string, MessageKey> = {
  '22001': 'validation.tooLong',
  '22003': 'validation.wrongType',
  '22P05': 'validation.characters',
  '22021': 'validation.characters',
}

/** Turns a rule of the database into the sentence beside the field; everything else stays what it was. */
export function explain(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error
  const rule = rules[error.constraint ?? '']
  if (rule) {
    const text: Message = { key: rule.key }
    return new AppError(rule.code ?? 'conflict', text, rule.field ? { [rule.field]: text } : {})
  }
  const key = outOfRange[error.code ?? '']
  return key ? new AppError('invalid', { key }) : error
}
