import { notFound } from '@tanstack/react-router'
import { listAllergies } from '~/features/care/allergies/allergies.functions'
import {
  appointmentsByPatient,
  nextAppointment,
} from '~/features/day/appointments/appointments.functions'
import { listSnapshots } from '~/features/forms/events/events.functions'
import { listMedicines } from '~/features/medicines/taken/medicines.functions'
import { PatientId } from '~/features/people/patients/patient'
import { getPatient, patientRights } from '~/features/people/patients/patients.functions'
import { listPregnancies } from '~/features/care/pregnancies/pregnancies.functions'
import { listPrescriptionDetails } from '~/features/medicines/prescriptions/prescriptions.functions'
import { listProblems } from '~/features/care/problems/problems.functions'
import { getRegistrationForm } from '~/features/people/registration/registration-forms.functions'
import { unseenWarnings } from '~/features/medicines/safety/safety.functions'
import { listVisits, openVisits } from '~/features/care/visits/visits.functions'
import {
  childGrowth,
  latestVital,
  listVitals,
  vitalTrend,
} from '~/features/care/vitals/vitals.functions'
import { AppError } from '~/shared/errors'
import { clinicTimeZone, dayIn, monthsBetween } from '~/shared/zone'
import { type Tab, tabsFor } from './tabs'
import { listTimeline } from './timeline.functions'

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
  const [{ patient }, rights] = await Promise.all([
    getPatient({ data: { id } }),
    patientRights({ data: { id } }),
  ])
  const today = dayIn(new Date(), clinicTimeZone())
  const months = patient.date_of_birth ? monthsBetween(patient.date_of_birth, today) : null
  const tabs = tabsFor(months, { history: rights.see, appointments: seesAppointments })
  const tab = wanted && tabs.includes(wanted) ? wanted : tabs[0]!
  const data = { patientId: id }
  const paged = { data: { ...data, page } }
  const on = <T>(of: readonly Tab[], what: string, load: () => Promise<T>) =>
    of.includes(tab) ? orLogged(what, load()) : Promise.resolve(undefined)
  const parts = await all({
    open: rights.see ? orLogged('Failed to fetch visits:', openVisits({ data })) : null,
    latest: on(['overview'], 'Failed to fetch vitals:', () => latestVital({ data })),
    next: on(['overview'], 'Failed to fetch appointments:', () => nextAppointment({ data })),
    appointments: on(['appointments'], 'Failed to fetch appointments:', () =>
      appointmentsByPatient(paged),
    ),
    problems: on(['overview', 'problems'], 'Failed to fetch problems:', () =>
      listProblems({ data }),
    ),
    visits: on(['overview', 'visits'], 'Failed to fetch visits:', () => listVisits(paged)),
    pregnancies: on(['overview'], 'Failed to fetch pregnancies:', () => listPregnancies({ data })),
    snapshots: on(['overview'], 'Failed to fetch forms:', () => listSnapshots({ data })),
    allergies: rights.see ? orLogged('Failed to fetch allergies:', listAllergies({ data })) : null,
    unseen: rights.see ? orLogged('Failed to fetch warnings:', unseenWarnings({ data })) : null,
    prescriptions: on(['overview', 'prescriptions'], 'Failed to fetch prescriptions:', () =>
      listPrescriptionDetails(paged),
    ),
    medicines: on(['prescriptions'], 'Failed to fetch medicines:', () => listMedicines({ data })),
    vitals: on(['vitals'], 'Failed to fetch vitals:', () => listVitals(paged)),
    trend: on(['vitals'], 'Failed to fetch vitals:', () => vitalTrend({ data })),
    growth: on(['growth'], 'Failed to fetch vitals:', () => childGrowth({ data })),
    timeline: on(['timeline'], 'Failed to fetch timeline:', () => listTimeline(paged)),
    form: on(['details'], 'Failed to fetch registration form:', () => getRegistrationForm()),
  })
  return { patient, rights, months, tabs, tab, ...parts, open: parts.open ?? [] }
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
    if (error instanceof AppError && error.code === 'unauthenticated') throw error
    // oxlint-disable-next-line no-console -- docs/specification.md, "Screens": logged and left out
    console.error(what, error)
    return null
  }
}
