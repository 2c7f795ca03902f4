import { sql } from 'kysely'
import type { MedicineSource } from '~/records/medicine'
import { withIngredients } from '~/features/medicines/prescriptions/check/taken-until'
import {
  isTakenElsewhere,
  stopOfElsewhere,
} from '~/features/medicines/prescriptions/check/stops.server'
import { permitsSomewhere } from '~/policy/facts'
import { readForSafety } from '~/policy/rules'
import { patientsWhere, rowsWhere } from '~/policy/sql.server'
import { bySubject, conditionalCodes } from '../parameters'
import { concept, presentValues, note, takenDuring } from '../parts'
import { compact, type Fhir, instant, refer, resource } from '../resource'

type MedicineRow = {
  patient_id: string
  name: string
  ingredients: string[]
  dose: string | null
  source: MedicineSource
  /** yyyy-MM-dd */
  since: string | null
  until: string | null
  is_taken: boolean
  /** A review stopped or replaced it, and its last day is still that of the decision. */
  is_stopped: boolean
  stop_reason: string | null
  notes: string | null
  created_at: Date
}

function statusOf({ is_stopped, is_taken }: MedicineRow) {
  if (is_stopped) return 'stopped'
  return is_taken ? 'active' : 'completed'
}

/** A medicine from elsewhere, which no prescription of Sanad names. */
const toFhir = (row: MedicineRow): Fhir => ({
  resourceType: 'MedicationStatement',
  ...compact({
    status: statusOf(row),
    statusReason: presentValues(row.stop_reason ? { text: row.stop_reason } : undefined),
    // where it comes from, in Sanad's words: no published code says it
    category: concept(row.source),
    medicationCodeableConcept: { text: withIngredients(row) },
    subject: refer('Patient', row.patient_id),
    ...takenDuring(row.since, row.until),
    dateAsserted: instant(row.created_at),
    note: note(row.notes),
    dosage: presentValues(row.dose ? { text: row.dose } : undefined),
  }),
})

const isTaken = isTakenElsewhere('r')
const stops = stopOfElsewhere('r')
const isStopped = sql<boolean>`exists (select ${stops})`

export const medicationStatement = resource<MedicineRow>({
  type: 'MedicationStatement',
  from: sql`patient_medicines r`,
  columns: (actor) => sql`r.patient_id, r.name, r.ingredients, r.dose, r.source, r.since, r.until,
    ${isTaken} as is_taken, ${isStopped} as is_stopped,
    (select s.reason ${stops} and ${rowsWhere(actor, 's')} order by s.server_created_at desc limit 1) as stop_reason,
    case when ${rowsWhere(actor, 'r')} then r.notes end as notes, r.created_at`,
  permits: (actor) => permitsSomewhere(readForSafety, actor),
  // what the patient takes now is never hidden; what has ended is a row of its clinic
  where: (actor) => sql<boolean>`(${patientsWhere(readForSafety, actor, 'r.patient_id')}
    and (${isTaken} or ${rowsWhere(actor, 'r')}))`,
  patient: 'patient_id',
  toFhir,
  search: {
    ...bySubject,
    status: conditionalCodes(
      'status',
      {
        active: isTaken,
        completed: sql<boolean>`(not ${isTaken} and not ${isStopped})`,
        stopped: isStopped,
      },
      'http://hl7.org/fhir/CodeSystem/medication-statement-status',
    ),
  },
})
