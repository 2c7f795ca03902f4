import * as z from 'zod'
import { ListInput } from '~/shared/record'

export const STATUSES = ['pending', 'confirmed', 'checked_in', 'completed', 'cancelled'] as const
export type AppointmentStatus = (typeof STATUSES)[number]

const day = z.iso.date('validation.wrongType').optional()
const id = z.uuid('validation.id').optional()

/** `missed`: expected, and the day went by. */
export const LISTED_STATUSES = [...STATUSES, 'missed'] as const
/**
 * Without a day, `when` says which appointments; by default those that are not over, in their
 * order.
 */
export const WHENS = ['today', 'upcoming', 'past', 'all'] as const

/** Days are counted in the clinic's time zone, both ends included. */
export const AppointmentFilter = ListInput.pick({ search: true }).extend({
  clinicId: id,
  departmentId: id,
  providerId: id,
  status: z.enum(LISTED_STATUSES, 'validation.option').optional(),
  when: z.enum(WHENS, 'validation.option').optional(),
  from: day,
  to: day,
})
export type AppointmentFilter = z.output<typeof AppointmentFilter>

export const CALENDAR_VIEWS = ['day', 'week', 'month'] as const
export const COLUMNS_BY = ['provider', 'department'] as const

/** The list's address. A mangled one shows everything rather than an error. */
export const appointmentSearch = z.object({
  search: AppointmentFilter.shape.search.catch(undefined),
  clinicId: id.catch(undefined),
  departmentId: id.catch(undefined),
  providerId: id.catch(undefined),
  status: AppointmentFilter.shape.status.catch(undefined),
  when: AppointmentFilter.shape.when.catch(undefined),
  from: day.catch(undefined),
  to: day.catch(undefined),
  page: z.number().int().min(1).max(100_000).optional().catch(undefined),
})
export type AppointmentSearch = z.output<typeof appointmentSearch>

export const calendarSearch = z.object({
  view: z.enum(CALENDAR_VIEWS).optional().catch(undefined),
  by: z.enum(COLUMNS_BY).optional().catch(undefined),
  day: day.catch(undefined),
  clinicId: id.catch(undefined),
  providerId: id.catch(undefined),
  departmentId: id.catch(undefined),
})
