import { type Kysely, sql } from 'kysely'
import { columnInIds } from '~/db/kept'
import type { DB } from '~/db/types'
import { loadActiveAllergiesByPatient } from '~/features/care/allergies/allergies.server'
import { toAllergyState } from '~/features/care/allergies/allergy'
import { drugName } from '~/features/medicines/drugs/drug'
import { TITLE_COLUMNS } from '~/records/strength'
import { loadPatientFactsById } from '~/features/medicines/safety/facts.server'
import { bareMedicineName as withoutForm } from '~/features/medicines/safety/rules/ingredients'
import {
  bareAllergyName,
  isFullyKnown,
  resolveAllergy,
} from '~/features/medicines/safety/rules/substances'
import type { CheckedDrug } from '~/features/medicines/safety/rules/rule'
import { asksSecondPerson } from '~/features/medicines/safety/second/second-person.server'
import { rulesOff } from '~/features/medicines/safety/rules.server'
import { type KnownAllergy, runCheck } from '~/features/medicines/safety/warnings'
import type { AllergyScope } from '~/features/medicines/safety/rules/warning'
import { dispenseTo, knowPatient } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { query } from '~/server/operation'
import { mayAnywhere } from '~/shared/actor'
import { notFound } from '~/shared/errors'
import { type Dose, computeDosing } from '../writing/dose'
import { type NamedMedicine, readerOfNames } from './medicine-names.server'
import { CheckDrugs } from '../prescription'
import { prescribable } from '../rights.server'
import { takenByEach } from './taken.server'
import { asRows, type TakenCheck } from './taken-check'
import { asksAboutAllergies } from './unasked.server'
import { toWrittenDose } from './written-dose.server'

/** An allergy can name a brand that many clinics sell. */
const MOST_BRANDS = 300

/**
 * The warnings against these medicines for this patient, while they are being chosen. Saving checks
 * again.
 */
export const checkDrugs = query('prescriptions.check', {
  access: 'prescriptions',
  input: CheckDrugs,
  allow: ({ actor }) => mayAnywhere(actor, 'can_prescribe_medications', 'can_dispense_medications'),
  async run({ db, actor }, { patientId, drugIds, prescriptionId, doses, replacedId }) {
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
    return checkFor(db, { patientId, drugIds, prescriptionId, doses, replacedId })
  },
  shows: (_, { input }) => [input.patientId],
})

type DoseOf = { drugId: string; dose: Dose }
export type Checked = TakenCheck & {
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
export const structuredDoses = (items: readonly Dosed[]): DoseOf[] =>
  items.flatMap(({ drug_id, item_status, dose }) =>
    dose && item_status !== 'cancelled' ? [{ drugId: drug_id, dose }] : [],
  )

/**
 * The warnings about medicines, of a patient; the caller has checked the right to prescribe, dispense or
 * record. They include everything the patient takes, wherever it was prescribed: a danger does not
 * end at a clinic's door.
 */
export async function checkFor(db: Kysely<DB>, checked: Checked) {
  const prepared = (await preparedChecks(db, [checked]))[0]!
  const { allergies, input } = prepared
  const { allergies: compared, ...check } = runCheck(input)
  const state = toAllergyState(allergies)
  const allergyState: AllergyScope = state.state === 'recorded' ? { ...state, ...compared } : state
  return {
    ...check,
    allergyState,
    facts: input.patient,
    /** Nobody asked about allergies, and nobody said today why not. */
    asksAllergies: await asksAboutAllergies(db, checked.patientId),
    /** A grave warning is overridden with a second person's sign-in. */
    asksSecond: await asksSecondPerson(db),
  }
}

/**
 * Reads all that the rules need for these checks, in the same order, with a fixed number of statements. The rules
 * themselves are run by the caller.
 */
export async function preparedChecks(db: Kysely<DB>, checks: readonly Checked[]) {
  const patientIds = [...new Set(checks.map(({ patientId }) => patientId))]
  const facts = await loadPatientFactsById(db, patientIds)
  if (patientIds.some((id) => !facts.has(id))) throw notFound('patients.notFound')
  const allergies = await loadActiveAllergiesByPatient(db, patientIds)
  const withBrand = await readerOfBrands(db, [...allergies.values()].flat())
  const off = await rulesOff(db)
  const readName = await readerOfNames(
    db,
    checks.flatMap(({ named = [] }) => named),
  )
  const catalogue = await loadCatalogueById(
    db,
    checks.flatMap(({ drugIds = [] }) => drugIds),
  )
  const refilled = await loadDispensedDrugs(db, checks)
  const chosen = checks.map((check, n) => {
    const { drugIds = [], doses = [], named = [], isRecord } = check
    const isTaken = check.isAlsoTaken === true || check.medicineId !== undefined
    return [
      ...checkedDrugs(catalogue, drugIds, doses),
      ...named.flatMap((medicine) => readName(medicine) ?? []),
    ].map((drug) => ({
      ...drug,
      ...(isRecord && { standing: 'recorded' as const }),
      ...((isTaken || refilled.get(n)?.has(drug.drugId)) && { isContinued: true }),
    }))
  })
  // a check without medicines compares nothing
  const compared = checks.flatMap((check, n) => (chosen[n]!.length > 0 ? [{ check, n }] : []))
  const takenBy = await takenByEach(
    db,
    compared.map(({ check }) => check),
  )
  const taken = new Map(compared.map(({ n }, at) => [n, takenBy[at]!]))
  return checks.map(({ patientId }, n) => {
    const known = allergies.get(patientId) ?? []
    return {
      allergies: known,
      input: {
        drugs: chosen[n]!,
        taken: taken.get(n) ?? [],
        allergies: known.map(withBrand),
        patient: facts.get(patientId)!,
        off,
      },
    }
  })
}

/**
 * Of each check, by its number, the medicines of its prescription of which something was dispensed before: the rest and
 * the refills continue them.
 */
async function loadDispensedDrugs(
  db: Kysely<DB>,
  checks: readonly Checked[],
): Promise<Map<number, Set<string>>> {
  if (!checks.some(({ prescriptionId }) => prescriptionId)) return new Map()
  const { rows } = await sql<{ n: number; drug_id: string }>`
    select distinct c.n, r.drug_id from ${asRows(checks)}
      join prescription_items i on i.prescription_id = c.prescription_id
      join dispensing_records r on r.prescription_item_id = i.id
    where not r.is_deleted and r.quantity_dispensed > 0 and r.id is distinct from c.record_id
      and not exists (select from dispensing_records back where back.reverses_id = r.id
        and not back.is_deleted)`.execute(db)
  return new Map(
    [...Map.groupBy(rows, ({ n }) => n)].map(([n, dispensed]) => [
      n,
      new Set(dispensed.map(({ drug_id }) => drug_id)),
    ]),
  )
}

export const warningsFor = async (db: Kysely<DB>, checked: Checked) =>
  (await checkFor(db, checked)).warnings

/**
 * An allergy that names a brand of the catalogue ("Amoxil") is one to the substances of that brand.
 */
async function readerOfBrands(
  db: Kysely<DB>,
  allergies: readonly KnownAllergy[],
): Promise<(allergy: KnownAllergy) => KnownAllergy> {
  // "Brufen 400" and "Brufen syrup" are Brufen, in the allergy and in the catalogue
  const unknownBrand = ({ substance, substance_kind }: KnownAllergy) =>
    substance_kind === 'other' && !isFullyKnown(resolveAllergy(substance))
      ? withoutForm(bareAllergyName(substance))
      : ''
  const brands = [...new Set(allergies.map(unknownBrand).filter(Boolean))]
  if (brands.length === 0) return (allergy) => allergy
  const words = [...new Set(brands.map((brand) => brand.split(' ')[0]!))]
  const { rows } = await sql<{ brand: string; ingredients: string[] }>`
    select brand, ingredients from (
      select lower(btrim(brand_name)) as brand, ingredients,
        row_number() over (partition by split_part(lower(btrim(brand_name)), ' ', 1) order by id) as place
      from drug_catalogue
      where split_part(lower(btrim(brand_name)), ' ', 1) = any(${words}::text[]) and not is_deleted) found
    where place <= ${MOST_BRANDS} order by place`.execute(db)
  const known = Map.groupBy(rows, ({ brand }) => withoutForm(brand))
  return (allergy) => ({
    ...allergy,
    brandIngredients: (known.get(unknownBrand(allergy)) ?? []).flatMap(
      ({ ingredients }) => ingredients,
    ),
  })
}

const catalogueRows = (db: Kysely<DB>, ids: readonly string[]) =>
  db
    .selectFrom('drug_catalogue')
    .select(['id', ...TITLE_COLUMNS, 'ingredients', 'form', 'route'])
    .where(columnInIds('id', ids))
    .execute()
type CatalogueRow = Awaited<ReturnType<typeof catalogueRows>>[number]

async function loadCatalogueById(
  db: Kysely<DB>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CatalogueRow>> {
  const rows = ids.length > 0 ? await catalogueRows(db, [...new Set(ids)]) : []
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * In the requested order; a medicine requested twice is there twice. Throws if one was never in the
 * catalogue.
 */
function checkedDrugs(
  catalogue: ReadonlyMap<string, CatalogueRow>,
  ids: readonly string[],
  doses: readonly DoseOf[],
): CheckedDrug[] {
  const left = [...doses]
  return ids.map((id) => {
    const drug = catalogue.get(id)
    if (!drug) throw notFound('prescriptions.drugNotFound')
    const at = left.findIndex(({ drugId }) => drugId === id)
    const dose = at < 0 ? undefined : left.splice(at, 1)[0]?.dose
    return {
      drugId: id,
      name: drugName(drug),
      ingredients: drug.ingredients,
      form: drug.form,
      route: dose?.route ?? drug.route,
      dosing: dose ? computeDosing(dose, drug) : null,
      written: dose ? toWrittenDose(dose, drug) : null,
    }
  })
}
