import { parseIngredients } from '~/features/medicines/safety/rules/ingredients'
import table from './label-cautions.json'

const CAUTIONS = ['drowsy', 'fridge', 'shake'] as const
type Caution = (typeof CAUTIONS)[number]
type Row = { id: string; members: readonly string[]; forms?: readonly string[] }
const ROWS: readonly Row[] = table.rows

/** What the label of a medicine warns of, by its ingredients. A local treatment makes nobody drowsy. */
export function labelCautions({
  ingredients,
  form,
  route,
}: {
  ingredients: readonly string[]
  form: string
  route: string
}): Caution[] {
  const names = new Set(ingredients.flatMap(parseIngredients).map(({ name }) => name))
  const isLocal = route === 'topical' || route === 'ophthalmic' || route === 'otic'
  const found = ROWS.filter(
    ({ members, forms }) =>
      members.some((name) => names.has(name)) && (forms === undefined || forms.includes(form)),
  ).map(({ id }) => id)
  return CAUTIONS.filter((caution) => found.includes(caution) && !(caution === 'drowsy' && isLocal))
}
