import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { parseIngredients, bareMedicineName } from '~/features/medicines/safety/rules/ingredients'
import type { CheckedDrug } from '~/features/medicines/safety/rules/rule'

/** A medicine recorded by its name, with its substances if known. */
export type NamedMedicine = { name: string; ingredients?: readonly string[] }

/** Rows of the catalogue that one name can stand for. */
const MOST_ROWS = 500
const MOST_LETTERS = 100

const tidy = (text: string) => text.trim().toLowerCase().replaceAll(/\s+/g, ' ')
const bare = (text: string) => bareMedicineName(text)
const isKnown = (text: string) => text !== '' && parseIngredients(text).every((one) => one.isKnown)

/**
 * Reads medicines by the names that the checks use: the substances written beside the name, those that
 * the name contains in any spelling, or those of the catalogue's medicine of that name. An unknown
 * name stays in the check, which says that it was not checked. A name without letters is no medicine. The catalogue is
 * asked once for the names of all of them.
 */
export async function readerOfNames(
  db: Kysely<DB>,
  medicines: readonly NamedMedicine[],
): Promise<(medicine: NamedMedicine) => CheckedDrug | undefined> {
  const unclear = medicines.flatMap(({ name, ingredients = [] }) => {
    const written = name.trim()
    return ingredients.length === 0 && !isKnown(bare(written)) ? [tidy(written), bare(written)] : []
  })
  const brands = await catalogueNames(db, unclear)
  return ({ name, ...medicine }) =>
    name.trim() ? namedDrug({ ...medicine, name: name.trim() }, brands) : undefined
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
  ingredients: resolveSubstances(name, ingredients, brands),
})

/** Names a medicine without an id of the catalogue in the keys of warnings. */
export const idOfName = (name: string) => `name:${tidy(name).slice(0, MOST_LETTERS)}`

function resolveSubstances(
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
    select name, generic_name, ingredients from (
      select w.name, d.id, d.generic_name, d.ingredients, row_number() over (partition by w.name order by d.id) as place
      from drug_catalogue d
        cross join lateral (select lower(btrim(d.brand_name)) union select lower(btrim(d.generic_name))
          union select lower(btrim(d.generic_name) || ' (' || btrim(d.brand_name) || ')')) as called (name)
        join unnest(${wanted}::text[]) as w (name) on w.name = called.name
      where not d.is_deleted) found
    where place <= ${MOST_ROWS} order by id`.execute(db)
  for (const { name, generic_name, ingredients } of rows) {
    const before = found.get(name) ?? []
    found.set(name, [
      ...new Set([...before, ...(ingredients.length > 0 ? ingredients : [generic_name])]),
    ])
  }
  return found
}
