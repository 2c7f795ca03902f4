import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { allergiesOf } from '~/features/care/allergies/allergies.server'
import { allergyStateOf } from '~/features/care/allergies/allergy'
import { drugName } from '~/features/medicines/drugs/drug'
import { TITLE_COLUMNS } from '~/records/strength'
import { factsOf } from '~/features/medicines/safety/facts.server'
import { bareName as withoutForm } from '~/features/medicines/safety/rules/ingredients'
import {
  bareName,
  isFullyKnown,
  resolveAllergy,
} from '~/features/medicines/safety/rules/substances'
import type { CheckedDrug, PatientFacts } from '~/features/medicines/safety/rules/rule'
import { asksSecondPerson } from '~/features/medicines/safety/second/second-person.server'
import { rulesOff } from '~/features/medicines/safety/rules.server'
import { type KnownAllergy, runCheck } from '~/features/medicines/safety/warnings'
import type { AllergyScope, CheckScope, Warning } from '~/features/medicines/safety/rules/warning'
import { dispenseTo, knowPatient } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { query } from '~/server/operation'
import { mayAnywhere } from '~/shared/actor'
import { notFound } from '~/shared/errors'
import { type Dose, dosingOf } from '../writing/dose'
import { checkedByName, type NamedMedicine } from './medicine-names.server'
import { CheckDrugs } from '../prescription'
import { prescribable } from '../rights.server'
import { type Except, takenBy } from './taken.server'
import { asksAboutAllergies } from './unasked.server'
import { writtenOf } from './written-dose.server'

/** An allergy can name a brand that many clinics sell. */
const MOST_BRANDS = 300

/**
 * The warnings against these medicines for this patient, while they are being chosen. Saving checks
 * again.
 */
export const checkDrugs = query('prescriptions.check', {
  input: CheckDrugs,
  allow: ({ actor }) => mayAnywhere(actor, 'can_prescribe_medications', 'can_dispense_medications'),
  async run({ db, actor }, { patientId, drugIds, prescriptionId, doses }) {
    const patient = await db
      .selectFrom('patients')
      .select('id')
      .where('id', '=', patientId)
      .where('is_deleted', '=', false)
      .where(
        sql<boolean>`((${patientsWhere(knowPatient, actor)} and ${prescribable(actor)})
          or ${patientsWhere(dispenseTo, actor)})`,
      )
      .executeTakeFirst()
    if (!patient) throw notFound('patients.notFound')
    return checkFor(db, { patientId, drugIds, prescriptionId, doses })
  },
  shows: (_, { input }) => [input.patientId],
})

type DoseOf = { drugId: string; dose: Dose }
type Checked = Except & {
  patientId: string
  /** Of the catalogue. */
  drugIds?: readonly string[]
  /** Structured doses of some of them. */
  doses?: readonly DoseOf[]
  /** By name alone: from a form, from a phone's free text, from what the patient says. */
  named?: readonly NamedMedicine[]
  /** A form repeats what was prescribed: the same medicine twice is then expected. */
  isRecord?: boolean
}

type Dosed = { drug_id: string; item_status: string; dose: Dose | null }
/** The structured doses of items that are not cancelled. */
export const dosesOf = (items: readonly Dosed[]): DoseOf[] =>
  items.flatMap(({ drug_id, item_status, dose }) =>
    dose && item_status !== 'cancelled' ? [{ drugId: drug_id, dose }] : [],
  )

/**
 * The warnings about medicines, of a patient; the caller has checked the right to prescribe, dispense or
 * record. They include everything the patient takes, wherever it was prescribed: a danger does not
 * end at a clinic's door.
 */
export async function checkFor(
  db: Kysely<DB>,
  { patientId, drugIds = [], doses = [], named = [], isRecord, ...except }: Checked,
): Promise<{
  warnings: Warning[]
  allergyState: AllergyScope
  scope: CheckScope
  facts: PatientFacts
  dosesUnchecked: string[]
  /** Nobody asked about allergies, and nobody said today why not. */
  asksAllergies: boolean
  /** A grave warning is overridden with a second person's sign-in. */
  asksSecond: boolean
}> {
  const facts = await factsOf(db, patientId)
  const allergies = await allergiesOf(db, patientId)
  const off = await rulesOff(db)
  const byName = await checkedByName(db, named)
  const isAny = drugIds.length + byName.length > 0
  const catalogued = drugIds.length > 0 ? await checkedDrugs(db, drugIds, doses) : []
  const isTaken = except.isAlsoTaken === true || except.medicineId !== undefined
  const refilled = await dispensedOf(db, except)
  const drugs = [...catalogued, ...byName].map((drug) => ({
    ...drug,
    ...(isRecord && { standing: 'recorded' as const }),
    ...((isTaken || refilled.has(drug.drugId)) && { isContinued: true }),
  }))
  const taken = isAny ? await takenBy(db, patientId, except) : []
  const { allergies: compared, ...check } = runCheck({
    drugs,
    taken,
    allergies: await withBrands(db, allergies),
    patient: facts,
    off,
  })
  const state = allergyStateOf(allergies)
  const allergyState = state.state === 'recorded' ? { ...state, ...compared } : state
  const asksAllergies = await asksAboutAllergies(db, patientId)
  return { ...check, allergyState, facts, asksAllergies, asksSecond: await asksSecondPerson(db) }
}

/**
 * The medicines of a prescription of which something was dispensed before: the rest and the refills
 * continue them.
 */
async function dispensedOf(
  db: Kysely<DB>,
  { prescriptionId, dispensingRecordId }: Except,
): Promise<Set<string>> {
  if (!prescriptionId) return new Set()
  const { rows } = await sql<{ drug_id: string }>`
    select distinct r.drug_id from dispensing_records r join prescription_items i on i.id = r.prescription_item_id
    where i.prescription_id = ${prescriptionId} and not r.is_deleted and r.quantity_dispensed > 0
      and r.id is distinct from ${dispensingRecordId ?? null}::uuid
      and not exists (select from dispensing_records back where back.reverses_id = r.id
        and not back.is_deleted)`.execute(db)
  return new Set(rows.map(({ drug_id }) => drug_id))
}

export const warningsFor = async (db: Kysely<DB>, checked: Checked) =>
  (await checkFor(db, checked)).warnings

/**
 * An allergy that names a brand of the catalogue ("Amoxil") is one to the substances of that brand.
 */
async function withBrands(
  db: Kysely<DB>,
  allergies: readonly KnownAllergy[],
): Promise<readonly KnownAllergy[]> {
  // "Brufen 400" and "Brufen syrup" are Brufen, in the allergy and in the catalogue
  const brandOf = ({ substance, substance_kind }: KnownAllergy) =>
    substance_kind === 'other' && !isFullyKnown(resolveAllergy(substance))
      ? withoutForm(bareName(substance))
      : ''
  const brands = [...new Set(allergies.map(brandOf).filter(Boolean))]
  if (brands.length === 0) return allergies
  const rows = await db
    .selectFrom('drug_catalogue')
    .select([sql<string>`lower(btrim(brand_name))`.as('brand'), 'ingredients'])
    .where(
      sql<string>`split_part(lower(btrim(brand_name)), ' ', 1)`,
      'in',
      brands.map((brand) => brand.split(' ')[0]!),
    )
    .where('is_deleted', '=', false)
    .limit(MOST_BRANDS)
    .execute()
  return allergies.map((allergy) => ({
    ...allergy,
    brandIngredients: rows
      .filter(({ brand }) => withoutForm(brand) === brandOf(allergy))
      .flatMap(({ ingredients }) => ingredients),
  }))
}

/**
 * In the requested order; a medicine requested twice is there twice. Throws if one was never in the
 * catalogue.
 */
async function checkedDrugs(
  db: Kysely<DB>,
  ids: readonly string[],
  doses: readonly DoseOf[],
): Promise<CheckedDrug[]> {
  const rows = await db
    .selectFrom('drug_catalogue')
    .select(['id', ...TITLE_COLUMNS, 'ingredients', 'form', 'route'])
    .where('id', 'in', ids)
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  const left = [...doses]
  return ids.map((id) => {
    const drug = byId.get(id)
    if (!drug) throw notFound('prescriptions.drugNotFound')
    const at = left.findIndex(({ drugId }) => drugId === id)
    const dose = at < 0 ? undefined : left.splice(at, 1)[0]?.dose
    return {
      drugId: id,
      name: drugName(drug),
      ingredients: drug.ingredients,
      form: drug.form,
      route: dose?.route ?? drug.route,
      dosing: dose ? dosingOf(dose, drug) : null,
      written: dose ? writtenOf(dose, drug) : null,
    }
  })
}
