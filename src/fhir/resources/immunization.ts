import { sql } from 'kysely'
import { ATC, CVX, vaccineFacts } from '~/features/care/immunizations/immunization'
import { permitsSomewhere } from '~/policy/facts'
import { readHistory } from '~/policy/rules'
import { historyWhere } from '~/policy/sql.server'
import { sentence } from '~/shared/sentence'
import { type Vaccine, VACCINES } from '~/shared/vaccines'
import { conditionalCodes, dayParameter, referenceParameter, tokens } from '../parameters'
import { type Coding, concept, presentValues, note } from '../parts'
import { compact, type Fhir, instant, refer, resource } from '../resource'

type ImmunizationRow = {
  patient_id: string
  visit_id: string | null
  vaccine: string
  /** yyyy-MM-dd */
  given_on: string
  dose_number: number | null
  lot: string | null
  clinic_id: string | null
  notes: string | null
  recorded_by_user_id: string | null
  created_at: Date
}

/** The codes of CDC and WHO as `vaccines.json` has them with their sources. */
function vaccineCodings(vaccine: Vaccine): Coding[] {
  const { cvx, atc } = vaccineFacts[vaccine]
  return presentValues(cvx ? { system: CVX, code: cvx } : null, { system: ATC, code: atc })
}

const toFhir = (row: ImmunizationRow): Fhir => {
  const vaccine = row.vaccine as Vaccine
  return {
    resourceType: 'Immunization',
    ...compact({
      status: 'completed',
      vaccineCode: concept(
        sentence('en', { key: `immunizations.vaccines.${vaccine}` }),
        ...vaccineCodings(vaccine),
      ),
      patient: refer('Patient', row.patient_id),
      encounter: refer('Encounter', row.visit_id),
      occurrenceDateTime: row.given_on,
      recorded: instant(row.created_at),
      location: refer('Location', row.clinic_id),
      lotNumber: row.lot,
      note: note(row.notes),
      protocolApplied: presentValues(
        row.dose_number === null ? undefined : doseNumber(row.dose_number),
      ),
    }),
  }
}

/** A dose at birth is number 0, which is no positive integer. */
const doseNumber = (dose: number) =>
  dose > 0 ? { doseNumberPositiveInt: dose } : { doseNumberString: String(dose) }

/** Each vaccine by its codes of one system; several vaccines can share a code. */
const coded = (system: string) => {
  const named = VACCINES.flatMap((vaccine) =>
    vaccineCodings(vaccine).flatMap((coding) =>
      coding.system === system ? [[coding.code, vaccine] as const] : [],
    ),
  )
  const codes = Object.groupBy(named, ([code]) => code)
  return conditionalCodes(
    'vaccineCode',
    Object.fromEntries(
      Object.entries(codes).map(([code, all = []]) => [
        code,
        sql<boolean>`r.vaccine = any(${all.map(([, vaccine]) => vaccine)}::text[])`,
      ]),
    ),
    system,
  )
}

export const immunization = resource<ImmunizationRow>({
  type: 'Immunization',
  from: sql`patient_immunizations r`,
  columns: sql`r.patient_id, r.visit_id, r.vaccine, r.given_on, r.dose_number::float8, r.lot, r.clinic_id, r.notes,
    r.recorded_by_user_id, r.created_at`,
  permits: (actor) => permitsSomewhere(readHistory, actor),
  where: (actor) => historyWhere(actor, 'r'),
  patient: 'patient_id',
  toFhir,
  search: {
    patient: referenceParameter('patient', sql`r.patient_id`, ['Patient']),
    date: dayParameter('occurrenceDateTime', sql`r.given_on`),
    'vaccine-code': tokens('vaccineCode', [coded(CVX), coded(ATC)]),
  },
})
