import {
  type CurrentMedicine,
  loadCurrentMedicines,
} from '~/features/medicines/taken/current.server'
import { emptyWords, medicineWords } from '~/features/medicines/taken/medicine-words'
import type { Context } from '~/server/operation'
import type { Sayable } from '~/shared/say'
import { sentence } from '~/shared/sentence'
import { resourceFrom, runSearch } from './pages.server'
import { takenDuring } from './parts'
import { compact, type Fhir, refer, type Site } from './resource'
import { findFhirResource } from './resources/all'
import { parseFhirSearch } from './search'
import { type Filled, MOST_FOUND, type SummarySection } from './summary-section'

/**
 * What the patient takes now, wherever it was recorded: as the request while it is open, else as a statement. Never
 * hidden (docs/rules.md, "Care across clinics").
 */
export async function medicinesTaken(
  ctx: Context,
  section: SummarySection,
  patientId: string,
  site: Site,
): Promise<Filled> {
  const current = await loadCurrentMedicines(ctx, patientId)
  const read = async (type: string, ids: readonly string[]) => {
    const resource = findFhirResource(type)
    if (!resource?.permits(ctx.actor) || ids.length === 0) return []
    const query = [
      ['_id', ids.slice(0, MOST_MEDICINES).join(',')] as const,
      ['_count', MOST_FOUND] as const,
    ]
    const { found } = await runSearch(ctx, parseFhirSearch(resource, query, ctx))
    return found.map((each) => resourceFrom(each, site))
  }
  const known = new Map(
    [
      ...(await read(
        'MedicationRequest',
        current.rows.flatMap(({ id, isOpen }) => (isOpen ? [id] : [])),
      )),
      ...(await read(
        'MedicationStatement',
        current.rows.flatMap(({ id, kind }) => (kind === 'elsewhere' ? [id] : [])),
      )),
    ].map((each) => [each['id'], each]),
  )
  const { language } = ctx.actor
  const say = (what: Sayable) => {
    if (typeof what === 'string') return sentence(language, { key: what })
    if ('text' in what) return what.text
    return sentence(language, what)
  }
  const lines = current.rows.map((medicine) => {
    const { title, dose, notes } = medicineWords(medicine, say, (day) => day)
    return [title, dose, ...notes].filter(Boolean).join(' · ')
  })
  return {
    section,
    resources: current.rows.map(
      (one) => known.get(one.id) ?? toMedicationStatement(one, patientId, say),
    ),
    isPartHidden: false,
    lines,
    empty: emptyWords(current),
  }
}
const MOST_MEDICINES = 400

/** What was dispensed and is still taken, or stands in a form or a row of another clinic. */
const toMedicationStatement = (
  medicine: CurrentMedicine,
  patientId: string,
  say: (what: Sayable) => string,
): Fhir => ({
  resourceType: 'MedicationStatement',
  ...compact({
    id: `${medicine.id}-taken`,
    status: 'active',
    medicationCodeableConcept: {
      // without marks of direction and spaces that do not break, which no other program expects
      text: medicineWords(medicine, say, String)
        .title.replaceAll(/[\u2068\u2069]/g, '')
        .replaceAll('\u00a0', ' '),
    },
    subject: refer('Patient', patientId),
    ...takenDuring(medicine.since, medicine.isAssumed ? null : medicine.until),
    dosage: medicine.instructions ? [{ text: medicine.instructions }] : [],
  }),
})
