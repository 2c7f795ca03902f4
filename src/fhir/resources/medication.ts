import { sql } from 'kysely'
import { parseStrengthParts } from '~/records/strength'
import { mayAnywhere } from '~/shared/actor'
import { PERMISSIONS } from '~/shared/permissions'
import { conditionalCodes, code, special, string } from '../parameters'
import { concept, INGREDIENT, toQuantity } from '../parts'
import { compact, type Fhir, resource } from '../resource'

type MedicationRow = {
  barcode: string | null
  generic_name: string
  brand_name: string | null
  form: string
  ingredients: string[]
  dosage_quantity: number | null
  dosage_units: string
  per_quantity: number | null
  per_unit: string | null
  ingredient_strengths: string | null
  is_active: boolean
}

/** UCUM (ucum.org) of the units of the catalogue; "units" of a medicine have none that fits all. */
const UCUM: Readonly<Record<string, string>> = {
  mg: 'mg',
  g: 'g',
  mcg: 'ug',
  mL: 'mL',
  L: 'L',
  hour: 'h',
}
const amount = (value: number, unit: string) => {
  const ucum = UCUM[unit]
  return ucum ? toQuantity(value, ucum, unit) : { value, unit }
}

type Part = { quantity: number; unit: string }
/** One strength for each ingredient, in their order; of a single ingredient the strength of the medicine. */
function ingredientStrengths(row: MedicationRow): Part[] {
  const parts = parseStrengthParts(row.ingredient_strengths)
  if (parts.length > 0) return parts.length === row.ingredients.length ? parts : []
  return row.ingredients.length === 1 && row.dosage_quantity !== null
    ? [{ quantity: row.dosage_quantity, unit: row.dosage_units }]
    : []
}

function toFhir(row: MedicationRow): Fhir {
  const strengths = ingredientStrengths(row)
  const denominator =
    row.per_quantity !== null && row.per_unit !== null
      ? amount(row.per_quantity, row.per_unit)
      : { value: 1, unit: row.form }
  return {
    resourceType: 'Medication',
    ...compact({
      identifier: [row.barcode && { value: row.barcode }],
      code: concept(row.brand_name ? `${row.generic_name} (${row.brand_name})` : row.generic_name),
      status: row.is_active ? 'active' : 'inactive',
      form: concept(row.form),
      ingredient: row.ingredients.map((name, at) => ({
        itemCodeableConcept: concept(name, { system: INGREDIENT, code: name, display: name }),
        isActive: true,
        strength: strengths[at] && {
          numerator: amount(strengths[at].quantity, strengths[at].unit),
          denominator,
        },
      })),
    }),
  }
}

export const medication = resource<MedicationRow>({
  type: 'Medication',
  from: sql`drug_catalogue r`,
  columns: sql`r.barcode, r.generic_name, r.brand_name, r.form, r.ingredients, r.dosage_quantity::float8,
    r.dosage_units, r.per_quantity::float8, r.per_unit, r.ingredient_strengths, r.is_active`,
  permits: (actor) => mayAnywhere(actor, ...PERMISSIONS),
  where: () => sql<boolean>`true`,
  patient: null,
  toFhir,
  search: {
    // Sanad has names and no codes: `code` finds nothing, and `code:text` the start of a name
    code: {
      ...special('code', () => sql<boolean>`false`, sql<boolean>`true`),
      modifiers: ['not', 'text'],
      condition: (value, modifier) =>
        modifier === 'text'
          ? string('code.text', [sql`r.generic_name`, sql`r.brand_name`]).condition(
              value,
              undefined,
            )
          : sql<boolean>`false`,
    },
    form: code('form.text', sql`r.form`),
    status: conditionalCodes(
      'status',
      { active: sql<boolean>`r.is_active`, inactive: sql<boolean>`not r.is_active` },
      'http://hl7.org/fhir/CodeSystem/medication-status',
    ),
    identifier: code('identifier.value', sql`r.barcode`),
  },
})
