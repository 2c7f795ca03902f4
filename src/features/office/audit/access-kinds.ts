/** The kinds of access that screens and filters name, with the operations of each. */
export const OPERATIONS_OF = {
  record: [
    'patients.get',
    'patients.rights',
    'patients.card',
    'photos.get',
    'openings.ofPatient',
    'consents.ofPatient',
    'timeline.list',
    'safety.unseen',
    'rpc.get_patient',
  ],
  visits: ['visits.list', 'visits.open', 'visits.get', 'rpc.get_visits'],
  vitals: ['vitals.list', 'vitals.latest', 'vitals.trend', 'vitals.growth', 'rpc.vitals.list'],
  problems: ['problems.list', 'problems.get', 'rpc.problems.list', 'rpc.problems.get'],
  safety: ['allergies.list', 'pregnancies.list', 'medicines.list'],
  referrals: ['referrals.ofPatient', 'referrals.get'],
  immunizations: ['immunizations.ofPatient'],
  followUp: ['programs.ofPatient', 'followups.list', 'followups.ofPatient', 'followups.called'],
  events: [
    'events.list',
    'events.get',
    'events.new',
    'events.snapshots',
    'events.history',
    'events.checkMedicines',
    'eventFiles.get',
    'rpc.get_visit_events',
    'rpc.events.by_form',
  ],
  answers: ['events.byForm'],
  prescriptions: [
    'prescriptions.list',
    'prescriptions.details',
    'prescriptions.get',
    'prescriptions.check',
  ],
  dispensing: ['dispensing.queue', 'dispensing.get', 'dispensing.records'],
  appointments: [
    'appointments.list',
    'appointments.search',
    'appointments.get',
    'appointments.byPatient',
    'appointments.next',
    'appointments.calendar',
    'appointments.month',
    'appointments.overlaps',
  ],
  queue: ['queue.list', 'summary.day'],
  list: [
    'patients.list',
    'referrals.list',
    'registers.day',
    'registers.program',
    'rpc.get_patients',
  ],
  reports: ['reports.drill'],
  search: ['patients.search', 'rpc.search_patients'],
  duplicates: [
    'patients.duplicates',
    'patients.mergePreview',
    'patients.merges',
    'imports.doubtful',
  ],
  emergencySearch: ['emergencies.lookUp'],
  phone: ['sync.pull'],
  fhir: ['fhir.everything', 'fhir.export', 'fhir.read', 'fhir.search', 'fhir.summary'],
  export: [
    'patients.export',
    'appointments.export',
    'prescriptions.export',
    'immunizations.export',
    'events.export',
    'audit.export',
    'audit.exportAccesses',
  ],
  print: ['prints.record'],
  reviews: [
    'emergencies.list',
    'openings.list',
    'safety.overrides',
    'conflicts.list',
    'quarantine.list',
    'quarantine.get',
    'trash.list',
  ],
  trail: ['audit.list', 'audit.accesses', 'patients.accesses'],
} as const satisfies Record<string, readonly string[]>

export type AccessKind = keyof typeof OPERATIONS_OF
export const ACCESS_KINDS = Object.keys(OPERATIONS_OF) as [AccessKind, ...AccessKind[]]

const kinds = new Map<string, AccessKind>(
  ACCESS_KINDS.flatMap((kind) => OPERATIONS_OF[kind].map((name) => [name, kind] as const)),
)
/** Undefined for writes, which are logged only if they were refused. */
export const accessKind = (operation: string) => kinds.get(operation)
