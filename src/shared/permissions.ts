import { keysIn } from './object'
/**
 * Roles, capabilities and permissions per clinic: docs/specification.md, "Roles and permissions",
 * and docs/rules.md, "Who may do what".
 */
export const ROLES = ['registrar', 'provider', 'admin', 'super_admin'] as const
export type Role = (typeof ROLES)[number]

const verbs = ['create', 'read', 'update', 'delete'] as const
type Verb = (typeof verbs)[number]
export type Capability =
  | `${Verb}_${'user' | 'patient' | 'all-patient' | 'clinic' | 'report'}`
  | 'manage_system'
  | 'view_analytics'
  | 'manage_permissions'

/** What a role may do wherever it has the permission; `admin` and `super_admin` hold all. */
const capabilities: Record<'registrar' | 'provider', readonly Capability[]> = {
  registrar: ['create_patient', 'read_patient', 'update_patient', 'read_clinic'],
  provider: [
    'read_user',
    'create_patient',
    'read_patient',
    'update_patient',
    'delete_patient',
    'create_report',
    'read_report',
    'update_report',
  ],
}

export const roleHas = (role: Role, capability: Capability) =>
  role === 'admin' || role === 'super_admin' || capabilities[role].includes(capability)

/** Higher may change lower, never the other way round. */
export const roleRank = (role: Role) => ROLES.indexOf(role)

export const PERMISSIONS = [
  'can_register_patients',
  'can_view_history',
  'can_edit_records',
  'can_delete_records',
  'is_clinic_admin',
  'can_edit_other_provider_event',
  'can_download_patient_reports',
  'can_prescribe_medications',
  'can_dispense_medications',
  'can_delete_patient_visits',
  'can_delete_patient_records',
  'can_manage_stock',
] as const
export type Permission = (typeof PERMISSIONS)[number]

/** The permissions of care for patients; a provider with none of them has no emergency access. */
export const CLINICAL = [
  'can_view_history',
  'can_edit_records',
  'can_prescribe_medications',
  'can_dispense_medications',
] as const satisfies readonly Permission[]

/** The permissions of work with medicines and stock; any permission is enough to look them up. */
export const STOCK_WORK = [
  'can_edit_records',
  'can_prescribe_medications',
  'can_dispense_medications',
  'can_manage_stock',
  'is_clinic_admin',
] as const satisfies readonly Permission[]

const defaults: Record<'registrar' | 'provider', readonly Permission[]> = {
  registrar: ['can_register_patients'],
  provider: [
    'can_register_patients',
    'can_view_history',
    'can_edit_records',
    'can_download_patient_reports',
    'can_prescribe_medications',
  ],
}

/** What a user of this role may do in a clinic at first, until a super_admin changes it. */
export const defaultPermissions = (role: Role): readonly Permission[] =>
  role === 'admin' || role === 'super_admin' ? PERMISSIONS : defaults[role]

/**
 * Sets of permissions for usual jobs, offered where the permissions of a user are set. They change no role, and nothing
 * remembers which one was chosen.
 */
export const PRESETS = {
  registrar: ['can_register_patients'],
  nurse: ['can_register_patients', 'can_view_history', 'can_edit_records'],
  pharmacist: ['can_dispense_medications', 'can_manage_stock'],
  administrator: PERMISSIONS,
} as const satisfies Record<string, readonly Permission[]>
export type Preset = keyof typeof PRESETS
export const PRESET_NAMES = keysIn(PRESETS) as [Preset, ...Preset[]]
