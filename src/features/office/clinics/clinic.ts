import * as z from 'zod'
import { number, select } from '~/fields/field'
import { clinicRecord } from '~/records/clinic'
import { departmentRecord } from '~/records/department'
import type { MessageKey } from '~/shared/language'

export const clinicColumns = {
  name: clinicRecord.fields.name,
  users: number('clinics.users'),
  departments: number('clinics.departments'),
}
/** An empty id has its own message. */
export const ClinicId = z.object({
  id: z.string('clinics.idRequired').min(1, 'clinics.idRequired').pipe(z.uuid('validation.id')),
})

export const CAPABILITY_SWITCHES = [
  'can_dispense_medications',
  'can_perform_labs',
  'can_perform_imaging',
] as const
export type SwitchableCapability = (typeof CAPABILITY_SWITCHES)[number]

export const SaveDepartment = departmentRecord.save.extend({ clinic_id: z.uuid('validation.id') })
export const DepartmentId = z.object({ id: z.uuid('validation.id') })

const DEPARTMENT_STATUSES = ['active', 'inactive', 'maintenance'] as const
export type DepartmentStatus = (typeof DEPARTMENT_STATUSES)[number]
export const departmentStatus = select(
  'departments.status',
  DEPARTMENT_STATUSES,
  (status): MessageKey => `departments.${status}`,
)

/** The statuses that a department can change to: one out of use must become active first. */
export const statusMoves = (from: DepartmentStatus): DepartmentStatus[] =>
  from === 'active' ? ['inactive', 'maintenance'] : ['active']

type Coded = { name: string; code: string | null }

/** The stored code in capitals, else the initials of the name; at most 4 characters. */
export function displayCode({ name, code }: Coded): string {
  const initials = name.split(/\s+/).map((word) => [...word][0] ?? '')
  return [...(code || initials.join('')).toUpperCase()].slice(0, 4).join('')
}

type Capable = Record<SwitchableCapability, boolean> & {
  additional_capabilities: readonly string[]
}

/**
 * A switch, by the column's name or by that of the capability: `can_perform_labs`, `perform_labs`.
 */
export const Switch = z.preprocess(
  (name) => (typeof name === 'string' ? name.replace(/^(?:can_)?/, 'can_') : name),
  z.enum(CAPABILITY_SWITCHES, 'validation.option'),
)

/**
 * 'dispense_medications', 'perform_labs' and 'perform_imaging' are the switches; any other name is
 * looked up in the list.
 */
export function hasCapability(department: Capable, capability: string): boolean {
  const name = CAPABILITY_SWITCHES.find((each) => each === `can_${capability}`)
  return name ? department[name] : department.additional_capabilities.includes(capability)
}
