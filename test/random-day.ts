import type { AppointmentStatus, Transition } from '~/features/rules/transitions/transitions'
import { TRANSITIONS } from '~/features/rules/transitions/transitions'

/** What the table says of a patient's day in one clinic: a slow, plain version without a database. */
type ModelVisit = { state: 'open' | 'closed' | 'trash'; hasRecords: boolean }
type ModelAppointment = {
  status: AppointmentStatus
  isDeleted: boolean
  visit: number | null
  fulfilled: number | null
}
export type Model = { visits: ModelVisit[]; appointments: ModelAppointment[] }

/** Numbers from a seed (mulberry32). */
export function randomOf(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

/** The transitions that are possible for an appointment as it is. */
export function possible({ status, isDeleted }: ModelAppointment): Transition[] {
  if (isDeleted) return []
  switch (status) {
    case 'pending':
      return ['confirm', 'arrive', 'cancel', 'remove']
    case 'confirmed':
      return ['unconfirm', 'arrive', 'cancel', 'remove']
    case 'checked_in':
      return ['finish', 'takeBack', 'leave', 'cancel', 'remove', 'closeVisit']
    case 'completed':
      return ['resume']
    case 'cancelled':
      return ['rebook', 'arrive']
  }
}

/** Plays one transition by the table. */
export function play(model: Model, index: number, transition: Transition) {
  const own = model.appointments[index]!
  const others = model.appointments.filter((each) => each !== own && !each.isDeleted)
  const wasHere = own.status === 'checked_in'
  const isHere = (visit: number) =>
    others.some((each) => each.status === 'checked_in' && each.visit === visit)
  const wasThere = (visit: number) => others.some((each) => each.fulfilled === visit)
  const { visit: effect, appointment } = TRANSITIONS[transition]
  const joined = () => {
    const open = model.visits.findLastIndex(({ state }) => state === 'open')
    if (open >= 0) return open
    return model.visits.push({ state: 'open', hasRecords: false }) - 1
  }
  const end = (visit: number, staysOpen: boolean) => {
    const it = model.visits[visit]!
    if (isHere(visit) || it.state === 'trash') return
    if (!it.hasRecords && !wasThere(visit)) {
      it.state = 'trash'
      // its deletion takes the links away, but those of an appointment that is deleted with it
      for (const each of model.appointments) {
        if (each === own && transition === 'remove') continue
        if (each.visit === visit) each.visit = null
        if (each.fulfilled === visit) each.fulfilled = null
      }
    } else if (!staysOpen || wasThere(visit)) it.state = 'closed'
  }

  if (effect === 'joins') {
    own.visit = joined()
    own.fulfilled = null
  } else if (effect === 'closes') {
    if (own.visit !== null && !isHere(own.visit) && model.visits[own.visit]!.state === 'open')
      model.visits[own.visit]!.state = 'closed'
    own.fulfilled = own.visit
  } else if (effect === 'ends' || effect === 'undoes') {
    if (wasHere && own.visit !== null) end(own.visit, effect === 'undoes')
    if (transition !== 'remove') own.fulfilled = null
  } else if (effect === 'reopens' || effect === 'restoredOpen') {
    const was = own.fulfilled ?? own.visit
    const isThere = was !== null && model.visits[was]!.state !== 'trash'
    const isElsewhere = isThere && model.visits.some(({ state }) => state === 'open')
    if (isThere && !isElsewhere) model.visits[was]!.state = 'open'
    own.visit = isThere && !isElsewhere ? was : joined()
    own.fulfilled = null
  } else if (effect === 'closed' && own.visit !== null) {
    model.visits[own.visit]!.state = 'closed'
    for (const each of model.appointments) {
      if (each.isDeleted || each.status !== 'checked_in' || each.visit !== own.visit) continue
      each.status = 'completed'
      each.fulfilled = own.visit
    }
  } else if (transition === 'rebook') own.fulfilled = null

  if (appointment === 'deleted') own.isDeleted = true
  else if (appointment === 'booked') own.status = 'pending'
  else if (
    appointment === 'pending' ||
    appointment === 'confirmed' ||
    appointment === 'checked_in' ||
    appointment === 'completed' ||
    appointment === 'cancelled'
  )
    own.status = appointment
}
