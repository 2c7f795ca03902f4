import type { StepStatus } from './appointment'

/** One department of an appointment as phones store it; whatever else stands in it is kept. */
export type AppointmentDepartment = {
  id: string
  name: string
  /** Milliseconds, or ISO text as some phones write it. */
  seen_at: number | string | null
  seen_by: string | null
  status: StepStatus
  [unknown: string]: unknown
}

/** What a phone left out is filled in, so that screens need not ask. */
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

/** The chosen departments in their order; what is known of one that was there already is kept. */
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

/** Somebody has come, or goes on: the first department that he has not been to waits for him now. */
export function withNextWaiting(steps: readonly AppointmentDepartment[]): AppointmentDepartment[] {
  if (steps.some(isOpen)) return [...steps]
  const next = steps.findIndex(({ status }) => status === 'pending')
  return steps.map((step, at) => (at === next ? { ...step, status: 'checked_in' } : step))
}

/** The appointment is over: who is being seen has been seen, and nobody waits any more. */
export const withAllClosed = (steps: readonly AppointmentDepartment[]): AppointmentDepartment[] =>
  steps.map((step) => {
    if (step.status === 'in_progress') return { ...step, status: 'completed' }
    return step.status === 'completed' ? step : { ...step, status: 'cancelled' }
  })

/** The check-in was a mistake, or the appointment is open again: nobody has been called yet. */
export const withNobodyWaiting = (
  steps: readonly AppointmentDepartment[],
): AppointmentDepartment[] =>
  steps.map((step) =>
    step.status === 'completed'
      ? step
      : { ...step, status: 'pending', seen_at: null, seen_by: null },
  )
