import type { Source } from '../fields'
import { cases } from './cases.server'
import { eventRows } from './events.server'
import { dispensed, movements, prescribed, shortfalls, stock } from './medicines.server'
import { appointments, calls, doses, followUps, referrals } from './plans.server'
import { bp, sugars, vitals } from './readings.server'
import { deaths, registrations } from './registrations.server'
import type { SourceSql } from './source.server'
import { patientStates } from './states.server'
import { visits } from './visits.server'

export const sources: { [S in Source]: SourceSql<S> } = {
  visits,
  cases,
  registrations,
  deaths,
  patient_states: patientStates,
  bp,
  sugars,
  vitals,
  events: eventRows,
  doses,
  prescribed,
  dispensed,
  movements,
  stock,
  shortfalls,
  appointments,
  referrals,
  follow_ups: followUps,
  calls,
}
