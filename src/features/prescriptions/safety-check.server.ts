import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { allergiesOf } from '~/features/allergies/allergies.server'
import { allergyStateOf } from '~/features/allergies/allergy'
import { drugName } from '~/features/drugs/drug'
import { factsOf } from '~/features/safety/facts.server'
import type { PatientFacts } from '~/features/safety/rule'
import { bareName, isFullyKnown, resolveAllergy } from '~/features/safety/substances'
import type { CheckedDrug } from '~/features/safety/rule'
import { type KnownAllergy, warningsOf } from '~/features/safety/warnings'
import type { AllergyScope, Warning } from '~/features/safety/warning'
import { dispenseTo, knowPatient } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { query } from '~/server/operation'
import { mayAnywhere } from '~/shared/actor'
import { notFound } from '~/shared/errors'
import { CheckDrugs } from './prescription'
import { prescribable } from './rights.server'

/** What speaks against giving these medicines to this patient, while they are being chosen. Saving checks again. */
export const checkDrugs = query('prescriptions.check', {
  input: CheckDrugs,
  allow: ({ actor }) => mayAnywhere(actor, 'can_prescribe_medications', 'can_dispense_medications'),
  async run({ db, actor }, { patientId, drugIds, prescriptionId }) {
    const patient = await db
      .selectFrom('patients')
      .select('id')
      .where('id', '=', patientId)
      .where('is_deleted', '=', false)
      .where(
        sql<boolean>`((${patientsWhere(knowPatient, actor)} and ${prescribable(actor)}) or ${patientsWhere(dispenseTo, actor)})`,
      )
      .executeTakeFirst()
    if (!patient) throw notFound('patients.notFound')
    return checkFor(db, { patientId, drugIds, prescriptionId })
  },
})

type Checked = { patientId: string; drugIds: readonly string[]; prescriptionId?: string }

/**
 * The warnings about medicines, for a patient whom the caller has been allowed to prescribe for or dispense to. They look
 * at everything he takes, wherever it was prescribed: a danger does not end at a clinic's door.
 */
export async function checkFor(
  db: Kysely<DB>,
  { patientId, drugIds, prescriptionId }: Checked,
): Promise<{ warnings: Warning[]; allergyState: AllergyScope; facts: PatientFacts }> {
  const facts = await factsOf(db, patientId)
  const allergies = await allergiesOf(db, patientId)
  const allergyState = allergyStateOf(allergies)
  if (drugIds.length === 0) return { warnings: [], allergyState, facts }
  const drugs = await checkedDrugs(db, drugIds)
  const taken = await takenBy(db, patientId, prescriptionId)
  return { warnings: warningsOf(drugs, taken, await withBrands(db, allergies), facts), allergyState, facts }
}

export const warningsFor = async (db: Kysely<DB>, checked: Checked) =>
  checked.drugIds.length === 0 ? [] : (await checkFor(db, checked)).warnings

/** An allergy that names a brand of the catalogue ("Amoxil") is one to the substances of that brand. */
async function withBrands(db: Kysely<DB>, allergies: readonly KnownAllergy[]): Promise<readonly KnownAllergy[]> {
  const brandOf = ({ substance, substance_kind }: KnownAllergy) =>
    substance_kind === 'other' && !isFullyKnown(resolveAllergy(substance)) ? bareName(substance) : ''
  const brands = [...new Set(allergies.map(brandOf).filter(Boolean))]
  if (brands.length === 0) return allergies
  const rows = await db
    .selectFrom('drug_catalogue')
    .select([sql<string>`lower(btrim(brand_name))`.as('brand'), 'ingredients'])
    .where(sql`lower(btrim(brand_name))`, 'in', brands)
    .where('is_deleted', '=', false)
    .limit(MOST_TAKEN)
    .execute()
  return allergies.map((allergy) => ({
    ...allergy,
    brandIngredients: rows.filter(({ brand }) => brand === brandOf(allergy)).flatMap(({ ingredients }) => ingredients),
  }))
}

/** In the order asked for; the same medicine twice is there twice. Throws when one was never in the catalogue. */
async function checkedDrugs(db: Kysely<DB>, ids: readonly string[]): Promise<CheckedDrug[]> {
  const rows = await db
    .selectFrom('drug_catalogue')
    .select(['id', 'generic_name', 'brand_name', 'ingredients'])
    .where('id', 'in', ids)
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => {
    const drug = byId.get(id)
    if (!drug) throw notFound('prescriptions.drugNotFound')
    return { drugId: id, name: drugName(drug), ingredients: drug.ingredients }
  })
}

/** An open item of which nothing was fetched for so long is not taken any more. */
const FORGOTTEN_DAYS = 180
/** For how long somebody takes what he was given, when nobody wrote it down. */
const USUAL_SUPPLY_DAYS = 30
const MOST_TAKEN = 300

/** What somebody takes now: what is prescribed and open, and what was handed out and cannot be used up yet. */
async function takenBy(db: Kysely<DB>, patientId: string, except?: string): Promise<CheckedDrug[]> {
  const { rows } = await sql<{ id: string; generic_name: string; brand_name: string | null; ingredients: string[] }>`
    select d.id, d.generic_name, d.brand_name, d.ingredients from drug_catalogue d where d.id in (
      select i.drug_id from prescription_items i join prescriptions p on p.id = i.prescription_id
      where i.patient_id = ${patientId} and not i.is_deleted and not p.is_deleted and p.id is distinct from ${except ?? null}::uuid
        and i.item_status in ('active', 'partially_dispensed') and p.status <> 'cancelled'
        and p.prescribed_at > now() - make_interval(days => ${FORGOTTEN_DAYS})
        and (p.expiration_date is null or p.expiration_date > now() - interval '1 day')
      union
      select r.drug_id from dispensing_records r left join prescription_items i on i.id = r.prescription_item_id
      where r.patient_id = ${patientId} and not r.is_deleted and r.quantity_dispensed > 0
        and (i.prescription_id is null or i.prescription_id is distinct from ${except ?? null}::uuid)
        and r.dispensed_at > now() - make_interval(days => least(coalesce(ceil(r.days_supply), ${USUAL_SUPPLY_DAYS}), 3650)::int)
        and not exists (select from dispensing_records back where back.reverses_id = r.id and not back.is_deleted)
    ) order by d.generic_name, d.id limit ${MOST_TAKEN}`.execute(db)
  return rows.map((drug) => ({ drugId: drug.id, name: drugName(drug), ingredients: drug.ingredients }))
}
