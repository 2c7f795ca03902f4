import type { Transition } from '~/features/rules/transitions/transitions'

/** The tables whose rows are the day: a statement that writes one of them is a door. */
export const DAY_TABLES = [
  'appointments',
  'appointment_departments',
  'queue_tokens',
  'queue_days',
  'visits',
  'prescriptions',
] as const

type Door = readonly Transition[] | 'asSent' | 'noTransition'

/**
 * Every operation that writes a table of the day, and its transitions. `asSent`: the rows are stored as they come, and
 * what follows is what `followPhone` and `closeEarlier` make of them. `noTransition`: what it writes is no transition
 * (the medicines and the status of a prescription, the numbers that follow from a status, a merge that gives rows to
 * another patient, the functions that the doors call, the urgency of a patient who is here).
 */
export const OPERATION_DOORS: Record<string, Door> = {
  'appointments.save': ['book', 'move', 'arrive'],
  'appointments.move': ['move'],
  'appointments.setStatus': [
    'confirm',
    'unconfirm',
    'arrive',
    'takeBack',
    'finish',
    'resume',
    'cancel',
    'rebook',
  ],
  'appointments.cancelSeries': ['cancel'],
  'appointments.delete': ['remove'],
  'queue.checkIn': ['arrive', 'book'],
  'queue.callNext': ['call'],
  'queue.call': ['call'],
  'queue.passOver': ['passOver'],
  'queue.start': ['start'],
  'queue.finish': ['finish'],
  'queue.send': ['send'],
  'queue.leave': ['leave'],
  'queue.setUrgency': 'noTransition',
  // a triage form raises the urgency of its arrival
  'events.save': 'noTransition',
  'events.delete': 'noTransition',
  'visits.save': ['openVisit', 'closeVisit', 'reopenVisit'],
  'visits.close': ['closeVisit'],
  'visits.closeBefore': ['closeVisit'],
  'visits.reopen': ['reopenVisit'],
  'visits.delete': ['deleteVisit'],
  'trash.restore': ['restore', 'restoreVisit'],
  'patients.delete': ['remove', 'deleteVisit'],
  'patients.setDeath': ['die', 'undie', 'cancel'],
  'followups.call': ['book', 'die', 'cancel'],
  'users.delete': ['move'],
  'patients.deleteMany': ['remove', 'deleteVisit'],
  'patients.merge': 'noTransition',
  'dispensing.dispense': 'noTransition',
  'dispensing.reverse': 'noTransition',
  'prescriptions.save': 'noTransition',
  'reconciliations.decide': 'noTransition',
  'reconciliations.change': 'noTransition',
  'prescriptions.setStatus': 'noTransition',
  'prescriptions.delete': 'noTransition',
}

/** Statements that write a table of the day, by file of `src`; how many, so that a new one is noticed. */
export const STATEMENT_DOORS: Record<string, { statements: number; as: Door }> = {
  'sync/push/delete.server.ts': { statements: 1, as: 'asSent' },
  'sync/push/write.server.ts': { statements: 2, as: 'asSent' },
  'server/record.ts': { statements: 3, as: 'noTransition' },
  'features/people/patients/deletions/deletions.server.ts': {
    statements: 1,
    as: ['remove', 'deleteVisit'],
  },
  'features/people/patients/deletions/run.server.ts': {
    statements: 3,
    as: ['remove', 'deleteVisit'],
  },
  'features/exchange/imports/write.server.ts': { statements: 1, as: 'asSent' },
  'features/exchange/imports/hikma/clinics.server.ts': { statements: 1, as: 'noTransition' },
  'features/exchange/imports/hikma/missing.server.ts': { statements: 1, as: 'asSent' },
  'features/exchange/imports/hikma/place.server.ts': { statements: 5, as: 'asSent' },
  // an undo deletes, and the same file restores, only patients without visits or appointments
  'features/exchange/imports/patients-file/known-patients.server.ts': {
    statements: 1,
    as: 'noTransition',
  },
  'features/exchange/imports/undo/changes.server.ts': { statements: 1, as: 'noTransition' },
  'features/exchange/imports/undo/undo.server.ts': { statements: 2, as: 'noTransition' },
  // how the visit of an earlier day ended, which `visits.save` has closed, and from which file a record came
  'features/exchange/imports/care-files/visits-file.server.ts': {
    statements: 1,
    as: 'noTransition',
  },
  // lines of no visit: those that a document added, and of two records that are merged
  'db/schema/documents.sql': { statements: 3, as: 'noTransition' },
  // marks the row that an operation has saved
  'features/exchange/documents/documents.server.ts': { statements: 1, as: 'noTransition' },
  'features/exchange/imports/record-files/record-file.server.ts': {
    statements: 1,
    as: 'noTransition',
  },
  // users that an undo deleted come back without visits or appointments of theirs
  'features/exchange/imports/record-files/users-file.server.ts': {
    statements: 1,
    as: 'noTransition',
  },
  'features/office/trash/trash.server.ts': { statements: 1, as: ['restore', 'restoreVisit'] },
  'features/medicines/prescriptions/prescriptions.server.ts': { statements: 3, as: 'noTransition' },
  'features/medicines/prescriptions/stop-item.server.ts': { statements: 1, as: 'noTransition' },
  'features/medicines/prescriptions/status.server.ts': { statements: 1, as: 'noTransition' },
  'features/rules/transitions/day.server.ts': {
    statements: 15,
    as: [
      'arrive',
      'takeBack',
      'finish',
      'resume',
      'cancel',
      'leave',
      'remove',
      'restore',
      'closeVisit',
      'reopenVisit',
      'restoreVisit',
    ],
  },
  'features/day/queue/turns.server.ts': {
    statements: 4,
    as: ['call', 'passOver', 'start', 'finish', 'send'],
  },
  'features/day/appointments/booking.server.ts': {
    statements: 5,
    as: ['book', 'move', 'cancel', 'remove'],
  },
  'features/day/appointments/status.server.ts': {
    statements: 1,
    as: ['confirm', 'unconfirm', 'arrive', 'finish', 'cancel', 'rebook'],
  },
  'features/record/visits/visits.server.ts': {
    statements: 3,
    as: ['openVisit', 'closeVisit', 'deleteVisit'],
  },
  'db/schema/appointments.sql': { statements: 7, as: 'noTransition' },
  'db/schema/audit.sql': { statements: 1, as: 'noTransition' },
  'db/schema/deletions.sql': {
    statements: 17,
    as: ['remove', 'restore', 'deleteVisit', 'restoreVisit'],
  },
  'db/schema/merges.sql': { statements: 5, as: 'noTransition' },
  'db/schema/prescriptions.sql': { statements: 1, as: 'noTransition' },
  'db/schema/trail.sql': { statements: 1, as: 'noTransition' },
}

/** The tables that phones write. */
export const PHONE_DOORS: Record<string, Door> = {
  appointments: [
    'book',
    'confirm',
    'move',
    'arrive',
    'takeBack',
    'finish',
    'resume',
    'cancel',
    'rebook',
    'remove',
  ],
  visits: ['openVisit', 'deleteVisit'],
  prescriptions: 'asSent',
}

/** The FHIR resources that programs write: each calls the operations above. */
export const FHIR_DOORS: Record<string, Door> = {
  Appointment: [
    'book',
    'confirm',
    'unconfirm',
    'move',
    'arrive',
    'takeBack',
    'finish',
    'resume',
    'cancel',
    'rebook',
  ],
  Encounter: ['openVisit', 'closeVisit', 'reopenVisit'],
}
