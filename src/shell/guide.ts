/** The page of the guide for each area, by the beginning of its address. */
export const GUIDES: Readonly<Record<string, string>> = {
  '/app': 'first-day',
  '/app/patients': 'patients',
  '/app/patients/seen': 'audit',
  '/app/patients/customize-registration-form': 'forms',
  '/app/appointments': 'appointments',
  '/app/queue': 'appointments',
  '/app/follow-up': 'follow-up',
  '/app/referrals': 'patients',
  '/app/registers': 'patients',
  '/app/visits': 'patients',
  '/app/prescriptions': 'prescriptions',
  '/app/dispensing': 'prescriptions',
  '/app/inventory': 'stock',
  '/app/event-forms': 'forms',
  '/app/data': 'answers',
  '/app/reports': 'reports',
  '/app/events': 'answers',
  '/app/users': 'people',
  '/app/users/manage-permissions': 'roles',
  '/app/account': 'people',
  '/app/settings/configurations': 'settings',
  '/app/settings/register-mobile-app': 'phones',
  '/app/settings/phones': 'phones',
  '/app/settings/quarantine': 'phones',
  '/app/settings/conflicts': 'phones',
  '/app/settings/imports': 'import',
  '/app/settings/rules': 'prescriptions',
  '/app/settings/dhis2': 'reports',
  '/app/settings/gateway': 'follow-up',
  '/app/settings/api-clients': 'fhir',
  '/app/settings/backups': 'backup',
  '/app/audit': 'audit',
}

/** The page that helps with this screen: that of the longest address it begins with. */
export function guideFor(pathname: string): string | undefined {
  const inside = (path: string) => `${pathname}/`.replace('//', '/').startsWith(`${path}/`)
  const [nearest] = Object.keys(GUIDES)
    .filter(inside)
    .toSorted((a, b) => b.length - a.length)
  return nearest && GUIDES[nearest]
}
