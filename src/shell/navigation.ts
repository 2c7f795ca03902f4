import {
  IconAdjustments,
  IconApi,
  IconArrowForwardUp,
  IconBuildingHospital,
  IconCalendarEvent,
  IconChartBar,
  IconClipboardList,
  IconDatabaseExport,
  IconDeviceMobile,
  IconDeviceMobileMessage,
  IconEye,
  IconForms,
  IconHistory,
  IconLayoutDashboard,
  IconMedicineSyrup,
  IconListNumbers,
  IconPackages,
  IconPhoneCall,
  IconPill,
  IconPrescription,
  IconReportAnalytics,
  IconShieldCheck,
  IconTable,
  IconTableImport,
  IconTrash,
  IconUserPlus,
  IconUsers,
  IconUsersGroup,
  type TablerIcon,
} from '@tabler/icons-react'
import { mayCountSomewhere } from '~/features/reports/runs/rights'
import { knowPatient } from '~/policy/rules'
import { type Actor, can, isAdmin, isSuperAdmin, mayAnywhere } from '~/shared/actor'
import type { MessageKey } from '~/shared/language'
import { PERMISSIONS, STOCK_WORK } from '~/shared/permissions'

export type Screen = {
  path: string
  label: MessageKey
  icon: TablerIcon
  /** Screens that stand beside it, as its tabs. */
  tabs?: readonly string[]
  /** Whether it is offered. What may be done there is decided by the operations, not here. */
  isFor: (actor: Actor) => boolean
}
type Area = { label: MessageKey | null; screens: readonly Screen[] }

const everyone = () => true
const seesPatients = (actor: Actor) => mayAnywhere(actor, ...knowPatient.permissions)
const dispensesOrPrescribes = (actor: Actor) =>
  mayAnywhere(actor, 'can_view_history', 'can_prescribe_medications', 'can_dispense_medications')
const worksInAClinic = (actor: Actor) => mayAnywhere(actor, ...PERMISSIONS)
const worksWithStock = (actor: Actor) => mayAnywhere(actor, ...STOCK_WORK)
const runsAClinic = (actor: Actor) => mayAnywhere(actor, 'is_clinic_admin')

/** Every area of the product, in the order of the menu. A new one is a line here; the menu and the palette read it. */
const areas: readonly Area[] = [
  {
    label: null,
    screens: [{ path: '/app', label: 'nav.dashboard', icon: IconLayoutDashboard, isFor: everyone }],
  },
  {
    label: 'nav.care',
    screens: [
      { path: '/app/patients', label: 'nav.patients', icon: IconUsersGroup, isFor: seesPatients },
      {
        path: '/app/patients/register',
        label: 'nav.registerPatient',
        icon: IconUserPlus,
        isFor: (actor) =>
          can(actor, 'create_patient') && mayAnywhere(actor, 'can_register_patients'),
      },
      {
        path: '/app/appointments',
        label: 'nav.appointments',
        icon: IconCalendarEvent,
        isFor: seesPatients,
      },
      {
        path: '/app/follow-up',
        label: 'nav.followUp',
        icon: IconPhoneCall,
        isFor: seesPatients,
      },
      { path: '/app/queue', label: 'nav.queue', icon: IconListNumbers, isFor: seesPatients },
      {
        path: '/app/referrals',
        label: 'nav.referrals',
        icon: IconArrowForwardUp,
        isFor: (actor) => mayAnywhere(actor, 'can_view_history'),
      },
      {
        path: '/app/registers',
        label: 'paper.registers',
        icon: IconTable,
        isFor: (actor) => mayAnywhere(actor, 'can_view_history'),
      },
      {
        path: '/app/prescriptions',
        label: 'nav.prescriptions',
        icon: IconPrescription,
        isFor: dispensesOrPrescribes,
      },
      {
        path: '/app/dispensing',
        label: 'dispensing.title',
        icon: IconMedicineSyrup,
        isFor: (actor) => mayAnywhere(actor, 'can_dispense_medications'),
      },
    ],
  },
  {
    label: 'nav.inventory',
    screens: [
      {
        path: '/app/inventory/drug-catalogue',
        label: 'nav.drugCatalogue',
        icon: IconPill,
        isFor: worksWithStock,
      },
      {
        path: '/app/inventory/clinic-inventory',
        label: 'nav.clinicInventory',
        icon: IconPackages,
        isFor: worksWithStock,
      },
    ],
  },
  {
    label: 'nav.forms',
    screens: [
      {
        path: '/app/patients/customize-registration-form',
        label: 'nav.registrationForm',
        icon: IconForms,
        isFor: isAdmin,
      },
      {
        path: '/app/event-forms',
        label: 'nav.eventForms',
        icon: IconClipboardList,
        isFor: runsAClinic,
      },
      {
        path: '/app/data/events',
        label: 'nav.eventData',
        icon: IconChartBar,
        isFor: (actor) => mayAnywhere(actor, 'can_view_history'),
      },
      {
        path: '/app/reports',
        label: 'nav.reports',
        icon: IconReportAnalytics,
        isFor: mayCountSomewhere,
      },
    ],
  },
  {
    label: 'nav.administration',
    screens: [
      {
        path: '/app/clinics',
        label: 'nav.clinics',
        icon: IconBuildingHospital,
        isFor: (actor) =>
          runsAClinic(actor) || (can(actor, 'read_clinic') && worksInAClinic(actor)),
      },
      {
        path: '/app/users',
        label: 'nav.users',
        icon: IconUsers,
        isFor: (actor) => can(actor, 'read_user') || runsAClinic(actor),
      },
      {
        path: '/app/settings/configurations',
        label: 'nav.configurations',
        icon: IconAdjustments,
        isFor: isSuperAdmin,
      },
      {
        path: '/app/settings/register-mobile-app',
        label: 'nav.registerMobileApp',
        icon: IconDeviceMobile,
        isFor: isSuperAdmin,
      },
      {
        path: '/app/settings/phones',
        label: 'devices.title',
        icon: IconDeviceMobileMessage,
        isFor: runsAClinic,
        tabs: ['/app/settings/quarantine', '/app/settings/conflicts'],
      },
      {
        path: '/app/settings/rules',
        label: 'safety.rules.title',
        icon: IconShieldCheck,
        isFor: isAdmin,
      },
      {
        path: '/app/settings/imports',
        label: 'nav.imports',
        icon: IconTableImport,
        isFor: isAdmin,
      },
      {
        path: '/app/settings/api-clients',
        label: 'apiClients.title',
        icon: IconApi,
        isFor: isAdmin,
      },
      {
        path: '/app/settings/backups',
        label: 'nav.backups',
        icon: IconDatabaseExport,
        isFor: isAdmin,
      },
      {
        path: '/app/patients/access',
        label: 'nav.sharing',
        icon: IconEye,
        isFor: runsAClinic,
      },
      { path: '/app/trash', label: 'nav.trash', icon: IconTrash, isFor: isAdmin },
      { path: '/app/audit', label: 'nav.audit', icon: IconHistory, isFor: isAdmin },
    ],
  },
]

/** What this person's menu shows; an area of which nothing is left is left out. */
export const areasFor = (actor: Actor): Area[] =>
  areas
    .map(({ label, screens }) => ({
      label,
      screens: screens.filter((screen) => screen.isFor(actor)),
    }))
    .filter(({ screens }) => screens.length > 0)

/** The menu's entry for an address: the longest path that it starts with. */
export function screenAt(pathname: string): Screen | undefined {
  const inside = (path: string) =>
    path === '/app' ? /^\/app\/?$/.test(pathname) : `${pathname}/`.startsWith(`${path}/`)
  return areas
    .flatMap(({ screens }) => screens)
    .filter(({ path, tabs = [] }) => [path, ...tabs].some(inside))
    .toSorted((a, b) => b.path.length - a.path.length)[0]
}
