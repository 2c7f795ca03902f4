import * as z from 'zod'
import type { Field } from '~/fields/field'
import { permitsIn } from '~/policy/facts'
import { seeAppointments } from '~/policy/rules'
import { appointmentRecord } from '~/records/appointment'
import type { Actor } from '~/shared/actor'
import type { MessageKey } from '~/shared/language'
import { ConfirmedIfAsked } from '~/shared/earlier-day'
import { LastModified, ListInput } from '~/shared/record'
import { SentMoment } from '~/shared/moment'
import {
  type AppointmentStatus,
  APPOINTMENT_STATUSES,
} from '~/features/rules/transitions/transitions'
import { UrgencyInput } from '~/features/rules/transitions/urgency'
import { LISTED_STATUSES, WHENS } from './appointment-search'
import { Repeat } from './recurrence'

/** Sees, books and moves appointments in the clinic, and runs its queue. */
export const maySeeIn = (actor: Actor, clinicId: string) =>
  permitsIn(seeAppointments, actor, clinicId)

export const DEFAULT_MINUTES = 60

const several = (label: MessageKey, hint: MessageKey) =>
  ({
    kind: 'choices',
    label,
    hint,
    required: false,
    options: [],
    schema: z
      .array(z.uuid('validation.id'), 'validation.wrongType')
      .max(20, 'validation.tooMany')
      .refine((ids) => new Set(ids).size === ids.length, 'appointments.departmentTwice'),
  }) satisfies Field

const { patient_id: _patient, ...ownFields } = appointmentRecord.fields
/** The patient has a picker of its own; departments are chosen by their ids. */
export const appointmentFields = {
  ...ownFields,
  department_ids: several('appointments.departments', 'appointments.departmentsHint'),
}

/**
 * Values of the form for a new appointment. Departments are optional: an empty list, never null.
 */
export const newAppointment = {
  duration: DEFAULT_MINUTES,
  reason: 'doctor-visit' as const,
  department_ids: [],
}

/**
 * The order of `department_ids` is the order in which the patient visits them. `urgency`: of a new walk-in; that of
 * another appointment is asked when the patient arrives.
 */
export const SaveAppointment = appointmentRecord.save.extend({
  timestamp: SentMoment,
  is_walk_in: z.boolean('validation.wrongType').default(false),
  /** Of a new walk-in that another system had on an earlier day: false, as its patient does not arrive now. */
  arrives: z.boolean('validation.wrongType').optional(),
  urgency: UrgencyInput.optional(),
  repeat: Repeat.nullish(),
  duration: appointmentFields.duration.schema.default(DEFAULT_MINUTES),
  department_ids: appointmentFields.department_ids.schema.default([]),
  /** How many appointments at that time the user was told of; more are asked about. A program is not asked. */
  overlaps_shown: z.int('validation.wrongType').min(0).optional(),
  confirmed: ConfirmedIfAsked,
})
export type SaveAppointment = z.output<typeof SaveAppointment>

export const AppointmentId = z.object({ id: z.uuid('validation.id') })

/** Dragged elsewhere: another time, and where a provider's column was left, another provider. */
export const MoveAppointment = AppointmentId.extend({
  last_modified: LastModified,
  timestamp: SentMoment,
  provider_id: z.uuid('validation.id').nullable().optional(),
  confirmed: ConfirmedIfAsked,
})

/** `isMeant`: the user confirmed an unusual change. `urgency`: of a check-in, which it can only raise. */
export const SetAppointmentStatus = AppointmentId.extend({
  status: z.enum(APPOINTMENT_STATUSES, 'validation.option'),
  isMeant: z.boolean('validation.wrongType').default(false),
  urgency: UrgencyInput.optional(),
  confirmed: ConfirmedIfAsked,
})

export const Overlaps = z.object({
  id: z.uuid('validation.id').optional(),
  provider_id: z.uuid('validation.id').nullish(),
  /** Also looks for other appointments of this patient. */
  patient_id: z.uuid('validation.id').optional(),
  timestamp: SentMoment,
  duration: appointmentFields.duration.schema,
})

/** What to ask `appointments.overlaps` of a form that is being filled in; null while it would be refused. */
export function overlapsQuestion({ at, ...form }: Record<string, unknown> & { at?: number }) {
  const timestamp = at === undefined ? undefined : new Date(at)
  const read = Overlaps.safeParse({ ...form, timestamp })
  return read.success && timestamp ? { ...read.data, timestamp } : null
}

/** The usual changes; arriving without having confirmed is one. Others ask first. */
const moves: Record<AppointmentStatus, readonly AppointmentStatus[]> = {
  pending: ['confirmed', 'checked_in', 'cancelled'],
  confirmed: ['checked_in', 'cancelled'],
  checked_in: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
}
export const isUsualMove = (from: AppointmentStatus, to: AppointmentStatus) =>
  moves[from].includes(to)

/**
 * Every possible change, the usual ones first. A completed appointment stays so or returns to
 * checked in.
 */
export const movesFrom = (from: AppointmentStatus): readonly AppointmentStatus[] =>
  from === 'completed'
    ? ['checked_in']
    : [
        ...moves[from],
        ...APPOINTMENT_STATUSES.filter(
          (status) => status !== from && !moves[from].includes(status),
        ),
      ]

/** What screens offer: nobody waits for a patient who has died. */
export const movesOffered = ({
  status,
  died_on,
}: {
  status: AppointmentStatus
  died_on?: string | null | undefined
}) => movesFrom(status).filter((to) => !died_on || to === 'completed' || to === 'cancelled')

/** Days are counted in the clinic's time zone, both ends included. */
export const AppointmentFilter = ListInput.pick({ search: true }).extend({
  clinicId: z.uuid('validation.id').optional(),
  departmentId: z.uuid('validation.id').optional(),
  providerId: z.uuid('validation.id').optional(),
  status: z.enum(LISTED_STATUSES, 'validation.option').optional(),
  when: z.enum(WHENS, 'validation.option').optional(),
  from: z.iso.date('validation.wrongType').optional(),
  to: z.iso.date('validation.wrongType').optional(),
})
export type AppointmentFilter = z.output<typeof AppointmentFilter>

export const ListAppointments = AppointmentFilter.extend({ page: ListInput.shape.page }).prefault(
  {},
)

export const SearchAppointments = z.object({
  searchQuery: z.string('validation.wrongType').trim().max(200, 'validation.tooLong'),
  limit: z
    .number('validation.wrongType')
    .int('validation.wrongType')
    .min(1, 'validation.tooSmall')
    .max(10, 'validation.tooLarge')
    .default(10),
})

/** At most the six weeks that a month's page shows. */
export const CalendarOf = AppointmentFilter.pick({
  clinicId: true,
  departmentId: true,
  providerId: true,
})
  .extend({ from: z.iso.date('validation.wrongType'), to: z.iso.date('validation.wrongType') })
  .refine(({ from, to }) => from <= to, { path: ['to'], error: 'appointments.daysReversed' })
  .refine(({ from, to }) => Date.parse(to) - Date.parse(from) <= 42 * 86_400_000, {
    path: ['to'],
    error: 'appointments.tooManyDays',
  })
