import { notFound } from '@tanstack/react-router'
import { type OperationResult, api, callOperation, type Input, type QueryName } from '~/client/api'
import { PatientId } from '~/features/people/patients/patient'
import { needsSignIn } from '~/shared/errors'
import { clinicTimeZone, dayIn, monthsBetween, clinicToday } from '~/shared/zone'
import { ABOVE, type TimelinePart, PARTS, PARTS_OF, type Tab, tabsFor } from './tabs'

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
  const today = clinicToday()
  const months = patient.date_of_birth ? monthsBetween(patient.date_of_birth, today) : null
  const tabs = tabsFor(months, { history: rights.see, appointments: seesAppointments })
  const tab = wanted && tabs.includes(wanted) ? wanted : tabs[0]!
  const wants = new Set([
    ...(seesAppointments ? (['waits'] as const) : []),
    ...(rights.see ? ABOVE : []),
    ...PARTS_OF[tab],
  ])
  const parts = await loadParts([...wants], { patientId: id, page })
  const open = parts.open ?? []
  // what is recorded now belongs to a visit of today, never by itself to one that nobody closed
  const openToday = open.filter(
    (visit) => dayIn(visit.check_in_timestamp, clinicTimeZone()) === today,
  )
  return { patient, banner, rights, months, tabs, tab, ...parts, open, openToday }
}

type Parts = { [P in TimelinePart]?: OperationResult<(typeof PARTS)[P]> | null }

/** All at once. An operation whose answer has no pages ignores the page. */
async function loadParts(
  wants: readonly TimelinePart[],
  input: { patientId: string; page?: number },
) {
  const loaded = wants.map(async (part) => [part, await loadPart(PARTS[part], input)])
  return Object.fromEntries(await Promise.all(loaded)) as Parts
}

/**
 * What cannot be loaded is logged and left out; the rest of the page is shown
 * (docs/specification.md, "Screens").
 */
async function loadPart(operation: QueryName, input: object) {
  try {
    return await callOperation(operation, input as Input<typeof operation>)
  } catch (error) {
    if (needsSignIn(error)) throw error
    // oxlint-disable-next-line no-console -- docs/specification.md, "Screens": logged and left out
    console.error(`Failed to fetch ${operation}:`, error)
    return null
  }
}
