import { largest } from '~/shared/any-length'
import table from '../tables/after-last-dose.json'
import { canonicalIngredient, parseIngredients } from './ingredients'

/** For how many days after the last dose a medicine still counts in pairs with others; 0 where no source says more. */
export function daysAfterLastDose(ingredients: readonly string[], form?: string | null): number {
  const names = new Set(ingredients.flatMap(parseIngredients).map(({ name }) => name))
  const rows = table.rows.filter(
    ({ ingredients: listed, forms }) =>
      listed.some((name) => names.has(canonicalIngredient(name))) &&
      (!forms || (form && forms.includes(form))),
  )
  return largest([0, ...rows.map(({ days }) => days)])
}

/** The longest of the table: nothing that ended earlier has to be read. */
export const MOST_DAYS_AFTER = largest(table.rows.map(({ days }) => days))
