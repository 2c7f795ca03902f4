import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '~/db/types'
import { drugTitle } from '~/features/medicines/drugs/drug'
import {
  forMedicines,
  type ReportDefinition,
  sectionsOfMedicines,
} from '~/features/reports/cells/definition'
import { shiftMonthStart, type Period } from '~/features/reports/cells/period'
import { DOSAGE_FORMS } from '~/shared/dosage'
import { inEach, sayIn } from '~/shared/in-words'
import type { Sayable } from '~/shared/say'

/** Months before the end of a period in which a medicine that left the catalogue must have moved to have a row. */
const MONTHS = 3

/**
 * The definition with its rows of medicines for a report of clinics: what had a movement by the end of the period, or
 * was given without stock, and is in the catalogue, was moved lately or since, or was there on the last day.
 */
export const withMedicines = (
  db: Kysely<DB>,
  definition: ReportDefinition,
  { clinicIds, period }: Place,
): Promise<ReportDefinition> => expanded(db, definition, inUse({ clinicIds, period }))

type Place = { clinicIds: readonly string[]; period: Period }

function inUse({ clinicIds, period }: Place) {
  const clinics = sql`${[...clinicIds]}::uuid[]`
  return sql`d.id in (
    select c.id
    from (select drug_id, day, quantity from inventory_transactions where clinic_id = any(${clinics})
        union all
        select drug_id, clinic_day(occurred_at), 0 from stock_shortfalls
        where clinic_id = any(${clinics}) and not is_deleted) moved
      join drug_catalogue c on c.id = moved.drug_id
    group by c.id
    having min(moved.day) <= ${period.last}::date
      and (c.is_active and not c.is_deleted
        or max(moved.day) >= ${shiftMonthStart(period.last, 1 - MONTHS)}::date
        or sum(moved.quantity) filter (where moved.day <= ${period.last}::date) <> 0))`
}

/** With the rows that a closed run keeps; `later`: and those that the report has by now. */
export function withKeptMedicines(
  db: Kysely<DB>,
  definition: ReportDefinition,
  { runId, later }: { runId: string; later: Place | null },
) {
  const kept = sql`d.id::text in (select row_id from report_cells
    where run_id = ${runId} and section = any(${sectionsOfMedicines(definition)}::text[]))`
  return expanded(db, definition, later ? sql`(${kept} or ${inUse(later)})` : kept)
}

/** With every medicine that a clinic has or had, or gave without stock: each can have a code of its own. */
export const withAllMedicines = (db: Kysely<DB>, definition: ReportDefinition) =>
  expanded(
    db,
    definition,
    sql`d.id in (select drug_id from clinic_inventory
      union select drug_id from stock_shortfalls where not is_deleted)`,
  )

async function expanded(
  db: Kysely<DB>,
  definition: ReportDefinition,
  where: RawBuilder<unknown>,
): Promise<ReportDefinition> {
  if (sectionsOfMedicines(definition).length === 0) return definition
  const { rows } = await sql<Medicine>`
    select d.id, d.generic_name, d.brand_name, d.form, d.dosage_quantity, d.dosage_units,
      d.per_quantity, d.per_unit, d.ingredient_strengths
    from drug_catalogue d where ${where}
    order by d.generic_name collate names, d.form, d.dosage_quantity, d.id`.execute(db)
  return forMedicines(
    definition,
    rows.map((row) => ({ id: row.id, names: inEach((language) => nameIn(row, sayIn(language))) })),
  )
}
type Medicine = Parameters<typeof drugTitle>[0] & { id: string; form: string | null }

/** Characters of a name in a definition. */
const MOST = 300

/** Name, strength and form, so that tablets and bottles of one medicine have different names. */
function nameIn({ form, ...row }: Medicine, say: (what: Sayable) => string): string {
  const known = DOSAGE_FORMS.find((each) => each === form)
  return [drugTitle(row, say), known ? say(`drugs.form_${known}`) : form]
    .filter(Boolean)
    .join(', ')
    .slice(0, MOST)
}
