import pg from 'pg'
import { AppError, type ErrorCode, type Message } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { explainDiskFailure } from './disk.server'

/** Rules that the database keeps, by the name of the constraint, and what to tell the person who broke one. */
const rules: Record<string, { key: MessageKey; field?: string; code?: ErrorCode }> = {
  clinics_name_key: { key: 'clinics.nameTaken', field: 'name' },
  clinics_has_users: { key: 'clinics.hasUsers' },
  clinics_has_records: { key: 'clinics.hasRecords' },
  clinics_archived: { key: 'clinics.archivedReadOnly' },
  clinic_departments_name_key: { key: 'departments.nameTaken', field: 'name' },
  clinic_departments_status_move: { key: 'departments.statusMove', field: 'status' },
  clinic_departments_in_use: { key: 'departments.inUse' },
  clinic_departments_clinic_id_fkey: { key: 'clinics.notFound', code: 'not_found' },
  api_clients_user_key: { key: 'apiClients.userTaken', field: 'user_id' },
  api_clients_user_id_fkey: { key: 'users.notFound', field: 'user_id' },
  message_texts_unique: { key: 'messageTexts.newer' },
  messages_consent: { key: 'messages.noConsent' },
  messages_one_a_week: { key: 'messages.oneAWeek' },
  messages_hundred_a_day: { key: 'messages.hundredADay' },
  // the user was deleted while signing in
  sessions_user_deleted: { key: 'errors.unauthenticated', code: 'unauthenticated' },
  users_email_key: { key: 'users.emailTaken', field: 'email' },
  users_last_super_admin: { key: 'users.lastSuperAdmin', field: 'role' },
  users_role_rank: { key: 'users.roleAbove', code: 'forbidden' },
  credentials_must_change: { key: 'errors.forbidden', code: 'forbidden' },
  users_clinic_closed: { key: 'users.clinicClosed', field: 'clinic_id' },
  users_clinic_id_fkey: { key: 'clinics.notFound', field: 'clinic_id' },
  user_clinic_permissions_clinic_id_fkey: { key: 'clinics.notFound', code: 'not_found' },
  user_clinic_permissions_own: { key: 'permissions.own', code: 'forbidden' },
  user_clinic_permissions_clinic_closed: { key: 'users.clinicClosed' },
  user_clinic_permissions_user_id_fkey: { key: 'users.notFound', code: 'not_found' },
  patients_died_on_check: { key: 'patients.diedBeforeBirth', field: 'died_on' },
  patients_died_on_future: { key: 'validation.inFuture', field: 'died_on' },
  related_persons_self_check: { key: 'relatedPersons.self', field: 'related_patient_id' },
  related_persons_link_key: {
    key: 'relatedPersons.linkedAlready',
    field: 'related_patient_id',
  },
  prescription_sets_own_key: { key: 'prescriptionSets.nameTaken', field: 'name' },
  prescription_sets_clinic_key: { key: 'prescriptionSets.nameTaken', field: 'name' },
  prescriptions_patient_died: { key: 'patients.hasDied', field: 'patient_id' },
  appointments_patient_died: { key: 'patients.hasDied', field: 'patient_id' },
  visits_clinic_id_fkey: { key: 'clinics.notFound', field: 'clinic_id' },
  visits_provider_id_fkey: { key: 'users.notFound', field: 'provider_id' },
  imports_clinic_id_fkey: { key: 'clinics.notFound', field: 'clinic_id', code: 'not_found' },
  drug_catalogue_barcode_key: { key: 'drugs.barcodeTaken', field: 'barcode' },
  drug_catalogue_has_stock: { key: 'drugs.hasStock' },
  drug_catalogue_max_stock_level_check: { key: 'drugs.maxBelowMin', field: 'max_stock_level' },
  drug_batches_drug_id_batch_number_key: { key: 'batches.numberTaken', field: 'batch_number' },
  drug_batches_drug_id_fkey: { key: 'drugs.notFound', code: 'not_found' },
  drug_batches_manufacture_date_check: {
    key: 'batches.madeAfterExpiry',
    field: 'manufacture_date',
  },
  drug_batches_quarantined: { key: 'batches.isQuarantined' },
  drug_batches_expired: { key: 'batches.isExpired' },
  clinic_inventory_quantity_available_check: { key: 'inventory.notEnough', field: 'quantity' },
  clinic_inventory_held: { key: 'inventory.heldForOthers', field: 'quantity' },
  clinic_inventory_clinic_id_fkey: { key: 'clinics.notFound', code: 'not_found' },
  inventory_transactions_clinic_id_fkey: { key: 'clinics.notFound', code: 'not_found' },
  inventory_transactions_batch_id_fkey: { key: 'batches.notFound', code: 'not_found' },
  appointments_clinic_id_fkey: { key: 'clinics.notFound', field: 'clinic_id' },
  appointments_provider_id_fkey: { key: 'users.notFound', field: 'provider_id' },
  prescriptions_visit_id_fkey: { key: 'visits.notFound', field: 'visit_id' },
  patient_medicines_until_check: { key: 'medicines.untilBeforeSince', field: 'until' },
  report_definitions_code_unique: { key: 'reportDefinitions.codeTaken', field: 'body.code' },
  report_bindings_clinic_id_fkey: { key: 'clinics.notFound', field: 'clinic_id' },
  report_bindings_unique: { key: 'reportBindings.twice', field: 'concept' },
  // two people take the same entry back at once
  dispensing_records_reverses_id_key: { key: 'dispensing.alreadyReversed' },
  deletions_parent_deleted: { key: 'trash.parentDeleted' },
  deletions_taken_again: { key: 'documents.takenAgain' },
}

/** What broke no named rule, but can only come from the input. */
const outOfRange: Record<string, MessageKey> = {
  '22001': 'validation.tooLong',
  '22003': 'validation.wrongType',
  '22P05': 'validation.characters',
  '22021': 'validation.characters',
}

/** read_only_sql_transaction: the database is a standby that was not promoted yet, or was made read-only. */
const READ_ONLY = '25006'

/** Turns a rule of the database into the sentence beside the field, and a full disk into its own; other errors stay. */
export function explainDatabaseError(error: unknown): unknown {
  const ofDisk = explainDiskFailure(error)
  if (ofDisk) return ofDisk
  if (!(error instanceof pg.DatabaseError)) return error
  if (error.code === READ_ONLY) return new AppError('unavailable', { key: 'errors.readOnly' })
  const rule = rules[error.constraint ?? '']
  if (rule) {
    const text: Message = { key: rule.key }
    return new AppError(rule.code ?? 'conflict', text, rule.field ? { [rule.field]: text } : {})
  }
  const key = outOfRange[error.code ?? '']
  return key ? new AppError('invalid', { key }) : error
}
