import { type Transition, TRANSITIONS } from './transitions'

const STEP_STATUSES = ['pending', 'checked_in', 'in_progress', 'completed', 'cancelled'] as const
type StepStatus = (typeof STEP_STATUSES)[number]

/** One department of an appointment as phones store it; unknown properties are kept. */
export type AppointmentDepartment = {
  id: string
  name: string
  /** Milliseconds, or ISO text as some phones write it. */
  seen_at: number | string | null
  seen_by: string | null
  status: StepStatus
  [unknown: string]: unknown
}

/** Fills in what a phone left out, so that screens need not check. */
export const departmentsIn = (json: unknown): AppointmentDepartment[] =>
  (Array.isArray(json) ? json : []).flatMap((entry: unknown) =>
    typeof entry === 'object' && entry !== null && 'id' in entry && typeof entry.id === 'string'
      ? [
          {
            name: '',
            seen_at: null,
            seen_by: null,
            status: 'pending',
            ...entry,
          } as AppointmentDepartment,
        ]
      : [],
  )

export const newStep = (
  { id, name }: { id: string; name: string },
  status: StepStatus = 'pending',
) => ({ id, name, seen_at: null, seen_by: null, status }) satisfies AppointmentDepartment

/** The chosen departments in their order; those that were there already keep their state. */
export const chosenSteps = (
  before: readonly AppointmentDepartment[],
  chosen: readonly { id: string; name: string }[],
): AppointmentDepartment[] =>
  chosen.flatMap((department) => {
    const kept = before.filter(({ id }) => id === department.id)
    return kept.length > 0 ? kept : [newStep(department)]
  })

const isOpen = ({ status }: AppointmentDepartment) =>
  status === 'checked_in' || status === 'in_progress'

/**
 * The patient arrived, or moves on: the first department not yet visited waits for the patient now.
 */
export function withNextWaiting(steps: readonly AppointmentDepartment[]): AppointmentDepartment[] {
  if (steps.some(isOpen)) return [...steps]
  const next = steps.findIndex(({ status }) => status === 'pending')
  return steps.map((step, at) => (at === next ? { ...step, status: 'checked_in' } : step))
}

/**
 * The appointment is over: a department that is seeing the patient is done, and none waits any
 * more.
 */
const withAllClosed = (steps: readonly AppointmentDepartment[]): AppointmentDepartment[] =>
  steps.map((step) => {
    if (step.status === 'in_progress') return { ...step, status: 'completed' }
    return step.status === 'completed' ? step : { ...step, status: 'cancelled' }
  })

/** The check-in was a mistake, or the appointment is open again: no department has called yet. */
const withoutWaiting = (steps: readonly AppointmentDepartment[]): AppointmentDepartment[] =>
  steps.map((step) =>
    step.status === 'completed'
      ? step
      : { ...step, status: 'pending', seen_at: null, seen_by: null },
  )

/**
 * The patient is here: the first department that was not visited waits, and if each was visited the last one. A patient
 * who is checked in and in no queue is forgotten.
 */
function withOneWaiting(steps: readonly AppointmentDepartment[]): AppointmentDepartment[] {
  const waiting = withNextWaiting(steps)
  if (waiting.some(isOpen)) return waiting
  return waiting.map((step, at) =>
    at === waiting.length - 1
      ? { ...step, status: 'checked_in', seen_at: null, seen_by: null }
      : step,
  )
}

/** The departments after a transition. */
export function stepsAfter(
  transition: Transition,
  { status, departments }: { status: string; departments: readonly AppointmentDepartment[] },
): AppointmentDepartment[] {
  switch (TRANSITIONS[transition].queue) {
    case 'gets':
      return withOneWaiting(status === 'cancelled' ? withoutWaiting(departments) : departments)
    case 'waits':
      // the end of the appointment cancelled those that were not visited
      return withOneWaiting(departments.some(isOpen) ? departments : withoutWaiting(departments))
    case 'leaves':
      return withAllClosed(departments)
    case 'returns':
      return withoutWaiting(departments)
    default:
      return [...departments]
  }
}
