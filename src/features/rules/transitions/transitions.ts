export const APPOINTMENT_STATUSES = [
  'pending',
  'confirmed',
  'checked_in',
  'completed',
  'cancelled',
] as const
export type AppointmentStatus = (typeof APPOINTMENT_STATUSES)[number]

/** What becomes of the appointment's places in the queue. */
export const QUEUE_EFFECTS = {
  stays: 'stays as it is',
  gets: 'gets the next number of the day; the first department that was not visited waits, else the last one',
  waits: 'keeps its number; the first department that was not visited waits, else the last one',
  leaves: 'leaves: no department waits any more',
  returns: 'leaves: the departments are as booked',
  steps: 'the step of one department changes',
} as const

/** What becomes of the visit. Other numbers: appointments that are checked in to the same visit. */
export const VISIT_EFFECTS = {
  stays: 'stays as it is',
  joins:
    "is today's open one in the clinic, or a new one; those of earlier days are closed as of their last entry",
  closes:
    'is closed, unless another number of it is still here; on a later day as of its last entry',
  ends: 'goes to the trash without records, else is closed; neither if another number of it is here',
  undoes:
    'goes to the trash without records, else stays open; neither if another number of it is here',
  reopens:
    'is open again, or the patient’s other open one of its day in its place; a new one if it was deleted',
  restoredOpen:
    'is open again, or the patient’s other open one of its day in its place; a new one if it was deleted; ' +
    'is closed as of its last entry if one of a later day is open',
  opensAgain: 'is open again; refused while another one of its day is open',
  opens: 'is opened; open visits of earlier days there are closed as of their last entry',
  closed: 'is closed',
  deleted: 'goes to the trash',
  restored: 'is restored, and closed as of its last entry if another one has been opened since',
} as const

export const APPOINTMENT_EFFECTS = {
  stays: 'stays as it is',
  pending: 'pending',
  confirmed: 'confirmed',
  checked_in: 'checked in',
  completed: 'completed',
  cancelled: 'cancelled',
  booked: 'pending or confirmed',
  deleted: 'goes to the trash',
  restored: 'is restored with its status',
  moved: 'has another time or provider; only while it is pending or confirmed',
  finished: 'those that are checked in to the visit are completed',
  resumed: 'those that the closing completed are checked in again',
  unlinked: 'loses the link to the visit',
  missed: 'is listed as missed; its status stays',
  asked:
    'those to come stay, or are cancelled if the user answers so; one that is checked in stays',
} as const

export const PRESCRIPTION_EFFECTS = {
  stays: 'stays as it is',
  unlinked: 'loses the link to the visit',
  linked: 'has the link to the visit again',
  undispensable: 'stays; nothing more can be dispensed',
  dispensable: 'stays; it can be dispensed again',
} as const

type Effects = {
  /** When it happens, as one clause. */
  when: string
  /** What takes it back: another transition, or nothing. */
  undo: string | null
  appointment: keyof typeof APPOINTMENT_EFFECTS
  queue: keyof typeof QUEUE_EFFECTS
  visit: keyof typeof VISIT_EFFECTS
  prescription: keyof typeof PRESCRIPTION_EFFECTS
}

const row = (
  when: string,
  undo: string | null,
  appointment: Effects['appointment'],
  queue: Effects['queue'],
  visit: Effects['visit'],
  prescription: Effects['prescription'] = 'stays',
): Effects => ({ when, undo, appointment, queue, visit, prescription })

/**
 * Every transition of the day and what follows from it, whichever door it comes by. `day.server.ts` applies this table;
 * `docs/day-transitions.md` shows it.
 */
export const TRANSITIONS = {
  book: row('an appointment is booked', 'remove', 'pending', 'stays', 'stays'),
  confirm: row('the patient says that they come', 'unconfirm', 'confirmed', 'stays', 'stays'),
  unconfirm: row('a confirmation is taken back', 'confirm', 'pending', 'stays', 'stays'),
  move: row('the appointment gets another time or provider', 'move', 'moved', 'stays', 'stays'),
  miss: row('the day passes and the patient has not come', null, 'missed', 'stays', 'stays'),
  arrive: row('the patient is checked in', 'takeBack', 'checked_in', 'gets', 'joins'),
  takeBack: row('a check-in is taken back', 'arrive', 'booked', 'returns', 'undoes'),
  call: row('the patient is called, or called again', 'passOver', 'stays', 'steps', 'stays'),
  passOver: row('the patient does not come when called', 'call', 'stays', 'steps', 'stays'),
  start: row('a department begins to see the patient', null, 'stays', 'steps', 'joins'),
  send: row('the patient is sent to another department', 'send', 'stays', 'steps', 'stays'),
  finish: row(
    'the last department is done, or the appointment is completed',
    'resume',
    'completed',
    'leaves',
    'closes',
  ),
  resume: row('a completion is taken back', 'finish', 'checked_in', 'waits', 'reopens'),
  leave: row('the patient leaves without being seen', 'arrive', 'cancelled', 'leaves', 'ends'),
  cancel: row('the appointment is cancelled', 'rebook', 'cancelled', 'leaves', 'ends'),
  rebook: row('a cancellation is taken back', 'cancel', 'booked', 'returns', 'stays'),
  remove: row('the appointment is deleted', 'restore', 'deleted', 'leaves', 'ends'),
  restore: row(
    'the appointment is taken out of the trash',
    'remove',
    'restored',
    'waits',
    'restoredOpen',
  ),
  openVisit: row('a visit is opened', 'deleteVisit', 'stays', 'stays', 'opens'),
  closeVisit: row('a visit is closed', 'reopenVisit', 'finished', 'leaves', 'closed'),
  reopenVisit: row(
    'a closed visit is opened again',
    'closeVisit',
    'resumed',
    'waits',
    'opensAgain',
  ),
  deleteVisit: row(
    'a visit is deleted',
    'restoreVisit',
    'unlinked',
    'stays',
    'deleted',
    'unlinked',
  ),
  restoreVisit: row(
    'a visit is taken out of the trash',
    'deleteVisit',
    'stays',
    'stays',
    'restored',
    'linked',
  ),
  die: row('a death is recorded', 'undie', 'asked', 'stays', 'stays', 'undispensable'),
  undie: row('a death is taken back', 'die', 'stays', 'stays', 'stays', 'dispensable'),
} as const satisfies Record<string, Effects>
export type Transition = keyof typeof TRANSITIONS

const isBooked = (status: AppointmentStatus) => status === 'pending' || status === 'confirmed'

/** The transition that a change of an appointment's status is; null if it changes nothing. */
export function transitionBetween(
  from: AppointmentStatus,
  to: AppointmentStatus,
): Transition | null {
  if (from === to) return null
  if (to === 'checked_in') return from === 'completed' ? 'resume' : 'arrive'
  if (to === 'completed') return 'finish'
  if (to === 'cancelled') return 'cancel'
  if (from === 'checked_in') return 'takeBack'
  if (!isBooked(from)) return 'rebook'
  return to === 'confirmed' ? 'confirm' : 'unconfirm'
}
