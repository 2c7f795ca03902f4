import { keysIn } from '~/shared/object'
import { seeAppointments } from '~/policy/rules'
import { type Actor, can, isAdmin, mayAnywhere } from '~/shared/actor'
import { PERMISSIONS, STOCK_WORK } from '~/shared/permissions'

/** Stock counts as expiring this many days before. */
export const DASHBOARD_EXPIRING_DAYS = 90
/** How far back the chart of days goes, today included. */
export const TREND_DAYS = 30
/** How many of a list the dashboard shows; the number beside it counts all. */
export const SHOWN = 5

/** Which user gets which part of the dashboard; each part is limited to the user's clinics. */
export const seesNumbers = (actor: Actor) => mayAnywhere(actor, ...PERMISSIONS)
export const seesDay = (actor: Actor) => mayAnywhere(actor, ...seeAppointments)
export const seesStock = (actor: Actor) => mayAnywhere(actor, ...PERMISSIONS)
/**
 * Stock is on the first screen of users who treat, dispense or run a clinic; others may still open
 * it.
 */
export const worksWithStock = (actor: Actor) => mayAnywhere(actor, ...STOCK_WORK)
export const seesTrends = (actor: Actor) => can(actor, 'view_analytics')
export const looksAfterAll = isAdmin

/**
 * The first steps of a new clinic, each with its screen, as docs/guide/first-day.md lists them. Staff and forms come
 * before the phones that use them.
 */
export const FIRST_STEPS = {
  organization: '/app/settings/configurations',
  departments: '/app/clinics',
  staff: '/app/users',
  registrationForm: '/app/patients/customize-registration-form',
  eventForms: '/app/event-forms',
  drugs: '/app/inventory/drug-catalogue',
  patients: '/app/settings/imports',
  phones: '/app/settings/register-mobile-app',
  backup: '/app/settings/backups',
} as const
export type FirstStep = keyof typeof FIRST_STEPS
export const FIRST_STEP_NAMES = keysIn(FIRST_STEPS)
/** Only a super_admin can tick these. */
export const OF_SUPER_ADMIN: readonly FirstStep[] = ['organization', 'phones']

export const CHECKLIST = 'first-day'
