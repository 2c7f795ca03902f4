import type { ReportSource } from '../fields'
import { casesSource } from './cases.server'
import { eventRows } from './events.server'
import { dispensed, movements, prescribedSource, shortfalls, stockSource } from './medicines.server'
import { appointmentsSource, calls, doses, followUps, referrals } from './plans.server'
import { bp, sugars, vitalsSource } from './readings.server'
import { deaths, registrations } from './registrations.server'
import type { SourceSql } from './source.server'
import { patientStates } from './states.server'
import { visitsSource } from './visits.server'

export const sources: { [S in ReportSource]: SourceSql<S> } = {
  visits: visitsSource,
  cases: casesSource,
  registrations,
  deaths,
  patient_states: patientStates,
  bp,
  sugars,
  vitals: vitalsSource,
  events: eventRows,
  doses,
  prescribed: prescribedSource,
  dispensed,
  movements,
  stock: stockSource,
  shortfalls,
  appointments: appointmentsSource,
  referrals,
  follow_ups: followUps,
  calls,
}
