import { oneOf, page, searchOf } from '~/shared/search-params'

const TABS = [
  'overview',
  'visits',
  'vitals',
  'growth',
  'problems',
  'prescriptions',
  'allergies',
  'immunizations',
  'referrals',
  'appointments',
  'timeline',
  'details',
] as const
export type Tab = (typeof TABS)[number]

/** What of a patient's page the address says; a mangled one shows the overview. */
export const patientSearch = searchOf({ tab: oneOf(TABS), page })

/** A growth chart ends at 19 years. */
const GROWN_UP_MONTHS = 19 * 12

/** The parts that this viewer has of this patient; who runs the desk sees the appointments without the history. */
export const tabsFor = (
  months: number | null,
  sees: { history: boolean; appointments: boolean },
): readonly Tab[] => {
  if (!sees.history) return sees.appointments ? ['details', 'appointments'] : ['details']
  return TABS.filter((tab) => tab !== 'growth' || (months !== null && months < GROWN_UP_MONTHS))
}
