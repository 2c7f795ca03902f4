import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { ingredientsOf, bareName } from '~/features/medicines/safety/rules/ingredients'
import type { CheckedDrug } from '~/features/medicines/safety/rules/rule'

/** A medicine recorded by its name, with its substances if known. */
export type NamedMedicine = { name: string; ingredients?: readonly string[] }

const MOST_ROWS = 500
const MOST_LETTERS = 100

const tidy = (text: string) => text.trim().toLowerCase().replaceAll(/\s+/g, ' ')
const bare = (text: string) => bareName(text)
const isKnown = (text: string) => text !== '' && ingredientsOf(text).every((one) => one.isKnown)

/**
 * Medicines by the names that the checks use: the substances written beside the name, those that
 * the name contains in any spelling, or those of the catalogue's medicine of that name. An unknown
 * name stays in the check, which says that it was not checked.
 */
export async function checkedByName(
  db: Kysely<DB>,
  medicines: readonly NamedMedicine[],
): Promise<CheckedDrug[]> {
  const named = medicines
    .map((medicine) => ({ ...medicine, name: medicine.name.trim() }))
    .filter(({ name }) => name)
  const unclear = named.filter(
    ({ name, ingredients = [] }) => ingredients.length === 0 && !isKnown(bare(name)),
  )
  const brands = await catalogueNames(
    db,
    unclear.flatMap(({ name }) => [tidy(name), bare(name)]),
  )
  return named.map((medicine) => namedDrug(medicine, brands))
}

/**
 * A medicine by its name, as the checks look at it; `brands` are the substances of the catalogue's
 * names.
 */
export const namedDrug = (
  { name, ingredients = [] }: NamedMedicine,
  brands: ReadonlyMap<string, readonly string[]> = new Map(),
): CheckedDrug => ({
  drugId: idOfName(name),
  name,
  ingredients: substancesOf(name, ingredients, brands),
})

/** Names a medicine without an id of the catalogue in the keys of warnings. */
export const idOfName = (name: string) => `name:${tidy(name).slice(0, MOST_LETTERS)}`

function substancesOf(
  name: string,
  given: readonly string[],
  brands: ReadonlyMap<string, readonly string[]>,
) {
  if (given.length > 0) return given
  if (isKnown(name)) return [name]
  const short = bare(name)
  if (isKnown(short)) return [short]
  return brands.get(tidy(name)) ?? brands.get(short) ?? [name]
}

async function catalogueNames(db: Kysely<DB>, names: readonly string[]) {
  const found = new Map<string, readonly string[]>()
  const wanted = [...new Set(names)].filter(Boolean)
  if (wanted.length === 0) return found
  const { rows } = await sql<{ name: string; generic_name: string; ingredients: string[] }>`
    select w.name, d.generic_name, d.ingredients from unnest(${wanted}::text[]) as w (name) join drug_catalogue d
      on w.name in (lower(btrim(d.brand_name)), lower(btrim(d.generic_name)),
        lower(btrim(d.generic_name) || ' (' || btrim(d.brand_name) || ')'))
    where not d.is_deleted order by d.id limit ${MOST_ROWS}`.execute(db)
  for (const { name, generic_name, ingredients } of rows) {
    const before = found.get(name) ?? []
    found.set(name, [
      ...new Set([...before, ...(ingredients.length > 0 ? ingredients : [generic_name])]),
    ])
  }
  return found
}
