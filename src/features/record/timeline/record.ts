import { notFound } from '@tanstack/react-router'
import { api } from '~/client/api'
import { PatientId } from '~/features/people/patients/patient'
import { needsSignIn } from '~/shared/errors'
import { clinicTimeZone, dayIn, monthsBetween } from '~/shared/zone'
import { type Tab, tabsFor } from './tabs'

export type LoadedRecord = Awaited<ReturnType<typeof loadRecord>>

/** Who the patient is, and what the chosen tab shows of the record. */
export async function loadRecord(
  id: string,
  {
    tab: wanted,
    page,
    appointments: seesAppointments,
  }: { tab?: Tab; page?: number; appointments: boolean },
) {
  if (!PatientId.safeParse({ id }).success) throw notFound()
  const [{ patient }, rights, banner] = await Promise.all([
    api.patients.get({ id }),
    api.patients.rights({ id }),
    api.patients.banner({ patientId: id }),
  ])
  const today = dayIn(new Date(), clinicTimeZone())
  const months = patient.date_of_birth ? monthsBetween(patient.date_of_birth, today) : null
  const tabs = tabsFor(months, { history: rights.see, appointments: seesAppointments })
  const tab = wanted && tabs.includes(wanted) ? wanted : tabs[0]!
  const data = { patientId: id }
  const paged = { ...data, page }
  const on = <T>(of: readonly Tab[], what: string, load: () => Promise<T>) =>
    of.includes(tab) ? orLogged(what, load()) : Promise.resolve(undefined)
  const parts = await all({
    open: rights.see ? orLogged('Failed to fetch visits:', api.visits.open(data)) : null,
    waits: seesAppointments
      ? orLogged('Failed to fetch the queue:', api.queue.ofPatient(data))
      : null,
    latest: on(['overview'], 'Failed to fetch vitals:', () => api.vitals.latest(data)),
    next: on(['overview'], 'Failed to fetch appointments:', () => api.appointments.next(data)),
    appointments: on(['appointments'], 'Failed to fetch appointments:', () =>
      api.appointments.byPatient(paged),
    ),
    problems: on(['overview', 'problems'], 'Failed to fetch problems:', () =>
      api.problems.list(data),
    ),
    visits: on(['overview', 'visits'], 'Failed to fetch visits:', () => api.visits.list(paged)),
    pregnancies: rights.see
      ? orLogged('Failed to fetch pregnancies:', api.pregnancies.list(data))
      : null,
    programs: on(['overview'], 'Failed to fetch programs:', () => api.programs.ofPatient(data)),
    followUps: on(['overview'], 'Failed to fetch follow-up:', () => api.followups.ofPatient(data)),
    snapshots: on(['overview'], 'Failed to fetch forms:', () => api.events.snapshots(data)),
    hidden: rights.see
      ? orLogged('Failed to fetch hidden records:', api.openings.ofPatient(data))
      : null,
    allergies: rights.see ? orLogged('Failed to fetch allergies:', api.allergies.list(data)) : null,
    unseen: rights.see ? orLogged('Failed to fetch warnings:', api.safety.unseen(data)) : null,
    currentMedicines: on(['overview'], 'Failed to fetch medicines:', () =>
      api.medicines.current(data),
    ),
    prescriptions: on(['prescriptions'], 'Failed to fetch prescriptions:', () =>
      api.prescriptions.details(paged),
    ),
    medicines: on(['prescriptions'], 'Failed to fetch medicines:', () => api.medicines.list(data)),
    immunizationPlan: on(['immunizations'], 'Failed to compute immunizations due:', () =>
      api.immunizations.plan(data),
    ),
    immunizations: on(['immunizations'], 'Failed to fetch immunizations:', () =>
      api.immunizations.ofPatient(data),
    ),
    referrals: on(['referrals'], 'Failed to fetch referrals:', () => api.referrals.ofPatient(data)),
    vitals: on(['vitals'], 'Failed to fetch vitals:', () => api.vitals.list(paged)),
    trend: on(['vitals'], 'Failed to fetch vitals:', () => api.vitals.trend(data)),
    growth: on(['growth'], 'Failed to fetch vitals:', () => api.vitals.growth(data)),
    timeline: on(['timeline'], 'Failed to fetch timeline:', () => api.timeline.list(paged)),
    relatedPersons: on(['details'], 'Failed to fetch related persons:', () =>
      api.relatedPersons.ofPatient(data),
    ),
    consents: on(['details'], 'Failed to fetch consents:', () => api.consents.ofPatient(data)),
    messages: on(['details'], 'Failed to fetch messages:', () => api.messages.ofPatient(data)),
    form: on(['details'], 'Failed to fetch registration form:', () => api.registrationForm.get()),
  })
  const open = parts.open ?? []
  // what is recorded now belongs to a visit of today, never by itself to one that nobody closed
  const openToday = open.filter(
    (visit) => dayIn(visit.check_in_timestamp, clinicTimeZone()) === today,
  )
  return { patient, banner, rights, months, tabs, tab, ...parts, open, openToday }
}

/** Waits for all parts at once. */
async function all<P extends Record<string, Promise<unknown> | null>>(parts: P) {
  const loaded = Object.entries(parts).map(async ([name, part]) => [name, await part] as const)
  return Object.fromEntries(await Promise.all(loaded)) as { [Name in keyof P]: Awaited<P[Name]> }
}

/**
 * What cannot be loaded is logged and left out; the rest of the page is shown
 * (docs/specification.md, "Screens").
 */
async function orLogged<T>(what: string, work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (needsSignIn(error)) throw error
    // oxlint-disable-next-line no-console -- docs/specification.md, "Screens": logged and left out
    console.error(what, error)
    return null
  }
}
