import {
  day,
  flag,
  id,
  matchingPattern,
  oneOfOptions,
  page,
  type RouteSearch,
  defineSearch,
  trimmed,
} from '~/shared/search-params'
import { APPOINTMENT_STATUSES } from '~/features/rules/transitions/transitions'

/** `missed`: expected, and the day went by. */
export const LISTED_STATUSES = [...APPOINTMENT_STATUSES, 'missed'] as const
/**
 * Without a day, `when` says which appointments; by default those that are not over, in their
 * order.
 */
export const WHENS = ['today', 'upcoming', 'past', 'all'] as const

export const CALENDAR_VIEWS = ['day', 'week', 'month'] as const
export const COLUMNS_BY = ['provider', 'department'] as const

/** The list's address. A mangled one shows everything rather than an error. */
export const appointmentSearch = defineSearch({
  search: trimmed(200),
  clinicId: id,
  departmentId: id,
  providerId: id,
  status: oneOfOptions(LISTED_STATUSES),
  when: oneOfOptions(WHENS),
  from: day,
  to: day,
  page,
})
export type AppointmentSearch = RouteSearch<typeof appointmentSearch>

export const calendarSearch = defineSearch({
  view: oneOfOptions(CALENDAR_VIEWS),
  by: oneOfOptions(COLUMNS_BY),
  day,
  clinicId: id,
  providerId: id,
  departmentId: id,
})

export const appointmentEditSearch = defineSearch({
  patientId: id,
  clinicId: id,
  providerId: id,
  /** As the clinic's clock shows it: where the calendar was pressed. */
  at: matchingPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/),
  walkIn: flag,
})
