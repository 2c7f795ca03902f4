import type { QueryName } from '~/client/api'
import { oneOfOptions, page, defineSearch } from '~/shared/search-params'

/** In the order of how often they are looked at: the last ones are in a menu. */
const TABS = [
  'overview',
  'visits',
  'vitals',
  'problems',
  'prescriptions',
  'immunizations',
  'growth',
  'allergies',
  'referrals',
  'appointments',
  'timeline',
  'details',
] as const
export type Tab = (typeof TABS)[number]

/** What the page can show of a record, and the operation that answers it. */
export const PARTS = {
  open: 'visits.open',
  waits: 'queue.ofPatient',
  hidden: 'openings.ofPatient',
  unseen: 'safety.unseen',
  allergies: 'allergies.list',
  pregnancies: 'pregnancies.list',
  latest: 'vitals.latest',
  next: 'appointments.next',
  programs: 'programs.ofPatient',
  followUps: 'followups.ofPatient',
  snapshots: 'events.snapshots',
  currentMedicines: 'medicines.current',
  visits: 'visits.list',
  vitals: 'vitals.list',
  trend: 'vitals.trend',
  growth: 'vitals.growth',
  problems: 'problems.list',
  prescriptions: 'prescriptions.details',
  medicines: 'medicines.list',
  immunizations: 'immunizations.ofPatient',
  immunizationPlan: 'immunizations.plan',
  referrals: 'referrals.ofPatient',
  appointments: 'appointments.byPatient',
  timeline: 'timeline.list',
  form: 'registrationForm.get',
  relatedPersons: 'relatedPersons.ofPatient',
  consents: 'consents.ofPatient',
  messages: 'messages.ofPatient',
} as const satisfies Record<string, QueryName>
export type TimelinePart = keyof typeof PARTS

/** The parts above the tabs, to those who see the history. */
export const ABOVE: readonly TimelinePart[] = [
  'open',
  'hidden',
  'unseen',
  'allergies',
  'pregnancies',
]

export const PARTS_OF: Record<Tab, readonly TimelinePart[]> = {
  overview: [
    'latest',
    'next',
    'problems',
    'visits',
    'programs',
    'followUps',
    'snapshots',
    'currentMedicines',
  ],
  visits: ['visits'],
  vitals: ['vitals', 'trend'],
  growth: ['growth'],
  problems: ['problems'],
  prescriptions: ['prescriptions', 'medicines'],
  allergies: ['allergies'],
  immunizations: ['immunizationPlan', 'immunizations'],
  referrals: ['referrals'],
  appointments: ['appointments'],
  timeline: ['timeline'],
  details: ['form', 'relatedPersons', 'consents', 'messages'],
}

/** What of a patient's page the address says; a mangled one shows the overview. */
export const patientPageSearch = defineSearch({ tab: oneOfOptions(TABS), page })

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
